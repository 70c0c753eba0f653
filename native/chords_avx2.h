/*  chords_avx2.h: cosines on 256-bit registers: two lower bounds, by a line and by the squares of small arcs, and the
 *  distances themselves. `scan_avx2.c` lists the instructions of each.
 */
#ifndef HT_CHORDS_AVX2_H
#define HT_CHORDS_AVX2_H

#include "scan_avx2.h"

/*  Arcs and the entries of their sixteenths; half a turn wraps to the first. */
HT_AVX2_INLINE __m256i above_line_avx2(__m256i table_u8x32, __m256i query_u8x32, __m256i codes_u8x32) {
    __m256i arcs_u8x32 = _mm256_abs_epi8(_mm256_sub_epi8(query_u8x32, codes_u8x32));
    __m256i sixteenths_u8x32 = _mm256_and_si256(_mm256_srli_epi16(arcs_u8x32, 3), _mm256_set1_epi8(15));
    __m256i entries_u8x32 = _mm256_add_epi8(arcs_u8x32, _mm256_shuffle_epi8(table_u8x32, sixteenths_u8x32));
    return _mm256_sad_epu8(entries_u8x32, _mm256_setzero_si256());
}

HT_AVX2_INLINE uint32_t line_u8_avx2(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                     int filter, int64_t (*sums)[HT_LANES]) {
    const __m256i table_u8x32 = table_avx2(scan->plan.table);
    const uint64_t words = scan->words;
    __m256i sums_i64x4[HT_GROUP][2];
    uint64_t w = 0;
    (void)filter;
    for (int q = 0; q < group; q++) sums_i64x4[q][0] = sums_i64x4[q][1] = _mm256_set1_epi64x(queries[q].start_line);
    do {
        __m256i low_u8x32 = load_avx2(block + w * HT_WORD_BYTES), high_u8x32 = load_avx2(block + w * HT_WORD_BYTES + 32);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            __m256i query_u8x32 = broadcast_avx2(queries[q].code + w * 8);
            sums_i64x4[q][0] = _mm256_add_epi64(sums_i64x4[q][0], above_line_avx2(table_u8x32, query_u8x32, low_u8x32));
            sums_i64x4[q][1] = _mm256_add_epi64(sums_i64x4[q][1], above_line_avx2(table_u8x32, query_u8x32, high_u8x32));
        }
    } while (++w < words);
    return negative_avx2(sums_i64x4, group, sums);
}

/*  Squares of arcs, none beyond 32. */
HT_AVX2_INLINE uint32_t near_u8_avx2(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                     int filter, int64_t (*sums)[HT_LANES]) {
    enum { RUN = 15 }; /* words of which the sums of two squares, 2 * 32 * 32, fit 15 bits */
    const __m256i most_u8x32 = _mm256_set1_epi8(HT_NEAR_ARC);
    __m256i sums_i64x4[HT_GROUP][2];
    (void)filter;
    for (int q = 0; q < group; q++)
        for (int half = 0; half < 2; half++) {
            __m256i squares_i32x8 = _mm256_setzero_si256();
            for (uint64_t w = 0; w < scan->words;) {
                uint64_t stop = scan->words - w < RUN ? scan->words : w + RUN;
                __m256i squares_i16x16 = _mm256_setzero_si256();
                for (; w < stop; w++) {
                    __m256i codes_u8x32 = load_avx2(block + w * HT_WORD_BYTES + half * 32);
                    __m256i query_u8x32 = broadcast_avx2(queries[q].code + w * 8);
                    __m256i arcs_u8x32 = _mm256_abs_epi8(_mm256_sub_epi8(query_u8x32, codes_u8x32));
                    arcs_u8x32 = _mm256_min_epu8(arcs_u8x32, most_u8x32);
                    squares_i16x16 = _mm256_add_epi16(squares_i16x16, _mm256_maddubs_epi16(arcs_u8x32, arcs_u8x32));
                    if (group == 1 && !half) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
                }
                squares_i32x8 = _mm256_add_epi32(squares_i32x8, _mm256_madd_epi16(squares_i16x16, _mm256_set1_epi16(1)));
            }
            squares_i32x8 = _mm256_add_epi32(squares_i32x8, _mm256_srli_epi64(squares_i32x8, 32));
            squares_i32x8 = _mm256_blend_epi32(squares_i32x8, _mm256_setzero_si256(), 0xAA);
            sums_i64x4[q][half] = _mm256_add_epi64(_mm256_set1_epi64x(queries[q].start_near), squares_i32x8);
        }
    return negative_avx2(sums_i64x4, group, sums);
}

static int all_near_avx2(const ht_scan_t *scan, const ht_query_t *queries, int group) {
    int near = 1;
    for (int q = 0; q < group; q++) near &= -queries[q].start_near <= (int64_t)scan->dim * HT_NEAR_MOST;
    return near;
}

/*  One of 64 bytes by an index that may be negative and then has none. VPSHUFB gives zero where bit 7 is set, so a quarter
 *  adds by XOR what it differs in from the one before, to all that have reached it. */
HT_AVX2_INLINE __m256i one_of_64_avx2(const __m256i *quarters_u8x32, const __m256i *index_i8x32) {
    __m256i found_u8x32 = _mm256_shuffle_epi8(quarters_u8x32[0], index_i8x32[0]);
    for (int i = 1; i < 4; i++)
        found_u8x32 = _mm256_xor_si256(found_u8x32, _mm256_shuffle_epi8(quarters_u8x32[i], index_i8x32[i]));
    return found_u8x32;
}

/*  The sums of s(64 - arc), the two bytes of which are added up apart in 16 bits, signs by multiplication; s(0) is zero. */
HT_AVX2_INLINE uint32_t chords_u8_avx2(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                       int filter, int64_t (*sums)[HT_LANES]) {
    enum { RUN = 64 }; /* words of which the sums of low bytes, 2 * 255 each, fit 15 bits */
    const uint64_t words = scan->words;
    __m256i quarters_u8x32[2][4], sums_i64x4[HT_GROUP][2];
    for (int i = 0; i < 8; i++) {
        const uint8_t *entries = scan->plan.chords[i / 4] + i % 4 * 16;
        quarters_u8x32[i / 4][i % 4] = table_avx2(entries);
        if (i % 4)
            quarters_u8x32[i / 4][i % 4] = _mm256_xor_si256(quarters_u8x32[i / 4][i % 4], table_avx2(entries - 16));
    }
    for (int q = 0; q < group; q++)
        for (int half = 0; half < 2; half++) {
            __m256i sines_i32x8 = _mm256_setzero_si256(), whole_i32x8;
            for (uint64_t w = 0; w < words;) {
                uint64_t stop = words - w < RUN ? words : w + RUN;
                __m256i low_i16x16 = _mm256_setzero_si256(), high_i16x16 = _mm256_setzero_si256();
                for (; w < stop; w++) {
                    __m256i codes_u8x32 = load_avx2(block + w * HT_WORD_BYTES + half * 32), index_i8x32[4];
                    __m256i query_u8x32 = broadcast_avx2(queries[q].code + w * 8);
                    __m256i arcs_u8x32 = _mm256_abs_epi8(_mm256_sub_epi8(query_u8x32, codes_u8x32));
                    __m256i before_i8x32 = _mm256_sub_epi8(_mm256_set1_epi8(64), arcs_u8x32);
                    __m256i signs_i8x32 = _mm256_sign_epi8(_mm256_set1_epi8(1), before_i8x32);
                    for (int i = 0; i < 4; i++)
                        index_i8x32[i] =
                            _mm256_sub_epi8(_mm256_abs_epi8(before_i8x32), _mm256_set1_epi8((char)(1 + i * 16)));
                    low_i16x16 = _mm256_add_epi16(low_i16x16, _mm256_maddubs_epi16(
                        one_of_64_avx2(quarters_u8x32[0], index_i8x32), signs_i8x32));
                    high_i16x16 = _mm256_add_epi16(high_i16x16, _mm256_maddubs_epi16(
                        one_of_64_avx2(quarters_u8x32[1], index_i8x32), signs_i8x32));
                }
                low_i16x16 = _mm256_madd_epi16(low_i16x16, _mm256_set1_epi16(1));
                high_i16x16 = _mm256_madd_epi16(high_i16x16, _mm256_set1_epi16(256));
                sines_i32x8 = _mm256_add_epi32(sines_i32x8, _mm256_add_epi32(low_i16x16, high_i16x16));
            }
            whole_i32x8 = _mm256_add_epi32(sines_i32x8, _mm256_shuffle_epi32(sines_i32x8, 0xB1));
            sines_i32x8 = _mm256_blend_epi32(whole_i32x8, _mm256_srai_epi32(whole_i32x8, 31), 0xAA);
            sums_i64x4[q][half] = _mm256_sub_epi64(
                _mm256_set1_epi64x(queries[q].start + (int64_t)words * 8 * HT_CHORD_QUARTER), sines_i32x8);
        }
    (void)filter;
    return negative_avx2(sums_i64x4, group, sums);
}

#endif

/*  scan_avx512.c: the scan on 512-bit registers; a word of a block is exactly one of them.
 *
 *  The instructions are those of `scan_avx2.c` at twice the width; comparisons give the mask of lanes at once.
 *  Needs AVX-512 F and BW.
 */
#include "distances.h"
#include "tables.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>

#define AVX512 HT_TARGET("avx512f,avx512bw")
#define HT_AVX512_INLINE HT_INLINE AVX512

HT_AVX512_INLINE __m512i load_avx512(const uint8_t *bytes) { return _mm512_loadu_si512((const void *)bytes); }

HT_AVX512_INLINE __m512i broadcast_avx512(const uint8_t *bytes) {
    return _mm512_set1_epi64((long long)ht_load_word(bytes));
}

HT_AVX512_INLINE __m512i start_avx512(const ht_query_t *query, int filter) {
    return _mm512_set1_epi64(filter ? query->start_l1 : query->start);
}

HT_AVX512_INLINE uint32_t negative_avx512(const __m512i *sums_i64x8, int group, int64_t (*sums)[HT_LANES]) {
    __m512i any_i64x8 = sums_i64x8[0];
    uint32_t lanes = 0;
    for (int q = 1; q < group; q++) any_i64x8 = _mm512_or_si512(any_i64x8, sums_i64x8[q]);
    if (!HT_RARELY(_mm512_cmpgt_epi64_mask(_mm512_setzero_si512(), any_i64x8))) return 0;
    for (int q = 0; q < group; q++) {
        lanes |= (uint32_t)_mm512_cmpgt_epi64_mask(_mm512_setzero_si512(), sums_i64x8[q]) << (q * HT_LANES);
        _mm512_storeu_si512((void *)sums[q], sums_i64x8[q]);
    }
    return lanes;
}

HT_AVX512_INLINE void l1_words_avx512(const uint8_t *block, const ht_query_t *queries, int group, uint64_t begin,
                                      uint64_t end, __m512i *sums_i64x8) {
    const __m512i half_turn_u8x64 = _mm512_set1_epi8(-128);
    for (uint64_t w = begin; w < end; w++) {
        __m512i codes_u8x64 = load_avx512(block + w * HT_WORD_BYTES);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            __m512i ahead_u8x64 = _mm512_sub_epi8(broadcast_avx512(queries[q].first + w * 8), codes_u8x64);
            sums_i64x8[q] = _mm512_add_epi64(sums_i64x8[q], _mm512_sad_epu8(ahead_u8x64, half_turn_u8x64));
        }
    }
}

HT_AVX512_INLINE uint32_t l1_u8_avx512(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries,
                                       int group, int filter, int64_t (*sums)[HT_LANES]) {
    __m512i sums_i64x8[HT_GROUP];
    for (int q = 0; q < group; q++) sums_i64x8[q] = start_avx512(queries + q, filter);
    if (scan->early) {
        l1_words_avx512(block, queries, group, 0, scan->early, sums_i64x8);
        if (!negative_avx512(sums_i64x8, group, sums)) return 0;
    }
    l1_words_avx512(block, queries, group, scan->early, scan->words, sums_i64x8);
    return negative_avx512(sums_i64x8, group, sums);
}

/*  Sums of 32 bits, two halves to a vector, as sums of 64 bits. */
HT_AVX512_INLINE __m512i halves_avx512(__m512i sums_i32x16) {
    __m512i whole_i32x16 = _mm512_add_epi32(sums_i32x16, _mm512_shuffle_epi32(sums_i32x16, 0xB1));
    return _mm512_mask_blend_epi32(0xAAAA, whole_i32x16, _mm512_srai_epi32(whole_i32x16, 31));
}

/*  |w| as unsigned times |w| as signed is w * w, except for half a turn, where it is -128 * 128: a lower bound. */
HT_AVX512_INLINE uint32_t l2_u8_avx512(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries,
                                       int group, int filter, int64_t (*sums)[HT_LANES]) {
    __m512i sums_i32x16[HT_GROUP], sums_i64x8[HT_GROUP];
    for (int q = 0; q < group; q++) sums_i32x16[q] = _mm512_setzero_si512();
    for (uint64_t w = 0; w < scan->words; w++) {
        __m512i codes_u8x64 = load_avx512(block + w * HT_WORD_BYTES);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            __m512i difference_i8x64 = _mm512_sub_epi8(broadcast_avx512(queries[q].code + w * 8), codes_u8x64);
            __m512i arcs_u8x64 = _mm512_abs_epi8(difference_i8x64);
            __m512i squares_i16x32 = _mm512_maddubs_epi16(arcs_u8x64, arcs_u8x64);
            __m512i squares_i32x16 = _mm512_madd_epi16(squares_i16x32, _mm512_set1_epi16(1));
            sums_i32x16[q] = _mm512_add_epi32(sums_i32x16[q], squares_i32x16);
        }
    }
    for (int q = 0; q < group; q++)
        sums_i64x8[q] = _mm512_add_epi64(start_avx512(queries + q, filter), halves_avx512(sums_i32x16[q]));
    return negative_avx512(sums_i64x8, group, sums);
}

/*  Arcs and the entries of their sixteenths; half a turn wraps to the first. */
HT_AVX512_INLINE uint32_t line_u8_avx512(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries,
                                         int group, int filter, int64_t (*sums)[HT_LANES]) {
    const __m512i table_u8x64 = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)scan->plan.table));
    __m512i sums_i64x8[HT_GROUP];
    (void)filter;
    for (int q = 0; q < group; q++) sums_i64x8[q] = _mm512_set1_epi64(queries[q].start_line);
    for (uint64_t w = 0; w < scan->words; w++) {
        __m512i codes_u8x64 = load_avx512(block + w * HT_WORD_BYTES);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            __m512i arcs_u8x64 = _mm512_abs_epi8(_mm512_sub_epi8(broadcast_avx512(queries[q].code + w * 8), codes_u8x64));
            __m512i sixteenths_u8x64 = _mm512_and_si512(_mm512_srli_epi16(arcs_u8x64, 3), _mm512_set1_epi8(15));
            __m512i entries_u8x64 = _mm512_add_epi8(arcs_u8x64, _mm512_shuffle_epi8(table_u8x64, sixteenths_u8x64));
            sums_i64x8[q] = _mm512_add_epi64(sums_i64x8[q], _mm512_sad_epu8(entries_u8x64, _mm512_setzero_si512()));
        }
    }
    return negative_avx512(sums_i64x8, group, sums);
}

/*  The sums of s(64 - arc), looked up 16 bits at a time by VPERMI2W, which looks at the lowest six bits of an index; s(0),
 *  for which it takes s(64), has the sign zero. */
HT_AVX512_INLINE uint32_t chords_u8_avx512(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries,
                                           int group, int filter, int64_t (*sums)[HT_LANES]) {
    const __m512i one_u8x64 = _mm512_set1_epi8(1);
    __m512i sines_u16x32[2], sums_i64x8[HT_GROUP];
    (void)filter;
    for (int i = 0; i < 2; i++) {
        __m256i low_u8x32 = _mm256_loadu_si256((const __m256i *)(scan->plan.chords[0] + i * 32));
        __m256i high_u8x32 = _mm256_loadu_si256((const __m256i *)(scan->plan.chords[1] + i * 32));
        __m512i high_u16x32 = _mm512_slli_epi16(_mm512_cvtepu8_epi16(high_u8x32), 8);
        sines_u16x32[i] = _mm512_or_si512(_mm512_cvtepu8_epi16(low_u8x32), high_u16x32);
    }
    for (int q = 0; q < group; q++) {
        __m512i sums_i32x16 = _mm512_setzero_si512(), zero = _mm512_set1_epi64(queries[q].start);
        for (uint64_t w = 0; w < scan->words; w++) {
            __m512i codes_u8x64 = load_avx512(block + w * HT_WORD_BYTES);
            __m512i arcs_u8x64 = _mm512_abs_epi8(_mm512_sub_epi8(broadcast_avx512(queries[q].code + w * 8), codes_u8x64));
            __m512i before_i8x64 = _mm512_sub_epi8(_mm512_set1_epi8(64), arcs_u8x64);
            __m512i index_i8x64 = _mm512_sub_epi8(_mm512_abs_epi8(before_i8x64), one_u8x64);
            __m512i signs_i8x64 = _mm512_min_epi8(_mm512_max_epi8(before_i8x64, _mm512_set1_epi8(-1)), one_u8x64);
            __m512i even_u16x32 = _mm512_permutex2var_epi16(sines_u16x32[0], index_i8x64, sines_u16x32[1]);
            __m512i odd_u16x32 = _mm512_permutex2var_epi16(sines_u16x32[0], _mm512_srli_epi16(index_i8x64, 8),
                                                           sines_u16x32[1]);
            __m512i even_signs_i16x32 = _mm512_srai_epi16(_mm512_slli_epi16(signs_i8x64, 8), 8);
            __m512i even_i32x16 = _mm512_madd_epi16(even_u16x32, even_signs_i16x32);
            __m512i odd_i32x16 = _mm512_madd_epi16(odd_u16x32, _mm512_srai_epi16(signs_i8x64, 8));
            sums_i32x16 = _mm512_add_epi32(sums_i32x16, _mm512_add_epi32(even_i32x16, odd_i32x16));
        }
        zero = _mm512_add_epi64(zero, _mm512_set1_epi64((int64_t)scan->words * 8 * HT_CHORD_QUARTER));
        sums_i64x8[q] = _mm512_sub_epi64(zero, halves_avx512(sums_i32x16));
    }
    return negative_avx512(sums_i64x8, group, sums);
}

/*  Table entries of one register of codes. An index is right in its low four bits and never has bit 7 set, which is all
 *  that VPSHUFB looks at. */
HT_AVX512_INLINE __m512i entries_avx512(ht_kernel_t kernel, __m512i table_u8x64, const ht_query_t *query, uint64_t w,
                                        __m512i codes_u8x64) {
    const __m512i nibble_u8x64 = _mm512_set1_epi8(15);
    __m512i low_u8x64 = _mm512_and_si512(codes_u8x64, nibble_u8x64);
    __m512i high_u8x64 = _mm512_and_si512(_mm512_srli_epi16(codes_u8x64, 4), nibble_u8x64);
    __m512i query_low_u8x64 = broadcast_avx512(query->first + w * 8);
    __m512i query_high_u8x64 = broadcast_avx512(query->second + w * 8);
    if (kernel == HT_NIBBLE_SUB) {
        low_u8x64 = _mm512_sub_epi8(query_low_u8x64, low_u8x64);
        high_u8x64 = _mm512_sub_epi8(query_high_u8x64, high_u8x64);
    } else {
        low_u8x64 = _mm512_xor_si512(query_low_u8x64, low_u8x64);
        high_u8x64 = _mm512_xor_si512(query_high_u8x64, high_u8x64);
    }
    return _mm512_add_epi8(_mm512_shuffle_epi8(table_u8x64, low_u8x64), _mm512_shuffle_epi8(table_u8x64, high_u8x64));
}

/*  Entries are widened to 64 bits only after as many words as a byte can add up. */
HT_AVX512_INLINE uint32_t tables_avx512(ht_kernel_t kernel, const ht_scan_t *scan, const uint8_t *block,
                                        const ht_query_t *queries, int group, int filter, int64_t (*sums)[HT_LANES]) {
    const __m512i table_u8x64 = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)scan->plan.table));
    const uint64_t words = scan->words, run = scan->plan.run;
    __m512i sums_i64x8[HT_GROUP];
    for (int q = 0; q < group; q++) sums_i64x8[q] = start_avx512(queries + q, filter);
    for (uint64_t w = 0; w < words;) {
        uint64_t stop = words - w < run ? words : w + run;
        __m512i entries_u8x64[HT_GROUP];
        for (int q = 0; q < group; q++) entries_u8x64[q] = _mm512_setzero_si512();
        for (; w < stop; w++) {
            __m512i codes_u8x64 = load_avx512(block + w * HT_WORD_BYTES);
            if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
            for (int q = 0; q < group; q++)
                entries_u8x64[q] = _mm512_add_epi8(
                    entries_u8x64[q], entries_avx512(kernel, table_u8x64, queries + q, w, codes_u8x64));
        }
        for (int q = 0; q < group; q++)
            sums_i64x8[q] =
                _mm512_add_epi64(sums_i64x8[q], _mm512_sad_epu8(entries_u8x64[q], _mm512_setzero_si512()));
    }
    return negative_avx512(sums_i64x8, group, sums);
}

#define TABLE_KERNEL(name, kernel)                                                                 \
    HT_AVX512_INLINE uint32_t name(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group, \
                                 int filter, int64_t (*sums)[HT_LANES]) {                         \
        return tables_avx512(kernel, scan, block, queries, group, filter, sums);                     \
    }
TABLE_KERNEL(nibble_sub_avx512, HT_NIBBLE_SUB)
TABLE_KERNEL(nibble_xor_avx512, HT_NIBBLE_XOR)

/*  Where blocks can be left early the l1 filter is worth most; without that, l2 alone costs less than filter and l2. */
HT_AVX512_INLINE uint64_t scan_group_avx512(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                        uint64_t end) {
    switch (scan->plan.kernel) {
    case HT_SQUARES:
        scan->early = ht_early(scan, queries, group, 1);
        if (filter && scan->early)
            return ht_scan_loop(scan, queries, group, begin, end, l1_u8_avx512, l2_u8_avx512);
        return ht_scan_loop(scan, queries, group, begin, end, l2_u8_avx512, NULL);
    case HT_CHORDS:
        scan->early = ht_early(scan, queries, group, 1);
        if (filter) return ht_scan_loop(scan, queries, group, begin, end, l1_u8_avx512, chords_u8_avx512);
        return ht_scan_loop(scan, queries, group, begin, end, line_u8_avx512, chords_u8_avx512);
    case HT_NIBBLE_SUB: return ht_scan_loop(scan, queries, group, begin, end, nibble_sub_avx512, NULL);
    case HT_NIBBLE_XOR: return ht_scan_loop(scan, queries, group, begin, end, nibble_xor_avx512, NULL);
    default:
        scan->early = ht_early(scan, queries, group, 0);
        return ht_scan_loop(scan, queries, group, begin, end, l1_u8_avx512, NULL);
    }
}

AVX512 static uint64_t scan_blocks_avx512(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                      uint64_t end) {
    if (group == 1) return scan_group_avx512(scan, queries, 1, filter, begin, end);
    return scan_group_avx512(scan, queries, HT_GROUP, filter, begin, end);
}

AVX512 static void distances_avx512(uint32_t metric, uint32_t bits, uint16_t dim, const uint8_t *a, uint64_t n,
                                const uint8_t *b, uint64_t m, uint32_t *distances) {
    ht_distances_rows(metric, bits, dim, a, n, b, m, distances);
}

static int supported_avx512(void) { return HT_CPU_AVX512(); }

const ht_isa_t ht_isa_avx512 = {"avx512", supported_avx512, scan_blocks_avx512,
                                distances_avx512, HT_TRUE_COSINES, &ht_tables_avx512, NULL};

#else

static int supported_avx512(void) { return 0; }

const ht_isa_t ht_isa_avx512 = {"avx512", supported_avx512, NULL, NULL, HT_TRUE_COSINES, NULL, NULL};

#endif

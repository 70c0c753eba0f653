/*  scan_avx2.c: the scan on 256-bit registers; a word of a block is two of them, four vectors each.
 *
 *  Key instructions: VPSADBW sums |difference| of 8 bytes into the 64-bit lane of their vector; VPMADDUBSW squares;
 *  VPSHUFB looks up sixteen table entries. For each register and query:
 *      l1_u8      sub, sad, add                         two registers x four queries: eight sums in flight
 *      l2_u8      sub, abs, maddubs, madd, add
 *      line_u8    sub, abs, shift, and, shuffle, add, sad, add
 *      near_u8    sub, abs, min, maddubs, add                                  small limits
 *      chords_u8  8 sub and abs, 8 shuffles, 6 xor, sign, 2 maddubs, 2 add    true distances of what line or l1 let through
 *      nibbles    twice sub (or xor), shuffle, add      likewise; queries share the splitting of codes into nibbles;
 *                                                       one or two words: a row of blocks at once
 *  All sums are kept and added as 64-bit lanes, whatever they hold: with one type for a sum throughout its life GCC
 *  keeps it in one register. Loops run at least once, as there is at least one word.
 */
#include "distances.h"
#include "tables.h"

#if defined(__x86_64__) || defined(_M_X64)
#include "chords_avx2.h"
#include "scan_avx2.h"

HT_AVX2_INLINE void l1_words_avx2(const uint8_t *block, const ht_query_t *queries, int group, uint64_t begin,
                                  uint64_t end, __m256i (*sums_i64x4)[2]) {
    const __m256i half_turn_u8x32 = _mm256_set1_epi8(-128);
    uint64_t w = begin;
    do {
        __m256i low_u8x32 = load_avx2(block + w * HT_WORD_BYTES), high_u8x32 = load_avx2(block + w * HT_WORD_BYTES + 32);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            __m256i query_u8x32 = broadcast_avx2(queries[q].first + w * 8);
            __m256i low_arcs_u64x4 = _mm256_sad_epu8(_mm256_sub_epi8(query_u8x32, low_u8x32), half_turn_u8x32);
            __m256i high_arcs_u64x4 = _mm256_sad_epu8(_mm256_sub_epi8(query_u8x32, high_u8x32), half_turn_u8x32);
            sums_i64x4[q][0] = _mm256_add_epi64(sums_i64x4[q][0], low_arcs_u64x4);
            sums_i64x4[q][1] = _mm256_add_epi64(sums_i64x4[q][1], high_arcs_u64x4);
        }
    } while (++w < end);
}

HT_AVX2_INLINE uint32_t l1_u8_avx2(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                   int filter, int64_t (*sums)[HT_LANES]) {
    __m256i sums_i64x4[HT_GROUP][2];
    for (int q = 0; q < group; q++) sums_i64x4[q][0] = sums_i64x4[q][1] = start_avx2(queries + q, filter);
    if (scan->early) {
        l1_words_avx2(block, queries, group, 0, scan->early, sums_i64x4);
        if (!negative_avx2(sums_i64x4, group, sums)) return 0;
    }
    l1_words_avx2(block, queries, group, scan->early, scan->words, sums_i64x4);
    return negative_avx2(sums_i64x4, group, sums);
}

/*  |w| as unsigned times |w| as signed is w * w, except for half a turn, where it is -128 * 128: a lower bound. Every
 *  other query finds |w| the longer way: on some processors VPABSB wants the pipes of the multiplications. */
HT_AVX2_INLINE __m256i squares_avx2(__m256i query_u8x32, __m256i code_u8x32, int longer) {
    __m256i arcs_u8x32 = _mm256_sub_epi8(query_u8x32, code_u8x32);
    if (longer) arcs_u8x32 = _mm256_min_epu8(arcs_u8x32, _mm256_sub_epi8(code_u8x32, query_u8x32));
    else arcs_u8x32 = _mm256_abs_epi8(arcs_u8x32);
    return _mm256_madd_epi16(_mm256_maddubs_epi16(arcs_u8x32, arcs_u8x32), _mm256_set1_epi16(1));
}

/*  Sums and starts of l2 are within 2^30 of zero, so 32 bits hold them; two halves of a lane make a vector's sum. That
 *  halves are added as one lane may carry ones from the lower to the upper half: one for each of the A coordinates half
 *  a turn apart, and one when the lower half passes zero. With A > 0 the sum is still too small by 2^15 A - A - 1 or
 *  more; with A = 0 no half is negative but by the start, so passing zero means beyond the limit, and one more is too. */
HT_AVX2_INLINE uint32_t l2_u8_avx2(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                   int filter, int64_t (*sums)[HT_LANES]) {
    const uint64_t words = scan->words;
    __m256i sums_i32x8[HT_GROUP][2];
    uint64_t w = 0;
    uint32_t lanes;
    (void)filter;
    for (int q = 0; q < group; q++)
        sums_i32x8[q][0] = sums_i32x8[q][1] = _mm256_set1_epi64x((long long)(uint32_t)queries[q].start);
    do {
        __m256i low_u8x32 = load_avx2(block + w * HT_WORD_BYTES), high_u8x32 = load_avx2(block + w * HT_WORD_BYTES + 32);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            __m256i query_u8x32 = broadcast_avx2(queries[q].code + w * 8);
            sums_i32x8[q][0] = _mm256_add_epi64(sums_i32x8[q][0], squares_avx2(query_u8x32, low_u8x32, q % 2));
            sums_i32x8[q][1] = _mm256_add_epi64(sums_i32x8[q][1], squares_avx2(query_u8x32, high_u8x32, q % 2));
        }
    } while (++w < words);
    for (int q = 0; q < group; q++)
        for (int half = 0; half < 2; half++) {
            __m256i swapped_i32x8 = _mm256_shuffle_epi32(sums_i32x8[q][half], 0xB1);
            sums_i32x8[q][half] = _mm256_add_epi32(sums_i32x8[q][half], swapped_i32x8);
        }
    lanes = negative_avx2(sums_i32x8, group, sums);
    if (HT_RARELY(lanes))
        for (int q = 0; q < group; q++)
            for (int lane = 0; lane < HT_LANES; lane++) sums[q][lane] = (int32_t)sums[q][lane];
    return lanes;
}

/*  Adds the table entries of one word, 8 bits wide and never overflowing, to those of the words before. An index is right
 *  in its low four bits and never has bit 7 set, which is all that VPSHUFB looks at. */
HT_AVX2_INLINE void entries_avx2(ht_kernel_t kernel, __m256i table_u8x32, const uint8_t *codes, const ht_query_t *queries,
                                 int group, uint64_t w, __m256i (*entries_u8x32)[2]) {
    const __m256i nibble_u8x32 = _mm256_set1_epi8(15);
    __m256i low_u8x32[2], high_u8x32[2];
    for (int half = 0; half < 2; half++) {
        __m256i codes_u8x32 = load_avx2(codes + half * 32);
        low_u8x32[half] = _mm256_and_si256(codes_u8x32, nibble_u8x32);
        high_u8x32[half] = _mm256_and_si256(_mm256_srli_epi16(codes_u8x32, 4), nibble_u8x32);
    }
    for (int q = 0; q < group; q++)
        for (int half = 0; half < 2; half++) {
            __m256i first_u8x32, second_u8x32;
            if (kernel == HT_NIBBLE_SUB) {
                first_u8x32 = _mm256_sub_epi8(broadcast_avx2(queries[q].first + w * 8), low_u8x32[half]);
                second_u8x32 = _mm256_sub_epi8(broadcast_avx2(queries[q].second + w * 8), high_u8x32[half]);
            } else {
                first_u8x32 = _mm256_xor_si256(broadcast_avx2(queries[q].first + w * 8), low_u8x32[half]);
                second_u8x32 = _mm256_xor_si256(broadcast_avx2(queries[q].second + w * 8), high_u8x32[half]);
            }
            first_u8x32 = _mm256_shuffle_epi8(table_u8x32, first_u8x32);
            entries_u8x32[q][half] = _mm256_add_epi64(entries_u8x32[q][half], first_u8x32);
            second_u8x32 = _mm256_shuffle_epi8(table_u8x32, second_u8x32);
            entries_u8x32[q][half] = _mm256_add_epi64(entries_u8x32[q][half], second_u8x32);
        }
}

/*  Entries are widened to 64 bits only after as many words as a byte can add up. */
HT_AVX2_INLINE uint32_t tables_avx2(ht_kernel_t kernel, const ht_scan_t *scan, const uint8_t *block,
                                    const ht_query_t *queries, int group, int filter, int64_t (*sums)[HT_LANES]) {
    const __m256i table_u8x32 = table_avx2(scan->plan.table);
    const uint64_t words = scan->words, run = scan->plan.run;
    __m256i sums_i64x4[HT_GROUP][2];
    uint64_t w = 0;
    for (int q = 0; q < group; q++) sums_i64x4[q][0] = sums_i64x4[q][1] = start_avx2(queries + q, filter);
    do {
        uint64_t stop = words - w < run ? words : w + run;
        __m256i entries_u8x32[HT_GROUP][2];
        for (int q = 0; q < group; q++) entries_u8x32[q][0] = entries_u8x32[q][1] = _mm256_setzero_si256();
        do {
            if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
            entries_avx2(kernel, table_u8x32, block + w * HT_WORD_BYTES, queries, group, w, entries_u8x32);
        } while (++w < stop);
        for (int q = 0; q < group; q++)
            for (int half = 0; half < 2; half++) {
                __m256i widened_u64x4 = _mm256_sad_epu8(entries_u8x32[q][half], _mm256_setzero_si256());
                sums_i64x4[q][half] = _mm256_add_epi64(sums_i64x4[q][half], widened_u64x4);
            }
    } while (w < words);
    return negative_avx2(sums_i64x4, group, sums);
}

#define TABLE_KERNEL(name, kernel)                                                                 \
    HT_AVX2_INLINE uint32_t name(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group, \
                                 int filter, int64_t (*sums)[HT_LANES]) {                         \
        return tables_avx2(kernel, scan, block, queries, group, filter, sums);                     \
    }
TABLE_KERNEL(nibble_sub_avx2, HT_NIBBLE_SUB)
TABLE_KERNEL(nibble_xor_avx2, HT_NIBBLE_XOR)

/*  The least sum of entries of each lane over a row of blocks, four vectors at a time. */
HT_AVX2_INLINE int nibbles_row_avx2(ht_kernel_t kernel, uint64_t words, const ht_scan_t *scan, const uint8_t *blocks,
                                    const ht_query_t *queries, int group) {
    const __m256i table_u8x32 = table_avx2(scan->plan.table);
    const __m256i nibble_u8x32 = _mm256_set1_epi8(15);
    __m256i least_u64x4[HT_GROUP], within_i64x4 = _mm256_setzero_si256();
    for (int q = 0; q < group; q++) least_u64x4[q] = _mm256_set1_epi32(INT32_MAX);
    for (uint64_t half = 0; half < 2 * HT_ROW; half++) {
        const uint8_t *codes = blocks + half / 2 * words * HT_WORD_BYTES + half % 2 * 32;
        __m256i entries_u8x32[HT_GROUP];
        for (uint64_t w = 0; w < words; w++) {
            __m256i codes_u8x32 = load_avx2(codes + w * HT_WORD_BYTES);
            __m256i low_u8x32 = _mm256_and_si256(codes_u8x32, nibble_u8x32);
            __m256i high_u8x32 = _mm256_and_si256(_mm256_srli_epi16(codes_u8x32, 4), nibble_u8x32);
            if (group == 1) HT_PREFETCH(codes + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
            for (int q = 0; q < group; q++) {
                __m256i first_u8x32 = broadcast_avx2(queries[q].first + w * 8);
                __m256i second_u8x32 = broadcast_avx2(queries[q].first + (words + w) * 8); /* planes are contiguous */
                if (kernel == HT_NIBBLE_SUB) {
                    first_u8x32 = _mm256_sub_epi8(first_u8x32, low_u8x32);
                    second_u8x32 = _mm256_sub_epi8(second_u8x32, high_u8x32);
                } else {
                    first_u8x32 = _mm256_xor_si256(first_u8x32, low_u8x32);
                    second_u8x32 = _mm256_xor_si256(second_u8x32, high_u8x32);
                }
                first_u8x32 = _mm256_shuffle_epi8(table_u8x32, first_u8x32);
                second_u8x32 = _mm256_shuffle_epi8(table_u8x32, second_u8x32);
                first_u8x32 = _mm256_add_epi64(first_u8x32, second_u8x32);
                entries_u8x32[q] = w == 0 ? first_u8x32 : _mm256_add_epi64(entries_u8x32[q], first_u8x32);
            }
        }
        for (int q = 0; q < group; q++) {
            __m256i sums_u64x4 = _mm256_sad_epu8(entries_u8x32[q], _mm256_setzero_si256());
            least_u64x4[q] = _mm256_min_epu32(least_u64x4[q], sums_u64x4);
        }
    }
    for (int q = 0; q < group; q++) {
        __m256i beyond_i64x4 = _mm256_set1_epi64x(-queries[q].start);
        within_i64x4 = _mm256_or_si256(within_i64x4, _mm256_cmpgt_epi64(beyond_i64x4, least_u64x4[q]));
    }
    return _mm256_movemask_epi8(within_i64x4) != 0;
}

#define NIBBLES_ROW(name, words, kernel)                                                                      \
    HT_AVX2_INLINE int name(const ht_scan_t *scan, const uint8_t *blocks, const ht_query_t *queries, int group) { \
        return nibbles_row_avx2(kernel, words, scan, blocks, queries, group);                                 \
    }
#define NIBBLES_SCAN(name, kernel)                                                                            \
    NIBBLES_ROW(name##_row_1_avx2, 1, kernel)                                                                 \
    NIBBLES_ROW(name##_row_2_avx2, 2, kernel)                                                                 \
    HT_AVX2_INLINE uint64_t name##_scan_avx2(ht_scan_t *scan, ht_query_t *queries, int group, uint64_t begin, \
                                             uint64_t end) {                                                  \
        switch (scan->words) {                                                                                \
        case 1: return ht_scan_rows(scan, queries, group, begin, end, name##_row_1_avx2, name##_avx2);        \
        case 2: return ht_scan_rows(scan, queries, group, begin, end, name##_row_2_avx2, name##_avx2);        \
        default: return ht_scan_loop(scan, queries, group, begin, end, name##_avx2, NULL);                    \
        }                                                                                                     \
    }
NIBBLES_SCAN(nibble_sub, HT_NIBBLE_SUB)
NIBBLES_SCAN(nibble_xor, HT_NIBBLE_XOR)

/*  Where blocks can be left early the l1 filter is worth most; without that, l2 alone costs less than filter and l2. */
HT_AVX2_INLINE uint64_t scan_group_avx2(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                        uint64_t end) {
    switch (scan->plan.kernel) {
    case HT_SQUARES:
        scan->early = ht_early(scan, queries, group, 1);
        if (filter && scan->early) return ht_scan_loop(scan, queries, group, begin, end, l1_u8_avx2, l2_u8_avx2);
        return ht_scan_loop(scan, queries, group, begin, end, l2_u8_avx2, NULL);
    case HT_CHORDS:
        scan->early = ht_early(scan, queries, group, 1);
        if (all_near_avx2(scan, queries, group))
            return ht_scan_loop(scan, queries, group, begin, end, near_u8_avx2, chords_u8_avx2);
        if (filter) return ht_scan_loop(scan, queries, group, begin, end, l1_u8_avx2, chords_u8_avx2);
        return ht_scan_loop(scan, queries, group, begin, end, line_u8_avx2, chords_u8_avx2);
    case HT_NIBBLE_SUB: return nibble_sub_scan_avx2(scan, queries, group, begin, end);
    case HT_NIBBLE_XOR: return nibble_xor_scan_avx2(scan, queries, group, begin, end);
    default:
        scan->early = ht_early(scan, queries, group, 0);
        return ht_scan_loop(scan, queries, group, begin, end, l1_u8_avx2, NULL);
    }
}

AVX2 static uint64_t scan_blocks_avx2(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                      uint64_t end) {
    if (group == 1) return scan_group_avx2(scan, queries, 1, filter, begin, end);
    return scan_group_avx2(scan, queries, HT_GROUP, filter, begin, end);
}

AVX2 static void distances_avx2(uint32_t metric, uint32_t bits, uint16_t dim, const uint8_t *a, uint64_t n,
                                const uint8_t *b, uint64_t m, uint32_t *distances) {
    ht_distances_rows(metric, bits, dim, a, n, b, m, distances);
}

static int supported_avx2(void) { return HT_CPU_AVX2() != 0; }

const ht_isa_t ht_isa_avx2 = {"avx2", supported_avx2, scan_blocks_avx2,
                              distances_avx2, HT_TRUE_COSINES, &ht_tables_avx2, NULL};

#else

static int supported_avx2(void) { return 0; }

const ht_isa_t ht_isa_avx2 = {"avx2", supported_avx2, NULL, NULL, HT_TRUE_COSINES, NULL, NULL};

#endif

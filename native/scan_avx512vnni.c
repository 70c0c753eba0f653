/*  scan_avx512vnni.c: the scan on 512-bit registers with the byte instructions that came with Ice Lake and Zen 4.
 *
 *  Key instructions: VPDPBUSD multiplies bytes and adds four products to a 32-bit lane; VPOPCNTQ counts the ones of the
 *  64-bit lane of a vector; VPERMI2B looks up 128 table entries by seven bits; VPTERNLOGQ takes any function of three.
 *  For each register and query:
 *      l1_u8      sub, sad, add
 *      l2_u8      sub, abs, dpbusd
 *      dots_u8    dpbusd, dpbusd                 queries share the look-up of the cosines and sines of codes
 *      chords_u8  sub, abs, 2 permi2b, ternlog, 2 sad, 2 add    true distances of what the dots let through
 *      pairs_u4   sub, ternlog, permi2b, add     two coordinates a look-up: a filter before the nibble tables
 *      ones       xor, popcnt, add               up to four words: a row of blocks at once, with the query in registers
 *  Needs AVX-512 F, BW, VNNI, VBMI and VPOPCNTDQ.
 */
#include "distances.h"
#include "tables.h"

#if defined(__x86_64__) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 9))
#include <immintrin.h>

#define VNNI HT_TARGET("avx512f,avx512bw,avx512vnni,avx512vbmi,avx512vpopcntdq")
#define HT_VNNI_INLINE HT_INLINE VNNI

/*  Sums of VPDPBUSD have this type throughout their life: with __m512i, which holds 64-bit lanes, GCC copies each of
 *  them in every turn of the loop. */
typedef int32_t i32x16_t __attribute__((vector_size(64)));

HT_VNNI_INLINE i32x16_t dot_vnni(i32x16_t sums_i32x16, __m512i a_u8x64, __m512i b_i8x64) {
    return (i32x16_t)_mm512_dpbusd_epi32((__m512i)sums_i32x16, a_u8x64, b_i8x64);
}

HT_VNNI_INLINE __m512i load_vnni(const uint8_t *bytes) { return _mm512_loadu_si512((const void *)bytes); }

HT_VNNI_INLINE __m512i broadcast_vnni(const uint8_t *bytes) {
    return _mm512_set1_epi64((long long)ht_load_word(bytes));
}

HT_VNNI_INLINE __m512i start_vnni(const ht_query_t *query, int filter) {
    return _mm512_set1_epi64(filter ? query->start_l1 : query->start);
}

HT_VNNI_INLINE uint32_t negative_vnni(const __m512i *sums_i64x8, int group, int64_t (*sums)[HT_LANES]) {
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

/*  Sums of 32 bits, two halves to a vector, as sums of 64 bits. */
HT_VNNI_INLINE uint32_t negative_halves_vnni(const i32x16_t *sums_i32x16, int group, int64_t (*sums)[HT_LANES]) {
    __m512i sums_i64x8[HT_GROUP];
    for (int q = 0; q < group; q++) {
        __m512i upper_i32x16 = _mm512_slli_epi64((__m512i)sums_i32x16[q], 32);
        sums_i64x8[q] = _mm512_add_epi32((__m512i)sums_i32x16[q], upper_i32x16);
    }
    if (!HT_RARELY(negative_vnni(sums_i64x8, group, sums))) return 0;
    for (int q = 0; q < group; q++) sums_i64x8[q] = _mm512_srai_epi64(sums_i64x8[q], 32);
    return negative_vnni(sums_i64x8, group, sums);
}

HT_VNNI_INLINE void l1_words_vnni(const uint8_t *block, const ht_query_t *queries, int group, uint64_t begin,
                                  uint64_t end, __m512i *sums_i64x8) {
    const __m512i half_turn_u8x64 = _mm512_set1_epi8(-128);
    for (uint64_t w = begin; w < end; w++) {
        __m512i codes_u8x64 = load_vnni(block + w * HT_WORD_BYTES);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            __m512i ahead_u8x64 = _mm512_sub_epi8(broadcast_vnni(queries[q].first + w * 8), codes_u8x64);
            sums_i64x8[q] = _mm512_add_epi64(sums_i64x8[q], _mm512_sad_epu8(ahead_u8x64, half_turn_u8x64));
        }
    }
}

HT_VNNI_INLINE uint32_t l1_u8_vnni(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                   int filter, int64_t (*sums)[HT_LANES]) {
    __m512i sums_i64x8[HT_GROUP];
    for (int q = 0; q < group; q++) sums_i64x8[q] = start_vnni(queries + q, filter);
    if (scan->early) {
        l1_words_vnni(block, queries, group, 0, scan->early, sums_i64x8);
        if (!negative_vnni(sums_i64x8, group, sums)) return 0;
    }
    l1_words_vnni(block, queries, group, scan->early, scan->words, sums_i64x8);
    return negative_vnni(sums_i64x8, group, sums);
}

/*  |w| as unsigned times |w| as signed is w * w, except for half a turn, where it is -128 * 128: a lower bound. Every
 *  other query finds |w| the longer way, since VPABSB and VPDPBUSD want the same pipes and others are idle. */
HT_VNNI_INLINE uint32_t l2_u8_vnni(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                   int filter, int64_t (*sums)[HT_LANES]) {
    i32x16_t sums_i32x16[HT_GROUP];
    (void)filter;
    for (int q = 0; q < group; q++) sums_i32x16[q] = (i32x16_t)_mm512_set1_epi64((long long)queries[q].start_halves);
    for (uint64_t w = 0; w < scan->words; w++) {
        __m512i codes_u8x64 = load_vnni(block + w * HT_WORD_BYTES);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            __m512i query_u8x64 = broadcast_vnni(queries[q].code + w * 8);
            __m512i arcs_u8x64 = _mm512_sub_epi8(query_u8x64, codes_u8x64);
            if (q % 2) arcs_u8x64 = _mm512_min_epu8(arcs_u8x64, _mm512_sub_epi8(codes_u8x64, query_u8x64));
            else arcs_u8x64 = _mm512_abs_epi8(arcs_u8x64);
            sums_i32x16[q] = dot_vnni(sums_i32x16[q], arcs_u8x64, arcs_u8x64);
        }
    }
    return negative_halves_vnni(sums_i32x16, group, sums);
}

/*  Look-ups by the arc from zero; half a turn has the same entry as 127. (VPABSB or subtracting with saturation would
 *  want the same pipes as VPDPBUSD.) */
HT_VNNI_INLINE __m512i cosines_vnni(const __m512i *table_u8x64, __m512i angles_u8x64) {
    __m512i negative_u8x64 = _mm512_sub_epi8(_mm512_setzero_si512(), angles_u8x64);
    __m512i arcs_u8x64 = _mm512_min_epu8(_mm512_min_epu8(angles_u8x64, negative_u8x64), _mm512_set1_epi8(127));
    return _mm512_permutex2var_epi8(table_u8x64[0], arcs_u8x64, table_u8x64[1]);
}

/*  The sine is the cosine of a quarter of a turn less. Sums may pass 32 bits on the way, but not at the end. */
HT_VNNI_INLINE uint32_t dots_u8_vnni(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                     int filter, int64_t (*sums)[HT_LANES]) {
    const __m512i cosines_u8x64[2] = {load_vnni(scan->plan.wide), load_vnni(scan->plan.wide + 64)};
    const __m512i quarter_u8x64 = _mm512_set1_epi8(64);
    i32x16_t sums_i32x16[HT_GROUP], sine_sums_i32x16[HT_GROUP];
    (void)filter;
    for (int q = 0; q < group; q++) {
        sums_i32x16[q] = (i32x16_t)_mm512_set1_epi64((long long)queries[q].start_halves);
        sine_sums_i32x16[q] = (i32x16_t)_mm512_setzero_si512();
    }
    for (uint64_t w = 0; w < scan->words; w++) {
        __m512i codes_u8x64 = load_vnni(block + w * HT_WORD_BYTES);
        __m512i behind_i8x64 = _mm512_sub_epi8(codes_u8x64, quarter_u8x64);
        __m512i cosine_u8x64 = cosines_vnni(cosines_u8x64, codes_u8x64);
        __m512i sine_u8x64 = cosines_vnni(cosines_u8x64, behind_i8x64);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            sums_i32x16[q] = dot_vnni(sums_i32x16[q], cosine_u8x64, broadcast_vnni(queries[q].third + w * 8));
            sine_sums_i32x16[q] =
                dot_vnni(sine_sums_i32x16[q], sine_u8x64, broadcast_vnni(queries[q].fourth + w * 8));
        }
    }
    for (int q = 0; q < group; q++) sums_i32x16[q] += sine_sums_i32x16[q];
    return negative_halves_vnni(sums_i32x16, group, sums);
}

/*  True distances by arc: the two bytes of an entry are summed apart. VPERMI2B takes half a turn for no arc at all, whose
 *  entry is zero, and the highest bit of the arc is what is missing of the higher byte. */
HT_VNNI_INLINE uint32_t chords_u8_vnni(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                       int filter, int64_t (*sums)[HT_LANES]) {
    const __m512i low_u8x64[2] = {load_vnni(scan->plan.chords[0]), load_vnni(scan->plan.chords[0] + 64)};
    const __m512i high_u8x64[2] = {load_vnni(scan->plan.chords[1]), load_vnni(scan->plan.chords[1] + 64)};
    const __m512i top_u8x64 = _mm512_set1_epi8(-128), zero_u8x64 = _mm512_setzero_si512();
    enum { AND_OR = 0xEA }; /* truth table: (a & b) | c */
    __m512i sums_i64x8[HT_GROUP], high_sums_i64x8[HT_GROUP];
    (void)filter;
    for (int q = 0; q < group; q++) sums_i64x8[q] = start_vnni(queries + q, 0), high_sums_i64x8[q] = zero_u8x64;
    for (uint64_t w = 0; w < scan->words; w++) {
        __m512i codes_u8x64 = load_vnni(block + w * HT_WORD_BYTES);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++) {
            __m512i ahead_i8x64 = _mm512_sub_epi8(broadcast_vnni(queries[q].code + w * 8), codes_u8x64);
            __m512i arcs_u8x64 = _mm512_abs_epi8(ahead_i8x64);
            __m512i lows_u8x64 = _mm512_permutex2var_epi8(low_u8x64[0], arcs_u8x64, low_u8x64[1]);
            __m512i highs_u8x64 = _mm512_permutex2var_epi8(high_u8x64[0], arcs_u8x64, high_u8x64[1]);
            highs_u8x64 = _mm512_ternarylogic_epi64(arcs_u8x64, top_u8x64, highs_u8x64, AND_OR);
            sums_i64x8[q] = _mm512_add_epi64(sums_i64x8[q], _mm512_sad_epu8(lows_u8x64, zero_u8x64));
            high_sums_i64x8[q] = _mm512_add_epi64(high_sums_i64x8[q], _mm512_sad_epu8(highs_u8x64, zero_u8x64));
        }
    }
    for (int q = 0; q < group; q++)
        sums_i64x8[q] = _mm512_add_epi64(sums_i64x8[q], _mm512_slli_epi64(high_sums_i64x8[q], 8));
    return negative_vnni(sums_i64x8, group, sums);
}

/*  Two tables of nibbles, by the difference of the low and of the high ones; an index is right in its low four bits and
 *  never has bit 7 set, which is all that VPSHUFB looks at. */
HT_VNNI_INLINE uint32_t nibbles_u4_vnni(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries,
                                        int group, int filter, int64_t (*sums)[HT_LANES]) {
    const __m512i table_u8x64 = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)scan->plan.table));
    const __m512i nibble_u8x64 = _mm512_set1_epi8(15);
    const uint64_t words = scan->words, run = scan->plan.run;
    __m512i sums_i64x8[HT_GROUP];
    for (int q = 0; q < group; q++) sums_i64x8[q] = start_vnni(queries + q, filter);
    for (uint64_t w = 0; w < words;) {
        uint64_t stop = words - w < run ? words : w + run;
        __m512i entries_u8x64[HT_GROUP];
        for (int q = 0; q < group; q++) entries_u8x64[q] = _mm512_setzero_si512();
        for (; w < stop; w++) {
            __m512i codes_u8x64 = load_vnni(block + w * HT_WORD_BYTES);
            __m512i low_u8x64 = _mm512_and_si512(codes_u8x64, nibble_u8x64);
            __m512i high_u8x64 = _mm512_and_si512(_mm512_srli_epi16(codes_u8x64, 4), nibble_u8x64);
            if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
            for (int q = 0; q < group; q++) {
                __m512i low_index_u8x64 = _mm512_sub_epi8(broadcast_vnni(queries[q].first + w * 8), low_u8x64);
                __m512i high_index_u8x64 = _mm512_sub_epi8(broadcast_vnni(queries[q].second + w * 8), high_u8x64);
                __m512i low_entries_u8x64 = _mm512_shuffle_epi8(table_u8x64, low_index_u8x64);
                __m512i high_entries_u8x64 = _mm512_shuffle_epi8(table_u8x64, high_index_u8x64);
                entries_u8x64[q] = _mm512_add_epi64(entries_u8x64[q], low_entries_u8x64);
                entries_u8x64[q] = _mm512_add_epi64(entries_u8x64[q], high_entries_u8x64);
            }
        }
        for (int q = 0; q < group; q++)
            sums_i64x8[q] =
                _mm512_add_epi64(sums_i64x8[q], _mm512_sad_epu8(entries_u8x64[q], _mm512_setzero_si512()));
    }
    return negative_vnni(sums_i64x8, group, sums);
}

/*  With the fourth bit of every nibble set before, and cleared in what is subtracted, no nibble borrows from the next;
 *  the third operand then puts that bit right. A byte of a word moved up by 3 bits has a whole difference in bits 3 to
 *  6 and the upper three bits of another below; VPERMI2B does not look at bit 7. */
HT_VNNI_INLINE uint32_t pairs_u4_vnni(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                      int filter, int64_t (*sums)[HT_LANES]) {
    enum { OR_AND = 0xA8, XOR_3 = 0x96 }; /* truth tables: (a | b) & c and a ^ b ^ c */
    const __m512i low_half_u8x64 = load_vnni(scan->plan.wide), high_half_u8x64 = load_vnni(scan->plan.wide + 64);
    const __m512i top_u64x8 = _mm512_set1_epi64((long long)HT_MOVED_TOP);
    const __m512i kept_u64x8 = _mm512_set1_epi64((long long)(HT_MOVED_TOP | HT_MOVED_LOW));
    const uint64_t words = scan->words, run = scan->plan.run;
    __m512i sums_i64x8[HT_GROUP];
    for (int q = 0; q < group; q++) sums_i64x8[q] = start_vnni(queries + q, filter);
    for (uint64_t w = 0; w < words;) {
        uint64_t stop = words - w < run ? words : w + run;
        __m512i entries_u8x64[HT_GROUP];
        for (int q = 0; q < group; q++) entries_u8x64[q] = _mm512_setzero_si512();
        for (; w < stop; w++) {
            __m512i moved_u64x8 = _mm512_rol_epi64(load_vnni(block + w * HT_WORD_BYTES), 3);
            __m512i guarded_u64x8 = _mm512_ternarylogic_epi64(moved_u64x8, top_u64x8, kept_u64x8, OR_AND);
            __m512i tops_u64x8 = _mm512_and_si512(moved_u64x8, top_u64x8);
            if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
            for (int q = 0; q < group; q++) {
                __m512i difference_u64x8 = _mm512_sub_epi64(guarded_u64x8, broadcast_vnni(queries[q].third + w * 8));
                __m512i index_u8x64 = _mm512_ternarylogic_epi64(
                    difference_u64x8, tops_u64x8, broadcast_vnni(queries[q].fourth + w * 8), XOR_3);
                entries_u8x64[q] = _mm512_add_epi64( /* bytes do not overflow */
                    entries_u8x64[q], _mm512_permutex2var_epi8(low_half_u8x64, index_u8x64, high_half_u8x64));
            }
        }
        for (int q = 0; q < group; q++)
            sums_i64x8[q] =
                _mm512_add_epi64(sums_i64x8[q], _mm512_sad_epu8(entries_u8x64[q], _mm512_setzero_si512()));
    }
    return negative_vnni(sums_i64x8, group, sums);
}

/*  Ones of differing bits; with `squares`, two ones of the same 2-bit field count four. */
HT_VNNI_INLINE __m512i ones_lanes_vnni(__m512i codes_u64x8, __m512i query_u64x8, int squares) {
    const __m512i fields_u64x8 = _mm512_set1_epi64(0x5555555555555555);
    __m512i differing_u64x8 = _mm512_xor_si512(codes_u64x8, query_u64x8);
    __m512i ones_u64x8 = _mm512_popcnt_epi64(differing_u64x8), both_u64x8;
    if (!squares) return ones_u64x8;
    both_u64x8 = _mm512_and_si512(differing_u64x8, _mm512_srli_epi64(differing_u64x8, 1));
    both_u64x8 = _mm512_and_si512(both_u64x8, fields_u64x8);
    both_u64x8 = _mm512_popcnt_epi64(both_u64x8);
    return _mm512_add_epi64(ones_u64x8, _mm512_add_epi64(both_u64x8, both_u64x8));
}

HT_VNNI_INLINE uint32_t ones_block_vnni(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries,
                                        int group, int squares, int64_t (*sums)[HT_LANES]) {
    __m512i sums_i64x8[HT_GROUP];
    for (int q = 0; q < group; q++) sums_i64x8[q] = start_vnni(queries + q, 0);
    for (uint64_t w = 0; w < scan->words; w++) {
        __m512i codes_u64x8 = load_vnni(block + w * HT_WORD_BYTES);
        if (group == 1) HT_PREFETCH(block + w * HT_WORD_BYTES + HT_PREFETCH_BYTES);
        for (int q = 0; q < group; q++)
            sums_i64x8[q] = _mm512_add_epi64(
                sums_i64x8[q], ones_lanes_vnni(codes_u64x8, broadcast_vnni(queries[q].third + w * 8), squares));
    }
    return negative_vnni(sums_i64x8, group, sums);
}

/*  The fewest ones of each lane over a row of blocks; counts are below 2^32, where VPMINUD is the faster minimum. */
HT_VNNI_INLINE int ones_row_vnni(const uint8_t *blocks, const ht_query_t *queries, int group, uint64_t words,
                                 int squares) {
    __m512i query_u64x8[HT_GROUP][4], fewest_u64x8[HT_GROUP];
    uint32_t lanes = 0;
    for (int q = 0; q < group; q++) {
        fewest_u64x8[q] = _mm512_set1_epi64(-1);
        for (uint64_t w = 0; w < words; w++) query_u64x8[q][w] = broadcast_vnni(queries[q].third + w * 8);
    }
    for (int row = 0; row < HT_ROW; row++, blocks += words * HT_WORD_BYTES) {
        for (int q = 0; q < group; q++) {
            __m512i sums_u64x8 = ones_lanes_vnni(load_vnni(blocks), query_u64x8[q][0], squares);
            for (uint64_t w = 1; w < words; w++)
                sums_u64x8 = _mm512_add_epi64(
                    sums_u64x8, ones_lanes_vnni(load_vnni(blocks + w * HT_WORD_BYTES), query_u64x8[q][w], squares));
            fewest_u64x8[q] = _mm512_min_epu32(fewest_u64x8[q], sums_u64x8);
        }
    }
    for (int q = 0; q < group; q++)
        lanes |= _mm512_cmplt_epu64_mask(fewest_u64x8[q], _mm512_set1_epi64(-queries[q].start));
    return lanes != 0;
}

#define ONES_KERNELS(name, squares)                                                                           \
    HT_VNNI_INLINE uint32_t name##_vnni(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, \
                                        int group, int filter, int64_t (*sums)[HT_LANES]) {                   \
        (void)filter;                                                                                         \
        return ones_block_vnni(scan, block, queries, group, squares, sums);                                   \
    }                                                                                                         \
    ONES_ROW(name##_row_1_vnni, 1, squares)                                                                   \
    ONES_ROW(name##_row_2_vnni, 2, squares)                                                                   \
    ONES_ROW(name##_row_3_vnni, 3, squares)                                                                   \
    ONES_ROW(name##_row_4_vnni, 4, squares)                                                                   \
    HT_VNNI_INLINE uint64_t name##_scan_vnni(ht_scan_t *scan, ht_query_t *queries, int group, uint64_t begin, \
                                             uint64_t end) {                                                  \
        switch (group == 1 ? 0 : scan->words) { /* one query waits for memory, which rows fetch worse */      \
        case 1: return ht_scan_rows(scan, queries, group, begin, end, name##_row_1_vnni, name##_vnni);        \
        case 2: return ht_scan_rows(scan, queries, group, begin, end, name##_row_2_vnni, name##_vnni);        \
        case 3: return ht_scan_rows(scan, queries, group, begin, end, name##_row_3_vnni, name##_vnni);        \
        case 4: return ht_scan_rows(scan, queries, group, begin, end, name##_row_4_vnni, name##_vnni);        \
        default: return ht_scan_loop(scan, queries, group, begin, end, name##_vnni, NULL);                    \
        }                                                                                                     \
    }
#define ONES_ROW(name, words, squares)                                                                        \
    HT_VNNI_INLINE int name(const ht_scan_t *scan, const uint8_t *blocks, const ht_query_t *queries, int group) { \
        (void)scan;                                                                                           \
        return ones_row_vnni(blocks, queries, group, words, squares);                                         \
    }
ONES_KERNELS(ones, 0)
ONES_KERNELS(ones_squared, 1)

/*  The l1 filter is worth its while only where it can leave blocks early: l2 and the dots cost little more than l1. */
HT_VNNI_INLINE uint64_t scan_group_vnni(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                        uint64_t end) {
    switch (scan->plan.kernel) {
    case HT_SQUARES:
        scan->early = ht_early(scan, queries, group, 1);
        if (filter && scan->early) return ht_scan_loop(scan, queries, group, begin, end, l1_u8_vnni, l2_u8_vnni);
        return ht_scan_loop(scan, queries, group, begin, end, l2_u8_vnni, NULL);
    case HT_DOTS:
        scan->early = ht_early(scan, queries, group, 1);
        if (filter && scan->early) return ht_scan_loop(scan, queries, group, begin, end, l1_u8_vnni, chords_u8_vnni);
        if (group == 1) return ht_scan_loop(scan, queries, group, begin, end, chords_u8_vnni, NULL);
        return ht_scan_loop(scan, queries, group, begin, end, dots_u8_vnni, chords_u8_vnni);
    case HT_NIBBLE_SUB:
        if (filter) return ht_scan_loop(scan, queries, group, begin, end, pairs_u4_vnni, nibbles_u4_vnni);
        return ht_scan_loop(scan, queries, group, begin, end, nibbles_u4_vnni, NULL);
    case HT_NIBBLE_XOR:
        if (scan->bits == 2 && scan->metric == HT_L2) return ones_squared_scan_vnni(scan, queries, group, begin, end);
        return ones_scan_vnni(scan, queries, group, begin, end);
    default:
        scan->early = ht_early(scan, queries, group, 0);
        return ht_scan_loop(scan, queries, group, begin, end, l1_u8_vnni, NULL);
    }
}

VNNI static uint64_t scan_blocks_vnni(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                      uint64_t end) {
    if (group == 1) return scan_group_vnni(scan, queries, 1, filter, begin, end);
    return scan_group_vnni(scan, queries, HT_GROUP, filter, begin, end);
}

VNNI static void distances_vnni(uint32_t metric, uint32_t bits, uint16_t dim, const uint8_t *a, uint64_t n,
                                const uint8_t *b, uint64_t m, uint32_t *distances) {
    ht_distances_rows(metric, bits, dim, a, n, b, m, distances);
}

static int supported_vnni(void) { return HT_CPU_AVX512VNNI(); }

const ht_isa_t ht_isa_avx512vnni = {"avx512vnni", supported_vnni, scan_blocks_vnni,
                                    distances_vnni, HT_WIDE_TABLES, &ht_tables_avx512, &ht_tables_avx512vbmi};

#else

static int supported_vnni(void) { return 0; }

const ht_isa_t ht_isa_avx512vnni = {"avx512vnni", supported_vnni, NULL, NULL, HT_WIDE_TABLES, NULL, NULL};

#endif

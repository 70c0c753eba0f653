/*  scan_neon.c: the scan on 128-bit registers of AArch64; a word of a block is four of them, two vectors each.
 *
 *  Key instructions: UABD against half a turn gives |difference|, UADALP adds neighbours into wider lanes, TBL looks
 *  up sixteen table entries and gives 0 beyond them, which is what arc 128 counts in the bucket table. CNT counts the
 *  ones of a byte, and UDOT, where the compiler may use it, squares and adds four arcs.
 *  No more than 128 words are added up in 16 bits: 128 * 2 * 128 is 2^15.
 */
#include "distances.h"
#include "tables.h"

#if defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>

enum { QUARTERS = 4, WORDS_IN_U16 = 128 };

HT_INLINE uint8x16_t broadcast_neon(const uint8_t *bytes) {
    return vreinterpretq_u8_u64(vdupq_n_u64(ht_load_word(bytes)));
}

HT_INLINE int64x2_t start_neon(const ht_query_t *query, int filter) {
    return vdupq_n_s64(filter ? query->start_l1 : query->start);
}

HT_INLINE uint32_t negative_neon(int64x2_t (*sums_i64x2)[QUARTERS], int group, int64_t (*sums)[HT_LANES]) {
    uint32_t lanes = 0;
    for (int q = 0; q < group; q++) {
        int64x2_t any_i64x2 = vorrq_s64(vorrq_s64(sums_i64x2[q][0], sums_i64x2[q][1]),
                                        vorrq_s64(sums_i64x2[q][2], sums_i64x2[q][3]));
        if (!HT_RARELY((vgetq_lane_s64(any_i64x2, 0) | vgetq_lane_s64(any_i64x2, 1)) < 0)) continue;
        for (int i = 0; i < QUARTERS; i++) vst1q_s64(sums[q] + i * 2, sums_i64x2[q][i]);
        for (int lane = 0; lane < HT_LANES; lane++) lanes |= (uint32_t)(sums[q][lane] < 0) << (q * HT_LANES + lane);
    }
    return lanes;
}

/*  The summands of one register of codes in 8 bits, two of which an UADALP may add in 16. With `count` differing bits all
 *  count the same, and no table is needed. */
HT_INLINE uint8x16_t summands_neon(ht_kernel_t kernel, int count, uint8x16_t table_u8x16, const ht_query_t *query,
                                   uint64_t w, uint8x16_t codes_u8x16) {
    const uint8x16_t nibble_u8x16 = vdupq_n_u8(15);
    if (count) {
        return vcntq_u8(veorq_u8(broadcast_neon(query->third + w * 8), codes_u8x16));
    } else if (kernel == HT_SAD) {
        return vabdq_u8(vsubq_u8(broadcast_neon(query->first + w * 8), codes_u8x16), vdupq_n_u8(128));
    } else if (kernel == HT_BUCKETS) {
        int8x16_t difference_i8x16 = vreinterpretq_s8_u8(vsubq_u8(broadcast_neon(query->code + w * 8), codes_u8x16));
        return vqtbl1q_u8(table_u8x16, vshrq_n_u8(vreinterpretq_u8_s8(vabsq_s8(difference_i8x16)), 3));
    } else {
        uint8x16_t low_u8x16 = vandq_u8(codes_u8x16, nibble_u8x16), high_u8x16 = vshrq_n_u8(codes_u8x16, 4);
        uint8x16_t query_low_u8x16 = broadcast_neon(query->first + w * 8);
        uint8x16_t query_high_u8x16 = broadcast_neon(query->second + w * 8);
        if (kernel == HT_NIBBLE_SUB) {
            low_u8x16 = vandq_u8(vsubq_u8(query_low_u8x16, low_u8x16), nibble_u8x16);
            high_u8x16 = vandq_u8(vsubq_u8(query_high_u8x16, high_u8x16), nibble_u8x16);
        } else {
            low_u8x16 = veorq_u8(query_low_u8x16, low_u8x16);
            high_u8x16 = veorq_u8(query_high_u8x16, high_u8x16);
        }
        return vaddq_u8(vqtbl1q_u8(table_u8x16, low_u8x16), vqtbl1q_u8(table_u8x16, high_u8x16));
    }
}

HT_INLINE uint32_t bytes_neon(ht_kernel_t kernel, int count, const ht_scan_t *scan, const uint8_t *block,
                              const ht_query_t *queries, int group, int filter, int64_t (*sums)[HT_LANES]) {
    const uint8x16_t table_u8x16 = vld1q_u8(scan->plan.table);
    int64x2_t sums_i64x2[HT_GROUP][QUARTERS];
    for (int q = 0; q < group; q++)
        for (int i = 0; i < QUARTERS; i++) sums_i64x2[q][i] = start_neon(queries + q, filter);
    for (uint64_t w = 0; w < scan->words;) {
        uint64_t stop = scan->words - w < WORDS_IN_U16 ? scan->words : w + WORDS_IN_U16;
        uint16x8_t sums_u16x8[HT_GROUP][QUARTERS];
        for (int q = 0; q < group; q++)
            for (int i = 0; i < QUARTERS; i++) sums_u16x8[q][i] = vdupq_n_u16(0);
        for (; w < stop; w++)
            for (int i = 0; i < QUARTERS; i++) {
                uint8x16_t codes_u8x16 = vld1q_u8(block + w * HT_WORD_BYTES + i * 16);
                for (int q = 0; q < group; q++)
                    sums_u16x8[q][i] = vpadalq_u8(
                        sums_u16x8[q][i], summands_neon(kernel, count, table_u8x16, queries + q, w, codes_u8x16));
            }
        for (int q = 0; q < group; q++)
            for (int i = 0; i < QUARTERS; i++)
                sums_i64x2[q][i] = vpadalq_s32(sums_i64x2[q][i], vreinterpretq_s32_u32(vpaddlq_u16(sums_u16x8[q][i])));
    }
    return negative_neon(sums_i64x2, group, sums);
}

#define BYTES_KERNEL(name, kernel, count)                                                          \
    HT_INLINE uint32_t name(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group, \
                            int filter, int64_t (*sums)[HT_LANES]) {                              \
        return bytes_neon(kernel, count, scan, block, queries, group, filter, sums);               \
    }
BYTES_KERNEL(l1_u8_neon, HT_SAD, 0)
BYTES_KERNEL(buckets_neon, HT_BUCKETS, 0)
BYTES_KERNEL(nibble_sub_neon, HT_NIBBLE_SUB, 0)
BYTES_KERNEL(nibble_xor_neon, HT_NIBBLE_XOR, 0)
BYTES_KERNEL(ones_neon, HT_NIBBLE_XOR, 1)

#if defined(__ARM_FEATURE_DOTPROD)
/*  The four sums of a register are two for each of its vectors; half a turn squared fits as all is unsigned. */
HT_INLINE uint32_t l2_u8_neon(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                              int filter, int64_t (*sums)[HT_LANES]) {
    uint32x4_t sums_u32x4[HT_GROUP][QUARTERS];
    int64x2_t sums_i64x2[HT_GROUP][QUARTERS];
    for (int q = 0; q < group; q++)
        for (int i = 0; i < QUARTERS; i++) sums_u32x4[q][i] = vdupq_n_u32(0);
    for (uint64_t w = 0; w < scan->words; w++)
        for (int i = 0; i < QUARTERS; i++) {
            uint8x16_t codes_u8x16 = vld1q_u8(block + w * HT_WORD_BYTES + i * 16);
            for (int q = 0; q < group; q++) {
                uint8x16_t arcs_u8x16 = summands_neon(HT_SAD, 0, codes_u8x16, queries + q, w, codes_u8x16);
                sums_u32x4[q][i] = vdotq_u32(sums_u32x4[q][i], arcs_u8x16, arcs_u8x16);
            }
        }
    for (int q = 0; q < group; q++)
        for (int i = 0; i < QUARTERS; i++)
            sums_i64x2[q][i] = vpadalq_s32(start_neon(queries + q, filter), vreinterpretq_s32_u32(sums_u32x4[q][i]));
    return negative_neon(sums_i64x2, group, sums);
}
#else
/*  Squares of a register's two vectors come out in two registers; each is reduced to the 64-bit lane of its vector. */
HT_INLINE uint32_t l2_u8_neon(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                              int filter, int64_t (*sums)[HT_LANES]) {
    uint32x4_t sums_u32x4[HT_GROUP][HT_LANES];
    int64x2_t sums_i64x2[HT_GROUP][QUARTERS];
    for (int q = 0; q < group; q++)
        for (int lane = 0; lane < HT_LANES; lane++) sums_u32x4[q][lane] = vdupq_n_u32(0);
    for (uint64_t w = 0; w < scan->words; w++)
        for (int i = 0; i < QUARTERS; i++) {
            uint8x16_t codes_u8x16 = vld1q_u8(block + w * HT_WORD_BYTES + i * 16);
            for (int q = 0; q < group; q++) {
                uint8x16_t arcs_u8x16 = summands_neon(HT_SAD, 0, codes_u8x16, queries + q, w, codes_u8x16);
                uint16x8_t even_u16x8 = vmull_u8(vget_low_u8(arcs_u8x16), vget_low_u8(arcs_u8x16));
                uint16x8_t odd_u16x8 = vmull_high_u8(arcs_u8x16, arcs_u8x16);
                sums_u32x4[q][i * 2] = vpadalq_u16(sums_u32x4[q][i * 2], even_u16x8);
                sums_u32x4[q][i * 2 + 1] = vpadalq_u16(sums_u32x4[q][i * 2 + 1], odd_u16x8);
            }
        }
    for (int q = 0; q < group; q++)
        for (int i = 0; i < QUARTERS; i++) {
            uint32x4_t pairs_u32x4 = vpaddq_u32(sums_u32x4[q][i * 2], sums_u32x4[q][i * 2 + 1]);
            sums_i64x2[q][i] = vpadalq_s32(start_neon(queries + q, filter), vreinterpretq_s32_u32(pairs_u32x4));
        }
    return negative_neon(sums_i64x2, group, sums);
}
#endif

HT_INLINE uint64_t scan_group_neon(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                        uint64_t end) {
    switch (scan->plan.kernel) {
    case HT_SQUARES:
        if (filter) return ht_scan_loop(scan, queries, group, begin, end, l1_u8_neon, l2_u8_neon);
        return ht_scan_loop(scan, queries, group, begin, end, l2_u8_neon, NULL);
    case HT_BUCKETS:
        if (filter) return ht_scan_loop(scan, queries, group, begin, end, l1_u8_neon, buckets_neon);
        return ht_scan_loop(scan, queries, group, begin, end, buckets_neon, NULL);
    case HT_NIBBLE_SUB: return ht_scan_loop(scan, queries, group, begin, end, nibble_sub_neon, NULL);
    case HT_NIBBLE_XOR:
        if (scan->bits == 2 && scan->metric == HT_L2)
            return ht_scan_loop(scan, queries, group, begin, end, nibble_xor_neon, NULL);
        return ht_scan_loop(scan, queries, group, begin, end, ones_neon, NULL);
    default: return ht_scan_loop(scan, queries, group, begin, end, l1_u8_neon, NULL);
    }
}

static uint64_t scan_blocks_neon(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                      uint64_t end) {
    if (group == 1) return scan_group_neon(scan, queries, 1, filter, begin, end);
    return scan_group_neon(scan, queries, HT_GROUP, filter, begin, end);
}

static void distances_neon(uint32_t metric, uint32_t bits, uint16_t dim, const uint8_t *a, uint64_t n,
                                const uint8_t *b, uint64_t m, uint32_t *distances) {
    ht_distances_rows(metric, bits, dim, a, n, b, m, distances);
}

static int supported_neon(void) { return 1; }

const ht_isa_t ht_isa_neon = {"neon", supported_neon, scan_blocks_neon,
                              distances_neon, HT_BOUNDS, &ht_tables_neon, NULL};

#else

static int supported_neon(void) { return 0; }

const ht_isa_t ht_isa_neon = {"neon", supported_neon, NULL, NULL, HT_BOUNDS, NULL, NULL};

#endif

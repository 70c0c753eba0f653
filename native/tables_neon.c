/*  tables_neon.c: the search by tables on 128-bit registers of AArch64, four for the same nibble of a strip.
 *
 *  Key instructions: TBL looks up 16 entries, UQADD adds them up; of both one a register, nibble and query.
 */
#include "tables.h"

#if defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>

enum { QUARTERS = 4 };

/*  Sixteen vectors, which are two blocks: UZP1 and UZP2 three times take every other byte, so that the bytes of a kind
 *  come together, in the order of the vectors. */
HT_INLINE void turn_16_neon(const uint8_t *blocks, uint64_t block_bytes, uint8x16_t *turned_u8x16) {
    uint8x16_t from_u8x16[8], to_u8x16[8];
    for (int i = 0; i < 8; i++) from_u8x16[i] = vld1q_u8(blocks + (uint64_t)(i / 4) * block_bytes + (i % 4) * 16);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++) {
            to_u8x16[i] = vuzp1q_u8(from_u8x16[2 * i], from_u8x16[2 * i + 1]);
            to_u8x16[i + 4] = vuzp2q_u8(from_u8x16[2 * i], from_u8x16[2 * i + 1]);
        }
        for (int i = 0; i < 8; i++) from_u8x16[i] = to_u8x16[i];
    }
    for (int i = 0; i < 8; i++) turned_u8x16[i] = from_u8x16[i];
}

static void turn_neon(const uint8_t *blocks, uint64_t words, uint64_t pairs, uint8_t *columns) {
    for (uint64_t w = 0; w < words; w++)
        for (uint64_t quarter = 0; quarter < QUARTERS; quarter++) {
            uint8x16_t turned_u8x16[8];
            turn_16_neon(blocks + quarter * 2 * words * HT_WORD_BYTES + w * HT_WORD_BYTES, words * HT_WORD_BYTES,
                         turned_u8x16);
            for (uint64_t i = 0; i < 8 && w * 8 + i < pairs; i++) {
                uint8_t *column = columns + (w * 8 + i) * 2 * HT_STRIP + quarter * 16;
                vst1q_u8(column, vandq_u8(turned_u8x16[i], vdupq_n_u8(15)));
                vst1q_u8(column + HT_STRIP, vshrq_n_u8(turned_u8x16[i], 4));
            }
        }
}

HT_INLINE void chunk_neon(const uint8_t *columns, uint64_t nibbles, const uint8_t *filters, int group,
                          uint8x16_t (*sums_u8x16)[QUARTERS]) {
    for (int q = 0; q < group; q++)
        for (int i = 0; i < QUARTERS; i++) sums_u8x16[q][i] = vdupq_n_u8(0);
    for (uint64_t n = 0; n < nibbles; n++, columns += HT_STRIP, filters += group * 16)
        for (int q = 0; q < group; q++) {
            uint8x16_t table_u8x16 = vld1q_u8(filters + q * 16);
            for (int i = 0; i < QUARTERS; i++)
                sums_u8x16[q][i] = vqaddq_u8(sums_u8x16[q][i], vqtbl1q_u8(table_u8x16, vld1q_u8(columns + i * 16)));
        }
}

/*  A bit for each of 16 bytes that are all ones or all zeros. */
HT_INLINE uint64_t bits_neon(uint8x16_t within_u8x16) {
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits_u8x16 = vandq_u8(within_u8x16, vld1q_u8(places));
    return vaddv_u8(vget_low_u8(bits_u8x16)) | (uint64_t)vaddv_u8(vget_high_u8(bits_u8x16)) << 8;
}

/*  Sums of chunks are added up in 16 bits. */
HT_INLINE uint64_t strip_neon(const uint8_t *columns, uint64_t nibbles, const uint8_t *filters, int group,
                              const uint32_t *below, uint64_t *masks) {
    uint16x8_t sums_u16x8[HT_GROUP][QUARTERS][2];
    uint8x16_t sums_u8x16[HT_GROUP][QUARTERS];
    uint64_t any = 0;
    for (int i = 0; i < group * QUARTERS * 2; i++) sums_u16x8[i / 8][i / 2 % 4][i % 2] = vdupq_n_u16(0);
    for (uint64_t n = 0; n < nibbles; n += HT_CHUNK) {
        uint64_t count = nibbles - n < HT_CHUNK ? nibbles - n : HT_CHUNK;
        chunk_neon(columns + n * HT_STRIP, count, filters + n * (uint64_t)group * 16, group, sums_u8x16);
        for (int q = 0; q < group; q++)
            for (int i = 0; i < QUARTERS; i++) {
                sums_u16x8[q][i][0] = vqaddq_u16(sums_u16x8[q][i][0], vmovl_u8(vget_low_u8(sums_u8x16[q][i])));
                sums_u16x8[q][i][1] = vqaddq_u16(sums_u16x8[q][i][1], vmovl_u8(vget_high_u8(sums_u8x16[q][i])));
            }
    }
    for (int q = 0; q < group; q++) {
        masks[q] = 0;
        for (int i = 0; i < QUARTERS; i++) {
            uint16x8_t below_u16x8 = vdupq_n_u16((uint16_t)below[q]);
            uint8x8_t low_u8x8 = vmovn_u16(vcltq_u16(sums_u16x8[q][i][0], below_u16x8));
            uint8x8_t high_u8x8 = vmovn_u16(vcltq_u16(sums_u16x8[q][i][1], below_u16x8));
            masks[q] |= bits_neon(vcombine_u8(low_u8x8, high_u8x8)) << (i * 16);
        }
        any |= masks[q];
    }
    return any;
}

static int filter_neon(const uint8_t *columns, uint64_t strips, uint64_t count, const uint8_t *filters, int group,
                       const uint32_t *below, uint64_t *masks) {
    uint64_t any = 0;
    for (; strips; strips--, columns += count * HT_STRIP, masks += group)
        if (group == 1) any |= strip_neon(columns, count, filters, 1, below, masks);
        else any |= strip_neon(columns, count, filters, HT_GROUP, below, masks);
    return any != 0;
}

static void scale_neon(const ht_costs_t *costs, uint32_t scale, uint64_t group, uint8_t *filter) {
    ht_scale_nibbles(costs, scale, group, filter);
}

const ht_table_kernel_t ht_tables_neon = {HT_NIBBLES, scale_neon, turn_neon, filter_neon};

#else

const ht_table_kernel_t ht_tables_neon = {0, NULL, NULL, NULL};

#endif

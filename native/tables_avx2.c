/*  tables_avx2.c: the search by tables on 256-bit registers, two for the same nibble of a strip.
 *
 *  Key instructions: VPSHUFB looks up 32 entries, VPADDUSB adds them up; of both one a register, nibble and query.
 *  Turning: a register takes two vectors in each half; VPSHUFB pairs their bytes, and three rounds of VPUNPCK put the
 *  pairs of eight registers side by side.
 */
#include "tables.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>

#define AVX2 HT_TARGET("avx2")
#define HT_AVX2_INLINE HT_INLINE AVX2

/*  The eight bytes of 32 vectors, which are four blocks, as eight registers of one byte each. */
HT_AVX2_INLINE void turn_32_avx2(const uint8_t *blocks, uint64_t block_bytes, __m256i *turned_u8x32) {
    const __m256i pairs_u8x32 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    __m256i a[8], b[8];
    for (int i = 0; i < 8; i++) { /* vectors 2i, 2i + 1 and 16 + 2i, 17 + 2i */
        const uint8_t *low = blocks + (uint64_t)(i / 4) * block_bytes + (i % 4) * 16, *high = low + 2 * block_bytes;
        __m256i both_u8x32 = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low));
        both_u8x32 = _mm256_inserti128_si256(both_u8x32, _mm_loadu_si128((const __m128i *)high), 1);
        a[i] = _mm256_shuffle_epi8(both_u8x32, pairs_u8x32);
    }
    for (int i = 0; i < 8; i += 2)
        b[i] = _mm256_unpacklo_epi16(a[i], a[i + 1]), b[i + 1] = _mm256_unpackhi_epi16(a[i], a[i + 1]);
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            a[i + 2 * j] = _mm256_unpacklo_epi32(b[i + j], b[i + j + 2]);
            a[i + 2 * j + 1] = _mm256_unpackhi_epi32(b[i + j], b[i + j + 2]);
        }
    for (int i = 0; i < 4; i++) {
        turned_u8x32[2 * i] = _mm256_unpacklo_epi64(a[i], a[i + 4]);
        turned_u8x32[2 * i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 4]);
    }
}

AVX2 static void turn_avx2(const uint8_t *blocks, uint64_t words, uint64_t pairs, uint8_t *columns) {
    const __m256i nibble_u8x32 = _mm256_set1_epi8(15);
    const uint64_t block_bytes = words * HT_WORD_BYTES;
    for (uint64_t w = 0; w < words; w++)
        for (uint64_t half = 0; half < 2; half++) {
            __m256i turned_u8x32[8];
            turn_32_avx2(blocks + half * 4 * block_bytes + w * HT_WORD_BYTES, block_bytes, turned_u8x32);
            for (uint64_t i = 0; i < 8 && w * 8 + i < pairs; i++) {
                uint8_t *column = columns + (w * 8 + i) * 2 * HT_STRIP + half * 32;
                __m256i high_u8x32 = _mm256_and_si256(_mm256_srli_epi16(turned_u8x32[i], 4), nibble_u8x32);
                _mm256_storeu_si256((__m256i *)column, _mm256_and_si256(turned_u8x32[i], nibble_u8x32));
                _mm256_storeu_si256((__m256i *)(column + HT_STRIP), high_u8x32);
            }
        }
}

HT_AVX2_INLINE __m256i load_avx2(const uint8_t *bytes) { return _mm256_loadu_si256((const __m256i *)bytes); }

HT_AVX2_INLINE void chunk_avx2(const uint8_t *columns, uint64_t nibbles, const uint8_t *filters, int group,
                               __m256i (*sums_u8x32)[2]) {
    for (int q = 0; q < group; q++) sums_u8x32[q][0] = sums_u8x32[q][1] = _mm256_setzero_si256();
    for (uint64_t n = 0; n < nibbles; n++, columns += HT_STRIP, filters += group * 16) {
        __m256i first_u8x32 = load_avx2(columns), second_u8x32 = load_avx2(columns + 32);
        for (int q = 0; q < group; q++) {
            __m256i table_u8x32 = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(filters + q * 16)));
            sums_u8x32[q][0] = _mm256_adds_epu8(sums_u8x32[q][0], _mm256_shuffle_epi8(table_u8x32, first_u8x32));
            sums_u8x32[q][1] = _mm256_adds_epu8(sums_u8x32[q][1], _mm256_shuffle_epi8(table_u8x32, second_u8x32));
        }
    }
}

/*  A bit for each byte that is at least `below`, which is at most 255. */
HT_AVX2_INLINE uint64_t beyond_avx2(__m256i sums_u8x32, uint32_t below) {
    __m256i least_u8x32 = _mm256_set1_epi8((char)below);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(sums_u8x32, least_u8x32), sums_u8x32));
}

HT_AVX2_INLINE uint64_t one_chunk_avx2(const uint8_t *columns, uint64_t nibbles, const uint8_t *filters, int group,
                                       const uint32_t *below, uint64_t *masks) {
    __m256i sums_u8x32[HT_GROUP][2];
    uint64_t any = 0;
    chunk_avx2(columns, nibbles, filters, group, sums_u8x32);
    for (int q = 0; q < group; q++) {
        masks[q] = ~(beyond_avx2(sums_u8x32[q][0], below[q]) | beyond_avx2(sums_u8x32[q][1], below[q]) << 32);
        any |= masks[q];
    }
    return any;
}

/*  A bit for each vector whose sum, in the even or the odd 16-bit lanes, is at least `below`. */
HT_AVX2_INLINE uint64_t beyond_16_avx2(__m256i even_u16x16, __m256i odd_u16x16, uint32_t below) {
    const __m256i least_u16x16 = _mm256_set1_epi16((short)below);
    even_u16x16 = _mm256_cmpeq_epi16(_mm256_max_epu16(even_u16x16, least_u16x16), even_u16x16);
    odd_u16x16 = _mm256_cmpeq_epi16(_mm256_max_epu16(odd_u16x16, least_u16x16), odd_u16x16);
    return (uint32_t)_mm256_movemask_epi8(_mm256_blendv_epi8(even_u16x16, odd_u16x16, _mm256_set1_epi16((short)0xFF00)));
}

HT_AVX2_INLINE uint64_t chunks_avx2(const uint8_t *columns, uint64_t nibbles, const uint8_t *filters, int group,
                                    const uint32_t *below, uint64_t *masks) {
    __m256i sums_u16x16[HT_GROUP][2][2];
    uint64_t any = 0;
    for (int i = 0; i < group * 4; i++) sums_u16x16[i / 4][i / 2 % 2][i % 2] = _mm256_setzero_si256();
    for (uint64_t n = 0; n < nibbles; n += HT_CHUNK) {
        uint64_t count = nibbles - n < HT_CHUNK ? nibbles - n : HT_CHUNK;
        __m256i sums_u8x32[HT_GROUP][2];
        chunk_avx2(columns + n * HT_STRIP, count, filters + n * (uint64_t)group * 16, group, sums_u8x32);
        for (int q = 0; q < group; q++)
            for (int half = 0; half < 2; half++) {
                __m256i even_u16x16 = _mm256_and_si256(sums_u8x32[q][half], _mm256_set1_epi16(255));
                __m256i odd_u16x16 = _mm256_srli_epi16(sums_u8x32[q][half], 8);
                sums_u16x16[q][half][0] = _mm256_adds_epu16(sums_u16x16[q][half][0], even_u16x16);
                sums_u16x16[q][half][1] = _mm256_adds_epu16(sums_u16x16[q][half][1], odd_u16x16);
            }
    }
    for (int q = 0; q < group; q++) {
        masks[q] = ~(beyond_16_avx2(sums_u16x16[q][0][0], sums_u16x16[q][0][1], below[q]) |
                     beyond_16_avx2(sums_u16x16[q][1][0], sums_u16x16[q][1][1], below[q]) << 32);
        any |= masks[q];
    }
    return any;
}

HT_AVX2_INLINE int filter_group_avx2(const uint8_t *columns, uint64_t strips, uint64_t count, const uint8_t *filters,
                                     int group, const uint32_t *below, uint64_t *masks) {
    uint64_t any = 0;
    for (; strips; strips--, columns += count * HT_STRIP, masks += group)
        if (count <= HT_CHUNK) any |= one_chunk_avx2(columns, count, filters, group, below, masks);
        else any |= chunks_avx2(columns, count, filters, group, below, masks);
    return any != 0;
}

AVX2 static int filter_avx2(const uint8_t *columns, uint64_t strips, uint64_t count, const uint8_t *filters, int group,
                            const uint32_t *below, uint64_t *masks) {
    if (group == 1) return filter_group_avx2(columns, strips, count, filters, 1, below, masks);
    return filter_group_avx2(columns, strips, count, filters, HT_GROUP, below, masks);
}

AVX2 static void scale_avx2(const ht_costs_t *costs, uint32_t scale, uint64_t group, uint8_t *filter) {
    ht_scale_nibbles(costs, scale, group, filter);
}

const ht_table_kernel_t ht_tables_avx2 = {HT_NIBBLES, scale_avx2, turn_avx2, filter_avx2};

#else

const ht_table_kernel_t ht_tables_avx2 = {0, NULL, NULL, NULL};

#endif

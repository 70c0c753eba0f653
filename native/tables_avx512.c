/*  tables_avx512.c: the search by tables on 512-bit registers, one for the same nibble of a strip.
 *
 *  The instructions are those of `tables_avx2.c` at twice the width, and VPERMW puts what is turned in order. Needs
 *  AVX-512 F and BW.
 */
#include "tables.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>

#define AVX512 HT_TARGET("avx512f,avx512bw")
#define HT_AVX512_INLINE HT_INLINE AVX512

HT_AVX512_INLINE __m512i load_avx512(const uint8_t *bytes) { return _mm512_loadu_si512((const void *)bytes); }

/*  A word of eight blocks as eight registers of one byte of 64 vectors. Each quarter of a register begins as two vectors
 *  of one block, and ends as these two of all eight blocks. */
HT_AVX512_INLINE void turn_64_avx512(const uint8_t *blocks, uint64_t block_bytes, __m512i *turned_u8x64) {
    const __m512i pairs_u8x64 = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    const __m512i order_u16x32 = _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4, 27, 19, 11,
                                                  3, 26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);
    __m512i a[8], b[8];
    for (int i = 0; i < 8; i++) a[i] = _mm512_shuffle_epi8(load_avx512(blocks + (uint64_t)i * block_bytes), pairs_u8x64);
    for (int i = 0; i < 8; i += 2)
        b[i] = _mm512_unpacklo_epi16(a[i], a[i + 1]), b[i + 1] = _mm512_unpackhi_epi16(a[i], a[i + 1]);
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            a[i + 2 * j] = _mm512_unpacklo_epi32(b[i + j], b[i + j + 2]);
            a[i + 2 * j + 1] = _mm512_unpackhi_epi32(b[i + j], b[i + j + 2]);
        }
    for (int i = 0; i < 4; i++) {
        turned_u8x64[2 * i] = _mm512_permutexvar_epi16(order_u16x32, _mm512_unpacklo_epi64(a[i], a[i + 4]));
        turned_u8x64[2 * i + 1] = _mm512_permutexvar_epi16(order_u16x32, _mm512_unpackhi_epi64(a[i], a[i + 4]));
    }
}

AVX512 static void turn_avx512(const uint8_t *blocks, uint64_t words, uint64_t pairs, uint8_t *columns) {
    const __m512i nibble_u8x64 = _mm512_set1_epi8(15);
    for (uint64_t w = 0; w < words; w++) {
        __m512i turned_u8x64[8];
        turn_64_avx512(blocks + w * HT_WORD_BYTES, words * HT_WORD_BYTES, turned_u8x64);
        for (uint64_t i = 0; i < 8 && w * 8 + i < pairs; i++) {
            uint8_t *column = columns + (w * 8 + i) * 2 * HT_STRIP;
            __m512i high_u8x64 = _mm512_and_si512(_mm512_srli_epi16(turned_u8x64[i], 4), nibble_u8x64);
            _mm512_storeu_si512((void *)column, _mm512_and_si512(turned_u8x64[i], nibble_u8x64));
            _mm512_storeu_si512((void *)(column + HT_STRIP), high_u8x64);
        }
    }
}

HT_AVX512_INLINE void chunk_avx512(const uint8_t *columns, uint64_t nibbles, const uint8_t *filters, int group,
                                   __m512i *sums_u8x64) {
    for (int q = 0; q < group; q++) sums_u8x64[q] = _mm512_setzero_si512();
    for (uint64_t n = 0; n < nibbles; n++, columns += HT_STRIP, filters += group * 16) {
        __m512i codes_u8x64 = load_avx512(columns);
        for (int q = 0; q < group; q++) {
            __m512i table_u8x64 = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(filters + q * 16)));
            sums_u8x64[q] = _mm512_adds_epu8(sums_u8x64[q], _mm512_shuffle_epi8(table_u8x64, codes_u8x64));
        }
    }
}

HT_AVX512_INLINE uint64_t one_chunk_avx512(const uint8_t *columns, uint64_t nibbles, const uint8_t *filters, int group,
                                           const uint32_t *below, uint64_t *masks) {
    __m512i sums_u8x64[HT_GROUP];
    uint64_t any = 0;
    chunk_avx512(columns, nibbles, filters, group, sums_u8x64);
    for (int q = 0; q < group; q++)
        any |= masks[q] = _mm512_cmplt_epu8_mask(sums_u8x64[q], _mm512_set1_epi8((char)below[q]));
    return any;
}

HT_AVX512_INLINE uint64_t chunks_avx512(const uint8_t *columns, uint64_t nibbles, const uint8_t *filters, int group,
                                        const uint32_t *below, uint64_t *masks) {
    const __m512i low_u16x32 = _mm512_set1_epi16(255);
    __m512i even_u16x32[HT_GROUP], odd_u16x32[HT_GROUP];
    uint64_t any = 0;
    for (int q = 0; q < group; q++) even_u16x32[q] = odd_u16x32[q] = _mm512_setzero_si512();
    for (uint64_t n = 0; n < nibbles; n += HT_CHUNK) {
        uint64_t count = nibbles - n < HT_CHUNK ? nibbles - n : HT_CHUNK;
        __m512i sums_u8x64[HT_GROUP];
        chunk_avx512(columns + n * HT_STRIP, count, filters + n * (uint64_t)group * 16, group, sums_u8x64);
        for (int q = 0; q < group; q++) {
            even_u16x32[q] = _mm512_adds_epu16(even_u16x32[q], _mm512_and_si512(sums_u8x64[q], low_u16x32));
            odd_u16x32[q] = _mm512_adds_epu16(odd_u16x32[q], _mm512_srli_epi16(sums_u8x64[q], 8));
        }
    }
    for (int q = 0; q < group; q++) {
        __m512i below_u16x32 = _mm512_set1_epi16((short)below[q]);
        uint32_t even = _mm512_cmplt_epu16_mask(even_u16x32[q], below_u16x32);
        uint32_t odd = _mm512_cmplt_epu16_mask(odd_u16x32[q], below_u16x32);
        masks[q] = 0;
        if (!HT_RARELY(even | odd)) continue;
        masks[q] = _mm512_movepi8_mask(_mm512_mask_blend_epi8(0xAAAAAAAAAAAAAAAAu, _mm512_movm_epi16(even),
                                                              _mm512_movm_epi16(odd)));
        any |= masks[q];
    }
    return any;
}

HT_AVX512_INLINE int filter_group_avx512(const uint8_t *columns, uint64_t strips, uint64_t pairs, const uint8_t *filters,
                                         int group, const uint32_t *below, uint64_t *masks) {
    uint64_t any = 0;
    for (; strips; strips--, columns += pairs * 2 * HT_STRIP, masks += group)
        if (pairs * 2 <= HT_CHUNK) any |= one_chunk_avx512(columns, pairs * 2, filters, group, below, masks);
        else any |= chunks_avx512(columns, pairs * 2, filters, group, below, masks);
    return any != 0;
}

AVX512 static int filter_avx512(const uint8_t *columns, uint64_t strips, uint64_t pairs, const uint8_t *filters,
                                int group, const uint32_t *below, uint64_t *masks) {
    if (group == 1) return filter_group_avx512(columns, strips, pairs, filters, 1, below, masks);
    return filter_group_avx512(columns, strips, pairs, filters, HT_GROUP, below, masks);
}

const ht_table_kernel_t ht_tables_avx512 = {turn_avx512, filter_avx512};

#else

const ht_table_kernel_t ht_tables_avx512 = {NULL, NULL};

#endif

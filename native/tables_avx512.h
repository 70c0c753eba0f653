/*  tables_avx512.h: the search by tables on 512-bit registers, one for the same column of a strip; included once for each
 *  size of tables, with HT_ENTRIES and AVX512, the target of its functions.
 *
 *  The instructions are those of `tables_avx2.c` at twice the width, and VPERMW puts what is turned in order. With tables
 *  of 128, VPERMI2B looks seven bits up.
 */
#include "tables.h"

#include <immintrin.h>

/*  Eight sums at a time, the tables of two columns and the codes of these stay in registers. */
enum { STRIPS = 4, QUERIES = 2 };

#define HT_AVX512_INLINE HT_INLINE AVX512

/*  GCC would load codes again for every look-up, and copy a sum each time that something is added to it. */
#define HT_IN_REGISTER(value) __asm__("" : "+v"(value))

HT_AVX512_INLINE __m512i load_avx512(const uint8_t *bytes) { return _mm512_loadu_si512((const void *)bytes); }

/*  A word of eight blocks, one in each register, as eight registers of one byte of 64 vectors. Each quarter of a register
 *  begins as two vectors of one block, and ends as these two of all eight blocks. */
HT_AVX512_INLINE void turn_64_avx512(const __m512i *words_u8x64, __m512i *turned_u8x64) {
    const __m512i pairs_u8x64 = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    const __m512i order_u16x32 = _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4, 27, 19, 11,
                                                  3, 26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);
    __m512i a[8], b[8];
    for (int i = 0; i < 8; i++) a[i] = _mm512_shuffle_epi8(words_u8x64[i], pairs_u8x64);
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

#if HT_ENTRIES == 16
AVX512 static void turn_avx512(const uint8_t *blocks, uint64_t words, uint64_t pairs, uint8_t *columns) {
    const __m512i nibble_u8x64 = _mm512_set1_epi8(15);
    for (uint64_t w = 0; w < words; w++) {
        __m512i words_u8x64[8], turned_u8x64[8];
        for (uint64_t i = 0; i < 8; i++) words_u8x64[i] = load_avx512(blocks + (i * words + w) * HT_WORD_BYTES);
        turn_64_avx512(words_u8x64, turned_u8x64);
        for (uint64_t i = 0; i < 8 && w * 8 + i < pairs; i++) {
            uint8_t *column = columns + (w * 8 + i) * 2 * HT_STRIP;
            __m512i high_u8x64 = _mm512_and_si512(_mm512_srli_epi16(turned_u8x64[i], 4), nibble_u8x64);
            _mm512_storeu_si512((void *)column, _mm512_and_si512(turned_u8x64[i], nibble_u8x64));
            _mm512_storeu_si512((void *)(column + HT_STRIP), high_u8x64);
        }
    }
}
#else
/*  VPMULTISHIFTQB takes eight times seven bits of a word, and an eighth, which VPERMI2B does not look at; the last seven
 *  are in its topmost byte. */
AVX512 static void turn_avx512(const uint8_t *blocks, uint64_t words, uint64_t pairs, uint8_t *columns) {
    const __m512i sevens_u8x64 = _mm512_set1_epi64(0x312A231C150E0700);
    const __m512i order_u8x64 = _mm512_set_epi8(63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45,
                                                37, 29, 21, 13, 5, 60, 52, 44, 36, 28, 20, 12, 4, 59, 51, 43, 35, 27, 19,
                                                11, 3, 58, 50, 42, 34, 26, 18, 10, 2, 57, 49, 41, 33, 25, 17, 9, 1, 56,
                                                48, 40, 32, 24, 16, 8, 0);
    (void)pairs;
    for (uint64_t w = 0; w < words; w++, columns += HT_SEVENS_OF_WORD * HT_STRIP) {
        __m512i words_u8x64[8], turned_u8x64[8], last_u8x64 = _mm512_setzero_si512();
        for (uint64_t i = 0; i < 8; i++) {
            __m512i word_u64x8 = load_avx512(blocks + (i * words + w) * HT_WORD_BYTES);
            words_u8x64[i] = _mm512_multishift_epi64_epi8(sevens_u8x64, word_u64x8);
            word_u64x8 = _mm512_slli_epi64(_mm512_srli_epi64(word_u64x8, 56), (unsigned)i * 8);
            last_u8x64 = _mm512_or_si512(last_u8x64, word_u64x8);
        }
        turn_64_avx512(words_u8x64, turned_u8x64);
        for (uint64_t i = 0; i < 8; i++) _mm512_storeu_si512((void *)(columns + i * HT_STRIP), turned_u8x64[i]);
        _mm512_storeu_si512((void *)(columns + 8 * HT_STRIP), _mm512_permutexvar_epi8(order_u8x64, last_u8x64));
    }
}
#endif

/*  Sums have this type throughout their life: with __m512i, which holds 64-bit lanes, GCC copies each of them in every
 *  turn of the loop. */
typedef uint8_t u8x64_t __attribute__((vector_size(64)));

#if HT_ENTRIES == 16
typedef struct { __m512i entries_u8x64; } table_t;

HT_AVX512_INLINE table_t table_avx512(const uint8_t *filter) {
    table_t table = {_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)filter))};
    return table;
}

HT_AVX512_INLINE __m512i look_up_avx512(table_t table, __m512i codes_u8x64) {
    return _mm512_shuffle_epi8(table.entries_u8x64, codes_u8x64);
}
#else
typedef struct { __m512i low_u8x64, high_u8x64; } table_t;

HT_AVX512_INLINE table_t table_avx512(const uint8_t *filter) {
    table_t table = {load_avx512(filter), load_avx512(filter + 64)};
    return table;
}

HT_AVX512_INLINE __m512i look_up_avx512(table_t table, __m512i codes_u8x64) {
    return _mm512_permutex2var_epi8(table.low_u8x64, codes_u8x64, table.high_u8x64);
}
#endif

/*  Entries of one column, or of two, whose sum fits a byte: adding without saturation has more pipes to choose from. */
HT_AVX512_INLINE void columns_avx512(const uint8_t *columns, uint64_t strip_bytes, int strips, int count,
                                     const uint8_t *filters, int group, int queries, u8x64_t (*sums_u8x64)[QUERIES]) {
    table_t tables[2][QUERIES];
    for (int n = 0; n < count; n++)
        for (int q = 0; q < queries; q++) tables[n][q] = table_avx512(filters + (n * group + q) * HT_ENTRIES);
    for (int i = 0; i < strips; i++) {
        __m512i first_u8x64 = load_avx512(columns + (uint64_t)i * strip_bytes), second_u8x64 = first_u8x64;
        if (count == 2) second_u8x64 = load_avx512(columns + (uint64_t)i * strip_bytes + HT_STRIP);
        HT_IN_REGISTER(first_u8x64);
        HT_IN_REGISTER(second_u8x64);
        for (int q = 0; q < queries; q++) {
            __m512i entries_u8x64 = look_up_avx512(tables[0][q], first_u8x64);
            if (count == 2)
                entries_u8x64 = _mm512_add_epi8(entries_u8x64, look_up_avx512(tables[1][q], second_u8x64));
            sums_u8x64[i][q] = (u8x64_t)_mm512_adds_epu8((__m512i)sums_u8x64[i][q], entries_u8x64);
            HT_IN_REGISTER(sums_u8x64[i][q]);
        }
    }
}

/*  Several strips at a time share the loads of tables, as some of the queries of a group share those of codes. */
HT_AVX512_INLINE void chunk_avx512(const uint8_t *columns, uint64_t strip_bytes, int strips, uint64_t count,
                                   const uint8_t *filters, int group, int queries, u8x64_t (*sums_u8x64)[QUERIES]) {
    uint64_t n = 0;
    for (int i = 0; i < strips * queries; i++) sums_u8x64[i / queries][i % queries] = (u8x64_t)_mm512_setzero_si512();
    for (; n + 2 <= count; n += 2, columns += 2 * HT_STRIP, filters += 2 * group * HT_ENTRIES)
        columns_avx512(columns, strip_bytes, strips, 2, filters, group, queries, sums_u8x64);
    if (n < count) columns_avx512(columns, strip_bytes, strips, 1, filters, group, queries, sums_u8x64);
}

HT_AVX512_INLINE uint64_t one_chunk_avx512(const uint8_t *columns, int strips, uint64_t count, const uint8_t *filters,
                                           int group, int queries, const uint32_t *below, uint64_t *masks) {
    u8x64_t sums_u8x64[STRIPS][QUERIES];
    uint64_t any = 0;
    chunk_avx512(columns, count * HT_STRIP, strips, count, filters, group, queries, sums_u8x64);
    for (int i = 0; i < strips; i++)
        for (int q = 0; q < queries; q++) {
            __m512i below_u8x64 = _mm512_set1_epi8((char)below[q]);
            any |= masks[i * group + q] = _mm512_cmplt_epu8_mask((__m512i)sums_u8x64[i][q], below_u8x64);
        }
    return any;
}

HT_AVX512_INLINE uint64_t chunks_avx512(const uint8_t *columns, int strips, uint64_t count, const uint8_t *filters,
                                        int group, int queries, const uint32_t *below, uint64_t *masks) {
    const __m512i low_u16x32 = _mm512_set1_epi16(255);
    __m512i even_u16x32[STRIPS][QUERIES], odd_u16x32[STRIPS][QUERIES];
    uint64_t any = 0;
    for (int i = 0; i < strips * queries; i++)
        even_u16x32[i / queries][i % queries] = odd_u16x32[i / queries][i % queries] = _mm512_setzero_si512();
    for (uint64_t n = 0; n < count; n += HT_CHUNK) {
        uint64_t size = count - n < HT_CHUNK ? count - n : HT_CHUNK;
        u8x64_t sums_u8x64[STRIPS][QUERIES];
        chunk_avx512(columns + n * HT_STRIP, count * HT_STRIP, strips, size, filters + n * (uint64_t)group * HT_ENTRIES,
                     group, queries, sums_u8x64);
        for (int i = 0; i < strips; i++)
            for (int q = 0; q < queries; q++) {
                __m512i sum_u8x64 = (__m512i)sums_u8x64[i][q];
                even_u16x32[i][q] = _mm512_adds_epu16(even_u16x32[i][q], _mm512_and_si512(sum_u8x64, low_u16x32));
                odd_u16x32[i][q] = _mm512_adds_epu16(odd_u16x32[i][q], _mm512_srli_epi16(sum_u8x64, 8));
            }
    }
    for (int i = 0; i < strips; i++)
        for (int q = 0; q < queries; q++) {
            __m512i below_u16x32 = _mm512_set1_epi16((short)below[q]);
            uint32_t even = _mm512_cmplt_epu16_mask(even_u16x32[i][q], below_u16x32);
            uint32_t odd = _mm512_cmplt_epu16_mask(odd_u16x32[i][q], below_u16x32);
            uint64_t *mask = masks + i * group + q;
            *mask = 0;
            if (!HT_RARELY(even | odd)) continue;
            any |= *mask = _mm512_movepi8_mask(_mm512_mask_blend_epi8(
                0xAAAAAAAAAAAAAAAAu, _mm512_movm_epi16(even), _mm512_movm_epi16(odd)));
        }
    return any;
}

HT_AVX512_INLINE uint64_t strips_avx512(const uint8_t *columns, int strips, uint64_t count, const uint8_t *filters,
                                        int group, const uint32_t *below, uint64_t *masks) {
    const int queries = group < QUERIES ? group : QUERIES;
    uint64_t any = 0;
    for (int q = 0; q < group; q += queries) {
        const uint8_t *own = filters + q * HT_ENTRIES;
        if (count <= HT_CHUNK) any |= one_chunk_avx512(columns, strips, count, own, group, queries, below + q, masks + q);
        else any |= chunks_avx512(columns, strips, count, own, group, queries, below + q, masks + q);
    }
    return any;
}

HT_AVX512_INLINE int filter_group_avx512(const uint8_t *columns, uint64_t strips, uint64_t count, const uint8_t *filters,
                                         int group, const uint32_t *below, uint64_t *masks) {
    uint64_t any = 0, strip_bytes = count * HT_STRIP;
    for (; strips >= STRIPS; strips -= STRIPS, columns += STRIPS * strip_bytes, masks += STRIPS * group)
        any |= strips_avx512(columns, STRIPS, count, filters, group, below, masks);
    for (; strips; strips--, columns += strip_bytes, masks += group)
        any |= strips_avx512(columns, 1, count, filters, group, below, masks);
    return any != 0;
}

AVX512 static int filter_avx512(const uint8_t *columns, uint64_t strips, uint64_t count, const uint8_t *filters,
                                int group, const uint32_t *below, uint64_t *masks) {
    if (group == 1) return filter_group_avx512(columns, strips, count, filters, 1, below, masks);
    return filter_group_avx512(columns, strips, count, filters, HT_GROUP, below, masks);
}

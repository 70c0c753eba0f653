/*  coarse_strips.c: the first pass over the coarse part, for each instruction set.
 *
 *  Key instructions: VPSHUFB or TBL looks up 16 entries for every lane; the two entries of a byte are added in 8 bits;
 *  16-bit adds then carry the bytes of odd lanes along, which are summed on their own and taken off in the end.
 */
#include "coarse.h"

static uint64_t strips_serial(const uint8_t *strips, uint64_t columns, const uint8_t *tables, uint64_t begin,
                              uint64_t end, uint64_t step, uint16_t limit, uint16_t *sums, uint64_t *within) {
    for (; begin < end; begin += step) {
        const uint8_t *strip = strips + begin * columns * HT_STRIP;
        memset(sums, 0, HT_STRIP * sizeof *sums);
        for (uint64_t c = 0; c < columns; c++)
            for (uint64_t i = 0; i < HT_STRIP; i++) {
                uint8_t byte = strip[c * HT_STRIP + ht_strip_lane(i)];
                sums[i] = (uint16_t)(sums[i] + tables[c * 32 + (byte & 15)] + tables[c * 32 + 16 + (byte >> 4)]);
            }
        *within = 0;
        for (int i = 0; i < HT_STRIP; i++) *within |= (uint64_t)(sums[i] <= limit) << i;
        if (*within) return begin;
    }
    return end;
}

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>

HT_TARGET("avx2") static __m256i within_avx2(__m256i sums_u16x16, __m256i limit_u16x16) {
    return _mm256_cmpeq_epi16(_mm256_min_epu16(sums_u16x16, limit_u16x16), sums_u16x16);
}

/*  A bit for each of 32 lanes of 16 bits, all of whose bits are set or none. */
HT_TARGET("avx2") static uint64_t bits_avx2(__m256i first_u16x16, __m256i last_u16x16) {
    __m256i bytes_u8x32 = _mm256_permute4x64_epi64(_mm256_packs_epi16(first_u16x16, last_u16x16), 0xD8);
    return (uint32_t)_mm256_movemask_epi8(bytes_u8x32);
}

HT_TARGET("avx2")
static uint64_t strips_avx2(const uint8_t *strips, uint64_t columns, const uint8_t *tables, uint64_t begin, uint64_t end,
                            uint64_t step, uint16_t limit, uint16_t *sums, uint64_t *within) {
    const __m256i nibble_u8x32 = _mm256_set1_epi8(15), limit_u16x16 = _mm256_set1_epi16((int16_t)limit);
    for (; begin < end; begin += step) {
        const uint8_t *strip = strips + begin * columns * HT_STRIP;
        __m256i both_u16x16[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
        __m256i odd_u16x16[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()}, near_u16x16[4];
        for (uint64_t c = 0; c < columns; c++) {
            __m256i low_u8x32 = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(tables + c * 32)));
            __m256i high_u8x32 = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(tables + c * 32 + 16)));
            for (int half = 0; half < 2; half++) {
                __m256i codes_u8x32 = _mm256_loadu_si256((const __m256i *)(strip + c * HT_STRIP + half * 32));
                __m256i upper_u8x32 = _mm256_and_si256(_mm256_srli_epi16(codes_u8x32, 4), nibble_u8x32);
                __m256i lower_u8x32 = _mm256_and_si256(codes_u8x32, nibble_u8x32);
                __m256i entry_u8x32 = _mm256_add_epi8(_mm256_shuffle_epi8(low_u8x32, lower_u8x32),
                                                      _mm256_shuffle_epi8(high_u8x32, upper_u8x32));
                both_u16x16[half] = _mm256_add_epi16(both_u16x16[half], entry_u8x32);
                odd_u16x16[half] = _mm256_add_epi16(odd_u16x16[half], _mm256_srli_epi16(entry_u8x32, 8));
            }
        }
        for (int half = 0; half < 2; half++) {
            both_u16x16[half] = _mm256_sub_epi16(both_u16x16[half], _mm256_slli_epi16(odd_u16x16[half], 8));
            near_u16x16[half] = within_avx2(both_u16x16[half], limit_u16x16);
            near_u16x16[2 + half] = within_avx2(odd_u16x16[half], limit_u16x16);
        }
        *within = bits_avx2(near_u16x16[0], near_u16x16[1]) | bits_avx2(near_u16x16[2], near_u16x16[3]) << 32;
        if (!HT_RARELY(*within)) continue;
        for (int half = 0; half < 2; half++) {
            _mm256_storeu_si256((__m256i *)(sums + half * 16), both_u16x16[half]);
            _mm256_storeu_si256((__m256i *)(sums + 32 + half * 16), odd_u16x16[half]);
        }
        return begin;
    }
    return end;
}

#if !(defined(_MSC_VER) && !defined(__clang__))
HT_TARGET("avx512f,avx512bw")
static uint64_t strips_avx512(const uint8_t *strips, uint64_t columns, const uint8_t *tables, uint64_t begin,
                              uint64_t end, uint64_t step, uint16_t limit, uint16_t *sums, uint64_t *within) {
    const __m512i nibble_u8x64 = _mm512_set1_epi8(15), limit_u16x32 = _mm512_set1_epi16((int16_t)limit);
    for (; begin < end; begin += step) {
        const uint8_t *strip = strips + begin * columns * HT_STRIP;
        __m512i both_u16x32 = _mm512_setzero_si512(), odd_u16x32 = both_u16x32, even_u16x32;
        for (uint64_t c = 0; c < columns; c++) {
            __m512i low_u8x64 = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(tables + c * 32)));
            __m512i high_u8x64 = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(tables + c * 32 + 16)));
            __m512i codes_u8x64 = _mm512_loadu_si512(strip + c * HT_STRIP);
            __m512i upper_u8x64 = _mm512_and_si512(_mm512_srli_epi16(codes_u8x64, 4), nibble_u8x64);
            __m512i lower_u8x64 = _mm512_and_si512(codes_u8x64, nibble_u8x64);
            __m512i entry_u8x64 = _mm512_add_epi8(_mm512_shuffle_epi8(low_u8x64, lower_u8x64),
                                                  _mm512_shuffle_epi8(high_u8x64, upper_u8x64));
            both_u16x32 = _mm512_add_epi16(both_u16x32, entry_u8x64);
            odd_u16x32 = _mm512_add_epi16(odd_u16x32, _mm512_srli_epi16(entry_u8x64, 8));
        }
        even_u16x32 = _mm512_sub_epi16(both_u16x32, _mm512_slli_epi16(odd_u16x32, 8));
        *within = (uint64_t)_mm512_cmple_epu16_mask(odd_u16x32, limit_u16x32) << 32;
        *within |= _mm512_cmple_epu16_mask(even_u16x32, limit_u16x32);
        if (!HT_RARELY(*within)) continue;
        _mm512_storeu_si512(sums, even_u16x32);
        _mm512_storeu_si512(sums + 32, odd_u16x32);
        return begin;
    }
    return end;
}
#endif
#endif

#if defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>

static uint64_t strips_neon(const uint8_t *strips, uint64_t columns, const uint8_t *tables, uint64_t begin, uint64_t end,
                            uint64_t step, uint16_t limit, uint16_t *sums, uint64_t *within) {
    const uint16x8_t limit_u16x8 = vdupq_n_u16(limit);
    for (; begin < end; begin += step) {
        const uint8_t *strip = strips + begin * columns * HT_STRIP;
        uint16x8_t both_u16x8[4], odd_u16x8[4], near_u16x8 = vdupq_n_u16(0);
        for (int i = 0; i < 4; i++) both_u16x8[i] = odd_u16x8[i] = vdupq_n_u16(0);
        for (uint64_t c = 0; c < columns; c++) {
            uint8x16_t low_u8x16 = vld1q_u8(tables + c * 32), high_u8x16 = vld1q_u8(tables + c * 32 + 16);
            for (int i = 0; i < 4; i++) {
                uint8x16_t codes_u8x16 = vld1q_u8(strip + c * HT_STRIP + i * 16);
                uint8x16_t lower_u8x16 = vqtbl1q_u8(low_u8x16, vandq_u8(codes_u8x16, vdupq_n_u8(15)));
                uint8x16_t upper_u8x16 = vqtbl1q_u8(high_u8x16, vshrq_n_u8(codes_u8x16, 4));
                uint16x8_t entry_u16x8 = vreinterpretq_u16_u8(vaddq_u8(lower_u8x16, upper_u8x16));
                both_u16x8[i] = vaddq_u16(both_u16x8[i], entry_u16x8);
                odd_u16x8[i] = vsraq_n_u16(odd_u16x8[i], entry_u16x8, 8);
            }
        }
        for (int i = 0; i < 4; i++) {
            both_u16x8[i] = vsubq_u16(both_u16x8[i], vshlq_n_u16(odd_u16x8[i], 8));
            near_u16x8 = vorrq_u16(near_u16x8, vorrq_u16(vcleq_u16(both_u16x8[i], limit_u16x8), vcleq_u16(odd_u16x8[i], limit_u16x8)));
        }
        if (!HT_RARELY(vmaxvq_u16(near_u16x8))) continue;
        for (int i = 0; i < 4; i++) vst1q_u16(sums + i * 8, both_u16x8[i]), vst1q_u16(sums + 32 + i * 8, odd_u16x8[i]);
        *within = 0;
        for (int i = 0; i < HT_STRIP; i++) *within |= (uint64_t)(sums[i] <= limit) << i;
        return begin;
    }
    return end;
}
#endif

ht_strips_t ht_strips(const ht_isa_t *isa) {
    if (isa == &ht_isa_serial) return strips_serial;
#if defined(__aarch64__) || defined(_M_ARM64)
    return strips_neon;
#elif defined(__x86_64__) || defined(_M_X64)
#if !(defined(_MSC_VER) && !defined(__clang__))
    if (isa != &ht_isa_avx2) return strips_avx512;
#endif
    return strips_avx2;
#else
    return strips_serial;
#endif
}

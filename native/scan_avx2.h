/*  scan_avx2.h: what every scan on 256-bit registers is made of: codes, queries and tables in registers, and which sums
 *  are negative.
 */
#ifndef HT_SCAN_AVX2_H
#define HT_SCAN_AVX2_H

#include "scan.h"

#include <immintrin.h>

#define AVX2 HT_TARGET("avx2")
#define HT_AVX2_INLINE HT_INLINE AVX2

HT_AVX2_INLINE __m256i load_avx2(const uint8_t *bytes) { return _mm256_loadu_si256((const __m256i *)bytes); }

HT_AVX2_INLINE __m256i broadcast_avx2(const uint8_t *bytes) {
    return _mm256_set1_epi64x((long long)ht_load_word(bytes));
}

HT_AVX2_INLINE __m256i start_avx2(const ht_query_t *query, int filter) {
    return _mm256_set1_epi64x(filter ? query->start_l1 : query->start);
}

HT_AVX2_INLINE uint32_t negative_avx2(__m256i (*sums_i64x4)[2], int group, int64_t (*sums)[HT_LANES]) {
    __m256i any_i64x4 = _mm256_or_si256(sums_i64x4[0][0], sums_i64x4[0][1]);
    uint32_t lanes = 0;
    for (int q = 1; q < group; q++)
        any_i64x4 = _mm256_or_si256(any_i64x4, _mm256_or_si256(sums_i64x4[q][0], sums_i64x4[q][1]));
    if (!HT_RARELY(_mm256_movemask_pd(_mm256_castsi256_pd(any_i64x4)))) return 0;
    for (int q = 0; q < group; q++)
        for (int half = 0; half < 2; half++) {
            uint32_t negative = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(sums_i64x4[q][half]));
            _mm256_storeu_si256((__m256i *)(sums[q] + half * 4), sums_i64x4[q][half]);
            lanes |= negative << (q * HT_LANES + half * 4);
        }
    return lanes;
}

HT_AVX2_INLINE __m256i table_avx2(const uint8_t *entries) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)entries));
}

#endif

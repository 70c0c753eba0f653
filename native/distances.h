/*  distances.h: all pairs of packed rows, written once and compiled by every instruction set for itself: the loops
 *  of `hypertorus.h` are inlined here and the compiler widens them to the registers of the including function. */
#ifndef HT_DISTANCES_H
#define HT_DISTANCES_H

#include "hypertorus.h"
#include "scan.h"

#define HT_ROWS(metric, dtype)                                                                     \
    for (uint64_t i = 0; i < n; i++)                                                               \
        for (uint64_t j = 0; j < m; j++)                                                           \
            *distances++ = hypertorus_##metric##_##dtype(a + i * row_bytes, b + j * row_bytes, dim);  \
    break;

HT_INLINE void ht_distances_rows(uint32_t metric, uint32_t bits, uint16_t dim, const uint8_t *a, uint64_t n,
                                 const uint8_t *b, uint64_t m, uint32_t *distances) {
    uint64_t row_bytes = ht_row_bytes(dim, bits);
    switch (metric * 16 + bits) {
    case HT_L1 * 16 + 8: HT_ROWS(l1, u8)
    case HT_L1 * 16 + 4: HT_ROWS(l1, u4)
    case HT_L1 * 16 + 2: HT_ROWS(l1, u2)
    case HT_L1 * 16 + 1: HT_ROWS(l1, u1)
    case HT_L2 * 16 + 8: HT_ROWS(l2, u8)
    case HT_L2 * 16 + 4: HT_ROWS(l2, u4)
    case HT_L2 * 16 + 2: HT_ROWS(l2, u2)
    case HT_L2 * 16 + 1: HT_ROWS(l2, u1)
    case HT_COSINE * 16 + 8: HT_ROWS(cosine, u8)
    case HT_COSINE * 16 + 4: HT_ROWS(cosine, u4)
    case HT_COSINE * 16 + 2: HT_ROWS(cosine, u2)
    case HT_COSINE * 16 + 1: HT_ROWS(cosine, u1)
    }
}

#endif

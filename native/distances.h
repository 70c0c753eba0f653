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

/*  What the cosine distance would be without rounding, from points: cosine and sine of each coordinate in units of 2^-12,
 *  so that 64 coordinates add up in 32 bits. See cells.c for how far it is off. */
HT_INLINE uint32_t ht_distance_of_points(const uint8_t *a, const uint8_t *b, uint32_t dim) {
    const int16_t *x = (const int16_t *)(const void *)a, *y = (const int16_t *)(const void *)b;
    int64_t dot = 0;
    for (uint32_t left = 2 * dim; left;) {
        uint32_t run = left < 128 ? left : 128;
        int32_t sum = 0;
        for (uint32_t i = 0; i < run; i++) sum += x[i] * y[i];
        dot += sum, x += run, y += run, left -= run;
    }
    dot = ((int64_t)dim << 14) - (dot >> 10);
    return dot < 0 ? 0 : (uint32_t)dot;
}

HT_INLINE void ht_distances_rows(uint32_t metric, uint32_t bits, uint16_t dim, const uint8_t *a, uint64_t n,
                                 const uint8_t *b, uint64_t m, uint32_t *distances) {
    uint64_t row_bytes = ht_row_bytes(dim, bits);
    switch (metric * 16 + bits) {
    case HT_POINTS * 16 + 8:
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t j = 0; j < m; j++)
                *distances++ = ht_distance_of_points(a + i * dim * 4, b + j * dim * 4, dim);
        break;
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

/*  hypertorus_angles.h: stand-in. */
#ifndef HYPERTORUS_ANGLES_H
#define HYPERTORUS_ANGLES_H

#include "hypertorus.h"

static inline void hypertorus_arrow(uint8_t code, int16_t *cosine, int16_t *sine) {
    *cosine = (int16_t)(16384 - (int32_t)hypertorus_chord(hypertorus_arc(code)));
    *sine = (int16_t)(16384 - (int32_t)hypertorus_chord(hypertorus_arc((uint8_t)(code - 64))));
}

static inline uint8_t hypertorus_angle(int16_t x, int16_t y) {
    uint8_t code = (y > 0 || (y == 0 && x >= 0)) ? 0 : 128;
    for (uint8_t bit = 64; bit; bit >>= 1) {
        int16_t c, s;
        hypertorus_arrow((uint8_t)(code + bit), &c, &s);
        if ((int32_t)c * y - (int32_t)s * x >= 0) code = (uint8_t)(code + bit);
    }
    return (x == 0 && y == 0) ? 0 : code;
}

static inline void hypertorus_add(int32_t *sums, uint8_t code8) {
    int16_t c, s;
    hypertorus_arrow(code8, &c, &s);
    sums[0] += c;
    sums[1] += s;
}

static inline uint8_t hypertorus_mean(const int32_t *sums, uint8_t bits) {
    uint8_t step = (uint8_t)(8 - bits), code = 0;
    if (sums[0] == 0 && sums[1] == 0) return 0;
    for (uint8_t k = bits; k-- > 0;) {
        uint8_t further = k == bits - 1 ? 0 : (uint8_t)(code + (1 << k));
        int16_t reach = step < 6 ? (int16_t)(1 << step) : 64, edge = (int16_t)((2 * further - 1) << step);
        int16_t c0, s0, c1, s1;
        hypertorus_arrow((uint8_t)((edge - reach) / 2 - ((edge - reach) < 0 && (edge - reach) % 2)), &c0, &s0);
        hypertorus_arrow((uint8_t)((edge + reach) / 2 - ((edge + reach) < 0 && (edge + reach) % 2)), &c1, &s1);
        int64_t c = c0 + c1, s = s0 + s1, cross = c * sums[1] - s * sums[0], along = c * sums[0] + s * sums[1];
        if (k == bits - 1) code = (uint8_t)(cross > 0 || (cross == 0 && along > 0) ? 0 : 1 << k);
        else if (cross >= 0) code = further;
    }
    return code;
}

#endif

/*  hypertorus_angles.h: angles and their means in integers: the 8-bit code of a pair of numbers, and the circular mean
 *  of codes, to which examples are added one at a time.
 *
 *  Both look for a direction by bisection: on which side of an arrow does it lie? That is the sign of a cross product.
 *  The arrows come from the cosine table of hypertorus.h, rounded to 2^-14; there is no division and no further table,
 *  and 32 bits suffice everywhere.
 */
#ifndef HYPERTORUS_ANGLES_H
#define HYPERTORUS_ANGLES_H

#include "hypertorus.h"

/*  round(2^14 cos) and round(2^14 sin) of an 8-bit code. */

static inline int16_t hypertorus_cosine_of(uint8_t code) {
    return (int16_t)(16384 - (int32_t)hypertorus_chord(hypertorus_arc(code)));
}

static inline void hypertorus_arrow(uint8_t code, int16_t *cosine, int16_t *sine) {
    *cosine = hypertorus_cosine_of(code);
    *sine = hypertorus_cosine_of((uint8_t)(code - 64));
}

/*  The code of the angle of (x, y): floor(256 * atan2(y, x) / 2 pi), as of a pair of torusN; 0 for (0, 0).
 *
 *  Exact but within 0.0015 codes of the border of two codes, where it may be the other of the two, for the directions
 *  of rounded arrows are off by no more. Borders at whole eighths of a turn are exact, and so are opposites: the codes
 *  of (x, y) and (-x, -y) differ by 128. */
static inline uint8_t hypertorus_angle(int16_t x, int16_t y) {
    uint16_t along, across; /* the pair turned back by whole quarters, so that it lies in the first */
    uint8_t code;
    if (x > 0 && y >= 0) code = 0, along = (uint16_t)x, across = (uint16_t)y;
    else if (y > 0) code = 64, along = (uint16_t)y, across = (uint16_t)(0 - (uint16_t)x);
    else if (x < 0) code = 128, along = (uint16_t)(0 - (uint16_t)x), across = (uint16_t)(0 - (uint16_t)y);
    else if (y < 0) code = 192, along = (uint16_t)(0 - (uint16_t)y), across = (uint16_t)x;
    else return 0;
    for (uint8_t bit = 32; bit; bit >>= 1) {
        int16_t cosine, sine;
        hypertorus_arrow((uint8_t)((code & 63) + bit), &cosine, &sine);
        if ((uint32_t)(uint16_t)cosine * across >= (uint32_t)(uint16_t)sine * along) code = (uint8_t)(code + bit);
    }
    return code;
}

/*  Adds one example's 8-bit code (one of fewer bits moved up, code << (8 - bits)) to the two sums of its coordinate,
 *  which begin at 0 and hold up to 65,535 examples. */
static inline void hypertorus_add(int32_t *sums, uint8_t code8) {
    int16_t cosine, sine;
    hypertorus_arrow(code8, &cosine, &sine);
    sums[0] += cosine, sums[1] += sine;
}

/*  Where code `code8` begins, half a code of `step` before it: the bisector of it and its neighbour. The two codes of 1
 *  bit are opposite and have none; there it is that of the directions half as far. */
static inline void hypertorus_edge(uint8_t code8, uint8_t step, int16_t *cosine, int16_t *sine) {
    uint8_t after = step == 128 ? (uint8_t)(code8 - 32) : code8;
    uint8_t before = step == 128 ? (uint8_t)(code8 - 96) : (uint8_t)(code8 - step);
    *cosine = (int16_t)(hypertorus_cosine_of(before) + hypertorus_cosine_of(after));
    *sine = (int16_t)(hypertorus_cosine_of((uint8_t)(before - 64)) + hypertorus_cosine_of((uint8_t)(after - 64)));
}

/*  A number with the sign of the cross product of an edge and the sums. The sums, below 2^30, are taken in 15 bits and
 *  15 bits: with right shifts that round down, all that the second shift drops is positive and less than 2^15. */
static inline int32_t hypertorus_side(int16_t cosine, int16_t sine, const int32_t *sums) {
    int32_t high = (int32_t)cosine * (int16_t)(sums[1] >> 15) - (int32_t)sine * (int16_t)(sums[0] >> 15);
    int32_t low = (int32_t)cosine * (int16_t)(sums[1] & 0x7FFF) - (int32_t)sine * (int16_t)(sums[0] & 0x7FFF);
    high += low >> 15;
    return high ? high : low & 0x7FFF;
}

/*  The code of `bits` bits (8, 4, 2 or 1) nearest to the direction of two sums, of two neighbours the upper; 0 where
 *  the sums are 0. The same as `nearest_code` of hypertorus.codes.circular_mean, bit for bit. */
static inline uint8_t hypertorus_mean(const int32_t *sums, uint8_t bits) {
    uint8_t step = (uint8_t)(1u << (8 - bits)), code8 = 0;
    int16_t cosine, sine;
    int32_t side;
    if (sums[0] == 0 && sums[1] == 0) return 0;
    hypertorus_edge(0, step, &cosine, &sine);
    side = hypertorus_side(cosine, sine, sums);
    /* The edge of code 0 points downwards, so along its line the sums point its way or the other by their sine. */
    if (side < 0 || (side == 0 && sums[1] > 0)) code8 = 128;
    for (uint8_t bit = 64; bit >= step; bit >>= 1) {
        hypertorus_edge((uint8_t)(code8 + bit), step, &cosine, &sine);
        if (hypertorus_side(cosine, sine, sums) >= 0) code8 = (uint8_t)(code8 + bit);
    }
    return (uint8_t)(code8 >> (8 - bits));
}

#endif

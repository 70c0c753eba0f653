/*  hypertorus.h: distances between torus codes, for any processor with 8-bit integers.
 *
 *  A coordinate is an angle in whole turns, stored as `bits` (8, 4, 2 or 1) wrap-around bits: overflow is the
 *  wrap of the circle, so the distance of two coordinates is min(a - b, b - a) in unsigned arithmetic.
 *
 *  Packing: coordinate 0 sits in the lowest bits of byte 0, the next coordinate above it, and so on; a vector of
 *  `dim` coordinates occupies ceil(dim * bits / 8) bytes and the unused highest bits of the last byte are zero.
 *
 *  Metrics, all integers, the same on every machine, with w the wrapped difference of two coordinates:
 *      l1      sum of |w|
 *      l2      sum of w * w
 *      cosine  sum of round(2^14 * (1 - cos)) of the angle, looked up by |w| << (8 - bits)
 *
 *  `dim` is 1 to 65,535. The largest distance is then 65,535 * 32,768 = 2^31 - 2^15: 32 bits always suffice.
 *  No allocation, no floating point, no threads, no library beyond <stdint.h>.
 */
#ifndef HYPERTORUS_H
#define HYPERTORUS_H

#include <stdint.h>

/*  Where constants do not live in flash by themselves, they are read through these. */
#ifndef HYPERTORUS_FLASH
#ifdef __AVR__
#include <avr/pgmspace.h>
#define HYPERTORUS_FLASH PROGMEM
#define HYPERTORUS_READ8(address) pgm_read_byte(address)
#define HYPERTORUS_READ16(address) pgm_read_word(address)
#define HYPERTORUS_READ32(address) pgm_read_dword(address)
#else
#define HYPERTORUS_FLASH
#define HYPERTORUS_READ8(address) (*(address))
#define HYPERTORUS_READ16(address) (*(address))
#define HYPERTORUS_READ32(address) (*(address))
#endif
#endif

/*  round(2^14 * (1 - cos(2 pi i / 256))): half a turn in 128 steps. */
static const uint16_t hypertorus_cosine_table[129] HYPERTORUS_FLASH = {
    0, 5, 20, 44, 79, 123, 177, 241, 315, 398, 491, 593, 705, 827, 958, 1098,
    1247, 1406, 1573, 1749, 1935, 2128, 2331, 2542, 2761, 2989, 3224, 3468, 3719, 3978, 4244, 4518,
    4799, 5087, 5381, 5682, 5990, 6304, 6624, 6950, 7282, 7619, 7961, 8308, 8661, 9018, 9379, 9745,
    10114, 10487, 10864, 11245, 11628, 12014, 12403, 12794, 13188, 13583, 13980, 14378, 14778, 15179, 15580, 15982,
    16384, 16786, 17188, 17589, 17990, 18390, 18788, 19185, 19580, 19974, 20365, 20754, 21140, 21523, 21904, 22281,
    22654, 23023, 23389, 23750, 24107, 24460, 24807, 25149, 25486, 25818, 26144, 26464, 26778, 27086, 27387, 27681,
    27969, 28250, 28524, 28790, 29049, 29300, 29544, 29779, 30007, 30226, 30437, 30640, 30833, 31019, 31195, 31362,
    31521, 31670, 31810, 31941, 32063, 32175, 32277, 32370, 32453, 32527, 32591, 32645, 32689, 32724, 32748, 32763,
    32768,
};

/*  |w| of one 8-bit coordinate from its difference with overflow: min(d, -d). Coordinates of fewer bits are first
 *  moved to the top of the byte, where they wrap just as well. */
static inline uint8_t hypertorus_arc(uint8_t difference) {
    return (difference & 0x80) ? (uint8_t)(0u - difference) : difference;
}

static inline uint16_t hypertorus_chord(uint8_t arc) { return HYPERTORUS_READ16(hypertorus_cosine_table + arc); }

static inline uint8_t hypertorus_ones(uint8_t byte) {
    byte = (uint8_t)(byte - ((byte >> 1) & 0x55));
    byte = (uint8_t)((byte & 0x33) + ((byte >> 2) & 0x33));
    return (uint8_t)((byte + (byte >> 4)) & 0x0F);
}

/*  8 bits: one coordinate a byte. */

static inline uint32_t hypertorus_l1_u8(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += hypertorus_arc((uint8_t)(a[i] - b[i]));
    return sum;
}

static inline uint32_t hypertorus_l2_u8(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) {
        uint16_t arc = hypertorus_arc((uint8_t)(a[i] - b[i]));
        sum += (uint16_t)(arc * arc);
    }
    return sum;
}

static inline uint32_t hypertorus_cosine_u8(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += hypertorus_chord(hypertorus_arc((uint8_t)(a[i] - b[i])));
    return sum;
}

/*  4 bits: two coordinates a byte. Each is moved to the top of a byte, so its arc comes out times 16. */

static inline uint8_t hypertorus_arc_low(uint8_t a, uint8_t b) {
    return hypertorus_arc((uint8_t)((uint8_t)(a - b) << 4));
}

static inline uint8_t hypertorus_arc_high(uint8_t a, uint8_t b) {
    return hypertorus_arc((uint8_t)((a & 0xF0) - (b & 0xF0)));
}

static inline uint32_t hypertorus_l1_u4(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim / 2 + dim % 2; i++)
        sum += (uint8_t)((hypertorus_arc_low(a[i], b[i]) >> 4) + (hypertorus_arc_high(a[i], b[i]) >> 4));
    return sum;
}

static inline uint32_t hypertorus_l2_u4(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim / 2 + dim % 2; i++) {
        uint8_t low = hypertorus_arc_low(a[i], b[i]) >> 4, high = hypertorus_arc_high(a[i], b[i]) >> 4;
        sum += (uint8_t)(low * low + high * high);
    }
    return sum;
}

static inline uint32_t hypertorus_cosine_u4(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim / 2 + dim % 2; i++) {
        sum += hypertorus_chord(hypertorus_arc_low(a[i], b[i]));
        sum += hypertorus_chord(hypertorus_arc_high(a[i], b[i]));
    }
    return sum;
}

/*  2 bits: four coordinates a byte. In Gray code (0 1 3 2) the arc of two coordinates is the number of bits in
 *  which they differ; an arc of 2 is 1 + 1 in l1 and 4 = 1 + 1 + 2 in l2; a quarter turn is 2^14 in the cosine table. */

static inline uint8_t hypertorus_gray(uint8_t byte) { return (uint8_t)(byte ^ ((byte >> 1) & 0x55)); }

static inline uint32_t hypertorus_l1_u2(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim / 4 + (dim % 4 != 0); i++)
        sum += hypertorus_ones(hypertorus_gray(a[i]) ^ hypertorus_gray(b[i]));
    return sum;
}

static inline uint32_t hypertorus_l2_u2(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim / 4 + (dim % 4 != 0); i++) {
        uint8_t differ = hypertorus_gray(a[i]) ^ hypertorus_gray(b[i]);
        sum += (uint8_t)(hypertorus_ones(differ) + 2 * hypertorus_ones(differ & (differ >> 1) & 0x55));
    }
    return sum;
}

static inline uint32_t hypertorus_cosine_u2(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    return hypertorus_l1_u2(a, b, dim) << 14;
}

/*  1 bit: eight coordinates a byte; every metric is a multiple of the Hamming distance. */

static inline uint32_t hypertorus_l1_u1(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim / 8 + (dim % 8 != 0); i++) sum += hypertorus_ones(a[i] ^ b[i]);
    return sum;
}

static inline uint32_t hypertorus_l2_u1(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    return hypertorus_l1_u1(a, b, dim);
}

static inline uint32_t hypertorus_cosine_u1(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    return hypertorus_l1_u1(a, b, dim) << 15;
}

/*  b in flash. */
static inline uint32_t hypertorus_l1_u8_flash(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += hypertorus_arc((uint8_t)(a[i] - HYPERTORUS_READ8(b + i)));
    return sum;
}
static inline uint32_t hypertorus_l1_u4_flash(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim / 2 + dim % 2; i++) {
        uint8_t c = HYPERTORUS_READ8(b + i);
        sum += (uint8_t)((hypertorus_arc_low(a[i], c) >> 4) + (hypertorus_arc_high(a[i], c) >> 4));
    }
    return sum;
}
static inline uint32_t hypertorus_l1_u2_flash(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim / 4 + (dim % 4 != 0); i++)
        sum += hypertorus_ones(hypertorus_gray(a[i]) ^ hypertorus_gray(HYPERTORUS_READ8(b + i)));
    return sum;
}
static inline uint32_t hypertorus_l1_u1_flash(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim / 8 + (dim % 8 != 0); i++) sum += hypertorus_ones(a[i] ^ HYPERTORUS_READ8(b + i));
    return sum;
}

#endif

/*  hypertorus_asymmetric.h: codes compared with a query that is not rounded, in integers.
 *
 *  What is stored has few bits; a query need not. It is an angle of 16 bits in each coordinate, and is compared with the
 *  middle of the arc that a code stands for. Half a turn counts 2^15 in every metric,
 *      l1 the arc, l2 its square, cosine 2^14 (1 - cos), between the entries of the table of hypertorus.h on a line,
 *  and a code costs a byte, round(s * value / 2^16), halves down, with s = 255, or 127 at 1 bit: then the codes of four
 *  bits together, however many coordinates, cost no more than 255. In cosine that is round(63.75 (1 - cos)).
 *
 *  A query is a table of 2^bits bytes for each coordinate, made once; the distance to a code is the sum of the entries it
 *  chooses: dim * s / 2 for half a turn in all coordinates. At 8 bits rounding costs nothing, and there is no table.
 */
#ifndef HYPERTORUS_ASYMMETRIC_H
#define HYPERTORUS_ASYMMETRIC_H

#include "hypertorus.h"

static inline uint16_t hypertorus_value_l1(uint16_t arc) { return arc; }

static inline uint16_t hypertorus_value_l2(uint16_t arc) { return (uint16_t)(((uint32_t)arc * arc) >> 15); }

static inline uint16_t hypertorus_value_cosine(uint16_t arc) {
    uint8_t step = (uint8_t)(arc >> 8), part = (uint8_t)arc;
    uint16_t low = hypertorus_chord(step);
    if (!part) return low;
    return (uint16_t)(low + (((uint32_t)(hypertorus_chord((uint8_t)(step + 1)) - low) * part + 128) >> 8));
}

/*  What each code of `bits` (4, 2 or 1) costs a query at `turn`, which is in units of 2^-16 turns. */
#define HYPERTORUS_TABLE(metric)                                                                              \
    static inline void hypertorus_table_##metric(uint16_t turn, uint8_t bits, uint8_t *table) {               \
        const uint8_t scale = bits == 1 ? 127 : 255;                                                          \
        for (uint8_t code = 0; code < 1 << bits; code++) {                                                    \
            uint16_t ahead = (uint16_t)(turn - (uint16_t)((2u * code + 1) << (15 - bits)));                   \
            uint16_t arc = ahead & 0x8000u ? (uint16_t)(0u - ahead) : ahead;                                  \
            table[code] = (uint8_t)(((uint32_t)hypertorus_value_##metric(arc) * scale + 32767) >> 16);        \
        }                                                                                                     \
    }
HYPERTORUS_TABLE(l1)
HYPERTORUS_TABLE(l2)
HYPERTORUS_TABLE(cosine)

/*  The distance of tables [dim][2^bits] to a code b; with the ending _flash, to one in flash. */
#define HYPERTORUS_ASYMMETRIC(name, bits, read)                                                               \
    static inline uint32_t name(const uint8_t *tables, const uint8_t *b, uint16_t dim) {                      \
        uint32_t sum = 0;                                                                                     \
        while (dim) {                                                                                         \
            uint8_t byte = read(b);                                                                           \
            b++;                                                                                              \
            for (uint8_t left = 8 / bits; left && dim; left--, dim--, tables += 1 << bits) {                  \
                sum += tables[byte & ((1 << bits) - 1)];                                                      \
                byte = (uint8_t)(byte >> bits);                                                               \
            }                                                                                                 \
        }                                                                                                     \
        return sum;                                                                                           \
    }
#define HYPERTORUS_READ_HERE(address) (*(address))
HYPERTORUS_ASYMMETRIC(hypertorus_asymmetric_u4, 4, HYPERTORUS_READ_HERE)
HYPERTORUS_ASYMMETRIC(hypertorus_asymmetric_u2, 2, HYPERTORUS_READ_HERE)
HYPERTORUS_ASYMMETRIC(hypertorus_asymmetric_u1, 1, HYPERTORUS_READ_HERE)
HYPERTORUS_ASYMMETRIC(hypertorus_asymmetric_u4_flash, 4, HYPERTORUS_READ8)
HYPERTORUS_ASYMMETRIC(hypertorus_asymmetric_u2_flash, 2, HYPERTORUS_READ8)
HYPERTORUS_ASYMMETRIC(hypertorus_asymmetric_u1_flash, 1, HYPERTORUS_READ8)

#endif

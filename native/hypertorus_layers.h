/*  hypertorus_layers.h: the layers of a small network in integers, from pixels to a torus code.
 *
 *  Weights are int8 in flash, one row an output; numbers between layers are uint8, for a ReLU leaves none below zero.
 *  A row is summed in 32 bits, which hold 65,535 products and a bias. Then
 *
 *      hidden  the sum times the row's multiplier, held to 0..255: hypertorus_relu
 *      torusN  two sums of one scale are a direction, and its angle is the coordinate: hypertorus_direction
 *      torusC  the sum times the row's multiplier wraps in 32 bits, once a turn, and its top byte is the coordinate:
 *              hypertorus_overflow. Overflow is the activation, so nothing here needs head-room.
 *
 *  Right shifts of negative numbers round down, as every compiler does it. No allocation, no floating point, no
 *  division.
 */
#ifndef HYPERTORUS_LAYERS_H
#define HYPERTORUS_LAYERS_H

#include "hypertorus_angles.h"

static inline int32_t hypertorus_read_i32(const int32_t *address) {
    return (int32_t)HYPERTORUS_READ32((const uint32_t *)address);
}

/*  A row of weights in flash times numbers in memory: pixels and what layers pass on, 0 to 255. */
static inline int32_t hypertorus_dot_u8_plain(const int8_t *weights, const uint8_t *numbers, uint16_t count) {
    int32_t sum = 0;
    for (uint16_t i = 0; i < count; i++)
        sum += (int16_t)((int8_t)HYPERTORUS_READ8((const uint8_t *)weights + i) * (int16_t)numbers[i]);
    return sum;
}

/*  The same of signed numbers: a vector that is the input, -128 to 127. */
static inline int32_t hypertorus_dot_s8_plain(const int8_t *weights, const int8_t *numbers, uint16_t count) {
    int32_t sum = 0;
    for (uint16_t i = 0; i < count; i++)
        sum += (int16_t)((int8_t)HYPERTORUS_READ8((const uint8_t *)weights + i) * (int16_t)numbers[i]);
    return sum;
}

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__) && defined(__AVR_HAVE_LPMX__)

/*  Never inlined: it wants both pointers that count up, and a large function around it may have none to give. */
#define HYPERTORUS_CALLED static __attribute__((noinline, unused))

/*  11 cycles a product, 12 with the loop, where the compiler needs 30. A product's sign, which `mul` leaves in the
 *  carry, becomes its third byte; 24 bits hold 256 products. */
#define HYPERTORUS_DOT_STEP(multiply)                                                                                  \
    "lpm %[weight], Z+\n\t"                                                                                            \
    "ld %[number], X+\n\t" multiply " %[weight], %[number]\n\t"                                                        \
    "sbc %[sign], %[sign]\n\t"                                                                                         \
    "add %A[sum], r0\n\t"                                                                                              \
    "adc %B[sum], r1\n\t"                                                                                              \
    "adc %C[sum], %[sign]\n\t"

#define HYPERTORUS_DOT_AVR(multiply)                                                                                   \
    int32_t sum = 0;                                                                                                   \
    while (count) {                                                                                                    \
        uint16_t some = count < 256 ? count : 256;                                                                     \
        uint8_t fours = (uint8_t)(some >> 2), ones = (uint8_t)(some & 3), weight, number, sign;                        \
        int32_t part;                                                                                                  \
        count = (uint16_t)(count - some);                                                                              \
        __asm__("clr %A[sum]\n\t"                                                                                      \
                "clr %B[sum]\n\t"                                                                                      \
                "clr %C[sum]\n\t"                                                                                      \
                "clr %D[sum]\n\t"                                                                                      \
                "rjmp 2f\n"                                                                                            \
                "1:\t" HYPERTORUS_DOT_STEP(multiply) HYPERTORUS_DOT_STEP(multiply) HYPERTORUS_DOT_STEP(multiply)       \
                    HYPERTORUS_DOT_STEP(multiply)                                                                      \
                "2:\tsubi %[fours], 1\n\t"                                                                             \
                "brcc 1b\n\t"                                                                                          \
                "rjmp 4f\n"                                                                                            \
                "3:\t" HYPERTORUS_DOT_STEP(multiply)                                                                   \
                "4:\tsubi %[ones], 1\n\t"                                                                              \
                "brcc 3b\n\t"                                                                                          \
                "sbrc %C[sum], 7\n\t"                                                                                  \
                "com %D[sum]\n\t"                                                                                      \
                "clr __zero_reg__\n\t"                                                                                 \
                : [sum] "=&r"(part), [weights] "+z"(weights), [numbers] "+x"(numbers), [fours] "+d"(fours),            \
                  [ones] "+d"(ones), [weight] "=&a"(weight), [number] "=&a"(number), [sign] "=&r"(sign)                \
                :                                                                                                      \
                : "r0", "memory");                                                                                     \
        sum += part;                                                                                                   \
    }                                                                                                                  \
    return sum

HYPERTORUS_CALLED int32_t hypertorus_dot_u8(const int8_t *weights, const uint8_t *numbers, uint16_t count) {
    HYPERTORUS_DOT_AVR("mulsu");
}

HYPERTORUS_CALLED int32_t hypertorus_dot_s8(const int8_t *weights, const int8_t *numbers, uint16_t count) {
    HYPERTORUS_DOT_AVR("muls");
}

#else

static inline int32_t hypertorus_dot_u8(const int8_t *weights, const uint8_t *numbers, uint16_t count) {
    return hypertorus_dot_u8_plain(weights, numbers, count);
}

static inline int32_t hypertorus_dot_s8(const int8_t *weights, const int8_t *numbers, uint16_t count) {
    return hypertorus_dot_s8_plain(weights, numbers, count);
}

#endif

/*  sum * multiplier / 2^(shift + down), rounded down and held to 0..255. The bias has the half that rounds to the
 *  nearest; 16 bits of the sum are enough, so that the product has 32. */
static inline uint8_t hypertorus_relu(int32_t sum, uint16_t multiplier, uint8_t shift, uint8_t down) {
    if (sum <= 0) return 0;
    uint32_t narrow = (uint32_t)sum >> shift;
    if (narrow > 65535) narrow = 65535;
    uint32_t scaled = ((uint32_t)(uint16_t)narrow * multiplier) >> down;
    return scaled > 255 ? 255 : (uint8_t)scaled;
}

/*  The 8-bit code of the direction (x, y): halving both until they are 16-bit numbers leaves it as it is. */
static inline uint8_t hypertorus_direction(int32_t x, int32_t y) {
    while (x > 32767 || x < -32768 || y > 32767 || y < -32768) {
        x >>= 1;
        y >>= 1;
    }
    return hypertorus_angle((int16_t)x, (int16_t)y);
}

/*  The 8-bit code of an angle: 2^32 is a whole turn, and whole turns overflow. */
static inline uint8_t hypertorus_overflow(int32_t sum, uint32_t multiplier, uint32_t bias) {
    return (uint8_t)(((uint32_t)sum * multiplier + bias) >> 24);
}

/*  Write coordinate `place` of a packed code of `bits` bits; coordinates are written in order, from 0. */
static inline void hypertorus_put(uint8_t *code, uint16_t place, uint8_t code8, uint8_t bits) {
    uint8_t bit = (uint8_t)((uint8_t)(place * bits) & 7u), value = (uint8_t)((code8 >> (8 - bits)) << bit);
    uint8_t *byte = code + (uint16_t)((uint32_t)place * bits >> 3);
    *byte = bit ? (uint8_t)(*byte | value) : value;
}

/*  Read it, moved to the top of a byte: an 8-bit code. */
static inline uint8_t hypertorus_get(const uint8_t *code, uint16_t place, uint8_t bits) {
    uint8_t bit = (uint8_t)((uint8_t)(place * bits) & 7u);
    return (uint8_t)((uint8_t)(code[(uint16_t)((uint32_t)place * bits >> 3)] >> bit) << (8 - bits));
}

#endif

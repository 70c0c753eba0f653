/*  hypertorus_products.h: sums of products of weights in flash and bytes in memory, the inner loops of convolutions.
 *
 *  Each is there as plain C, and in the way that is best for a processor with instructions of its own: two products at
 *  once on Cortex-M4 and larger (SMLAD, SMLABB), `mulsu` and pointers that count up on AVR. All give the same numbers.
 */
#ifndef HYPERTORUS_PRODUCTS_H
#define HYPERTORUS_PRODUCTS_H

#include "hypertorus_layers.h"

/*  One copy of a function, wherever it is called from; and a loop that compilers must not replace by a library's. */
#if defined(__GNUC__)
#define HYPERTORUS_ONE_COPY static __attribute__((noinline, unused))
#define HYPERTORUS_PLAIN_LOOP __asm__ volatile("" ::: "memory")
#else
#define HYPERTORUS_ONE_COPY static
#define HYPERTORUS_PLAIN_LOOP (void)0
#endif

/*  What hypertorus_relu does, in the way that is best for the processor: Cortex-M4 has an instruction that holds a
 *  number to 0..65,535, and AVR moves numbers by one bit at a time but by whole bytes at once. */
static inline uint8_t hypertorus_byte(int32_t sum, uint16_t multiplier, uint8_t shift, uint8_t down) {
#if defined(HYPERTORUS_DSP)
    uint32_t narrow;
    __asm__("usat %0, #16, %1" : "=r"(narrow) : "r"(sum >> shift));
    uint32_t scaled = (narrow * multiplier) >> down;
    return (uint8_t)(scaled > 255 ? 255 : scaled);
#elif defined(__AVR__)
    if (sum <= 0) return 0;
    uint32_t wide = (uint32_t)sum;
    for (; shift >= 8; shift = (uint8_t)(shift - 8)) wide >>= 8;
    for (; shift; shift--) wide >>= 1;
    uint32_t product = (uint32_t)(uint16_t)(wide > 65535 ? 65535 : wide) * multiplier;
    if (down < 16) return (product >> down) > 255 ? 255 : (uint8_t)(product >> down);
    uint16_t scaled = (uint16_t)((uint16_t)(product >> 16) >> (down - 16));
    return scaled > 255 ? 255 : (uint8_t)scaled;
#else
    return hypertorus_relu(sum, multiplier, shift, down);
#endif
}

/*  A row of weights in flash times sums of bytes over time. */
static inline int32_t hypertorus_dot_u16(const int8_t *weights, const uint16_t *numbers, uint16_t count) {
    int32_t sum = 0;
    for (uint16_t i = 0; i < count; i++)
        sum += (int32_t)(int8_t)HYPERTORUS_READ8((const uint8_t *)weights + i) * (int32_t)numbers[i];
    return sum;
}

/*  A row of weights in flash times bytes: four products a step where there is no better way. */
static inline int32_t hypertorus_dot_bytes(const int8_t *weights, const uint8_t *numbers, uint16_t count) {
#if defined(HYPERTORUS_FLASH_APART)
    return hypertorus_dot_u8(weights, numbers, count);
#else
    int32_t sum = 0;
    for (const uint8_t *end = numbers + (count & ~3u); numbers != end; numbers += 4, weights += 4)
        sum += weights[0] * numbers[0] + weights[1] * numbers[1] + weights[2] * numbers[2] + weights[3] * numbers[3];
    for (count &= 3; count; count--) sum += *weights++ * *numbers++;
    return sum;
#endif
}

#ifdef HYPERTORUS_DSP

/*  Bytes 0 and 2 of a word, or 1 and 3, as two numbers of 16 bits: of what passes between stages, and of weights. */

static inline int32_t hypertorus_even_u8(uint32_t word) { return (int32_t)__builtin_arm_uxtb16(word); }
static inline int32_t hypertorus_even_s8(uint32_t word) { return (int32_t)__builtin_arm_sxtb16((int32_t)word); }

static inline int32_t hypertorus_odd_u8(uint32_t word) {
    int32_t pair;
    __asm__("uxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
    return pair;
}

static inline int32_t hypertorus_odd_s8(uint32_t word) {
    int32_t pair;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
    return pair;
}

static inline int32_t hypertorus_four_products(const int8_t *weights, int32_t even, int32_t odd, int32_t sum) {
    uint32_t word = hypertorus_word((const uint8_t *)weights);
    sum = __builtin_arm_smlad(hypertorus_even_s8(word), even, sum);
    return __builtin_arm_smlad(hypertorus_odd_s8(word), odd, sum);
}

/*  Four rows of weights times the same numbers: two products an instruction, and the numbers are read once. */
HYPERTORUS_ONE_COPY void hypertorus_dot_four(const int8_t *weights, const uint8_t *numbers, uint32_t count,
                                             int32_t *sums) {
    int32_t a = 0, b = 0, c = 0, d = 0;
    uint32_t three = 3 * count;
    for (const uint8_t *end = numbers + (count & ~3u); numbers != end; numbers += 4, weights += 4) {
        uint32_t word = hypertorus_word(numbers);
        int32_t even = hypertorus_even_u8(word), odd = hypertorus_odd_u8(word);
        a = hypertorus_four_products(weights, even, odd, a);
        b = hypertorus_four_products(weights + count, even, odd, b);
        c = hypertorus_four_products(weights + 2 * count, even, odd, c);
        d = hypertorus_four_products(weights + three, even, odd, d);
    }
    for (uint32_t left = count & 3; left; left--, numbers++, weights++) {
        a += weights[0] * *numbers, b += weights[count] * *numbers;
        c += weights[2 * count] * *numbers, d += weights[three] * *numbers;
    }
    sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}

#endif

/*  The sum of `taps` products, where weights in flash and numbers in memory both lie `apart` bytes apart. */
#if defined(__AVR__) && defined(__AVR_HAVE_MUL__) && defined(__AVR_HAVE_LPMX__)

HYPERTORUS_CALLED int32_t hypertorus_taps(const int8_t *weights, const uint8_t *numbers, uint8_t taps, uint16_t apart) {
    int32_t sum;
    uint8_t weight, number, sign;
    __asm__("clr %A[sum]\n\t"
            "clr %B[sum]\n\t"
            "clr %C[sum]\n\t"
            "clr %D[sum]\n\t"
            "rjmp 2f\n"
            "1:\tlpm %[weight], Z\n\t"
            "ld %[number], X\n\t"
            "mulsu %[weight], %[number]\n\t"
            "sbc %[sign], %[sign]\n\t"
            "add %A[sum], r0\n\t"
            "adc %B[sum], r1\n\t"
            "adc %C[sum], %[sign]\n\t"
            "add r30, %A[apart]\n\t"
            "adc r31, %B[apart]\n\t"
            "add r26, %A[apart]\n\t"
            "adc r27, %B[apart]\n"
            "2:\tsubi %[taps], 1\n\t"
            "brcc 1b\n\t"
            "sbrc %C[sum], 7\n\t"
            "com %D[sum]\n\t"
            "clr __zero_reg__\n\t"
            : [sum] "=&r"(sum), [weights] "+z"(weights), [numbers] "+x"(numbers), [taps] "+d"(taps),
              [weight] "=&a"(weight), [number] "=&a"(number), [sign] "=&r"(sign)
            : [apart] "r"(apart)
            : "r0", "memory");
    return sum;
}

#else

static inline int32_t hypertorus_taps(const int8_t *weights, const uint8_t *numbers, uint8_t taps, uint16_t apart) {
    int32_t sum = 0;
    for (; taps; taps--, weights += apart, numbers += apart)
        sum += (int16_t)((int8_t)HYPERTORUS_READ8((const uint8_t *)weights) * (int16_t)*numbers);
    return sum;
}

#endif

/*  Channels that are convolved together. */
#ifdef HYPERTORUS_DSP
#define HYPERTORUS_TOGETHER 4

/*  Adds the same of four channels to their sums. */
static inline void hypertorus_four_taps(const int8_t *weights, const uint8_t *numbers, uint32_t taps, uint32_t apart,
                                        int32_t *sums) {
    int32_t a = sums[0], b = sums[1], c = sums[2], d = sums[3];
    for (; taps; taps--, weights += apart, numbers += apart) {
        uint32_t word = hypertorus_word(numbers), own = hypertorus_word((const uint8_t *)weights);
        int32_t even = hypertorus_even_u8(word), odd = hypertorus_odd_u8(word);
        int32_t even_weights = hypertorus_even_s8(own), odd_weights = hypertorus_odd_s8(own);
        a = __builtin_arm_smlabb(even_weights, even, a);
        b = __builtin_arm_smlabb(odd_weights, odd, b);
        c = __builtin_arm_smlatt(even_weights, even, c);
        d = __builtin_arm_smlatt(odd_weights, odd, d);
    }
    sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}

#else
#define HYPERTORUS_TOGETHER 1
#endif

#endif

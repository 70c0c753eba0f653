/*  int8_best.h: the dot product of bytes as well as we can: two multiplications at once on Cortex-M4, assembly on AVR,
 *  a loop of eight steps elsewhere. `dim` is a multiple of 16. */

#if defined(HYPERTORUS_DSP)

static inline int32_t dot_4(const number *query, const number *code, int32_t sum) {
    uint32_t a = hypertorus_word((const uint8_t *)query), b = hypertorus_word((const uint8_t *)code), c, d;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(c) : "r"(a));
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(d) : "r"(b));
    return __builtin_arm_smlad(c, d, __builtin_arm_smlad(__builtin_arm_sxtb16(a), __builtin_arm_sxtb16(b), sum));
}

static inline int32_t distance(const number *query, const number *code, uint16_t dim) {
    int32_t sum = 0;
    for (const number *end = query + dim; query != end; query += 16, code += 16) {
        sum = dot_4(query, code, sum), sum = dot_4(query + 4, code + 4, sum);
        sum = dot_4(query + 8, code + 8, sum), sum = dot_4(query + 12, code + 12, sum);
    }
    return -sum;
}

#elif defined(HYPERTORUS_AVR)

/*  A product is in r1:r0, so that r1 is not the zero that compilers count on until the end. */
#define DOT_STEP(load)                                                                                       \
    "ld %[x], X+ \n\t" load " %[y], Z+ \n\t muls %[x], %[y] \n\t add %A[low], r0 \n\t adc %B[low], r1 \n\t"   \
    "sbrc r1, 7 \n\t dec %[high] \n\t adc %[high], %[zero] \n\t"
#define DOT_LOOP(name, load)                                                                                 \
    static inline int32_t name(const number *query, const number *code, uint16_t dim) {                      \
        uint16_t low = 0;                                                                                    \
        uint8_t eights = (uint8_t)(dim / 8), zero = 0;                                                       \
        int8_t high = 0, x, y;                                                                               \
        __asm__ volatile("1: " DOT_STEP(load) DOT_STEP(load) DOT_STEP(load) DOT_STEP(load) DOT_STEP(load)    \
                         DOT_STEP(load) DOT_STEP(load) DOT_STEP(load)                                        \
                         "dec %[eights] \n\t breq 2f \n\t rjmp 1b \n\t 2: clr __zero_reg__"                  \
                         : [query] "+x"(query), [code] "+z"(code), [low] "+r"(low), [high] "+r"(high),       \
                           [eights] "+r"(eights), [zero] "+r"(zero), [x] "=&d"(x), [y] "=&d"(y)              \
                         :                                                                                   \
                         : "memory");                                                                        \
        return -((int32_t)high * 65536 + low);                                                               \
    }

DOT_LOOP(distance, "ld")
DOT_LOOP(distance_flash, "lpm")

#else

static inline int32_t distance(const number *query, const number *code, uint16_t dim) {
    int32_t sum = 0;
    for (const number *end = query + dim; query != end; query += 8, code += 8) {
        sum += query[0] * code[0], sum += query[1] * code[1], sum += query[2] * code[2], sum += query[3] * code[3];
        sum += query[4] * code[4], sum += query[5] * code[5], sum += query[6] * code[6], sum += query[7] * code[7];
    }
    return -sum;
}

#endif

#ifndef HYPERTORUS_AVR
static inline int32_t distance_flash(const number *query, const number *code, uint16_t dim) {
    return distance(query, code, dim);
}
#endif

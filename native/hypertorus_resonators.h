/*  hypertorus_resonators.h: an ear for 8-bit processors: samples of 16 bits to the loudness of bands, by resonators.
 *
 *  A resonator is a point that turns around 0 and that each sample pushes. What is near its own frequency makes it swing
 *  further and further, and it forgets by a factor. Each sample x moves it in 24 bits:
 *
 *      along   <- keep * along - turn * across + gain * x
 *      across  <- across + turn * along
 *
 *  with keep and turn / 2 as bytes over 256: four products by a byte. The gain is as large as can be so that no samples
 *  whatsoever overflow. The sum of |along| over a slice of HT_EAR_HOP samples is the loudness of the band, and its
 *  logarithm the level; hypertorus_levels.h has the window of slices, and says how to use this. The more samples
 *  ht_ear_listen gets at a time, the less it costs each of them: 32 and more are best.
 *
 *  Equal to hypertorus.sound.resonators bit for bit. Right shifts of negative numbers round down, as every compiler does
 *  it. No allocation, no floating point, no division.
 */
#ifndef HYPERTORUS_RESONATORS_H
#define HYPERTORUS_RESONATORS_H

#include "hypertorus_levels.h"

#if HT_EAR_HOP < 1 || HT_EAR_HOP > 511
#error "HT_EAR_HOP is from 1 to 511"
#endif

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
__extension__ typedef __int24 ht_swing_t;
#else
typedef int32_t ht_swing_t; /* of which 24 bits are used, and 31 of a product */
#endif

typedef struct {
    ht_swing_t along, across;
    uint32_t sum; /* of |along| in this slice */
} ht_resonator_t;

typedef struct {
    ht_heard_t heard;
    ht_resonator_t resonators[HT_EAR_BANDS];
    uint16_t held; /* samples of this slice so far */
} ht_ear_t;

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)

/*  half = state * turn / 256, rounded down: 12 cycles. */
#define HT_SWING_HALF(state)                                                                                           \
    "mul %A[" state "], %[turn]\n\t"                                                                                   \
    "mov %A[half], r1\n\t"                                                                                             \
    "mulsu %C[" state "], %[turn]\n\t"                                                                                 \
    "mov %B[half], r0\n\t"                                                                                             \
    "mov %C[half], r1\n\t"                                                                                             \
    "mul %B[" state "], %[turn]\n\t"                                                                                   \
    "add %A[half], r0\n\t"                                                                                             \
    "adc %B[half], r1\n\t"                                                                                             \
    "adc %C[half], %[zero]\n\t"

#define HT_SWING_MOVE(first, next, state)                                                                              \
    first " %A[" state "], %A[half]\n\t" next " %B[" state "], %B[half]\n\t" next " %C[" state "], %C[half]\n\t"

/*  A resonator takes samples, 79 cycles each. All of it stays in registers, of which `mulsu` wants some in r16 to r23. */
static __attribute__((noinline, unused)) void ht_ear_swing(ht_resonator_t *resonator, uint8_t band,
                                                           const int16_t *samples, uint16_t count) {
    register ht_swing_t along __asm__("r16") = resonator->along;
    register ht_swing_t across __asm__("r20") = resonator->across;
    register uint8_t keep __asm__("r19") = HYPERTORUS_READ8(ht_ear_keeps + band);
    register uint8_t turn __asm__("r23") = HYPERTORUS_READ8(ht_ear_turns + band);
    uint8_t gain = HYPERTORUS_READ8(ht_ear_gains + band);
    uint32_t sum = resonator->sum;
    ht_swing_t half;
    if (!count) return;
    __asm__("1:\t" HT_SWING_HALF("across")
            "mul %A[along], %[keep]\n\t" /* along = along * keep / 256, rounded down */
            "mov %A[along], r1\n\t"
            "mul %B[along], %[keep]\n\t"
            "add %A[along], r0\n\t"
            "mov %B[along], r1\n\t"
            "adc %B[along], %[zero]\n\t"
            "mulsu %C[along], %[keep]\n\t"
            "add %B[along], r0\n\t"
            "mov %C[along], r1\n\t"
            "adc %C[along], %[zero]\n\t"
            HT_SWING_MOVE("sub", "sbc", "along") HT_SWING_MOVE("sub", "sbc", "along")
            "ld %A[half], X+\n\t" /* along += sample * gain */
            "ld %B[half], X+\n\t"
            "mul %A[half], %[gain]\n\t"
            "add %A[along], r0\n\t"
            "adc %B[along], r1\n\t"
            "adc %C[along], %[zero]\n\t"
            "mul %B[half], %[gain]\n\t"
            "add %B[along], r0\n\t"
            "adc %C[along], r1\n\t"
            "sbrc %B[half], 7\n\t"
            "sub %C[along], %[gain]\n\t"
            HT_SWING_HALF("along") HT_SWING_MOVE("add", "adc", "across") HT_SWING_MOVE("add", "adc", "across")
            "sbrc %C[along], 7\n\t" /* sum += |along| */
            "rjmp 2f\n\t"
            "add %A[sum], %A[along]\n\t"
            "adc %B[sum], %B[along]\n\t"
            "adc %C[sum], %C[along]\n\t"
            "adc %D[sum], %[zero]\n\t"
            "rjmp 3f\n"
            "2:\tsub %A[sum], %A[along]\n\t"
            "sbc %B[sum], %B[along]\n\t"
            "sbc %C[sum], %C[along]\n\t"
            "sbc %D[sum], %[ones]\n"
            "3:\tsbiw %[count], 1\n\t"
            "brne 1b\n\t"
            "clr __zero_reg__\n\t"
            : [along] "+r"(along), [across] "+r"(across), [sum] "+r"(sum), [half] "=&r"(half),
              [samples] "+x"(samples), [count] "+w"(count)
            : [keep] "r"(keep), [turn] "r"(turn), [gain] "r"(gain), [zero] "r"((uint8_t)0), [ones] "r"((uint8_t)255)
            : "r0", "memory");
    resonator->along = along, resonator->across = across, resonator->sum = sum;
}

#else

/*  state * factor / 256, rounded down. */
static inline ht_swing_t ht_swing_share(ht_swing_t state, uint8_t factor) { return (state * factor) >> 8; }

/*  A resonator takes samples. */
static inline void ht_ear_swing(ht_resonator_t *resonator, uint8_t band, const int16_t *samples, uint16_t count) {
    ht_swing_t along = resonator->along, across = resonator->across;
    uint32_t sum = resonator->sum;
    uint8_t gain = HYPERTORUS_READ8(ht_ear_gains + band), keep = HYPERTORUS_READ8(ht_ear_keeps + band);
    uint8_t turn = HYPERTORUS_READ8(ht_ear_turns + band);
    for (const int16_t *end = samples + count; samples != end; samples++) {
        along = ht_swing_share(along, keep) - 2 * ht_swing_share(across, turn) + (int32_t)*samples * gain;
        across += 2 * ht_swing_share(along, turn);
        sum += (uint32_t)(along < 0 ? -along : along);
    }
    resonator->along = along, resonator->across = across, resonator->sum = sum;
}

#endif

static inline void ht_ear_slice(ht_ear_t *ear) {
    uint16_t levels[HT_EAR_BANDS];
    for (uint8_t band = 0; band < HT_EAR_BANDS; band++) {
        uint32_t sum = ear->resonators[band].sum;
        int16_t offset = (int16_t)HYPERTORUS_READ16((const uint16_t *)ht_ear_offsets + band);
        levels[band] = (uint16_t)(sum ? hypertorus_level(2 * (int32_t)hypertorus_log2(sum) - 8 * (int32_t)offset) : 0);
        ear->resonators[band].sum = 0;
    }
    ht_heard_put(&ear->heard, levels);
    ear->held = 0;
}

static inline void ht_ear_start(ht_ear_t *ear) {
    ht_heard_start(&ear->heard);
    for (uint8_t band = 0; band < HT_EAR_BANDS; band++) {
        ht_resonator_t *resonator = ear->resonators + band;
        resonator->along = 0, resonator->across = 0, resonator->sum = 0;
    }
    ear->held = 0;
}

static inline uint16_t ht_ear_listen(ht_ear_t *ear, const int16_t *samples, uint16_t count) {
    uint16_t frames = 0;
    while (count) {
        uint16_t wanted = (uint16_t)(HT_EAR_HOP - ear->held), some = count < wanted ? count : wanted;
        for (uint8_t band = 0; band < HT_EAR_BANDS; band++)
            ht_ear_swing(ear->resonators + band, band, samples, some);
        samples += some, count = (uint16_t)(count - some), ear->held = (uint16_t)(ear->held + some);
        if (ear->held == HT_EAR_HOP) ht_ear_slice(ear), frames++;
    }
    return frames;
}

static inline void ht_ear_window(const ht_ear_t *ear, uint8_t *bytes) { ht_heard_window(&ear->heard, bytes); }

static inline void ht_ear_column(const ht_ear_t *ear, uint8_t age, uint8_t *bytes) {
    ht_heard_column(&ear->heard, age, bytes);
}

static inline uint16_t ht_ear_loudest(const ht_ear_t *ear) { return ht_heard_loudest(&ear->heard); }

#endif

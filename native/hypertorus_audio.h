/*  hypertorus_audio.h: an ear in integers: samples of 16 bits to the power in mel bands, a frame at a time.
 *
 *  Every HT_EAR_HOP samples the last HT_EAR_FFT make a frame; the first frame begins with the first sample. Then
 *
 *      window   the mean is taken off, which is outside of all bands, and the frame is multiplied by a Hann window. All
 *               samples are then moved up by as many bits as the loudest leaves free: a block with one exponent.
 *      FFT      of the even samples as real and the odd ones as imaginary parts, passes by four (the first by two where
 *               the length asks for it). Each pass divides by its size, so nothing overflows 32 bits.
 *      powers   of the real frame, from pairs of bins, in 32 bits after one shift for the whole frame
 *      bands    triangles that cross half-way: what a bin does not give to the band that rises it gives to that which falls
 *      levels   see hypertorus_levels.h, which has the window of frames, too, and says how to use this
 *
 *  The window and the turns come from the cosine table of hypertorus.h, with which 64, 128 and 256 samples are possible.
 *  Measured against floats, the error of everything within the depth of a window is below 0.2 dB, and half of a level,
 *  0.09 dB, of it is rounding. Equal to hypertorus.sound.chip bit for bit. The stack holds a frame in 32 bits: 1 KB of 256
 *  samples.
 *
 *  Right shifts of negative numbers round down, as every compiler does it. No allocation, no floating point, no
 *  division.
 */
#ifndef HYPERTORUS_AUDIO_H
#define HYPERTORUS_AUDIO_H

#include "hypertorus_angles.h"
#include "hypertorus_levels.h"

#if HT_EAR_FFT != 64 && HT_EAR_FFT != 128 && HT_EAR_FFT != 256
#error "HT_EAR_FFT is 64, 128 or 256"
#endif
#if HT_EAR_HOP < 1 || HT_EAR_HOP > HT_EAR_FFT
#error "HT_EAR_HOP is from 1 to HT_EAR_FFT"
#endif

enum {
    HT_EAR_HALF = HT_EAR_FFT / 2,
    HT_EAR_LOG_FFT = HT_EAR_FFT == 256 ? 8 : HT_EAR_FFT == 128 ? 7 : 6,
    HT_EAR_TURN = 256 / HT_EAR_FFT /* one bin or sample in codes of hypertorus.h */
};

typedef struct {
    ht_heard_t heard;
    int16_t samples[HT_EAR_FFT];
    uint16_t held; /* samples that wait for the frame to be full */
} ht_ear_t;

/*  A complex number, and a direction as 2^14 times its cosine and sine. */
typedef struct {
    int32_t re, im;
} ht_complex_t;
typedef struct {
    int16_t cosine, sine;
} ht_arrow_t;

/*  rest + number * factor / 2^16, rounded down. */
static inline int32_t ht_ear_product(int32_t number, int16_t factor, int32_t rest) {
#if defined(HYPERTORUS_DSP)
    int32_t sum;
    __asm__("smlawb %0, %1, %2, %3" : "=r"(sum) : "r"(number), "r"(factor), "r"(rest));
    return sum;
#elif defined(__AVR__) || defined(__ARM_ARCH_6M__)
    return rest + (int32_t)(number >> 16) * factor + (((int32_t)(number & 0xFFFF) * factor) >> 16);
#else
    return rest + (int32_t)(((int64_t)number * factor) >> 16);
#endif
}

static inline ht_arrow_t ht_ear_arrow(uint8_t code) {
    ht_arrow_t arrow;
    hypertorus_arrow(code, &arrow.cosine, &arrow.sine);
    return arrow;
}

/*  A number turned back by a direction, over 4. */
static inline ht_complex_t ht_ear_turned(ht_complex_t z, ht_arrow_t by) {
    ht_complex_t turned = {ht_ear_product(z.re, by.cosine, ht_ear_product(z.im, by.sine, 0)),
                           ht_ear_product(z.im, by.cosine, 0) - ht_ear_product(z.re, by.sine, 0)};
    return turned;
}

/*  A number with as many significant bits as the largest of many has, if this is called with each of them. */
static inline uint32_t ht_ear_union(uint32_t all, int32_t number) { return all | (uint32_t)(number ^ (number >> 31)); }

/*  A sample under the window, moved up by `up` bits less one. The product has at most 31 - up bits. */
static inline int32_t ht_ear_weighted(int32_t sample, uint16_t place, uint8_t up) {
    int32_t window = (int32_t)hypertorus_chord(hypertorus_arc((uint8_t)(place * HT_EAR_TURN)));
    return (int32_t)((uint32_t)(sample * window) << up) >> 1;
}

/*  The samples as complex numbers in the order of reversed bits, in which passes need no other memory. Returns the bits
 *  that the loudest sample takes. */
static inline uint8_t ht_ear_windowed(const int16_t *samples, ht_complex_t *z) {
    int32_t mean = HT_EAR_HALF;
    int16_t least = samples[0], largest = samples[0];
    for (uint16_t i = 0; i < HT_EAR_FFT; i++) {
        int16_t sample = samples[i];
        mean += sample;
        if (sample < least) least = sample;
        if (sample > largest) largest = sample;
    }
    mean >>= HT_EAR_LOG_FFT;
    uint32_t all = ht_ear_union(ht_ear_union(0, least - mean), largest - mean);
    uint8_t bits = hypertorus_bits(all), up = (uint8_t)(16 - bits);
    for (uint8_t i = 0, reversed = 0; i < HT_EAR_HALF; i++) {
        z[reversed].re = ht_ear_weighted(samples[2 * i] - mean, (uint16_t)(2 * i), up);
        z[reversed].im = ht_ear_weighted(samples[2 * i + 1] - mean, (uint16_t)(2 * i + 1), up);
        uint8_t bit = HT_EAR_HALF / 2; /* counts up from the top */
        while (reversed & bit) reversed = (uint8_t)(reversed ^ bit), bit >>= 1;
        reversed |= bit;
    }
    return bits;
}

static inline void ht_ear_pass_by_two(ht_complex_t *z) {
    for (ht_complex_t *end = z + HT_EAR_HALF; z != end; z += 2) {
        ht_complex_t a = {z[0].re >> 1, z[0].im >> 1}, b = {z[1].re >> 1, z[1].im >> 1};
        z[0].re = a.re + b.re, z[0].im = a.im + b.im;
        z[1].re = a.re - b.re, z[1].im = a.im - b.im;
    }
}

/*  Four transforms of `length` numbers to one of four times as many, everywhere. */
static inline void ht_ear_pass_by_four(ht_complex_t *z, uint8_t length) {
    uint8_t step = (uint8_t)(64 / length);
    for (uint8_t j = 0; j < length; j++) {
        uint8_t code = (uint8_t)(j * step);
        ht_arrow_t once = ht_ear_arrow(code), twice = ht_ear_arrow((uint8_t)(2 * code));
        ht_arrow_t thrice = ht_ear_arrow((uint8_t)(3 * code));
        for (ht_complex_t *at = z + j; at < z + HT_EAR_HALF; at += 4 * length) {
            ht_complex_t *to_b = at + 2 * length, *to_c = at + length, *to_d = at + 3 * length;
            ht_complex_t a = {at->re >> 2, at->im >> 2}, b = ht_ear_turned(*to_b, once);
            ht_complex_t c = ht_ear_turned(*to_c, twice), d = ht_ear_turned(*to_d, thrice);
            ht_complex_t sum = {a.re + c.re, a.im + c.im}, difference = {a.re - c.re, a.im - c.im};
            ht_complex_t other = {b.re + d.re, b.im + d.im}, across = {b.re - d.re, b.im - d.im};
            at->re = sum.re + other.re, at->im = sum.im + other.im;
            to_b->re = sum.re - other.re, to_b->im = sum.im - other.im;
            to_c->re = difference.re + across.im, to_c->im = difference.im - across.re;
            to_d->re = difference.re - across.im, to_d->im = difference.im + across.re;
        }
    }
}

/*  The power of a number that is moved down; 2^31 is the most, and `re` keeps it over 2^HT_EAR_GUARD. */
static inline int32_t ht_ear_power(int32_t re, int32_t im, int32_t half, uint8_t down) {
    uint32_t x = (uint32_t)((re + half) >> down), y = (uint32_t)((im + half) >> down);
    return (int32_t)((x * x + y * y) >> HT_EAR_GUARD);
}

/*  The powers of all bins but the first and the last, each in place of the real part of its number. Returns by how many
 *  bits the numbers were moved down. */
static inline uint8_t ht_ear_powers(ht_complex_t *z) {
    uint32_t all = 0;
    for (uint8_t i = 0; i < HT_EAR_HALF; i++) all = ht_ear_union(ht_ear_union(all, z[i].re), z[i].im);
    uint8_t bits = hypertorus_bits(all), down = (uint8_t)(bits > 16 ? bits - 16 : 0);
    int32_t half = ((int32_t)1 << down) >> 1;
    for (uint8_t k = 1; k <= HT_EAR_HALF / 2; k++) {
        ht_complex_t *low = z + k, *high = z + (HT_EAR_HALF - k);
        ht_complex_t x = {low->re >> 1, low->im >> 1}, y = {high->re >> 1, high->im >> 1};
        ht_complex_t even = {(x.re + y.re) >> 2, (x.im - y.im) >> 2}, odd = {x.re - y.re, x.im + y.im};
        odd = ht_ear_turned(odd, ht_ear_arrow((uint8_t)(k * HT_EAR_TURN)));
        low->re = ht_ear_power(even.re + odd.im, even.im - odd.re, half, down);
        high->re = ht_ear_power(even.re - odd.im, even.im + odd.re, half, down);
    }
    return down;
}

/*  The levels of all bands; a power here is `exponent` octaves below what it stands for. */
static inline void ht_ear_levels(const ht_complex_t *z, int16_t exponent, uint16_t *levels) {
    const uint16_t *weights = ht_ear_weights;
    uint32_t risen = 0; /* what the band that falls got while it rose */
    z += HT_EAR_FIRST;
    for (uint8_t band = 0; band <= HT_EAR_BANDS; band++) {
        uint32_t rising = 0, sum = 0;
        for (uint8_t count = HYPERTORUS_READ8(ht_ear_counts + band); count; count--, z++, weights++) {
            uint32_t power = (uint32_t)z->re, weight = HYPERTORUS_READ16(weights);
            rising += (power >> 16) * weight + (((power & 0xFFFF) * weight) >> 16);
            sum += power;
        }
        uint32_t whole = risen + (sum - rising);
        int32_t logarithm = (int32_t)hypertorus_log2(whole ? whole : 1) + exponent * (int32_t)2048;
        if (band) levels[band - 1] = (uint16_t)(whole ? hypertorus_level(logarithm) : 0);
        risen = rising;
    }
}

/*  One frame: the levels of its bands. */
static inline void ht_ear_frame(const int16_t *samples, uint16_t *levels) {
    ht_complex_t z[HT_EAR_HALF];
    uint8_t bits = ht_ear_windowed(samples, z), length = 1;
    if (HT_EAR_LOG_FFT % 2 == 0) ht_ear_pass_by_two(z), length = 2;
    for (; length < HT_EAR_HALF; length = (uint8_t)(4 * length)) ht_ear_pass_by_four(z, length);
    uint8_t down = ht_ear_powers(z);
    ht_ear_levels(z, (int16_t)(2 * (HT_EAR_LOG_FFT + 1 - 30 + bits + down) + HT_EAR_GUARD), levels);
}

static inline void ht_ear_start(ht_ear_t *ear) {
    ht_heard_start(&ear->heard);
    ear->held = 0;
}

static inline uint16_t ht_ear_listen(ht_ear_t *ear, const int16_t *samples, uint16_t count) {
    uint16_t frames = 0;
    while (count) {
        uint16_t wanted = (uint16_t)(HT_EAR_FFT - ear->held), some = count < wanted ? count : wanted;
        for (int16_t *to = ear->samples + ear->held, *end = to + some; to != end;) *to++ = *samples++;
        count = (uint16_t)(count - some), ear->held = (uint16_t)(ear->held + some);
        if (ear->held < HT_EAR_FFT) break;
        uint16_t levels[HT_EAR_BANDS];
        ht_ear_frame(ear->samples, levels);
        ht_heard_put(&ear->heard, levels);
        for (uint16_t i = HT_EAR_HOP; i < HT_EAR_FFT; i++) ear->samples[i - HT_EAR_HOP] = ear->samples[i];
        ear->held = HT_EAR_FFT - HT_EAR_HOP;
        frames++;
    }
    return frames;
}

static inline void ht_ear_window(const ht_ear_t *ear, uint8_t *bytes) { ht_heard_window(&ear->heard, bytes); }

static inline void ht_ear_column(const ht_ear_t *ear, uint8_t age, uint8_t *bytes) {
    ht_heard_column(&ear->heard, age, bytes);
}

static inline uint16_t ht_ear_loudest(const ht_ear_t *ear) { return ht_heard_loudest(&ear->heard); }

#endif

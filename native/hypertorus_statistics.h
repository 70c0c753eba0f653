/*  hypertorus_statistics.h: how loud each band of a window is: in the mean, at its loudest, and how much it varies.
 *
 *  Frames of bytes come one by one, and nothing of them is kept but a sum, a sum of squares and the largest byte of each
 *  band. When a window of up to 255 frames has ended, they become three numbers of 16 bits a band, in the order of the
 *  encoder `bands`: all means, all deviations, all largest, each times the number of frames, so that nothing is divided.
 *  The sum over a window of a byte, and of its square times the number of frames, fit 16 and 32 bits.
 */
#ifndef HYPERTORUS_STATISTICS_H
#define HYPERTORUS_STATISTICS_H

#include "hypertorus_layers.h"
#include "hypertorus_products.h"

/*  The memory of a window, which is the caller's. */
typedef struct {
    uint16_t *numbers; /* [3][bands]: sums, then deviations, then the largest bytes */
    uint32_t *squares; /* [bands]: sums of squares */
    uint8_t bands;
} hypertorus_statistics;

/*  The largest number whose square is not above this one. */
static inline uint16_t hypertorus_root(uint32_t square) {
    uint32_t root = 0;
    for (uint32_t bit = (uint32_t)1 << 30; bit; bit >>= 2) {
        uint32_t next = root + bit;
        root >>= 1;
        if (square >= next) square -= next, root += bit;
    }
    return (uint16_t)root;
}

static inline void hypertorus_statistics_begin(const hypertorus_statistics *window) {
    for (uint16_t i = 0; i < 3 * (uint16_t)window->bands; i++) window->numbers[i] = 0;
    for (uint8_t i = 0; i < window->bands; i++) window->squares[i] = 0;
}

/*  The next frame of the window, from its lowest band. */
static inline void hypertorus_statistics_frame(const hypertorus_statistics *window, const uint8_t *frame) {
    uint16_t *sum = window->numbers, *largest = sum + 2 * (uint16_t)window->bands;
    for (uint8_t band = 0; band < window->bands; band++) {
        uint16_t byte = frame[band];
        sum[band] = (uint16_t)(sum[band] + byte);
        window->squares[band] += (uint32_t)byte * byte;
        if (byte > largest[band]) largest[band] = byte;
    }
}

/*  The window has ended after this many frames: the numbers are its statistics. */
static inline void hypertorus_statistics_end(const hypertorus_statistics *window, uint8_t frames) {
    uint16_t *sum = window->numbers, *deviation = sum + window->bands, *largest = deviation + window->bands;
    for (uint8_t band = 0; band < window->bands; band++) {
        deviation[band] = hypertorus_root(window->squares[band] * frames - (uint32_t)sum[band] * sum[band]);
        largest[band] = (uint16_t)(largest[band] * frames);
    }
}

#endif

/*  hypertorus_levels.h: how loud the bands of sound are, and the window of the last frames that a network gets as bytes.
 *
 *  A level is the logarithm of a power in whole steps, of which 255 make the depth of a window (45 dB: 0.18 dB each); a
 *  power of 1 has level 255. The byte of a place in a window is 255 - (level of the loudest place - its own), held to 0,
 *  so only the distance to the loudest of its own frame is stored, one byte each, and a window is made by subtractions.
 *  A window whose loudest place is below level 255 is not raised: silence is 0.
 *
 *  "ear_tables.h", which hypertorus.export.ear writes, sets the sizes:
 *      HT_EAR_BANDS, HT_EAR_FRAMES  of a window, up to 255 each
 *      HT_EAR_FACTOR, HT_EAR_SHIFT  a level is a logarithm times HT_EAR_FACTOR / 2^HT_EAR_SHIFT
 *
 *  The ears are hypertorus_audio.h and hypertorus_resonators.h. Both have the same functions:
 *      ht_ear_start(&ear)                   forgets everything
 *      ht_ear_listen(&ear, samples, count)  takes samples, any number at a time, and returns how many frames are new
 *      ht_ear_window(&ear, bytes)           writes the window, [HT_EAR_BANDS][HT_EAR_FRAMES], the oldest frame first
 *      ht_ear_column(&ear, age, bytes)      writes one frame of it, [HT_EAR_BANDS], the newest at age 0
 *      ht_ear_loudest(&ear)                 the level of the loudest place of the window
 *      ear.heard.frames                     counts frames and wraps after 65,535
 *  A network that computes only what is new, by hypertorus_stream.h, gives ht_ear_listen no more than a frame at a time
 *  and takes the column of age HT_EAR_FRAMES / 2 whenever it returns 1: half a window late, a frame is scaled by what is
 *  loudest on both sides of it, and never again. Frames that were not heard yet are 0.
 */
#ifndef HYPERTORUS_LEVELS_H
#define HYPERTORUS_LEVELS_H

#include <limits.h>

#include "ear_tables.h"
#include "hypertorus.h"

#if HT_EAR_BANDS < 1 || HT_EAR_BANDS > 255 || HT_EAR_FRAMES < 1 || HT_EAR_FRAMES > 255
#error "HT_EAR_BANDS and HT_EAR_FRAMES are from 1 to 255"
#endif

/*  round(2048 * log2(1 + i / 32)). */
static const uint16_t hypertorus_log2_table[33] HYPERTORUS_FLASH = {
    0, 91, 179, 265, 348, 429, 508, 585, 659, 732, 803, 873, 941, 1007, 1072, 1136, 1198,
    1259, 1319, 1377, 1435, 1491, 1546, 1600, 1653, 1706, 1757, 1808, 1857, 1906, 1954, 2001, 2048,
};

/*  The number of significant bits: 0 of 0, 32 of 2^31 and more. */
static inline uint8_t hypertorus_bits(uint32_t number) {
#if defined(__GNUC__) && UINT_MAX >= 0xFFFFFFFF
    return (uint8_t)(number ? 32 - __builtin_clz(number) : 0);
#else
    uint8_t bits = 0;
    while (number > 255) number >>= 8, bits = (uint8_t)(bits + 8);
    for (uint8_t byte = (uint8_t)number; byte; byte >>= 1) bits++;
    return bits;
#endif
}

/*  2048 log2(number), to within 2, of a number of at least 1. */
static inline uint16_t hypertorus_log2(uint32_t number) {
    uint8_t bits = hypertorus_bits(number);
    uint32_t left = number << (32 - bits);
    const uint16_t *part = hypertorus_log2_table + ((uint8_t)(left >> 26) & 31);
    uint16_t low = HYPERTORUS_READ16(part), high = HYPERTORUS_READ16(part + 1);
    uint16_t rest = (uint8_t)(left >> 18), rise = (uint16_t)(high - low);
    return (uint16_t)(((uint16_t)(bits - 1) << 11) + low + ((uint16_t)(rise * rest) >> 8));
}

/*  The level of a power from 2048 times its logarithm. */
static inline uint16_t hypertorus_level(int32_t logarithm) {
    int32_t level = 255 + ((logarithm * HT_EAR_FACTOR + ((int32_t)1 << (HT_EAR_SHIFT - 1))) >> HT_EAR_SHIFT);
    return level < 0 ? 0 : level > 65535 ? 65535 : (uint16_t)level;
}

/*  The last frames, in a ring. */
typedef struct {
    uint16_t loudest[HT_EAR_FRAMES];            /* the level of the loudest band of a frame, at least 255 */
    uint8_t below[HT_EAR_FRAMES][HT_EAR_BANDS]; /* 255 less what a band is below that, or 0 */
    uint16_t frames;
    uint8_t next; /* the place of the oldest frame, which the next one takes */
} ht_heard_t;

static inline void ht_heard_start(ht_heard_t *heard) {
    uint8_t *bytes = heard->below[0];
    for (uint16_t i = 0; i < (uint16_t)(HT_EAR_FRAMES * HT_EAR_BANDS); i++) bytes[i] = 0;
    for (uint8_t i = 0; i < HT_EAR_FRAMES; i++) heard->loudest[i] = 0;
    heard->frames = 0, heard->next = 0;
}

/*  One frame more. */
static inline void ht_heard_put(ht_heard_t *heard, const uint16_t *levels) {
    uint16_t loudest = 255;
    uint8_t *bytes = heard->below[heard->next];
    for (uint8_t band = 0; band < HT_EAR_BANDS; band++)
        if (levels[band] > loudest) loudest = levels[band];
    for (uint8_t band = 0; band < HT_EAR_BANDS; band++) {
        uint16_t below = (uint16_t)(loudest - levels[band]);
        bytes[band] = (uint8_t)(below > 255 ? 0 : 255 - below);
    }
    heard->loudest[heard->next] = loudest;
    heard->next = (uint8_t)(heard->next + 1 == HT_EAR_FRAMES ? 0 : heard->next + 1);
    heard->frames++;
}

static inline uint16_t ht_heard_loudest(const ht_heard_t *heard) {
    uint16_t loudest = 0;
    for (uint8_t i = 0; i < HT_EAR_FRAMES; i++)
        if (heard->loudest[i] > loudest) loudest = heard->loudest[i];
    return loudest;
}

/*  The bytes of the frame at this place of the ring, `apart` bytes from each other. */
static inline void ht_heard_copy(const ht_heard_t *heard, uint8_t place, uint16_t loudest, uint8_t *bytes, uint8_t apart) {
    uint16_t quieter = (uint16_t)(loudest - heard->loudest[place]);
    uint8_t least = (uint8_t)(quieter > 255 ? 255 : quieter);
    for (const uint8_t *from = heard->below[place], *end = from + HT_EAR_BANDS; from != end; from++, bytes += apart)
        *bytes = (uint8_t)(*from > least ? *from - least : 0);
}

static inline void ht_heard_window(const ht_heard_t *heard, uint8_t *bytes) {
    uint16_t loudest = ht_heard_loudest(heard);
    uint8_t place = heard->next;
    for (uint8_t frame = 0; frame < HT_EAR_FRAMES; frame++) {
        ht_heard_copy(heard, place, loudest, bytes + frame, HT_EAR_FRAMES);
        place = (uint8_t)(place + 1 == HT_EAR_FRAMES ? 0 : place + 1);
    }
}

static inline void ht_heard_column(const ht_heard_t *heard, uint8_t age, uint8_t *bytes) {
    uint8_t place = (uint8_t)(heard->next > age ? heard->next - age - 1 : heard->next + HT_EAR_FRAMES - age - 1);
    ht_heard_copy(heard, place, ht_heard_loudest(heard), bytes, 1);
}

#endif

/*  hypertorus_stream.h: the network of hypertorus_convolutions.h on sound that never ends, computing only what is new.
 *
 *  A window that begins every second, or every quarter of one, computes its frames again each time: its padding reaches
 *  far into it, and its bytes are relative to its own loudest place. A stream has no windows. Each frame passes through
 *  the stages once, with the real frames beside it in place of padding, and the mean over time slides: the column that
 *  leaves is added to the sums, and the one that left as many columns ago as a window has is taken off again. For that,
 *  the last columns are kept in a ring. Sums are whole numbers, so nothing drifts, however long a stream is.
 *
 *  A frame has to be the same whenever it is looked at, so it is scaled once: by the loudest place of the frames on both
 *  sides of it. ht_ear_column(&ear, HT_EAR_FRAMES / 2, bands) is that frame.
 */
#ifndef HYPERTORUS_STREAM_H
#define HYPERTORUS_STREAM_H

#include "hypertorus_convolutions.h"

/*  What a stream has beside the memory of its network: the columns that left last, as many as a mean has. */
typedef struct {
    uint8_t *past;    /* [moments][features] */
    uint16_t *oldest; /* which of them is the oldest */
    uint16_t moments;
} hypertorus_moments;

/*  Begin a stream: what came before is padding, and left columns of 0. */
static inline void hypertorus_stream_begin(const hypertorus_columns *network, const hypertorus_moments *kept) {
    hypertorus_columns_begin(network);
    uint16_t features = hypertorus_features(network);
    for (uint16_t i = 0; i < kept->moments; i++) hypertorus_fill(kept->past + (uint32_t)i * features, 0, features);
    *kept->oldest = 0;
}

/*  The next frame, from its lowest band. Returns whether the sums are new; with a stride of 2 every second time. */
static inline uint8_t hypertorus_stream_frame(const hypertorus_columns *network, const hypertorus_moments *kept,
                                              const uint8_t *bands) {
    hypertorus_copy(hypertorus_next_column(network, 0), bands, hypertorus_column_bytes(network, 0));
    if (!hypertorus_advance(network, 0)) return 0;
    const uint8_t *column = network->memory + network->output;
    uint16_t features = hypertorus_features(network);
    uint8_t *past = kept->past + (uint32_t)*kept->oldest * features;
    for (uint16_t i = 0; i < features; i++) {
        network->sums[i] = (uint16_t)(network->sums[i] + column[i] - past[i]);
        past[i] = column[i];
    }
    *kept->oldest = (uint16_t)(*kept->oldest + 1 == kept->moments ? 0 : *kept->oldest + 1);
    return 1;
}

#endif

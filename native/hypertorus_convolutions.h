/*  hypertorus_convolutions.h: a small convolutional network in integers, which takes a spectrogram a frame at a time.
 *
 *  Its stages are convolutions, dense or depthwise, each followed by a ReLU; a stage may also add what came into the
 *  stage before it. Weights are int8 in flash, and what passes between stages is uint8, as in hypertorus_layers.h. A
 *  column is what a stage makes of one moment: its places from top to bottom, and the channels of each place.
 *
 *  Every stage keeps the last columns that came in, as many as its kernel is wide, in a ring. As soon as a column is
 *  complete, it passes through all stages that have enough; nothing is computed twice, and no picture is ever kept
 *  whole. What leaves the last stage is summed over time, for the mean. Padding is real: rings begin with columns of
 *  padding, columns have places of padding at their ends, and the end of a window pushes columns of padding.
 *
 *  A window has a beginning and an end; sound without an end goes through the same stages by hypertorus_stream.h.
 *
 *  The stages are rows of a table in flash. No allocation, no floating point, no division.
 */
#ifndef HYPERTORUS_CONVOLUTIONS_H
#define HYPERTORUS_CONVOLUTIONS_H

#include "hypertorus_products.h"

/*  The columns of the table of stages, 16 bits each. */
enum {
    HYPERTORUS_WEIGHTS,  /* where its weights begin, in units of 4 bytes; [outputs][kernel] or, depthwise, the reverse */
    HYPERTORUS_ROWS,     /* where its biases, multipliers and shifts begin */
    HYPERTORUS_OUTPUTS,  /* channels that leave */
    HYPERTORUS_PLACES,   /* places of a column that leaves */
    HYPERTORUS_RING,     /* where its ring begins in memory */
    HYPERTORUS_COLUMN,   /* bytes of a column that comes in, with padding at both ends */
    HYPERTORUS_EDGE,     /* bytes of padding at one end */
    HYPERTORUS_SPAN,     /* bytes of one column below the kernel */
    HYPERTORUS_STEP,     /* bytes from one place of the kernel to the next */
    HYPERTORUS_COLUMNS,  /* columns below the kernel, and in the ring */
    HYPERTORUS_STRIDE,   /* columns from one position of the kernel to the next */
    HYPERTORUS_PADDING,  /* columns of padding at the beginning and at the end of time */
    HYPERTORUS_PAD,      /* the byte of padding */
    HYPERTORUS_DOWN,     /* of hypertorus_relu */
    HYPERTORUS_EACH,     /* 0 if all channels are summed; else each is convolved on its own, by so many places */
    HYPERTORUS_RESIDUAL, /* 0, or 1 + where the factors begin of what came into the stage before */
    HYPERTORUS_FIELDS
};

/*  A network in flash, and the memory that it works in. */
typedef struct {
    const uint16_t *stages;
    const int8_t *weights;
    const int32_t *biases;
    const uint16_t *multipliers;
    const uint8_t *shifts;
    const uint16_t *residuals;
    uint16_t *sums;     /* of each feature over time */
    uint8_t *positions; /* of each stage: the slot of its ring that is written next, and the columns it waits for */
    uint8_t *memory;    /* first the numbers below a kernel, then rings and columns */
    uint16_t output;    /* where in memory the last stage writes its column */
    uint8_t count;      /* of stages */
} hypertorus_columns;

static inline uint16_t hypertorus_field(const hypertorus_columns *network, uint8_t stage, uint8_t field) {
    return HYPERTORUS_READ16(network->stages + (uint16_t)(stage * HYPERTORUS_FIELDS) + field);
}

static inline void hypertorus_fill(uint8_t *to, uint8_t byte, uint16_t count) {
    while (count--) {
        *to++ = byte;
        HYPERTORUS_PLAIN_LOOP;
    }
}

static inline void hypertorus_copy(uint8_t *to, const uint8_t *from, uint16_t count) {
    while (count--) {
        *to++ = *from++;
        HYPERTORUS_PLAIN_LOOP;
    }
}

/*  The byte that a row's sum becomes. */
static inline uint8_t hypertorus_scaled(const hypertorus_columns *network, uint16_t row, int32_t sum, uint8_t down) {
    sum += hypertorus_read_i32(network->biases + row);
    return hypertorus_byte(sum, HYPERTORUS_READ16(network->multipliers + row),
                           HYPERTORUS_READ8(network->shifts + row), down);
}

/*  All rows of a dense stage at one place: `count` numbers become a byte for each output. `came` is null, or what came
 *  into the stage before, which is added. */
HYPERTORUS_ONE_COPY void hypertorus_dense(const hypertorus_columns *network, uint8_t stage, const uint8_t *numbers,
                                          uint16_t count, const uint8_t *came, uint8_t *out) {
    const int8_t *weights = network->weights + 4 * (uint32_t)hypertorus_field(network, stage, HYPERTORUS_WEIGHTS);
    uint16_t row = hypertorus_field(network, stage, HYPERTORUS_ROWS);
    uint16_t left = hypertorus_field(network, stage, HYPERTORUS_OUTPUTS);
    uint8_t down = (uint8_t)hypertorus_field(network, stage, HYPERTORUS_DOWN);
    const uint16_t *factors = network->residuals;
    if (came) factors += hypertorus_field(network, stage, HYPERTORUS_RESIDUAL) - 1;
#ifdef HYPERTORUS_DSP
    for (; left >= 4; left = (uint16_t)(left - 4), weights += 4 * count) {
        int32_t sums[4];
        hypertorus_dot_four(weights, numbers, count, sums);
        if (came)
            for (uint8_t i = 0; i < 4; i++) sums[i] += (int32_t)*factors++ * *came++;
        for (uint8_t i = 0; i < 4; i++) *out++ = hypertorus_scaled(network, row++, sums[i], down);
    }
#endif
    for (; left; left--, row++, weights += count) {
        int32_t sum = hypertorus_dot_bytes(weights, numbers, count);
        if (came) sum += (int32_t)((uint32_t)HYPERTORUS_READ16(factors++) * *came++);
        *out++ = hypertorus_scaled(network, row, sum, down);
    }
}

/*  A ring: its oldest column, where it ends, and how many columns there are from the one to the other. */
typedef struct {
    const uint8_t *column, *end;
    uint16_t bytes, whole;
    uint8_t columns, until_end;
} hypertorus_ring;

static inline hypertorus_ring hypertorus_ring_of(const hypertorus_columns *network, uint8_t stage) {
    hypertorus_ring ring;
    const uint8_t *begin = network->memory + hypertorus_field(network, stage, HYPERTORUS_RING);
    ring.bytes = hypertorus_field(network, stage, HYPERTORUS_COLUMN);
    ring.columns = (uint8_t)hypertorus_field(network, stage, HYPERTORUS_COLUMNS);
    ring.whole = (uint16_t)(ring.bytes * ring.columns);
    ring.column = begin + (uint16_t)(network->positions[2 * stage] * ring.bytes);
    ring.end = begin + ring.whole;
    ring.until_end = (uint8_t)(ring.columns - network->positions[2 * stage]);
    return ring;
}

/*  A depthwise stage at one place: each channel has a kernel of its own, whose weights lie `channels` apart, as the
 *  numbers below it do. A run of these ends where the kernel leaves a column; if the kernel covers the whole column,
 *  it goes on in the next, up to the end of the ring. */
HYPERTORUS_ONE_COPY void hypertorus_depthwise(const hypertorus_columns *network, uint8_t stage,
                                              const hypertorus_ring *ring, uint16_t place, uint8_t *out) {
    const int8_t *weights = network->weights + 4 * (uint32_t)hypertorus_field(network, stage, HYPERTORUS_WEIGHTS);
    uint16_t row = hypertorus_field(network, stage, HYPERTORUS_ROWS);
    uint16_t channels = hypertorus_field(network, stage, HYPERTORUS_OUTPUTS), channel = 0;
    uint8_t down = (uint8_t)hypertorus_field(network, stage, HYPERTORUS_DOWN);
    uint8_t places = (uint8_t)hypertorus_field(network, stage, HYPERTORUS_EACH);
    uint8_t whole = hypertorus_field(network, stage, HYPERTORUS_SPAN) == ring->bytes;
    const uint8_t *begin = ring->column + place, *end = ring->end + place;
    while (channel < channels) {
        const int8_t *weight = weights + channel;
        const uint8_t *column = begin + channel;
        uint8_t columns = ring->columns, run = whole ? ring->until_end : 1, together = 1;
        int32_t sums[HYPERTORUS_TOGETHER];
        for (uint8_t i = 0; i < HYPERTORUS_TOGETHER; i++) {
            sums[i] = 0;
            HYPERTORUS_PLAIN_LOOP;
        }
        if (channels - channel >= HYPERTORUS_TOGETHER) together = HYPERTORUS_TOGETHER;
        while (columns) {
            uint8_t taps = (uint8_t)(run * places);
#ifdef HYPERTORUS_DSP
            if (together == HYPERTORUS_TOGETHER) hypertorus_four_taps(weight, column, taps, channels, sums);
            else
#endif
                sums[0] += hypertorus_taps(weight, column, taps, channels);
            weight += (uint16_t)(taps * channels);
            column += (uint16_t)(run * ring->bytes);
            if (column >= end) column -= ring->whole;
            columns = (uint8_t)(columns - run);
            if (whole) run = columns;
        }
        for (uint8_t i = 0; i < together; i++, channel++)
            *out++ = hypertorus_scaled(network, (uint16_t)(row + channel), sums[i], down);
    }
}

/*  What came into a stage at the moment whose column leaves it. */
static inline const uint8_t *hypertorus_came_in(const hypertorus_columns *network, uint8_t stage) {
    hypertorus_ring ring = hypertorus_ring_of(network, stage);
    ring.column += (uint16_t)(hypertorus_field(network, stage, HYPERTORUS_PADDING) * ring.bytes);
    return ring.column < ring.end ? ring.column : ring.column - ring.whole;
}

/*  The column that leaves a stage whose ring is complete. */
HYPERTORUS_ONE_COPY void hypertorus_convolve(const hypertorus_columns *network, uint8_t stage, uint8_t *out) {
    hypertorus_ring ring = hypertorus_ring_of(network, stage);
    uint16_t span = hypertorus_field(network, stage, HYPERTORUS_SPAN), place = 0;
    uint16_t outputs = hypertorus_field(network, stage, HYPERTORUS_OUTPUTS);
    const uint8_t *came = 0;
    if (hypertorus_field(network, stage, HYPERTORUS_RESIDUAL)) came = hypertorus_came_in(network, (uint8_t)(stage - 1));
    for (uint16_t left = hypertorus_field(network, stage, HYPERTORUS_PLACES); left; left--, out += outputs) {
        if (hypertorus_field(network, stage, HYPERTORUS_EACH)) {
            hypertorus_depthwise(network, stage, &ring, place, out);
        } else if (ring.columns == 1) {
            hypertorus_dense(network, stage, ring.column + place, span, came, out);
        } else {
            const uint8_t *column = ring.column;
            uint8_t *below = network->memory;
            for (uint8_t columns = ring.columns; columns; columns--, below += span) {
                hypertorus_copy(below, column + place, span);
                column += ring.bytes;
                if (column == ring.end) column -= ring.whole;
            }
            hypertorus_dense(network, stage, network->memory, (uint16_t)(span * ring.columns), came, out);
        }
        place = (uint16_t)(place + hypertorus_field(network, stage, HYPERTORUS_STEP));
    }
}

/*  Where the next column that comes into a stage is written, and its bytes without padding. */
static inline uint8_t *hypertorus_next_column(const hypertorus_columns *network, uint8_t stage) {
    uint16_t slot = (uint16_t)(network->positions[2 * stage] * hypertorus_field(network, stage, HYPERTORUS_COLUMN));
    return network->memory + hypertorus_field(network, stage, HYPERTORUS_RING) + slot +
           hypertorus_field(network, stage, HYPERTORUS_EDGE);
}

static inline uint16_t hypertorus_column_bytes(const hypertorus_columns *network, uint8_t stage) {
    return (uint16_t)(hypertorus_field(network, stage, HYPERTORUS_COLUMN) -
                      2 * hypertorus_field(network, stage, HYPERTORUS_EDGE));
}

/*  A column has been written for this stage: it passes through all stages that now have enough. Returns whether a column
 *  left the last one; it is then at `output`. */
HYPERTORUS_ONE_COPY uint8_t hypertorus_advance(const hypertorus_columns *network, uint8_t stage) {
    for (;; stage++) {
        uint8_t *position = network->positions + 2 * stage;
        position[0]++;
        if (position[0] == hypertorus_field(network, stage, HYPERTORUS_COLUMNS)) position[0] = 0;
        if (--position[1]) return 0;
        position[1] = (uint8_t)hypertorus_field(network, stage, HYPERTORUS_STRIDE);
        if (stage + 1 == network->count) break;
        hypertorus_convolve(network, stage, hypertorus_next_column(network, (uint8_t)(stage + 1)));
    }
    hypertorus_convolve(network, stage, network->memory + network->output);
    return 1;
}

/*  The number of features: channels that leave the last stage. */
static inline uint16_t hypertorus_features(const hypertorus_columns *network) {
    return hypertorus_field(network, (uint8_t)(network->count - 1), HYPERTORUS_OUTPUTS);
}

/*  The same of a window, where what leaves the last stage is added up. */
HYPERTORUS_ONE_COPY void hypertorus_advance_window(const hypertorus_columns *network, uint8_t stage) {
    if (!hypertorus_advance(network, stage)) return;
    const uint8_t *column = network->memory + network->output;
    uint16_t features = hypertorus_features(network);
    for (uint16_t i = 0; i < features; i++) network->sums[i] = (uint16_t)(network->sums[i] + column[i]);
}

/*  Begin a window or a stream: all rings are padding. */
static inline void hypertorus_columns_begin(const hypertorus_columns *network) {
    for (uint8_t stage = 0; stage < network->count; stage++) {
        hypertorus_ring ring;
        uint8_t *position = network->positions + 2 * stage;
        position[0] = 0;
        ring = hypertorus_ring_of(network, stage);
        position[1] = (uint8_t)(ring.columns - hypertorus_field(network, stage, HYPERTORUS_PADDING));
        hypertorus_fill(network->memory + hypertorus_field(network, stage, HYPERTORUS_RING),
                        (uint8_t)hypertorus_field(network, stage, HYPERTORUS_PAD), ring.whole);
    }
    hypertorus_fill((uint8_t *)network->sums, 0, (uint16_t)(2 * hypertorus_features(network)));
}

/*  The next frame of the window, from its lowest band. */
static inline void hypertorus_columns_frame(const hypertorus_columns *network, const uint8_t *bands) {
    hypertorus_copy(hypertorus_next_column(network, 0), bands, hypertorus_column_bytes(network, 0));
    hypertorus_advance_window(network, 0);
}

/*  The window ends: what is still in the rings leaves them, pushed by padding. */
static inline void hypertorus_columns_end(const hypertorus_columns *network) {
    for (uint8_t stage = 0; stage < network->count; stage++) {
        for (uint16_t left = hypertorus_field(network, stage, HYPERTORUS_PADDING); left; left--) {
            hypertorus_fill(hypertorus_next_column(network, stage),
                            (uint8_t)hypertorus_field(network, stage, HYPERTORUS_PAD),
                            hypertorus_column_bytes(network, stage));
            hypertorus_advance_window(network, stage);
        }
    }
}

#endif

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
 *  The stages are rows of a table in flash. No allocation, no floating point, no division.
 */
#ifndef HYPERTORUS_CONVOLUTIONS_H
#define HYPERTORUS_CONVOLUTIONS_H

#include "hypertorus_layers.h"

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

/*  One copy of a function, wherever it is called from; and a loop that compilers must not replace by a library's. */
#if defined(__GNUC__)
#define HYPERTORUS_ONE_COPY static __attribute__((noinline, unused))
#define HYPERTORUS_PLAIN_LOOP __asm__ volatile("" ::: "memory")
#else
#define HYPERTORUS_ONE_COPY static
#define HYPERTORUS_PLAIN_LOOP (void)0
#endif

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

/*  The byte that a row's sum becomes. */
static inline uint8_t hypertorus_scaled(const hypertorus_columns *network, uint16_t row, int32_t sum, uint8_t down) {
    sum += hypertorus_read_i32(network->biases + row);
    return hypertorus_byte(sum, HYPERTORUS_READ16(network->multipliers + row),
                           HYPERTORUS_READ8(network->shifts + row), down);
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

/*  A column has been written for this stage: it passes through all stages that now have enough. */
HYPERTORUS_ONE_COPY void hypertorus_advance(const hypertorus_columns *network, uint8_t stage) {
    for (;; stage++) {
        uint8_t *position = network->positions + 2 * stage;
        position[0]++;
        if (position[0] == hypertorus_field(network, stage, HYPERTORUS_COLUMNS)) position[0] = 0;
        if (--position[1]) return;
        position[1] = (uint8_t)hypertorus_field(network, stage, HYPERTORUS_STRIDE);
        if (stage + 1 == network->count) break;
        hypertorus_convolve(network, stage, hypertorus_next_column(network, (uint8_t)(stage + 1)));
    }
    uint8_t *out = network->memory + network->output;
    hypertorus_convolve(network, stage, out);
    uint16_t features = hypertorus_field(network, stage, HYPERTORUS_OUTPUTS);
    for (uint16_t i = 0; i < features; i++) network->sums[i] = (uint16_t)(network->sums[i] + out[i]);
}

/*  Begin a window: all rings are padding. */
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
    uint16_t features = hypertorus_field(network, (uint8_t)(network->count - 1), HYPERTORUS_OUTPUTS);
    hypertorus_fill((uint8_t *)network->sums, 0, (uint16_t)(2 * features));
}

/*  The next frame of the window, from its lowest band. */
static inline void hypertorus_columns_frame(const hypertorus_columns *network, const uint8_t *bands) {
    hypertorus_copy(hypertorus_next_column(network, 0), bands, hypertorus_column_bytes(network, 0));
    hypertorus_advance(network, 0);
}

/*  The window ends: what is still in the rings leaves them, pushed by padding. */
static inline void hypertorus_columns_end(const hypertorus_columns *network) {
    for (uint8_t stage = 0; stage < network->count; stage++) {
        for (uint16_t left = hypertorus_field(network, stage, HYPERTORUS_PADDING); left; left--) {
            hypertorus_fill(hypertorus_next_column(network, stage),
                            (uint8_t)hypertorus_field(network, stage, HYPERTORUS_PAD),
                            hypertorus_column_bytes(network, stage));
            hypertorus_advance(network, stage);
        }
    }
}

#endif

"""The part of `model.c` and `model.h` that a convolutional network has: windows that take a frame at a time."""

from __future__ import annotations

from hypertorus.export.memory_plan import memory_plan
from hypertorus.export.stages import Columns


def window_bytes(columns: Columns) -> int:
    """Return the size of an `ht_window`: sums of 16 bits, memory, and two bytes a stage."""
    size = 2 * columns.features + memory_plan(columns).bytes + 2 * len(columns.stages)
    return size + size % 2


def stream_bytes(columns: Columns) -> int:
    """Return the size of an `ht_stream`: a window, the columns of a mean, and which of them is the oldest."""
    past = columns.moments * columns.features
    return window_bytes(columns) + 2 + past + past % 2


def window_defines(columns: Columns) -> list[tuple[str, str]]:
    """Return the lines of the definitions, each with its comment."""
    return [
        (f"#define HT_BANDS {columns.bands}", "bands of a frame"),
        (f"#define HT_FRAMES {columns.frames}", "frames of a window"),
        (f"#define HT_FEATURES {columns.features}", "features, each a mean over time"),
        (f"#define HT_MOMENTS {columns.moments}", "columns of that mean"),
        (f"#define HT_STAGES {len(columns.stages)}", "convolutions"),
        (f"#define HT_MEMORY {memory_plan(columns).bytes}", "bytes that they work in"),
    ]


WINDOW_HEADER = """/*  A window of sound on its way through the network: the last columns of every stage, not a picture.
 *  Begin it, pass HT_FRAMES frames of HT_BANDS bytes, from the lowest band up and from the oldest frame on, and take
 *  the code. The memory is free again then; windows that overlap in time are computed one after another. */
typedef struct {
    uint16_t sums[HT_FEATURES];
    uint8_t memory[HT_MEMORY];
    uint8_t positions[2 * HT_STAGES];
} ht_window;

void ht_window_begin(ht_window *window);
void ht_window_frame(ht_window *window, const uint8_t *bands);
void ht_window_code(ht_window *window, uint8_t *code);

/*  Sound that never ends: each frame passes through the network once, and the mean over time slides. Begin it once, and
 *  pass every frame of the ear, ht_ear_column(&ear, HT_EAR_FRAMES / 2, bands); if ht_stream_frame returns 1, there is a
 *  new code to take. Codes are not those of windows: a window is padded, and scaled by its own loudest place. */
typedef struct {
    ht_window window;
    uint16_t oldest;
    uint8_t past[HT_MOMENTS * HT_FEATURES];
} ht_stream;

void ht_stream_begin(ht_stream *stream);
uint8_t ht_stream_frame(ht_stream *stream, const uint8_t *bands);
void ht_stream_code(const ht_stream *stream, uint8_t *code);

/*  A window of a picture that is in memory as a whole; the window is on the stack. */
"""


def window_functions(columns: Columns, head: list[str]) -> str:
    """Return the functions of model.c; `head` are the lines that turn `sums` into a code."""
    output = memory_plan(columns).output
    return "\n".join([_OPEN.format(output=output), _HEAD, *head, "}", "", _WINDOW, _STREAM, ""])


_OPEN = """static void ht_open(ht_window *window, hypertorus_columns *network) {{
    network->stages = ht_stages[0];
    network->weights = ht_stage_weights;
    network->biases = ht_stage_biases;
    network->multipliers = ht_stage_multipliers;
    network->shifts = ht_stage_shifts;
    network->residuals = ht_stage_residuals;
    network->sums = window->sums;
    network->positions = window->positions;
    network->memory = window->memory;
    network->output = {output};
    network->count = HT_STAGES;
}}
"""

_HEAD = """static void ht_code_of(const uint16_t *sums, uint8_t *code) {"""

_WINDOW = """void ht_window_begin(ht_window *window) {
    hypertorus_columns network;
    ht_open(window, &network);
    hypertorus_columns_begin(&network);
}

void ht_window_frame(ht_window *window, const uint8_t *bands) {
    hypertorus_columns network;
    ht_open(window, &network);
    hypertorus_columns_frame(&network, bands);
}

void ht_window_code(ht_window *window, uint8_t *code) {
    hypertorus_columns network;
    ht_open(window, &network);
    hypertorus_columns_end(&network);
    ht_code_of(window->sums, code);
}
"""

_STREAM = """static hypertorus_moments ht_moments(ht_stream *stream) {
    hypertorus_moments kept;
    kept.past = stream->past;
    kept.oldest = &stream->oldest;
    kept.moments = HT_MOMENTS;
    return kept;
}

void ht_stream_begin(ht_stream *stream) {
    hypertorus_columns network;
    hypertorus_moments kept = ht_moments(stream);
    ht_open(&stream->window, &network);
    hypertorus_stream_begin(&network, &kept);
}

uint8_t ht_stream_frame(ht_stream *stream, const uint8_t *bands) {
    hypertorus_columns network;
    hypertorus_moments kept = ht_moments(stream);
    ht_open(&stream->window, &network);
    return hypertorus_stream_frame(&network, &kept, bands);
}

void ht_stream_code(const ht_stream *stream, uint8_t *code) { ht_code_of(stream->window.sums, code); }"""

"""The part of `model.c` and `model.h` of a network on statistics of bands: windows that take a frame at a time."""

from __future__ import annotations

from hypertorus.export.statistics import Statistics


def statistics_bytes(front: Statistics) -> int:
    """Return the size of an `ht_window`: a sum of squares and three numbers of 16 bits for each band."""
    return (4 + 2 * 3) * front.bands + (2 * front.bands) % 4


def statistics_defines(front: Statistics) -> list[tuple[str, str]]:
    """Return the lines of the definitions, each with its comment."""
    return [
        (f"#define HT_BANDS {front.bands}", "bands of a frame"),
        (f"#define HT_FRAMES {front.frames}", "frames of a window"),
        (f"#define HT_FEATURES {front.features}", "features: mean, deviation and largest byte of each band"),
    ]


STATISTICS_HEADER = """/*  A window of sound on its way through the network: statistics of each band, not a picture.
 *  Begin it, pass HT_FRAMES frames of HT_BANDS bytes, from the lowest band up and from the oldest frame on, and take
 *  the code, once. The memory is free again then. */
typedef struct {
    uint32_t squares[HT_BANDS];
    uint16_t numbers[HT_FEATURES];
} ht_window;

void ht_window_begin(ht_window *window);
void ht_window_frame(ht_window *window, const uint8_t *bands);
void ht_window_code(ht_window *window, uint8_t *code);

/*  A window of a picture that is in memory as a whole; the window is on the stack. */
"""


def statistics_functions(head: list[str]) -> str:
    """Return the functions of model.c; `head` are the lines that turn `numbers` into a code."""
    return "\n".join([_OPEN, _HEAD, *head, "}", ""])


_OPEN = """static hypertorus_statistics ht_open(ht_window *window) {
    hypertorus_statistics statistics;
    statistics.numbers = window->numbers;
    statistics.squares = window->squares;
    statistics.bands = HT_BANDS;
    return statistics;
}

void ht_window_begin(ht_window *window) {
    hypertorus_statistics statistics = ht_open(window);
    hypertorus_statistics_begin(&statistics);
}

void ht_window_frame(ht_window *window, const uint8_t *bands) {
    hypertorus_statistics statistics = ht_open(window);
    hypertorus_statistics_frame(&statistics, bands);
}
"""

_HEAD = """void ht_window_code(ht_window *window, uint8_t *code) {
    hypertorus_statistics statistics = ht_open(window);
    const uint16_t *numbers = window->numbers;
    hypertorus_statistics_end(&statistics, HT_FRAMES);"""

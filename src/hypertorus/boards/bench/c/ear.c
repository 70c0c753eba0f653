/*  ear.c: an ear on a board hears the samples of samples.h, CHUNK at a time: what it heard, and what it cost.
 *
 *  Built with NOTHING it has no ear, so that the flash of an ear is the difference of the two. */
#ifndef NOTHING
#include EAR
#endif
#include "board.h"
#include "samples.h"

#ifdef NOTHING

int main(void) {
    board_begin();
    board_number(board_stack() + HYPERTORUS_READ16((const uint16_t *)samples + board_ticks() % SAMPLES)), board_text("\n");
    board_end();
    return 0;
}

#else

static ht_ear_t ear;
static uint8_t bytes[HT_EAR_FRAMES * HT_EAR_BANDS];
static int16_t chunk[CHUNK];

static uint32_t mixed(uint32_t sum, uint16_t count) { /* FNV-1a */
    for (uint16_t i = 0; i < count; i++) sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

static void print(const char *name, uint32_t number) {
    board_text(name), board_text(" "), board_number(number), board_text("\n");
}

int main(void) {
    uint32_t columns = 2166136261u, frames = 0, all = 0, most = 0;
    board_begin();
    ht_ear_start(&ear);
    ear.heard.frames = FIRST_FRAME;
    for (uint16_t at = 0; at < SAMPLES; at = (uint16_t)(at + CHUNK)) {
        uint16_t count = 0;
        for (; count < CHUNK && at + count < SAMPLES; count++)
            chunk[count] = (int16_t)HYPERTORUS_READ16((const uint16_t *)samples + at + count);
        uint32_t before = board_ticks();
        uint16_t new_frames = ht_ear_listen(&ear, chunk, count);
        uint32_t ticks = board_ticks() - before;
        all += ticks, frames += new_frames;
        if (ticks > most) most = ticks;
        if (!new_frames) continue;
        ht_ear_column(&ear, 0, bytes);
        columns = mixed(columns, HT_EAR_BANDS);
    }
    uint32_t before = board_ticks();
    ht_ear_window(&ear, bytes);
    uint32_t window = board_ticks() - before;
    print("columns", columns);
    print("window", mixed(2166136261u, HT_EAR_FRAMES * HT_EAR_BANDS));
    print("loudest", ht_ear_loudest(&ear));
    print("frames", frames);
    print("counter", ear.heard.frames);
    print("ticks", all);
    print("most_ticks", most);
    print("window_ticks", window);
    print("bytes", sizeof ear);
    print("stack", board_stack());
    board_end();
    return 0;
}

#endif

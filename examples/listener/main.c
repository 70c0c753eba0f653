/*  main.c: a listener on any board. It hears what is played to it, learns a word when it is told to, says which word it
 *  hears or that it is none of these, and counts what all of it costs.
 *
 *  model.h and the ear come from `hypertorus export c --encoder`, board.h stands for the chip, and played.h, which run.py
 *  writes, is the tape: clips of 4 bits a sample, whether each is an example to learn, and the words known beforehand.
 *  With a microphone, `play` would take its samples instead.
 *
 *  Built with STREAM, the network takes every frame as it comes and computes nothing twice; a clip is then followed by so
 *  much silence that its last frame has left the network. Without it, a window is computed when it is complete.
 */
#include "board.h"
#include "hypertorus_words.h"
#include "model.h"
#include "played.h"

#define ALONE __attribute__((noinline)) /* so that the stack of one part is free again for the next */

enum { CHUNK = 32, RECORD = HYPERTORUS_WORD_BYTES(HT_DIM, 0) };

static ht_ear_t ear;
static uint8_t records[(KNOWN + 1) * RECORD];
static hypertorus_words words = {records, KNOWN + 1, HT_DIM, 0, HYPERTORUS_COSINE, 0, 0, 0};
static uint8_t examples[LESSONS][HT_DIM]; /* wait as codes, so that the sums of a lesson need no memory while it hears */
static uint32_t listening, thinking, answering, learning;
#ifdef STREAM
static ht_stream stream;
static uint32_t coding;
#endif

/*  The tape: IMA ADPCM, each sample four bits that move the last one by a step, which grows and shrinks with them. */

typedef struct {
    const uint8_t *bytes;
    int32_t sample;
    uint8_t step, second;
} tape_reader;

static const uint16_t tape_steps[89] HYPERTORUS_FLASH = {
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107,
    118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963,
    1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894,
    6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794,
    32767,
};

static int16_t tape_next(tape_reader *reader) {
    uint8_t byte = HYPERTORUS_READ8(reader->bytes), four = (uint8_t)(reader->second ? byte >> 4 : byte & 15);
    if (reader->second) reader->bytes++;
    reader->second ^= 1;
    uint16_t step = HYPERTORUS_READ16(tape_steps + reader->step);
    int32_t change = step >> 3;
    if (four & 4) change += step;
    if (four & 2) change += step >> 1;
    if (four & 1) change += step >> 2;
    reader->sample += four & 8 ? -change : change;
    if (reader->sample > 32767) reader->sample = 32767;
    if (reader->sample < -32768) reader->sample = -32768;
    int8_t next = (int8_t)(reader->step + (four & 4 ? 2 * (four & 3) + 2 : -1));
    reader->step = (uint8_t)(next < 0 ? 0 : next > 88 ? 88 : next);
    return (int16_t)reader->sample;
}

/*  The newest frame that can be scaled passes through the network. */
#ifdef STREAM
static ALONE void follow(void) {
    uint8_t column[HT_EAR_BANDS];
    ht_ear_column(&ear, HT_EAR_FRAMES / 2, column);
    ht_stream_frame(&stream, column);
}
#endif

/*  The ear hears a clip in the middle of a window of silence. */
static ALONE void play(uint8_t step) {
    tape_reader reader = {tape + HYPERTORUS_READ32(clip_begins + step), 0, 0, 0};
    uint16_t count = HYPERTORUS_READ16(clip_samples + step), before = (uint16_t)((WINDOW_SAMPLES - count) / 2);
    ht_ear_start(&ear);
#ifdef STREAM
    ht_stream_begin(&stream);
#endif
    for (uint16_t at = 0; at < PLAYED_SAMPLES; at = (uint16_t)(at + CHUNK)) {
        int16_t samples[CHUNK];
        uint16_t wanted = PLAYED_SAMPLES - at < CHUNK ? (uint16_t)(PLAYED_SAMPLES - at) : CHUNK;
        for (uint16_t i = 0; i < wanted; i++)
            samples[i] = (uint16_t)(at + i - before) < count ? tape_next(&reader) : 0;
        uint32_t begin = board_ticks();
#ifdef STREAM
        uint16_t frames = ht_ear_listen(&ear, samples, wanted);
        uint32_t between = board_ticks();
        if (frames) follow();
        if (at >= WINDOW_SAMPLES) thinking += board_ticks() - between; /* when all of the network is at work */
        listening += between - begin;
#else
        ht_ear_listen(&ear, samples, wanted);
        listening += board_ticks() - begin;
#endif
    }
}

#ifdef STREAM

/*  The code of the last second, whose frames are in the sums already. */
static ALONE void think(uint8_t *code) {
    uint32_t begin = board_ticks();
    ht_stream_code(&stream, code);
    coding += board_ticks() - begin;
}

#else

/*  The code of the last window. Only the memory of the network is needed for it: frames come from the ear one by one. */
static ALONE void think(uint8_t *code) {
    ht_window window;
    uint8_t column[HT_EAR_BANDS];
    uint32_t begin = board_ticks();
    ht_window_begin(&window);
    for (uint8_t age = HT_EAR_FRAMES; age; age--) {
        ht_ear_column(&ear, (uint8_t)(age - 1), column);
        ht_window_frame(&window, column);
    }
    ht_window_code(&window, code);
    thinking += board_ticks() - begin;
}

#endif

/*  One letter says what a number is: text takes RAM on AVR. */
static void tell(const char *what, uint32_t number) {
    board_text(what);
    board_number(number);
    board_text("\n");
}

static void tell_code(const uint8_t *code) {
    uint32_t sum = 2166136261u;
    for (uint16_t i = 0; i < HT_DIM; i++) sum = (sum ^ code[i]) * 16777619u;
    tell("c ", sum);
}

/*  The first examples become the word at a place. */
static ALONE void learn(uint16_t place, uint8_t count) {
    int32_t sums[2 * HT_DIM];
    hypertorus_lesson lesson;
    uint32_t begin = board_ticks();
    hypertorus_lesson_begin(&lesson, sums, HT_DIM);
    for (uint8_t i = 0; i < count; i++) hypertorus_lesson_add(&lesson, examples[i]);
    hypertorus_lesson_end(&lesson, &words, place);
    learning = board_ticks() - begin;
}

/*  The words of the training. */
static void begin_with_known_words(void) {
    for (uint16_t word = 0; word < KNOWN; word++)
        for (uint16_t i = 0; i < RECORD; i++) records[word * RECORD + i] = HYPERTORUS_READ8(known[word] + i);
}

static ALONE void answer(const uint8_t *code) {
    uint32_t begin = board_ticks();
    hypertorus_match match = hypertorus_words_match(&words, code);
    uint16_t place = match.score <= THRESHOLD ? match.place : HYPERTORUS_NONE;
    answering += board_ticks() - begin;
    tell("d ", (uint32_t)match.score);
    tell("w ", place);
}

int main(void) {
    board_begin();
    begin_with_known_words();
    for (uint8_t step = 0; step < CLIPS; step++) {
        uint8_t *code = examples[step < LESSONS ? step : 0]; /* whose memory is free after the lesson */
        play(step);
        think(code);
        tell_code(code);
        if (step + 1 == LESSONS) learn(KNOWN, LESSONS);
        if (step >= LESSONS) answer(code);
    }
    tell("l ", listening);
    tell("t ", thinking);
    tell("a ", answering);
    tell("e ", learning);
#ifdef STREAM
    tell("h ", coding);
#endif
    tell("s ", board_stack());
    board_end();
    return 0;
}

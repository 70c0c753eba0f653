/*  words.c: what learning, scoring and saving words costs: 10 words of 32 angles, with names of 6 bytes. Prints the
 *  ticks of each step, and the bytes of stack. COUNTS, WORDS and PAGES of 0 leave parts out, for the size of the rest. */
#include "hypertorus_pages.h"

#include "board.h"

enum { DIM = 32, NAMES = 6, CAPACITY = 10, EXAMPLES = 5, PAGE = 512 };

#define BYTE(n) (uint8_t)((n) * 89 % 251)
#define BYTES_8(n) BYTE(n), BYTE(n + 1), BYTE(n + 2), BYTE(n + 3), BYTE(n + 4), BYTE(n + 5), BYTE(n + 6), BYTE(n + 7)
#define BYTES_32(n) BYTES_8(n), BYTES_8(n + 8), BYTES_8(n + 16), BYTES_8(n + 24)

static uint8_t code[DIM] __attribute__((aligned(4)));
static volatile uint16_t dim = DIM;

/*  Words that differ, and examples of a word that differ by some codes. */
static void say(uint8_t word, uint8_t example) {
    for (uint8_t i = 0; i < DIM; i++) code[i] = (uint8_t)(word * 57 + i * (word + 3) * 11 + (i * 13 + example * 29) % 32);
}

#if WORDS
static const uint8_t background[DIM] __attribute__((aligned(4))) HYPERTORUS_FLASH = {BYTES_32(5)};
static uint8_t records[CAPACITY * HYPERTORUS_WORD_BYTES(DIM, NAMES)] __attribute__((aligned(4)));
static int32_t sums[2 * DIM];
static hypertorus_words words = {records, CAPACITY, DIM, NAMES, METRIC, background, 0, 1};
static hypertorus_lesson lesson;
#endif

#if PAGES
/*  Pages in RAM, so that what is counted is the program and not the flash. */
static uint8_t flash[PAGE];

static void erase(void *context, uint8_t page) { (void)context, (void)page; }

static void write(void *context, uint8_t page, uint32_t offset, const uint8_t *bytes, uint8_t count) {
    (void)context;
    for (uint8_t i = 0; page == 0 && i < count; i++) flash[(uint16_t)offset + i] = bytes[i];
}

static void read(void *context, uint8_t page, uint32_t offset, uint8_t *bytes, uint8_t count) {
    (void)context;
    for (uint8_t i = 0; i < count; i++) bytes[i] = page ? 255 : flash[(uint16_t)offset + i];
}

static const hypertorus_pages pages = {erase, write, read, 0, PAGE, 8};
#endif

static void tell(const char *what, uint32_t number) {
    board_text(what), board_text(" "), board_number(number), board_text("\n");
}

#if COUNTS
#define COUNT(what, step)                    \
    do {                                     \
        uint32_t begin = board_ticks(), end; \
        step;                                \
        end = board_ticks();                 \
        tell(what, end - begin);             \
    } while (0)
#else
#define COUNT(what, step) step
#endif

int main(void) {
    board_begin();
    say((uint8_t)dim, 7);
#if WORDS
    hypertorus_match match;
    for (uint8_t word = 0; word < CAPACITY; word++) {
        hypertorus_lesson_begin(&lesson, sums, dim);
        for (uint8_t i = 0; i < EXAMPLES; i++) say(word, i), hypertorus_lesson_add(&lesson, code);
        hypertorus_lesson_end(&lesson, &words, word);
        hypertorus_words_rename(&words, word, "word");
    }
    say(3, 7);
    COUNT("begin", hypertorus_lesson_begin(&lesson, sums, dim));
    COUNT("add", hypertorus_lesson_add(&lesson, code));
    for (uint8_t i = 1; i < EXAMPLES; i++) say(3, i), hypertorus_lesson_add(&lesson, code);
    COUNT("end", hypertorus_lesson_end(&lesson, &words, 3));
    COUNT("resume", hypertorus_lesson_resume(&lesson, sums, &words, 3));
    COUNT("score", match = hypertorus_words_match(&words, code));
    tell("place", match.place);
    words.background_count = 1;
    COUNT("background", match = hypertorus_words_match(&words, code));
#endif
#if PAGES
    COUNT("save", match.place = hypertorus_words_save(&words, &pages));
    tell("saved", match.place);
    COUNT("open", match.place = hypertorus_words_open(&words, &pages));
    tell("opened", match.place);
#endif
    tell("stack", board_stack());
    board_end();
    return 0;
}

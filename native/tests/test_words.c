/*  test_words.c: learned words on the microcontroller itself. It plays sessions of learning, correcting, forgetting and
 *  asking on random codes, and prints all that came out, which Python compares with its own; then it saves words and
 *  takes the power away at every byte. An 8-bit board, whose simulator is slow, takes it away at some bytes. */
#include "../hypertorus_pages.h"
#include "board.h"

enum { DIM = 32, NAMES = 6, CAPACITY = 3, RECORD = HYPERTORUS_WORD_BYTES(DIM, NAMES), PAGE = 160, BACKGROUND = 3 };
#if defined(__AVR__)
enum { STEP = 29 };
#else
enum { STEP = 1 };
#endif

#define BYTE(n) (uint8_t)(((n) * (n) * 37ul + (n) * 11ul) >> 3)
#define BYTES_8(n) BYTE(n), BYTE(n + 1), BYTE(n + 2), BYTE(n + 3), BYTE(n + 4), BYTE(n + 5), BYTE(n + 6), BYTE(n + 7)
#define BYTES_32(n) BYTES_8(n), BYTES_8(n + 8), BYTES_8(n + 16), BYTES_8(n + 24)
static const uint8_t background[BACKGROUND * DIM] HYPERTORUS_FLASH = {BYTES_32(0), BYTES_32(32), BYTES_32(64)};

static uint8_t records[CAPACITY * RECORD], centres[CAPACITY][DIM], code[DIM];
static int32_t sums[2 * DIM];
static hypertorus_words words = {records, CAPACITY, DIM, NAMES, HYPERTORUS_COSINE, background, 0, 0xC0DE5EEDu};
static hypertorus_lesson lesson;
static uint32_t random_state = 2463534242u, failures;

static uint8_t random_byte(void) { /* xorshift32 */
    random_state ^= random_state << 13, random_state ^= random_state >> 17, random_state ^= random_state << 5;
    return (uint8_t)(random_state >> 11);
}

static void number(uint32_t value) { board_text(" "), board_number(value); }

static void bytes(const char *what, const uint8_t *shown, uint16_t count) {
    board_text(what);
    for (uint16_t i = 0; i < count; i++) number(shown[i]);
    board_text("\n");
}

/*  `what` is for the reader: a small board has no room for texts, so a failure is told by its line. */
#define CHECK(what, holds) check(__LINE__, holds)

static void check(uint16_t line, uint8_t holds) {
    if (holds || failures++ > 20) return;
    board_text("failed in line"), number(line), board_text("\n");
}

/*  Flash in RAM: writing clears bits, and a byte is written once. `power` is what is left to erase or write. */
static uint8_t flash[2][PAGE], rewritable;
static uint32_t power = UINT32_MAX, uses;

static void change(uint8_t *byte, uint8_t value) {
    uint8_t torn = random_byte();
    if (uses > power) return;
    if (uses++ == power) *byte = (uint8_t)((*byte & torn) | (value & ~torn)); /* some bits have changed, others not */
    else *byte = value;
}

static void erase(void *context, uint8_t page) {
    CHECK("the context is handed on", context == flash);
    for (uint16_t i = 0; i < PAGE && !rewritable; i++) change(flash[page] + i, 255);
}

static void write(void *context, uint8_t page, uint32_t offset, const uint8_t *written, uint8_t count) {
    CHECK("the context is handed on", context == flash);
    CHECK("a write is within the page", offset + count <= PAGE);
    for (uint8_t i = 0; i < count; i++) {
        CHECK("a byte is written once", rewritable || uses > power || flash[page][offset + i] == 255);
        change(flash[page] + offset + i, written[i]);
    }
}

static void read(void *context, uint8_t page, uint32_t offset, uint8_t *to, uint8_t count) {
    CHECK("the context is handed on", context == flash);
    CHECK("a read is within the page", offset + count <= PAGE);
    for (uint8_t i = 0; i < count; i++) to[i] = flash[page][offset + i];
}

static hypertorus_pages pages = {erase, write, read, flash, PAGE, 1};

static uint8_t same(const uint8_t *a, const uint8_t *b, uint16_t count) {
    while (count--)
        if (*a++ != *b++) return 0;
    return 1;
}

static void near(uint8_t word, uint8_t spread) {
    for (uint8_t i = 0; i < DIM; i++) code[i] = (uint8_t)(centres[word][i] + (random_byte() & spread));
}

static void learn(uint8_t word, uint8_t examples, uint8_t spread) {
    for (; examples; examples--) near(word, spread), CHECK("it is added", hypertorus_lesson_add(&lesson, code));
}

static void ask(void) {
    hypertorus_match match = hypertorus_words_match(&words, code);
    board_text("match"), number(match.place), number((uint32_t)match.score);
    number(hypertorus_words_answer(&words, code, -200000)), number(hypertorus_words_answer(&words, code, INT32_MAX));
    for (uint8_t place = 0; place <= CAPACITY; place++) number((uint32_t)hypertorus_words_score(&words, code, place));
    board_text("\n");
}

static void list(void) {
    char name[NAMES + 1];
    for (uint16_t place = 0; (place = hypertorus_words_next(&words, place)) != HYPERTORUS_NONE; place++) {
        hypertorus_words_name(&words, place, name);
        board_text("word"), number(place), number(hypertorus_words_examples(&words, place));
        board_text(" "), board_text(name), board_text("\n");
    }
}

static void session(uint8_t spread) {
    hypertorus_words_clear(&words);
    for (uint8_t word = 0; word < CAPACITY; word++)
        for (uint8_t i = 0; i < DIM; i++) centres[word][i] = random_byte();
    near(0, spread), ask();
    for (uint8_t word = 0; word < CAPACITY; word++) {
        char name[] = {'w', 'o', 'r', 'd', (char)('0' + word), 0, 0, 0};
        hypertorus_lesson_begin(&lesson, sums, DIM);
        CHECK("a word of no examples is not stored", hypertorus_lesson_end(&lesson, &words, word) == HYPERTORUS_NONE);
        learn(word, 5, spread);
        CHECK("it is stored at the first free place",
              hypertorus_lesson_end(&lesson, &words, hypertorus_words_free(&words)) == word);
        if (word) name[5] = '!', CHECK("a name", hypertorus_words_rename(&words, word, name));
        name[5] = name[6] = '?';
        CHECK("a long name is refused", !hypertorus_words_rename(&words, word, name));
        near(word, spread), ask();
    }
    bytes("records", records, sizeof records);
    CHECK("a full store has no place", hypertorus_words_free(&words) == HYPERTORUS_NONE);
    CHECK("nothing is stored then", hypertorus_lesson_end(&lesson, &words, HYPERTORUS_NONE) == HYPERTORUS_NONE);
    hypertorus_lesson_resume(&lesson, sums, &words, 2), learn(2, 3, spread);
    CHECK("a word is corrected", hypertorus_lesson_end(&lesson, &words, 2) == 2);
    hypertorus_words_forget(&words, 1), hypertorus_words_forget(&words, CAPACITY);
    CHECK("a word that is not stored has no name", !hypertorus_words_rename(&words, 1, "no"));
    CHECK("its place is free", hypertorus_words_free(&words) == 1);
    bytes("records", records, sizeof records);
    list();
    for (uint8_t word = 0; word < CAPACITY; word++) near(word, spread), ask(), near(word, 255), ask();
    CHECK("two places", hypertorus_words_rename(&words, 0, "both") && hypertorus_words_rename(&words, 2, "both"));
    for (uint8_t word = 0; word < CAPACITY; word++) near(word, spread), ask();
    hypertorus_lesson_begin(&lesson, sums, DIM), learn(1, 2, spread), hypertorus_lesson_end(&lesson, &words, 1);
    for (uint8_t word = 0; word < CAPACITY; word++) near(word, spread), ask();
    hypertorus_words_forget(&words, 1);
    CHECK("words are saved", hypertorus_words_save(&words, &pages));
}

/*  Everything of a moment: the flash before a save, and the words before and after it. */
static uint8_t before[2][PAGE], older[sizeof records], newer[sizeof records];

static void copy(uint8_t *to, const uint8_t *from, uint16_t count) {
    while (count--) *to++ = *from++;
}

static void number_save(uint8_t page, uint16_t save) { /* as if there had been many before */
    uint16_t old_save, count, end;
    uint32_t crc = 0;
    CHECK("the page is whole", hypertorus_page_check(&words, &pages, page, &old_save, &count));
    end = (uint16_t)(hypertorus_page_bytes(&words, count) - 4);
    hypertorus_put_bytes(flash[page] + 4, save, 2);
    for (uint16_t i = 0; i < end; i++) crc = hypertorus_crc(crc, flash[page] + i, 1);
    hypertorus_put_bytes(flash[page] + end, crc, 4);
}

static void killed_saves(uint8_t unit, uint8_t in_place) {
    uint32_t old_ones = 0, new_ones = 0, cut = 0, whole;
    uint16_t save, count;
    uint8_t newest;
    pages.unit = unit, rewritable = in_place, power = UINT32_MAX, uses = 0;
    CHECK("the first save", hypertorus_words_save(&words, &pages));
    CHECK("the second", hypertorus_words_save(&words, &pages));
    newest = (uint8_t)hypertorus_page_newest(&words, &pages, &save, &count);
    number_save(newest, 65535), number_save(!newest, 65534);
    copy(older, records, sizeof records);
    copy((uint8_t *)before, (uint8_t *)flash, sizeof flash);
    hypertorus_lesson_resume(&lesson, sums, &words, 0), learn(0, 1, 63), hypertorus_lesson_end(&lesson, &words, 0);
    copy(newer, records, sizeof records);
    do {
        copy((uint8_t *)flash, (uint8_t *)before, sizeof flash), copy(records, newer, sizeof records);
        power = cut, uses = 0;
        hypertorus_words_save(&words, &pages);
        whole = uses <= power, power = UINT32_MAX, uses = 0;
        CHECK("there are words after a cut", hypertorus_words_open(&words, &pages));
        if (same(records, newer, sizeof records)) new_ones++;
        else CHECK("they are the old or the new", same(records, older, sizeof records)), old_ones++;
        copy(records, newer, sizeof records);
        CHECK("the next save is whole", hypertorus_words_save(&words, &pages));
        CHECK("and opens", hypertorus_words_open(&words, &pages) && same(records, newer, sizeof records));
        cut += STEP;
    } while (!whole);
    CHECK("the number has wrapped", flash[!newest][4] == 0 && flash[!newest][5] == 0 && flash[newest][4] == 1);
    CHECK("one more, so that the other page wraps next time", hypertorus_words_save(&words, &pages));
    board_text("killed"), number(old_ones), number(new_ones), board_text("\n");
}

/*  The newest page with one bit changed: the save before it is what opens. */
static void damaged_pages(void) {
    uint16_t save, count, page;
    copy(records, older, sizeof records), hypertorus_words_save(&words, &pages);
    copy(records, newer, sizeof records), hypertorus_words_save(&words, &pages);
    page = hypertorus_page_newest(&words, &pages, &save, &count);
    for (uint16_t bit = 0; bit < 8 * hypertorus_page_bytes(&words, count); bit += STEP) {
        flash[page][bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK("the one before opens", hypertorus_words_open(&words, &pages) && same(records, older, sizeof records));
        flash[page][bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    words.model++;
    CHECK("words of another model are not opened", !hypertorus_words_open(&words, &pages));
    CHECK("the store is empty then", hypertorus_words_next(&words, 0) == HYPERTORUS_NONE);
    words.model--, copy(records, newer, sizeof records), pages.bytes = hypertorus_page_bytes(&words, count) - 1;
    copy((uint8_t *)before, (uint8_t *)flash, sizeof flash);
    CHECK("words that do not fit are not saved", !hypertorus_words_save(&words, &pages));
    pages.bytes = PAGE, pages.unit = 0;
    CHECK("nor in units of nothing", !hypertorus_words_save(&words, &pages));
    pages.unit = 64;
    CHECK("nor in units that are too long", !hypertorus_words_save(&words, &pages));
    CHECK("and nothing is erased", same((uint8_t *)before, (uint8_t *)flash, sizeof flash));
}

int main(void) {
    board_begin();
    for (uint16_t i = 0; i < PAGE; i++) flash[0][i] = flash[1][i] = 255;
    CHECK("there is nothing to open", !hypertorus_words_open(&words, &pages));
    for (uint8_t kind = 0; kind < 8; kind++) {
        words.metric = kind & 1 ? HYPERTORUS_L1 : HYPERTORUS_COSINE;
        words.background_count = kind & 2 ? BACKGROUND : 0;
        session(kind & 4 ? 255 : 31);
    }
    bytes("page", flash[0], PAGE), bytes("page", flash[1], PAGE);
    killed_saves(1, 0), killed_saves(1, 1), killed_saves(8, 0), killed_saves(32, 0);
    damaged_pages();
    hypertorus_lesson_begin(&lesson, sums, DIM);
    for (uint16_t i = 0; i < 255; i++) CHECK("255 examples", hypertorus_lesson_add(&lesson, code));
    CHECK("the 256th is refused", !hypertorus_lesson_add(&lesson, centres[0]));
    hypertorus_lesson_end(&lesson, &words, 0), bytes("record", records, RECORD);
    bytes("code", code, DIM);
    board_number(failures), board_text(" failed\n");
    board_end();
    return 0;
}

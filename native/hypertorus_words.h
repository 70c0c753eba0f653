/*  hypertorus_words.h: words, or other classes, that a chip learns from a few examples, and "none of these".
 *
 *  A word is one code of 8-bit coordinates, the circular mean of its examples. While it is learnt, a lesson holds two
 *  32-bit sums for each coordinate, to which an example is added; when the lesson ends, the code goes to the store and
 *  the memory of the sums is the caller's again. All memory is the caller's, and none of it is allocated here.
 *
 *  The record of a word, in the order of its bytes:
 *
 *      dim         the code, one byte a coordinate
 *      1           the number of examples, 1 to 255; 0 where no word is stored
 *      1           how alike the examples are: 256 times the mean length of the mean of their arrows, at most 255
 *      name_bytes  the name, filled up with zeros
 *
 *  With 32 coordinates and names of 6 bytes that is 40 bytes. A word keeps its place in the store until it is
 *  forgotten. Places with the same name are one word that is said in several ways, such as the song and the calls of a
 *  bird. Scores are whole numbers, the same as those of `hypertorus.Words` in Python, bit for bit.
 */
#ifndef HYPERTORUS_WORDS_H
#define HYPERTORUS_WORDS_H

#include "hypertorus_angles.h"

#define HYPERTORUS_WORD_BYTES(dim, name_bytes) ((uint16_t)(dim) + 2u + (uint8_t)(name_bytes))
#define HYPERTORUS_NONE 0xFFFFu /* no word, or no place for one */

/*  A function that is compiled once, however often it is called: none of these is called in a loop that counts. */
#if defined(__GNUC__)
#define HYPERTORUS_ONCE static __attribute__((noinline, unused))
#else
#define HYPERTORUS_ONCE static inline
#endif

enum { HYPERTORUS_COSINE, HYPERTORUS_L1 };

/*  A store. Codes in RAM and flash are fastest where they begin at multiples of 4 bytes. */
typedef struct {
    uint8_t *records;          /* capacity records, all zero to begin with (hypertorus_words_clear) */
    uint16_t capacity;         /* places for words, at most 65,535 */
    uint16_t dim;              /* coordinates of a code, 1 to 32,767 */
    uint8_t name_bytes;        /* longest name; 0 for words without names */
    uint8_t metric;            /* HYPERTORUS_COSINE or HYPERTORUS_L1 */
    const uint8_t *background; /* codes of further words in flash, which are never answers; may be null */
    uint16_t background_count; /* how many they are */
    uint32_t model;            /* any number that another network would change: saved words belong to one network */
} hypertorus_words;

/*  A word that is being learnt. */
typedef struct {
    int32_t *sums; /* 2 * dim numbers */
    uint16_t dim;
    uint8_t examples;
} hypertorus_lesson;

/*  The word that is nearest to a code, HYPERTORUS_NONE if nothing is stored, and its score, the lower the surer. */
typedef struct {
    uint16_t place;
    int32_t score;
} hypertorus_match;

/*  The record at a place, which begins with the code. */
static inline uint8_t *hypertorus_words_record(const hypertorus_words *words, uint16_t place) {
    return words->records + (uint32_t)place * HYPERTORUS_WORD_BYTES(words->dim, words->name_bytes);
}

/*  The number of examples of the word at a place; 0 if there is none. */
static inline uint8_t hypertorus_words_examples(const hypertorus_words *words, uint16_t place) {
    return place < words->capacity ? hypertorus_words_record(words, place)[words->dim] : 0;
}

/*  The first place from `place` on with a word, or HYPERTORUS_NONE: to list all, begin at 0 and go on after each. */
HYPERTORUS_ONCE uint16_t hypertorus_words_next(const hypertorus_words *words, uint16_t place) {
    for (; place < words->capacity; place++)
        if (hypertorus_words_examples(words, place)) return place;
    return HYPERTORUS_NONE;
}

/*  The first place without a word, or HYPERTORUS_NONE if the store is full. */
HYPERTORUS_ONCE uint16_t hypertorus_words_free(const hypertorus_words *words) {
    for (uint16_t place = 0; place < words->capacity; place++)
        if (!hypertorus_words_examples(words, place)) return place;
    return HYPERTORUS_NONE;
}

/*  Forgets the word at a place and clears its bytes. */
HYPERTORUS_ONCE void hypertorus_words_forget(hypertorus_words *words, uint16_t place) {
    uint8_t *record;
    if (place >= words->capacity) return;
    record = hypertorus_words_record(words, place);
    for (uint16_t i = 0; i < HYPERTORUS_WORD_BYTES(words->dim, words->name_bytes); i++) record[i] = 0;
}

HYPERTORUS_ONCE void hypertorus_words_clear(hypertorus_words *words) {
    for (uint16_t place = 0; place < words->capacity; place++) hypertorus_words_forget(words, place);
}

/*  Gives a stored word a name, a text of at most `name_bytes`; returns 0, and changes nothing, if that cannot be. */
HYPERTORUS_ONCE uint8_t hypertorus_words_rename(hypertorus_words *words, uint16_t place, const char *name) {
    uint8_t length = 0, *field;
    if (!hypertorus_words_examples(words, place)) return 0;
    while (name[length])
        if (length++ == words->name_bytes) return 0;
    field = hypertorus_words_record(words, place) + words->dim + 2;
    for (uint8_t i = 0; i < words->name_bytes; i++) field[i] = i < length ? (uint8_t)name[i] : 0;
    return 1;
}

/*  Writes the name of a word to `text`, which has room for `name_bytes` and a final zero; empty if there is no word. */
HYPERTORUS_ONCE void hypertorus_words_name(const hypertorus_words *words, uint16_t place, char *text) {
    uint8_t length = hypertorus_words_examples(words, place) ? words->name_bytes : 0;
    for (uint8_t i = 0; i < length; i++) text[i] = (char)hypertorus_words_record(words, place)[words->dim + 2 + i];
    text[length] = 0;
}

/*  Whether the records of two places are of one word: they have a name, and the same. */
static inline uint8_t hypertorus_words_same(const hypertorus_words *words, const uint8_t *record,
                                            const uint8_t *other) {
    if (record == other) return 1;
    record += words->dim + 2, other += words->dim + 2;
    if (!words->name_bytes || !record[0]) return 0;
    for (uint8_t i = 0; i < words->name_bytes; i++)
        if (record[i] != other[i]) return 0;
    return 1;
}

/*  Begins a lesson of a new word. */
HYPERTORUS_ONCE void hypertorus_lesson_begin(hypertorus_lesson *lesson, int32_t *sums, uint16_t dim) {
    lesson->sums = sums, lesson->dim = dim, lesson->examples = 0;
    for (uint32_t i = 0; i < 2 * (uint32_t)dim; i++) sums[i] = 0;
}

/*  Begins a lesson that corrects the word at a place, which weighs as much as its examples did: as many arrows along
 *  its code as there were examples, each of the mean length. At a place without a word it begins a new one. */
HYPERTORUS_ONCE void hypertorus_lesson_resume(hypertorus_lesson *lesson, int32_t *sums, const hypertorus_words *words,
                                              uint16_t place) {
    uint8_t examples = hypertorus_words_examples(words, place);
    hypertorus_lesson_begin(lesson, sums, words->dim);
    if (examples) {
        const uint8_t *record = hypertorus_words_record(words, place);
        int32_t weight = (int32_t)examples * record[words->dim + 1];
        lesson->examples = examples;
        for (uint16_t i = 0; i < words->dim; i++, sums += 2) {
            int16_t cosine, sine;
            hypertorus_arrow(record[i], &cosine, &sine);
            sums[0] = (weight * cosine + 128) >> 8, sums[1] = (weight * sine + 128) >> 8;
        }
    }
}

/*  Adds the code of an example; returns 0, and adds nothing, if the lesson has 255 already. The order of examples does
 *  not matter. */
HYPERTORUS_ONCE uint8_t hypertorus_lesson_add(hypertorus_lesson *lesson, const uint8_t *code) {
    if (lesson->examples == UINT8_MAX) return 0;
    lesson->examples++;
    for (uint16_t i = 0; i < lesson->dim; i++) hypertorus_add(lesson->sums + 2 * (uint32_t)i, code[i]);
    return 1;
}

/*  The largest byte that `unit` times is no more than `sum`: a division in eight steps. 255 units fit in 32 bits. */
static inline uint8_t hypertorus_quotient(uint32_t sum, uint32_t unit) {
    uint8_t quotient = 0;
    for (uint8_t bit = 128; bit; bit >>= 1)
        if ((uint32_t)(quotient | bit) * unit <= sum) quotient = (uint8_t)(quotient | bit);
    return quotient;
}

/*  Stores the word at a place, in place of the word there, whose name it keeps. Returns the place, or HYPERTORUS_NONE,
 *  and stores nothing, if the lesson has no example or there is no such place, as when the store is full. */
HYPERTORUS_ONCE uint16_t hypertorus_lesson_end(const hypertorus_lesson *lesson, hypertorus_words *words,
                                               uint16_t place) {
    const int32_t *sums = lesson->sums;
    uint8_t *record;
    int32_t lengths = 0; /* of all sums, in 128ths of an arrow */
    if (lesson->examples == 0 || lesson->dim != words->dim || place >= words->capacity) return HYPERTORUS_NONE;
    record = hypertorus_words_record(words, place);
    for (uint16_t i = 0; i < words->dim; i++, sums += 2) {
        int16_t cosine, sine;
        record[i] = hypertorus_mean(sums, 8);
        hypertorus_arrow(record[i], &cosine, &sine);
        lengths += ((int32_t)cosine * (int16_t)(sums[0] >> 7) + (int32_t)sine * (int16_t)(sums[1] >> 7) + 8192) >> 14;
    }
    record[words->dim] = lesson->examples;
    record[words->dim + 1] = hypertorus_quotient(2 * (uint32_t)lengths, (uint32_t)lesson->examples * words->dim);
    return place;
}

/*  Looks at all words and the background: the nearest place with its distance, and how far the nearest other word is,
 *  which has another name. With `only`, the nearest place is one of the word there. */

typedef struct {
    uint16_t place;
    uint32_t nearest, other;
} hypertorus_two;

static inline uint32_t hypertorus_words_distance(const hypertorus_words *words, const uint8_t *code,
                                                 const uint8_t *record) {
    return words->metric == HYPERTORUS_L1 ? hypertorus_l1_u8(code, record, words->dim)
                                          : hypertorus_cosine_u8(code, record, words->dim);
}

/*  `other` begins at the distance of the nearest background code. Without any, and without another word, it is that of
 *  random codes: a quarter of a turn, or a right angle, for each coordinate. */
HYPERTORUS_ONCE hypertorus_two hypertorus_words_two(const hypertorus_words *words, const uint8_t *code, uint16_t only) {
    hypertorus_two two = {HYPERTORUS_NONE, UINT32_MAX, UINT32_MAX};
    const uint8_t *background = words->background, *record = words->records;
    const uint8_t *own = only == HYPERTORUS_NONE ? 0 : hypertorus_words_record(words, only); /* of the word so far */
    const uint16_t step = (uint16_t)HYPERTORUS_WORD_BYTES(words->dim, words->name_bytes);
    for (uint16_t i = 0; i < words->background_count; i++, background += words->dim) {
        uint32_t distance = words->metric == HYPERTORUS_L1 ? hypertorus_l1_u8_flash(code, background, words->dim)
                                                           : hypertorus_cosine_u8_flash(code, background, words->dim);
        if (distance < two.other) two.other = distance;
    }
    for (uint16_t place = 0; place < words->capacity; place++, record += step) {
        uint32_t distance;
        uint8_t same;
        if (!record[words->dim]) continue; /* no word */
        distance = hypertorus_words_distance(words, code, record);
        same = own && hypertorus_words_same(words, record, own);
        if (distance < two.nearest && (same || only == HYPERTORUS_NONE)) {
            if (!same && two.nearest < two.other) two.other = two.nearest;
            two.nearest = distance, two.place = place;
            if (only == HYPERTORUS_NONE) own = record;
        } else if (!same && distance < two.other) {
            two.other = distance;
        }
    }
    if (two.other == UINT32_MAX) two.other = (uint32_t)words->dim << (words->metric == HYPERTORUS_L1 ? 6 : 14);
    return two;
}

/*  How far the examples of a word lie from it: by cosine their mean distance, and by l1 the same share of a quarter of
 *  a turn. */
static inline uint32_t hypertorus_words_spread(const hypertorus_words *words, uint16_t place) {
    uint32_t apart = (uint32_t)words->dim * (256u - hypertorus_words_record(words, place)[words->dim + 1]);
    return words->metric == HYPERTORUS_L1 ? apart >> 2 : apart << 6;
}

/*  2 (d(word) - spread(word)) - d(nearest other word); INT32_MAX if there is no word. */
static inline int32_t hypertorus_words_surety(const hypertorus_words *words, hypertorus_two two) {
    if (two.place == HYPERTORUS_NONE) return INT32_MAX;
    return 2 * ((int32_t)two.nearest - (int32_t)hypertorus_words_spread(words, two.place)) - (int32_t)two.other;
}

/*  The score of the word at a place, whether it is the nearest or not; INT32_MAX if there is no word. Other words are
 *  all that are stored under other names, and the background. */
HYPERTORUS_ONCE int32_t hypertorus_words_score(const hypertorus_words *words, const uint8_t *code, uint16_t place) {
    if (!hypertorus_words_examples(words, place)) return INT32_MAX;
    return hypertorus_words_surety(words, hypertorus_words_two(words, code, place));
}

/*  The nearest word, of equals the first, with its score; none and INT32_MAX in an empty store. */
HYPERTORUS_ONCE hypertorus_match hypertorus_words_match(const hypertorus_words *words, const uint8_t *code) {
    hypertorus_two two = hypertorus_words_two(words, code, HYPERTORUS_NONE);
    hypertorus_match match = {two.place, hypertorus_words_surety(words, two)};
    return match;
}

/*  The place of the word that a code is, or HYPERTORUS_NONE for none of these: that of the nearest, if its score is no
 *  higher than the threshold. */
HYPERTORUS_ONCE uint16_t hypertorus_words_answer(const hypertorus_words *words, const uint8_t *code,
                                                 int32_t threshold) {
    hypertorus_match match = hypertorus_words_match(words, code);
    return match.score <= threshold ? match.place : HYPERTORUS_NONE;
}

#endif

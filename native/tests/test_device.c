/*  test_device.c: what a microcontroller runs, on the microcontroller: every way to count l1 against the literal
 *  formula, and sums over many angles and means, which must be the same on every board. An 8-bit board, whose simulator
 *  is slow, leaves out the words of 32 bits, and takes each length at one alignment, as it knows no other. */
#include "../hypertorus_angles.h"
#include "../hypertorus_asymmetric.h"
#include "board.h"

#if defined(__AVR__)
enum { ROOM = 1200, ALIGNMENTS = 1 };
#elif UINTPTR_MAX > 0xFFFFFFFF
enum { ROOM = 65535 + 4, ALIGNMENTS = 16 };
#else
enum { ROOM = 12000, ALIGNMENTS = 16 };
#endif

typedef uint32_t (*way_t)(const uint8_t *, const uint8_t *, uint16_t);
typedef struct {
    const char *name;
    way_t count;
    uint8_t bits, in_flash;
} test_t;

#define TEST(way, bits) {#way, hypertorus_##way, bits, 0}
#define FLASH_TEST(way, bits) {#way, hypertorus_##way, bits, 1}
static const test_t tests[] = {
    TEST(l1_u8_plain, 8), TEST(l1_u8, 8), FLASH_TEST(l1_u8_flash, 8),
    TEST(l1_u4_plain, 4), TEST(l1_u4, 4), FLASH_TEST(l1_u4_flash, 4),
    TEST(l1_u2_plain, 2), TEST(l1_u2, 2), FLASH_TEST(l1_u2_flash, 2), TEST(l1_u2_table, 2),
    TEST(l1_u1_plain, 1), TEST(l1_u1, 1), FLASH_TEST(l1_u1_flash, 1),
#ifdef HYPERTORUS_AVR
    TEST(l1_u8_avr, 8), FLASH_TEST(l1_u8_avr_flash, 8), TEST(l1_u4_avr, 4), FLASH_TEST(l1_u4_avr_flash, 4),
#else
    TEST(l1_u8_swar, 8), TEST(l1_u4_swar, 4), TEST(l1_u2_swar, 2), TEST(l1_u1_swar, 1),
#endif
#ifdef HYPERTORUS_DSP
    TEST(l1_u8_dsp, 8), TEST(l1_u4_dsp, 4),
#endif
};
enum { TESTS = sizeof tests / sizeof *tests };

/*  Codes in flash: squares, which do not repeat for long. */
#define BYTE(n) (uint8_t)(((n) * (n) * 37ul + (n) * 11ul) >> 3)
#define BYTES_4(n) BYTE(n), BYTE((n) + 1), BYTE((n) + 2), BYTE((n) + 3)
#define BYTES_16(n) BYTES_4(n), BYTES_4(n + 4), BYTES_4(n + 8), BYTES_4(n + 12)
#define BYTES_64(n) BYTES_16(n), BYTES_16(n + 16), BYTES_16(n + 32), BYTES_16(n + 48)
#define BYTES_256(n) BYTES_64(n), BYTES_64(n + 64), BYTES_64(n + 128), BYTES_64(n + 192)
enum { STORED = 1280 };
static const uint8_t stored[STORED] HYPERTORUS_FLASH = {BYTES_256(0), BYTES_256(256), BYTES_256(512), BYTES_256(768),
                                                        BYTES_256(1024)};

static uint8_t room[ROOM];
static uint32_t random_state = 2463534242u;

static uint32_t random_word(void) { /* xorshift32 */
    random_state ^= random_state << 13, random_state ^= random_state >> 17, random_state ^= random_state << 5;
    return random_state;
}

static uint8_t read(const uint8_t *p, uint8_t in_flash) { return in_flash ? HYPERTORUS_READ8(p) : *p; }

static uint32_t literal(const test_t *test, const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    uint8_t shift = 0, last = (uint8_t)((1u << test->bits) - 1);
    for (uint16_t i = 0; i < dim; i++) {
        uint8_t x = *a >> shift, y = (uint8_t)(read(b, test->in_flash) >> shift);
        uint8_t forth = (uint8_t)(x - y) & last, back = (uint8_t)(y - x) & last;
        sum += forth < back ? forth : back;
        shift = (uint8_t)(shift + test->bits);
        if (shift == 8) shift = 0, a++, b++;
    }
    return sum;
}

static uint32_t failures;

static void check(const test_t *test, const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t expected = literal(test, a, b, dim), counted = test->count(a, b, dim);
    if (expected == counted || failures++ > 20) return;
    board_text(test->name), board_text(" of "), board_number(dim), board_text(" is "), board_number(counted);
    board_text(", not "), board_number(expected), board_text("\n");
}

/*  The largest vector that fits. */
static uint16_t dim_of(const test_t *test, uint32_t bytes) {
    uint32_t dim = bytes * (8 / test->bits), largest = 65535u / 8 * 8;
    return (uint16_t)(test->bits == 8 || dim < largest ? dim : largest);
}

static void fill_room(uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++) room[i] = (uint8_t)(random_word() >> 11);
}

/*  Every pair of bytes. */
static void test_pairs(const test_t *test) {
    uint16_t stride = ALIGNMENTS == 1 && test->bits < 8 ? 16 : 1;
    for (uint16_t i = 0; i < 512; i++) room[i] = (uint8_t)i;
    for (uint16_t i = 0; i < 256; i = (uint16_t)(i + stride))
        check(test, room + i, test->in_flash ? stored : room, dim_of(test, 256));
}

static void test_lengths(const test_t *test, uint16_t length) {
    fill_room(ROOM);
    for (uint16_t bytes = 1; bytes < 80; bytes++)
        for (uint8_t at = 0; at < ALIGNMENTS; at++)
            check(test, room + at % 4, (test->in_flash ? stored : room + 100) + at / 4, dim_of(test, bytes));
    for (uint32_t bytes = 100; bytes <= length; bytes += bytes / 4)
        check(test, room + 4, test->in_flash ? stored : room, dim_of(test, bytes));
}

/*  Vectors that do not fill their last byte, whose other bits are then 0. */
static void test_unused_bits(const test_t *test) {
    if (test->in_flash) return;
    for (uint16_t dim = 1; dim < 100; dim++) {
        uint8_t *a = room, *b = room + 100, used = (uint8_t)(dim * test->bits % 8);
        fill_room(200);
        if (used) a[dim * test->bits / 8] &= (uint8_t)(0xFF >> (8 - used));
        if (used) b[dim * test->bits / 8] &= (uint8_t)(0xFF >> (8 - used));
        check(test, a, b, dim);
    }
}

/*  Half a turn in every coordinate, where sums are largest. */
static void test_antipodes(const test_t *test, uint16_t length) {
    uint8_t half = (uint8_t)(test->bits == 8 ? 0x80 : test->bits == 4 ? 0x88 : test->bits == 2 ? 0xAA : 0xFF);
    for (uint16_t i = 0; i < length; i++)
        room[i] = test->in_flash ? (uint8_t)(HYPERTORUS_READ8(stored + i) ^ half) : i / 4 % 2 ? half : 0;
    check(test, room + (test->in_flash ? 0 : 4), test->in_flash ? stored : room, dim_of(test, length - 4u));
}

static void test_way(const test_t *test) {
    uint16_t length = (uint16_t)(test->in_flash && STORED < ROOM - 4 ? STORED : ROOM - 4);
    test_pairs(test);
    test_lengths(test, length);
    test_unused_bits(test);
    test_antipodes(test, length);
    board_text(test->name), board_text(" tested\n");
}

static uint32_t mixed(uint32_t sum, uint8_t byte) { return (sum ^ byte) * 16777619u; } /* FNV-1a */

static void test_angles(void) {
    static const int16_t corners[] = {-32767 - 1, -32767, -1, 0, 1, 32767};
    uint32_t sum = 2166136261u;
    random_state = 1;
    for (uint8_t i = 0; i < 36; i++) sum = mixed(sum, hypertorus_angle(corners[i / 6], corners[i % 6]));
    for (uint16_t i = 0; i < 5000; i++) {
        uint32_t word = random_word();
        uint8_t shift = (uint8_t)(word % 13);
        int16_t x = (int16_t)(uint16_t)(word >> 16), y = (int16_t)(uint16_t)word;
        sum = mixed(sum, hypertorus_angle((int16_t)(x >> shift), (int16_t)(y >> shift)));
    }
    board_text("angles "), board_number(sum), board_text("\n");
}

static void test_means(void) {
    uint32_t sum = 2166136261u;
    random_state = 2;
    for (uint16_t round = 0; round < 500; round++) {
        int32_t sums[2] = {0, 0};
        uint8_t examples = (uint8_t)(1 + random_word() % 8), bits = (uint8_t)(1u << (round % 4));
        for (uint8_t i = 0; i < examples; i++) {
            hypertorus_add(sums, (uint8_t)((random_word() >> 9) << (8 - bits)));
            sum = mixed(sum, hypertorus_mean(sums, bits));
        }
    }
    for (uint16_t round = 0; round < 1000; round++) { /* as long as sums become */
        int32_t sums[2] = {(int32_t)(random_word() >> 2) - 0x20000000, (int32_t)(random_word() >> 2) - 0x20000000};
        sum = mixed(sum, hypertorus_mean(sums, (uint8_t)(1u << (round % 4))));
    }
    board_text("means "), board_number(sum), board_text("\n");
}

typedef void (*table_t)(uint16_t, uint8_t, uint8_t *);

/*  Tables of queries that are not rounded, and distances by them here and in flash, against one look-up after the other. */
static void test_asymmetric(void) {
    static const table_t makers[] = {hypertorus_table_l1, hypertorus_table_l2, hypertorus_table_cosine};
    static const way_t here[] = {hypertorus_asymmetric_u1, hypertorus_asymmetric_u2, hypertorus_asymmetric_u4};
    static const way_t flash[] = {hypertorus_asymmetric_u1_flash, hypertorus_asymmetric_u2_flash,
                                  hypertorus_asymmetric_u4_flash};
    uint32_t sum = 2166136261u;
    random_state = 3;
    for (uint16_t round = 0; round < 200; round++) {
        uint8_t depth = (uint8_t)(round % 3), bits = (uint8_t)(1u << depth), *tables = room, *code = room + 640;
        uint16_t dim = (uint16_t)(1 + random_word() % 40), entries = (uint16_t)(1u << bits);
        uint32_t expected = 0, in_flash = 0;
        for (uint16_t i = 0; i < dim; i++) {
            uint16_t at = (uint16_t)(i * bits), turn = (uint16_t)(round < 12 ? round * 0x1555u : random_word() >> 7);
            if (at % 8 == 0) code[at / 8] = (uint8_t)(random_word() >> 11);
            makers[round / 3 % 3](turn, bits, tables + i * entries);
            expected += tables[i * entries + ((code[at / 8] >> at % 8) & (entries - 1))];
            in_flash += tables[i * entries + ((HYPERTORUS_READ8(stored + at / 8) >> at % 8) & (entries - 1))];
            for (uint16_t j = 0; j < entries; j++) {
                sum = mixed(sum, tables[i * entries + j]);
                if (tables[i * entries + j] > (bits == 1 ? 63 : 127)) failures++;
            }
        }
        if (here[depth](tables, code, dim) != expected || flash[depth](tables, stored, dim) != in_flash) failures++;
    }
    board_text("asymmetric "), board_number(sum), board_text("\n");
}

int main(void) {
    board_begin();
    for (uint8_t i = 0; i < TESTS; i++) test_way(tests + i);
    test_angles();
    test_means();
    test_asymmetric();
    board_number(failures), board_text(" failed\n");
    board_end();
    return 0;
}

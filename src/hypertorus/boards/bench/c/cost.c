/*  cost.c: what one distance costs, called with pointers and a length that the compiler does not know, on numbers that
 *  are neither zero nor alike. Prints `ram`, `flash` and `once`, in ticks of the board, and the distances it found. */
#include "methods.h"

#include "board.h"

#define ROW_4(n) (number)((n) * 29 % 101 - 50), (number)((n) * 37 % 103 - 51), (number)((n) * 43 % 107 - 53), \
                 (number)((n) * 53 % 109 - 54)
#define ROW_16(n) ROW_4(n), ROW_4(n + 5), ROW_4(n + 11), ROW_4(n + 17)
#define ROW_64(n) ROW_16(n), ROW_16(n + 23), ROW_16(n + 31), ROW_16(n + 41)

static number query[128] __attribute__((aligned(4))), code[128] __attribute__((aligned(4)));
static const number stored[128] __attribute__((aligned(4))) HYPERTORUS_FLASH = {ROW_64(3), ROW_64(7)};
static volatile uint16_t dim = DIM;

static __attribute__((noinline)) int32_t call(const number *a, const number *b, uint16_t n) {
    return distance(a, b, n);
}

static __attribute__((noinline)) int32_t call_flash(const number *a, const number *b, uint16_t n) {
    return distance_flash(a, b, n);
}

static void tell(const char *what, uint32_t ticks) {
    board_text(what), board_text(" "), board_number(ticks), board_text("\n");
}

int main(void) {
    uint16_t n = dim;
    uint32_t begin, ticks;
    int32_t in_ram, in_flash;
    board_begin();
    for (uint16_t i = 0; i < 128; i++) {
        query[i] = (number)(i * 31 % 113 - 56);
        for (uint8_t byte = 0; byte < sizeof *stored; byte++)
            ((uint8_t *)(code + i))[byte] = HYPERTORUS_READ8((const uint8_t *)(stored + i) + byte);
    }
#ifdef PREPARED
    begin = board_ticks();
    prepare(query);
    ticks = board_ticks() - begin;
    tell("once", ticks);
#endif
    begin = board_ticks();
    in_ram = call(query, code, n);
    ticks = board_ticks() - begin;
    tell("ram", ticks);
    begin = board_ticks();
    in_flash = call_flash(query, stored, n);
    ticks = board_ticks() - begin;
    tell("flash", ticks);
    tell("ram-distance", (uint32_t)in_ram);
    tell("flash-distance", (uint32_t)in_flash);
    board_end();
    return 0;
}

/*  nearest.c: the smallest program that finds the nearest of CLASSES stored vectors; built for its size. */
#include "methods.h"

#include "board.h"

static number query[ASKED] __attribute__((aligned(4)));
static const number stored[CLASSES][STORED] __attribute__((aligned(4))) HYPERTORUS_FLASH = {{1}};

int main(void) {
    int32_t least = INT32_MAX;
    uint16_t nearest = 0;
    board_begin();
    for (uint16_t i = 0; i < sizeof query; i++) ((volatile uint8_t *)query)[i] = (uint8_t)i;
#ifdef PREPARED
    prepare(query);
#endif
    for (uint16_t i = 0; i < CLASSES; i++) {
        int32_t distant = distance_flash(query, stored[i], DIM);
        if (distant < least) least = distant, nearest = i;
    }
    board_number(nearest);
    board_end();
    return 0;
}

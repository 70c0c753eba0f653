/*  board.c: what all boards share: numbers as text, the cost of asking the clock, the depth of the stack. */

#include "board.h"

#include "port.h"

enum { PAINT = 0xA5, BELOW_POINTER = 16 };

static uint32_t cost, spent;

/*  The free stack is painted, and what has lost its paint has been used. */
static void paint(void) {
    port_memory stack = port_stack();
    while (stack.low && stack.low < stack.pointer - BELOW_POINTER) *stack.low++ = PAINT;
}

uint32_t board_stack(void) {
    port_memory stack = port_stack();
    while (stack.low < stack.high && *stack.low == PAINT) stack.low++;
    return (uint32_t)(stack.high - stack.low);
}

/*  Every call costs the same, so the clock is turned back by that much after each; inlined, it would cost less here
 *  than in a program. */
__attribute__((noinline)) uint32_t board_ticks(void) {
    uint32_t now = port_clock() - spent;
    spent += cost;
    return now;
}

void board_begin(void) {
    paint();
    port_begin();
    uint32_t before = board_ticks();
    cost = board_ticks() - before;
    spent = 0;
}

void board_text(const char *text) {
    while (*text) port_byte(*text++);
}

void board_number(uint32_t number) {
    char digits[11];
    uint8_t at = sizeof digits - 1;
    digits[at] = 0;
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    board_text(digits + at);
}

/*  Whoever started the program knows by this line that it came to its end. */
void board_end(void) {
    port_memory stack = port_stack();
    if (stack.low && *stack.low != PAINT) port_fail("the stack ran into the variables");
    board_text("[end]\n");
    port_stop(0);
}

void port_fail(const char *reason) {
    board_text("\n[fault] ");
    board_text(reason);
    board_text("\n");
    port_stop(1);
}

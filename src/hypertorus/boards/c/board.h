/*  board.h: what a program needs of the board it runs on: text out, a clock, the depth of its stack.
 *
 *  A program calls board_begin() first and board_end() last; board_end() also stops the simulator. The same program
 *  runs on every board: each has one file of this folder, and board.c serves them all.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_begin(void);
void board_end(void);

/*  Through the serial port. */
void board_text(const char *text);
void board_number(uint32_t number);

/*  Cycles on the ATmega, instructions on simulated 32-bit boards (they have no cycles), always 0 on the host. Only
 *  differences mean something, and the cost of asking is subtracted: two calls in a row differ by 0. */
uint32_t board_ticks(void);

/*  Bytes of stack used so far at the deepest point since board_begin(), main() included; 0 on the host. */
uint32_t board_stack(void);

#endif

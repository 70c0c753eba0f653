/*  port.h: what board.c needs of each board; programs include board.h instead. */
#ifndef PORT_H
#define PORT_H

#include <stdint.h>

void port_begin(void);
void port_byte(char byte);
uint32_t port_clock(void);

/*  The stack grows down from `high`; below `low` live the variables. Both null where it is not measured. */
typedef struct { volatile uint8_t *low, *pointer, *high; } port_memory;
port_memory port_stack(void);

/*  Ends the simulation, with failure unless 0. */
void port_stop(int failed);

/*  Says why and stops. */
void port_fail(const char *reason);

#endif

/*  host.c: this computer in place of a board, for tests with sanitizers; it has no clock that would mean anything. */

#include <stdio.h>
#include <stdlib.h>

#include "port.h"

void port_begin(void) { setvbuf(stdout, 0, _IOLBF, BUFSIZ); }

uint32_t port_clock(void) { return 0; }

void port_byte(char byte) { putchar(byte); }

port_memory port_stack(void) { return (port_memory){0, 0, 0}; }

void port_stop(int failed) { exit(failed); }

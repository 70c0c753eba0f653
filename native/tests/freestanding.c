/*  freestanding.c: compiled, never run: the header needs nothing but a freestanding C99 compiler. */
#include "../hypertorus.h"

uint32_t nearest_angle(const uint8_t *a, const uint8_t *b);
uint32_t nearest_angle(const uint8_t *a, const uint8_t *b) { return hypertorus_l1_u8(a, b, 64); }

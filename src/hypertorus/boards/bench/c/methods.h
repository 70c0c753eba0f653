/*  methods.h: the ways to compare a query with a stored vector, one of which METHOD names.
 *
 *  Each brings `number`, what vectors are made of; STORED, how many a stored vector has; ASKED, how many a query has;
 *  distance() and distance_flash(), to a stored vector in RAM and in flash; and, with PREPARED, prepare(), which has to
 *  be done once for a query. DIM is the coordinates or dimensions.
 */
#ifndef METHODS_H
#define METHODS_H

#include "hypertorus.h"

#define NOTHING 1
#define TORUS_PLAIN 2
#define TORUS_8 3
#define TORUS_4 4
#define TORUS_2 5
#define TORUS_1 6
#define INT8_PLAIN 7
#define INT8_BEST 8
#define FLOAT 9
#define PRODUCT 10

#if METHOD == NOTHING

typedef uint8_t number;
enum { STORED = 4, ASKED = 4 };
static inline int32_t distance(const number *query, const number *code, uint16_t dim) { return *query + *code + dim; }
#define distance_flash distance

#elif METHOD <= TORUS_1

typedef uint8_t number;
enum { BITS = METHOD <= TORUS_8 ? 8 : METHOD == TORUS_4 ? 4 : METHOD == TORUS_2 ? 2 : 1 };
enum { STORED = DIM * BITS / 8, ASKED = STORED };

#if METHOD == TORUS_PLAIN
#define WAY(flash) hypertorus_l1_u8_plain
#elif METHOD == TORUS_8
#define WAY(flash) hypertorus_l1_u8##flash
#elif METHOD == TORUS_4
#define WAY(flash) hypertorus_l1_u4##flash
#elif METHOD == TORUS_2
#define WAY(flash) hypertorus_l1_u2##flash
#else
#define WAY(flash) hypertorus_l1_u1##flash
#endif

static inline int32_t distance(const number *query, const number *code, uint16_t dim) {
    return (int32_t)WAY()(query, code, dim);
}

#if METHOD == TORUS_PLAIN
static inline int32_t distance_flash(const number *query, const number *code, uint16_t dim) {
    int32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += hypertorus_arc((uint8_t)(query[i] - HYPERTORUS_READ8(code + i)));
    return sum;
}
#else
static inline int32_t distance_flash(const number *query, const number *code, uint16_t dim) {
    return (int32_t)WAY(_flash)(query, code, dim);
}
#endif

#elif METHOD == INT8_PLAIN || METHOD == INT8_BEST

typedef int8_t number;
enum { STORED = DIM, ASKED = DIM };

#if METHOD == INT8_PLAIN
#define READ_INT8(address) ((int8_t)HYPERTORUS_READ8((const uint8_t *)(address)))

static inline int32_t distance(const number *query, const number *code, uint16_t dim) {
    int32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += (int16_t)(query[i] * code[i]);
    return -sum;
}

static inline int32_t distance_flash(const number *query, const number *code, uint16_t dim) {
    int32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += (int16_t)(query[i] * READ_INT8(code + i));
    return -sum;
}
#else
#include "int8_best.h"
#endif

#elif METHOD == FLOAT

typedef float number;
enum { STORED = DIM, ASKED = DIM };

static inline int32_t distance(const number *query, const number *code, uint16_t dim) {
    float sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += query[i] * code[i];
    return (int32_t)(sum * -65536.0f);
}

static inline int32_t distance_flash(const number *query, const number *code, uint16_t dim) {
    float sum = 0;
    for (uint16_t i = 0; i < dim; i++) {
        union { uint32_t word; float real; } stored = {HYPERTORUS_READ32((const uint32_t *)(const void *)(code + i))};
        sum += query[i] * stored.real;
    }
    return (int32_t)(sum * -65536.0f);
}

#elif METHOD == PRODUCT
#include "product.h"
#else
#error METHOD is none of the names above
#endif

#endif

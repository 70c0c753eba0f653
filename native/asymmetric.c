/*  asymmetric.c: queries that are not rounded as tables of nibbles, which `tables.c` searches by. */
#include "hypertorus_asymmetric.h"
#include "scan.h"

int32_t ht_turn_tables(const uint16_t *turns, uint64_t nq, uint32_t dim, uint32_t bits, uint32_t metric,
                       uint8_t *tables) {
    int32_t error = ht_bad_shape(dim, bits);
    uint64_t nibbles = ((uint64_t)dim * bits + 3) / 4;
    if (error) return error;
    if (bits == 8) return HT_ERROR_BITS;
    if (metric > HT_COSINE) return HT_ERROR_METRIC;
    if (nq && (!turns || !tables)) return HT_ERROR_NULL;
    memset(tables, 0, nq * nibbles * 16);
    for (uint64_t q = 0; q < nq; q++, turns += dim, tables += nibbles * 16)
        for (uint64_t i = 0; i < dim; i++) {
            uint8_t costs[16], *table = tables + i * bits / 4 * 16;
            if (metric == HT_L1) hypertorus_table_l1(turns[i], (uint8_t)bits, costs);
            else if (metric == HT_L2) hypertorus_table_l2(turns[i], (uint8_t)bits, costs);
            else hypertorus_table_cosine(turns[i], (uint8_t)bits, costs);
            for (uint32_t nibble = 0; nibble < 16; nibble++)
                table[nibble] = (uint8_t)(table[nibble] + costs[nibble >> i * bits % 4 & ((1u << bits) - 1)]);
        }
    return HT_OK;
}

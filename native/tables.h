/*  tables.h: the search by tables, in which a query is not a code but says what each nibble of a code costs.
 *
 *  A query is [nibbles][16] bytes; its distance to a code is the sum of the entries that the nibbles of the code choose,
 *  nibble 0 in the lower half of byte 0. So any sum over coordinates of at most 4 bits is searched, exactly.
 *
 *  Strips. 64 vectors, which are eight blocks, are turned once for all queries, so that a register holds the same nibble of
 *  many vectors and one shuffle looks up as many entries of one table:
 *
 *      [strip][nibble][64 vectors]        a byte each, 0 to 15; an even number of nibbles
 *
 *  The kernels see a filter. Let m be the least entry of a nibble, base the sum of these, and let only distances up to
 *  `limit` matter, L = limit - base. An entry e becomes f = floor((e - m) * scale / 2^16), so
 *      distance <= limit  implies  sum of f <= floor(L * scale / 2^16) = below - 1
 *  and adding with saturation makes a sum smaller or leaves it. Scales are such that sums of HT_CHUNK nibbles just about
 *  fit a byte when L is reached. What passes has its true distance taken by the tables as they were given.
 */
#ifndef HT_TABLES_H
#define HT_TABLES_H

#include "scan.h"

enum { HT_STRIP = 64, HT_STRIP_BLOCKS = HT_STRIP / HT_LANES, HT_CHUNK = 32 };

/*  A kernel turns a strip of eight blocks of `words` words, `pairs` bytes of each vector; and says which vectors of
 *  `strips` strips pass the filter of each query: sums of their entries are less than below[q]. `filters` is
 *  [nibble][group][16] for `group` (1 or HT_GROUP) queries, and masks [strip][group] have a bit a vector. With one chunk
 *  `below` is at most 255. Returns whether any bit is set. */
typedef struct ht_table_kernel {
    void (*turn)(const uint8_t *blocks, uint64_t words, uint64_t pairs, uint8_t *columns);
    int (*filter)(const uint8_t *columns, uint64_t strips, uint64_t pairs, const uint8_t *filters, int group,
                  const uint32_t *below, uint64_t *masks);
} ht_table_kernel_t;

extern const ht_table_kernel_t ht_tables_avx2, ht_tables_avx512, ht_tables_neon;

#endif

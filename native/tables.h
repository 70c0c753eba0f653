/*  tables.h: the search by tables, in which a query is not a code but says what each nibble of a code costs.
 *
 *  A query is [nibbles][16] bytes; its distance to a code is the sum of the entries that the nibbles of the code choose,
 *  nibble 0 in the lower half of byte 0. So any sum over coordinates of at most 4 bits is searched, exactly.
 *
 *  Strips. 64 vectors, which are eight blocks, are turned once for all queries, so that a register holds the same column of
 *  many vectors and one shuffle looks up as many entries of one table:
 *
 *      [strip][column][64 vectors]
 *
 *  A column is a nibble, of which there is an even number, with a table of 16. Where 128 entries can be looked up at once,
 *  and what a nibble costs is all but a sum of what its bits cost, as that of angles at 1 and 2 bits is, it is seven bits
 *  of a word: nine columns a word, the last bit of which is left out. For a nibble with entries t the bits cost
 *  t[bit] - t[0] each, and all of it so much less that it is nowhere more than t.
 *
 *  The kernels see a filter. Let e be an entry less the least one of its column, base the sum of these least ones, and let
 *  only distances up to `limit` matter, L = limit - base. The filter has f = floor(e * scale / 2^16), so
 *      distance <= limit  implies  sum of f <= floor(L * scale / 2^16) = below - 1
 *  and adding with saturation makes a sum smaller or leaves it, as does a limit of 127 for f, so that two of them fit a
 *  byte. Scales are such that sums of HT_CHUNK columns just about fit a byte when L is reached. What passes has its true
 *  distance taken by the tables as they were given.
 */
#ifndef HT_TABLES_H
#define HT_TABLES_H

#include "scan.h"

enum { HT_STRIP = 64, HT_STRIP_BLOCKS = HT_STRIP / HT_LANES, HT_CHUNK = 32, HT_NIBBLES = 16, HT_SEVENS = 128,
       HT_SEVENS_OF_WORD = 9, HT_MOST_ENTRY = 127 };

/*  What a filter is made of. */
typedef struct {
    const uint8_t *nibbles; /* [nibbles][16], entries less the least of their nibble */
    const int16_t *bits;    /* [words * 64], what each bit adds */
    uint64_t columns;
} ht_costs_t;

/*  A kernel turns a strip of eight blocks of `words` words, `pairs` bytes of each vector; and says which vectors of
 *  `strips` strips pass the filter of each query: sums of their entries are less than below[q]. `filters` is
 *  [column][group][entries] for `group` (1 or HT_GROUP) queries, and masks [strip][group] have a bit a vector. Up to
 *  HT_CHUNK columns `below` is at most 255. Returns whether any bit is set. `scale` makes the filter of one query of a
 *  group. */
typedef struct ht_table_kernel {
    uint64_t entries; /* of the table of a column: HT_NIBBLES or HT_SEVENS */
    void (*scale)(const ht_costs_t *costs, uint32_t scale, uint64_t group, uint8_t *filter);
    void (*turn)(const uint8_t *blocks, uint64_t words, uint64_t pairs, uint8_t *columns);
    int (*filter)(const uint8_t *columns, uint64_t strips, uint64_t count, const uint8_t *filters, int group,
                  const uint32_t *below, uint64_t *masks);
} ht_table_kernel_t;

extern const ht_table_kernel_t ht_tables_avx2, ht_tables_avx512, ht_tables_avx512vbmi, ht_tables_neon;

HT_INLINE uint8_t ht_scaled(uint16_t entry, uint32_t scale) {
    uint16_t scaled = (uint16_t)((uint32_t)entry * scale >> 16);
    return (uint8_t)(scaled < HT_MOST_ENTRY ? scaled : HT_MOST_ENTRY);
}

HT_INLINE void ht_scale_nibbles(const ht_costs_t *costs, uint32_t scale, uint64_t group, uint8_t *filter) {
    const uint8_t *entries = costs->nibbles;
    for (uint64_t n = 0; n < costs->columns; n++, entries += HT_NIBBLES, filter += group * HT_NIBBLES)
        for (int i = 0; i < HT_NIBBLES; i++) filter[i] = ht_scaled(entries[i], scale);
}

/*  What `count` bits cost together, from what each costs; nothing is less than zero. Each bit doubles their number. */
HT_INLINE void ht_sum_bits(const int16_t *bits, int count, uint16_t *sums) {
    sums[0] = 0;
    for (int bit = 0; bit < count; bit++) {
        uint16_t set = (uint16_t)(bits[bit] > 0 ? bits[bit] : 0), clear = (uint16_t)(set - bits[bit]);
        for (int i = 0; i < 1 << bit; i++) {
            sums[i + (1 << bit)] = (uint16_t)(sums[i] + set);
            sums[i] = (uint16_t)(sums[i] + clear);
        }
    }
}

/*  Entries of seven bits are sums of those of four and of three, which compilers widen. */
HT_INLINE void ht_scale_sevens(const ht_costs_t *costs, uint32_t scale, uint64_t group, uint8_t *filter) {
    for (uint64_t n = 0; n < costs->columns; n++, filter += group * HT_SEVENS) {
        const int16_t *bits = costs->bits + n / HT_SEVENS_OF_WORD * 64 + n % HT_SEVENS_OF_WORD * 7;
        uint16_t four[16], three[8];
        ht_sum_bits(bits, 4, four), ht_sum_bits(bits + 4, 3, three);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 16; j++) filter[i * 16 + j] = ht_scaled((uint16_t)(three[i] + four[j]), scale);
    }
}

#endif

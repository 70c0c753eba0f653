/*  coarse.h: the coarse part of a store: the first coordinates of every code at few bits, apart from the codes, so that
 *  a first pass over all codes reads little.
 *
 *  Stored layout. 64 codes make a strip; a column of a strip is one cache line with the next byte of each of them:
 *
 *      [strip][column][lane 0..63]        position = 64 * strip + lane
 *
 *  A byte is two nibbles, and a nibble four coordinates of 1 bit, two of 2 bits or one of 4 bits. A query has a table of
 *  16 bytes for each nibble, which one shuffle looks up for a whole register; `coarse.c` says what is in it.
 */
#ifndef HT_COARSE_H
#define HT_COARSE_H

#include "scan.h"

enum { HT_STRIP = 64, HT_COLUMNS = 256, HT_ENTRY = 127, HT_NO_SUM = 65535 };

/*  The lane of entry `i` of the sums of a strip: those of even lanes come first. */
HT_INLINE uint64_t ht_strip_lane(uint64_t i) { return i % 32 * 2 + i / 32; }

/*  The first strip of begin, begin + step, ... before `end` of which any sum is at most `limit`, with all of its sums and
 *  a bit in `within` for each of these, or `end`. No entry of a table exceeds 127, so both of a column add up in a byte, and 256 columns in 16 bits. */
typedef uint64_t (*ht_strips_t)(const uint8_t *strips, uint64_t columns, const uint8_t *tables, uint64_t begin,
                                uint64_t end, uint64_t step, uint16_t limit, uint16_t *sums, uint64_t *within);

/*  The place of the lowest bit, which there is, and the bits without it. */
HT_INLINE uint64_t ht_lowest(uint64_t bits) {
#if defined(_MSC_VER) && !defined(__clang__)
    uint64_t place = 0;
    while (!(bits >> place & 1)) place++;
    return place;
#else
    return (uint64_t)__builtin_ctzll(bits);
#endif
}

ht_strips_t ht_strips(const ht_isa_t *isa);

#endif

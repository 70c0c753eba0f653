/*  cells.h: what `cells.c` knows of cells, and how `walk.c` takes queries through them. */
#ifndef HT_CELLS_H
#define HT_CELLS_H

#include "scan.h"

/*  Positions of a cell, or of a part of it. */
typedef struct { uint64_t first, last; } ht_slice_t;

/*  More than any radius, and its square fits. */
#define HT_NO_WINDOW ((uint64_t)1 << 31)

/*  How far from the radius of a query those of codes within `limit` can be. */
uint64_t ht_window(const ht_scan_t *scan, uint32_t limit);

/*  The distances of queries to all centres, [nq][ht_stride(cells)], and how far they may be off; `points` has room for
 *  those of one query. The limits of the queries are lost. */
void ht_measure_centres(const ht_scan_t *scan, const ht_isa_t *isa, const ht_store_t *store, const uint8_t *queries,
                        ht_query_t *states, uint64_t nq, uint32_t *to_centre, int16_t *points);
uint64_t ht_centre_error(const ht_scan_t *scan);

/*  Distances to centres are kept for whole blocks. */
HT_INLINE uint64_t ht_stride(uint64_t cells) { return (cells + HT_LANES - 1) / HT_LANES * HT_LANES; }

/*  Whether a cell can have codes in the window of a query at this distance from its centre. */
HT_INLINE int ht_reaches(uint32_t metric, uint64_t reach, uint64_t distance, uint64_t window, uint64_t error) {
    if (metric == HT_L1) return distance <= reach + window;
    return distance << 16 < (reach + window + 1) * (reach + window + 1) + (error << 16);
}

/*  The part of a cell whose radii can be in the window of a query at this distance from its centre. */
ht_slice_t ht_slice(const ht_scan_t *scan, const ht_store_t *store, uint64_t cell, uint32_t distance, uint64_t window);

/*  A query that looks at a part of a cell; and a visit of those that look at one cell, with how many codes each looks at,
 *  added up, and all that any of them looks at. */
typedef struct { uint64_t query; ht_slice_t part; } ht_look_t;
typedef struct { ht_look_t *looks; uint64_t count, codes; ht_slice_t all; } ht_visit_t;

/*  How many visits wait while their codes are fetched. */
enum { HT_WAITING = 4 };

/*  Scratch of a walk beyond that of a scan: what waits to be looked at; of each query its window and its seeds, which are the
 *  cells nearest to it; all queries by their nearest cells; the seeds of a crowd by their cells, with their queries; and the
 *  distances to all centres. */
typedef struct {
    ht_query_t *states;
    ht_look_t *looks;
    uint64_t *window;
    int64_t *seed, *members, *order;
    uint32_t *nearest, *seed_distance, *wanting, *to_centre;
    int16_t *points; /* of one query */
} ht_walk_t;

/*  How many seeds a query has, and where in memory all that lies. */
uint64_t ht_seeds(const ht_asked_t *asked, uint64_t cells);
uint64_t ht_walk_bytes(uint64_t nq, uint64_t seeds, uint64_t cells, uint64_t dim);
ht_walk_t ht_walk_layout(uint8_t *memory, ht_query_t *states, uint64_t nq, uint64_t seeds, uint64_t cells);

/*  Offers the codes of a store that are in cells to the heaps of the queries. */
void ht_walk_cells(ht_scan_t *scan, const ht_isa_t *isa, const ht_store_t *store, ht_walk_t *memory,
                   const uint8_t *queries, uint64_t nq, ht_asked_t *asked);

#endif

/*  cells.c: what of a cell can matter to a query, with the proofs; `walk.c` looks at that and passes over the rest.
 *
 *  Let c be the centre of a cell, x one of its codes, q a query, and let only distances up to `limit` matter.
 *
 *  l1 is a metric, so d(q, x) <= limit implies |d(q, c) - d(x, c)| <= limit: the codes that matter have radii in a window
 *  around d(q, c). They are sorted by radius, so they are a slice of the cell.
 *
 *  The square root of l2 is a metric. The cosine distance D, were it not rounded, would be E = sum 2^14 (1 - cos), half
 *  the squared distance of two points times a constant, and its square root a metric too. With e the error of one table
 *  entry and t its exact value, |e| <= 1/2 and |e| <= r t with r = 0.01342 (arc 2 is the worst; a test looks at all), so
 *      |D - E| <= min(r E, dim / 2) <= sqrt(r E dim / 2)
 *      |sqrt D - sqrt E| = |D - E| / (sqrt D + sqrt E) <= sqrt(r dim / 2) / (1 + sqrt(1 - r)) = s
 *  and sqrt D obeys the triangle inequality up to 3 s <= 0.1233 sqrt(dim). At 2 bits and 1 bit the table is exact: s = 0.
 *
 *  Radii of these two are floor(256 sqrt d) and two such floors are off by less than one together, so with
 *      window = floor(256 sqrt limit) + 1 + ceil(256 * 3 s) + 1
 *  the codes that matter have |radius(q) - radius(x)| <= window. 256 * 0.1233 sqrt(dim) < sqrt(1000 dim).
 *
 *  Distances to centres are needed for all centres, and tables are slow. By points P of q and c, E = 2^14 (dim - sum of
 *  products). A coordinate of a point in units of 2^-12 is off by 5/8 at most, half by its own rounding and an eighth by
 *  that of the table; a product of two pairs by 2 sqrt 2 * 5/8 * 2^-12 and a little of second order, which in E is 7.1.
 *  With the last shift it is less than 8 dim, and the radius of q is known up to that.
 */
#include <math.h>

#include "cells.h"
#include "hypertorus.h"

enum { HT_SAMPLED = 8 };

/*  floor(sqrt(x)) for x < 2^52, where the square root of a double is off by less than one. */
static uint64_t root(uint64_t x) {
    uint64_t r = (uint64_t)sqrt((double)x);
    while (r * r > x) r--;
    while ((r + 1) * (r + 1) <= x) r++;
    return r;
}

static uint32_t radius_of(uint32_t metric, uint32_t distance) {
    return metric == HT_L1 ? distance : (uint32_t)root((uint64_t)distance << 16);
}

uint64_t ht_window(const ht_scan_t *scan, uint32_t limit) {
    uint64_t slack = scan->metric == HT_COSINE && scan->bits > 2 ? root((uint64_t)1000 * scan->dim) + 1 : 0;
    return scan->metric == HT_L1 ? limit : radius_of(scan->metric, limit) + slack + 2;
}

int32_t ht_radii(const uint8_t *rows, uint64_t n, const uint8_t *centres, uint64_t cells, const int64_t *cell,
                 uint32_t dim, uint32_t bits, uint32_t metric, uint32_t *radii) {
    int32_t error = ht_bad_shape(dim, bits);
    uint64_t size = ht_row_bytes(dim, bits);
    if (error) return error;
    if (metric > HT_COSINE) return HT_ERROR_METRIC;
    if (n && (!rows || !centres || !cell || !radii)) return HT_ERROR_NULL;
    for (uint64_t i = 0; i < n; i++)
        if (cell[i] < 0 || (uint64_t)cell[i] >= cells) return HT_ERROR_RANGE;
    for (uint64_t i = 0; i < n; i++)
        radii[i] = radius_of(metric, ht_pair(metric, bits)(rows + i * size, centres + (uint64_t)cell[i] * size, dim));
    return HT_OK;
}

static int16_t cosine_of(uint8_t code) {
    return (int16_t)((16384 - hypertorus_cosine_table[hypertorus_arc(code)] + 2) >> 2);
}

int32_t ht_points(const uint8_t *rows, uint64_t n, uint32_t dim, uint32_t bits, int16_t *points) {
    int32_t error = ht_bad_shape(dim, bits);
    if (error) return error;
    if (n && (!rows || !points)) return HT_ERROR_NULL;
    for (uint64_t i = 0; i < n; i++, rows += ht_row_bytes(dim, bits))
        for (uint64_t j = 0; j < dim; j++) {
            uint8_t code = (uint8_t)(rows[j * bits / 8] >> (j * bits % 8) << (8 - bits));
            *points++ = cosine_of(code), *points++ = cosine_of((uint8_t)(code - 64));
        }
    return HT_OK;
}

/*  How the distances to centres are found, and how far they may be off. */
typedef enum { BY_SCAN, BY_ROWS, BY_POINTS } way_t;

static way_t way_of(const ht_scan_t *scan) {
    if (scan->plan.exact) return BY_SCAN;
    return scan->metric == HT_COSINE ? BY_POINTS : BY_ROWS;
}

uint64_t ht_centre_error(const ht_scan_t *scan) { return way_of(scan) == BY_POINTS ? 8 * (uint64_t)scan->dim : 0; }

static ht_slice_t cell_of(const ht_store_t *store, uint64_t cell) {
    ht_slice_t all = {cell ? store->ends[cell - 1] : 0, store->ends[cell]};
    return all;
}

/*  The samples bound it to within seven codes on each side. */
ht_slice_t ht_slice(const ht_scan_t *scan, const ht_store_t *store, uint64_t cell, uint32_t distance, uint64_t window) {
    uint32_t error = (uint32_t)ht_centre_error(scan);
    uint64_t least = radius_of(scan->metric, distance > error ? distance - error : 0);
    uint64_t low = least > window ? least - window : 0, high = radius_of(scan->metric, distance + error) + window;
    ht_slice_t part = cell_of(store, cell);
    uint64_t begin = (part.first + HT_SAMPLED - 1) / HT_SAMPLED, end = (part.last + HT_SAMPLED - 1) / HT_SAMPLED;
    uint64_t below = begin, above = end;
    for (uint64_t stop = end; below < stop;) { /* the first sample that is not below the window */
        uint64_t middle = below + (stop - below) / 2;
        if (store->samples[middle] < low) below = middle + 1;
        else stop = middle;
    }
    for (uint64_t start = below; start < above;) { /* the first sample above the window */
        uint64_t middle = start + (above - start) / 2;
        if (store->samples[middle] <= high) start = middle + 1;
        else above = middle;
    }
    if (below > begin) part.first = (below - 1) * HT_SAMPLED;
    if (above < end) part.last = above * HT_SAMPLED;
    return part;
}

/*  Stored centres are scanned where the sums of a scan are distances. */
void ht_measure_centres(const ht_scan_t *scan, const ht_isa_t *isa, const ht_store_t *store, const uint8_t *queries,
                        ht_query_t *states, uint64_t nq, uint32_t *to_centre, int16_t *points) {
    ht_scan_t centres = *scan;
    uint64_t row_bytes = ht_row_bytes(scan->dim, scan->bits);
    for (uint64_t q = 0; q < nq && way_of(scan) != BY_SCAN; q++) {
        uint32_t *distances = to_centre + q * ht_stride(store->cells);
        const uint8_t *query = queries + q * row_bytes;
        if (way_of(scan) == BY_ROWS) {
            isa->distances(scan->metric, scan->bits, (uint16_t)scan->dim, query, 1, store->rows, store->cells, distances);
        } else {
            ht_points(query, 1, scan->dim, scan->bits, points);
            isa->distances(HT_POINTS, 8, (uint16_t)scan->dim, (const uint8_t *)points, 1, store->rows,
                           store->cells, distances);
        }
    }
    if (way_of(scan) != BY_SCAN) return;
    centres.blocks = store->centres, centres.given_ids = NULL, centres.allowed = NULL;
    centres.first = 0, centres.last = centres.resume = store->cells;
    centres.written = UINT64_MAX; /* nobody adds to centres */
    centres.plan.filtered = 0;
    centres.radius = UINT32_MAX;
    centres.collecting = states, centres.collected = to_centre;
    for (uint64_t q = 0; q < nq; q++) ht_limit(&centres, states + q, UINT32_MAX);
    ht_scan_tiles(&centres, isa, states, nq);
}

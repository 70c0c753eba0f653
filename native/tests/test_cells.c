/*  test_cells.c: the search in cells against the literal formula, on every instruction set this machine runs, whatever
 *  the cells are. Build it with the address and undefined-behaviour sanitizers. */
#include "harness.h"

typedef struct {
    store_t codes; /* in the order of the cells */
    uint64_t cells;
    uint8_t *centres, *rows;
    int64_t *ids;
    uint64_t *ends;
    uint32_t *reaches, *samples;
    ht_store_t store;
    ht_index_t index;
} arranged_t;

typedef struct {
    uint64_t cell, number;
    uint32_t radius;
} place_t;

static int compare_places(const void *a, const void *b) {
    const place_t *x = a, *y = b;
    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    return x->radius < y->radius ? -1 : x->radius > y->radius;
}

/*  Centres as the scan of each metric wants them besides the stored ones. */
static uint8_t *centre_rows(const uint8_t *rows, uint64_t cells, uint32_t dim, uint32_t bits, uint32_t metric) {
    uint8_t *copy = memory(metric == HT_COSINE ? cells * dim * 4 : cells * row_bytes(dim, bits));
    if (metric == HT_COSINE) CHECK(ht_points(rows, cells, dim, bits, (int16_t *)(void *)copy) == HT_OK, "points");
    else memcpy(copy, rows, cells * row_bytes(dim, bits));
    return copy;
}

/*  Any codes in any cells: a cell may be far from its codes, and a code in any cell. The last `tail` are in none. */
static arranged_t arrange(uint32_t dim, uint32_t bits, uint64_t n, uint64_t tail, uint64_t nq, uint64_t cells,
                          uint32_t metric, way_t way) {
    size_t size = row_bytes(dim, bits);
    arranged_t a = {.codes = store_make(dim, bits, n, nq, way), .cells = cells};
    uint64_t inside = n - tail;
    uint8_t *centre = memory(cells * size), *rows = memory(n * size);
    place_t *places = memory(inside * sizeof *places);
    int64_t *cell = memory(inside * sizeof *cell);
    uint32_t *radii = memory(inside * sizeof *radii);
    for (uint64_t c = 0; c < cells; c++) {
        const uint8_t *near = random_below(2) ? a.codes.rows + random_below((uint32_t)n) * size : a.codes.queries;
        memcpy(centre + c * size, near, size);
        if (random_below(2)) set_coordinate(centre + c * size, bits, random_below(dim), random_below(1u << bits));
    }
    for (uint64_t i = 0; i < inside; i++) cell[i] = (int64_t)(i < cells ? i : random_below((uint32_t)cells));
    CHECK(ht_radii(a.codes.rows, inside, centre, cells, cell, dim, bits, metric, radii) == HT_OK, "radii");
    for (uint64_t i = 0; i < inside; i++) places[i] = (place_t){(uint64_t)cell[i], i, radii[i]};
    qsort(places, inside, sizeof *places, compare_places);
    memcpy(rows, a.codes.rows, n * size);
    a.ids = memory(n * 8), a.ends = memory(cells * 8), a.reaches = memory(cells * 4), a.samples = memory((n / 8 + 1) * 4);
    for (uint64_t i = 0; i < n; i++) a.ids[i] = (int64_t)(n - i) * 3;
    for (uint64_t i = 0; i < inside; i++) {
        memcpy(a.codes.rows + i * size, rows + places[i].number * size, size);
        a.ends[places[i].cell] = i + 1, a.reaches[places[i].cell] = places[i].radius;
        if (i % 8 == 0) a.samples[i / 8] = places[i].radius;
    }
    CHECK(ht_block_put(a.codes.blocks, dim, bits, 0, a.codes.rows, n) == HT_OK, "put");
    a.centres = memory((size_t)ht_block_bytes(cells, dim, bits));
    CHECK(ht_block_put(a.centres, dim, bits, 0, centre, cells) == HT_OK, "put");
    a.rows = centre_rows(centre, cells, dim, bits, metric);
    a.store = (ht_store_t){a.codes.blocks, a.ids, NULL, n, 0, inside, cells, a.centres, a.rows, a.ends, a.reaches, a.samples};
    a.index = (ht_index_t){dim, bits, metric, 1, NULL};
    free(centre), free(rows), free(places), free(cell), free(radii);
    return a;
}

static void arranged_free(arranged_t *a) {
    store_free(&a->codes);
    free(a->centres), free(a->rows), free(a->ids), free(a->ends), free(a->reaches), free(a->samples);
}

static int32_t search(arranged_t *a, heaps_t *h, ht_asked_t *asked) {
    int64_t bytes;
    void *scratch;
    int32_t error;
    a->index.stores = &a->store;
    bytes = ht_search_bytes(&a->index, a->codes.nq, asked);
    scratch = memory((size_t)bytes);
    error = ht_search(&a->index, a->codes.queries, a->codes.nq, h->k, h->distances, h->ids, h->counts, asked, scratch,
                      (uint64_t)bytes);
    free(scratch);
    return error;
}

/*  Whether all codes within the distance of some code lie in the parts of the store, for one query and that radius. */
static int parts_right(arranged_t *a, uint64_t q) {
    size_t size = row_bytes(a->codes.dim, a->codes.bits);
    const uint8_t *query = a->codes.queries + q * size, *far = a->codes.rows + random_below((uint32_t)a->codes.n) * size;
    uint32_t radius = literal_distance(query, far, a->codes.dim, a->codes.bits, a->index.metric);
    uint64_t *parts = memory((a->cells + 1) * 16), part = 0;
    int64_t bytes, count;
    void *scratch;
    int right = 1;
    a->index.stores = &a->store;
    bytes = ht_search_bytes(&a->index, 1, NULL);
    scratch = memory((size_t)bytes);
    count = ht_parts(&a->index, query, radius, parts, scratch, (uint64_t)bytes);
    for (int64_t i = 1; i < count; i++) right = right && parts[2 * i - 1] <= parts[2 * i];
    for (uint64_t i = 0; i < a->codes.n; i++) {
        uint32_t d = literal_distance(query, a->codes.rows + i * size, a->codes.dim, a->codes.bits, a->index.metric);
        while (part < (uint64_t)count && parts[2 * part + 1] <= i) part++;
        if (d <= radius) right = right && part < (uint64_t)count && parts[2 * part] <= i;
    }
    free(parts), free(scratch);
    return right && count >= 0;
}

static void test_search(const char *isa) {
    static const uint32_t dims[] = {1, 3, 8, 17, 64, 100, 300};
    for (uint32_t d = 0; d < sizeof dims / sizeof *dims; d++)
        for (uint32_t m = 0; m < METRICS; m++)
            for (int b = 0; b < BIT_DEPTHS; b++)
                for (uint32_t way = 0; way < WAYS; way++) {
                    uint64_t n = 100 + random_below(300), nq = 1 + random_below(9), k = 1 + random_below(d ? 12 : 500);
                    uint64_t cells = 1 + random_below(40), tail = random_below(2) * random_below(50);
                    arranged_t a = arrange(dims[d], all_bits[b], n, tail, nq, cells, m, (way_t)way);
                    uint8_t *allowed = memory(n / 8 + 1);
                    heaps_t h = heaps_make(nq, k), filtered = heaps_make(nq, k);
                    pages_t pages;
                    for (uint64_t i = 0; i < n / 8 + 1; i++) allowed[i] = (uint8_t)random_below(256);
                    CHECK(search(&a, &h, NULL) == HT_OK, "search");
                    CHECK(heaps_right(&a.codes, &h, m, a.ids, NULL), "%s %s %u bits dim %u: cells", isa, metric_names[m],
                          all_bits[b], dims[d]);
                    pages = pages_of(allowed, n);
                    a.store.allowed = pages.page;
                    CHECK(search(&a, &filtered, NULL) == HT_OK, "search");
                    CHECK(heaps_right(&a.codes, &filtered, m, a.ids, allowed), "%s %s %u bits dim %u: filtered", isa,
                          metric_names[m], all_bits[b], dims[d]);
                    for (uint64_t q = 0; q < nq; q++)
                        CHECK(parts_right(&a, q), "%s %s %u bits dim %u: parts", isa, metric_names[m], all_bits[b], dims[d]);
                    free(allowed), heaps_free(&h), heaps_free(&filtered), arranged_free(&a);
                }
}

/*  A result that says it is proved is right, and looking at all cells proves everything. */
static void test_few_cells(const char *isa) {
    for (uint32_t m = 0; m < METRICS; m++)
        for (uint64_t most = 1; most <= 32; most *= 2) {
            arranged_t a = arrange(24, 8, 400, 10, 8, 20, m, CENTRES);
            uint8_t proved[8] = {0};
            ht_asked_t asked = {most, 0, proved, UINT32_MAX};
            heaps_t h = heaps_make(8, 5), whole = heaps_make(8, 5);
            CHECK(search(&a, &h, &asked) == HT_OK, "search");
            CHECK(scan(&a.codes, m, 0, 400, a.ids, 0, NULL, &whole) == HT_OK, "scan");
            CHECK(asked.looked_at <= 8 * 400, "%s: looked at %llu", isa, (unsigned long long)asked.looked_at);
            CHECK(ht_heap_sort(whole.distances, whole.ids, whole.counts, 8, 5) == HT_OK, "sort");
            CHECK(ht_heap_sort(h.distances, h.ids, h.counts, 8, 5) == HT_OK, "sort");
            for (int q = 0; q < 8; q++) {
                int same = memcmp(h.ids + q * 5, whole.ids + q * 5, 40) == 0;
                CHECK(same || !proved[q], "%s %s: proved", isa, metric_names[m]);
                CHECK(proved[q] || most < 20, "%s %s: all cells prove", isa, metric_names[m]);
            }
            heaps_free(&h), heaps_free(&whole), arranged_free(&a);
        }
}

static void test_arguments(void) {
    arranged_t a = arrange(8, 8, 64, 0, 2, 4, HT_COSINE, ANYTHING);
    heaps_t h = heaps_make(2, 3);
    uint32_t radius;
    int64_t cell = 4;
    a.index.stores = &a.store;
    CHECK(ht_search_bytes(NULL, 1, NULL) == HT_ERROR_NULL, "no index");
    CHECK(ht_search(&a.index, a.codes.queries, 2, 3, h.distances, h.ids, h.counts, NULL, &h, 8) == HT_ERROR_SCRATCH, "scratch");
    CHECK(ht_radii(a.codes.rows, 1, a.codes.rows, 4, &cell, 8, 8, 0, &radius) == HT_ERROR_RANGE, "cell beyond");
    CHECK(ht_radii(NULL, 1, a.codes.rows, 4, &cell, 8, 8, 0, &radius) == HT_ERROR_NULL, "no rows");
    CHECK(ht_points(NULL, 1, 8, 8, NULL) == HT_ERROR_NULL, "no points");
    h.counts[1] = 4;
    CHECK(search(&a, &h, NULL) == HT_ERROR_HEAP, "heap");
    a.store.rows = NULL;
    CHECK(ht_search_bytes(&a.index, 1, NULL) == HT_ERROR_NULL, "no rows of centres");
    a.index.metric = HT_L1;
    CHECK(ht_search_bytes(&a.index, 1, NULL) > 0, "l1 needs none");
    a.store.arranged = 65;
    CHECK(ht_search_bytes(&a.index, 1, NULL) == HT_ERROR_RANGE, "more in cells than there are");
    a.store.arranged = 63;
    CHECK(ht_search_bytes(&a.index, 1, NULL) == HT_ERROR_RANGE, "cells that end elsewhere");
    heaps_free(&h), arranged_free(&a);
}

int main(void) {
    for (int i = 0; i < ISAS; i++)
        if (ht_isa_use(isa_names[i]) == HT_OK) test_search(isa_names[i]), test_few_cells(isa_names[i]);
    test_arguments();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}

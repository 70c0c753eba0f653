/*  harness.h: counting checks, a random generator that is the same everywhere, the literal formula of every metric,
 *  and a store with all the memory a scan needs. */
#ifndef HT_TESTS_HARNESS_H
#define HT_TESTS_HARNESS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../api.h"

static long passed, failed;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (condition) passed++;                                                                   \
        else if (failed++ < 20) printf("%s:%d: %s: ", __FILE__, __LINE__, #condition), printf(__VA_ARGS__), puts(""); \
    } while (0)

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static uint32_t random_below(uint32_t limit) { /* xorshift64* */
    random_state ^= random_state >> 12, random_state ^= random_state << 25, random_state ^= random_state >> 27;
    return (uint32_t)((random_state * 0x2545F4914F6CDD1Du) >> 32) % limit;
}

static void *memory(size_t bytes) { /* exactly as large as asked for, so that the sanitizer sees one byte too far */
    void *p = malloc(bytes ? bytes : 1);
    if (!p) abort();
    return p;
}

static const uint32_t all_bits[] = {8, 4, 2, 1};
static const char *const metric_names[] = {"l1", "l2", "cosine"};
static const char *const isa_names[] = {"serial", "avx2", "avx512", "avx512vnni", "neon"};
enum { ISAS = 5, METRICS = 3, BIT_DEPTHS = 4 };

static size_t row_bytes(uint32_t dim, uint32_t bits) { return ((size_t)dim * bits + 7) / 8; }

static uint32_t coordinate(const uint8_t *row, uint32_t bits, uint32_t i) {
    return row[(size_t)i * bits / 8] >> ((size_t)i * bits % 8) & ((1u << bits) - 1);
}

static void set_coordinate(uint8_t *row, uint32_t bits, uint32_t i, uint32_t value) {
    uint8_t mask = (uint8_t)(((1u << bits) - 1) << ((size_t)i * bits % 8));
    uint8_t *byte = row + (size_t)i * bits / 8;
    *byte = (uint8_t)((*byte & ~mask) | ((value << ((size_t)i * bits % 8)) & mask));
}

static uint64_t literal_cosine(uint64_t arc) { /* the arc in 256ths of a turn */
    static uint64_t values[129];
    if (values[128] == 0)
        for (int i = 0; i <= 128; i++)
            values[i] = (uint64_t)floor(16384 * (1 - cos(2 * 3.14159265358979323846 * i / 256)) + 0.5);
    return values[arc];
}

static uint32_t literal_distance(const uint8_t *a, const uint8_t *b, uint32_t dim, uint32_t bits, uint32_t metric) {
    uint64_t sum = 0, turn = 1u << bits;
    for (uint32_t i = 0; i < dim; i++) {
        uint64_t forth = (coordinate(a, bits, i) + turn - coordinate(b, bits, i)) % turn;
        uint64_t arc = forth < turn - forth ? forth : turn - forth;
        if (metric == HT_L1) sum += arc;
        else if (metric == HT_L2) sum += arc * arc;
        else sum += literal_cosine(arc << (8 - bits));
    }
    return (uint32_t)sum;
}

/*  Ways to fill rows: anything; few values, so that ties abound; near one of a few centres; and every coordinate the
 *  same arc or one of two arcs, often half a turn, away from the query, where lower bounds are tightest. */
typedef enum { ANYTHING, TIES, CENTRES, EQUAL_ARCS, WAYS } way_t;

static void fill_row(uint8_t *row, const uint8_t *query, uint32_t dim, uint32_t bits, way_t way) {
    uint32_t turn = 1u << bits, centre = random_below(7), arc = random_below(turn);
    uint32_t other = random_below(2) ? turn / 2 : random_below(turn);
    memset(row, 0, row_bytes(dim, bits));
    for (uint32_t i = 0; i < dim; i++) {
        uint32_t value = random_below(turn);
        if (way == TIES) value = random_below(2) * (turn / 2) + (i == 0 ? random_below(2) : 0);
        if (way == CENTRES) value = (centre * 37 + i * 11 + random_below(3)) % turn;
        if (way == EQUAL_ARCS) {
            uint32_t step = centre < 3 && random_below(3) <= centre ? other : arc;
            value = (coordinate(query, bits, i) + (random_below(2) ? step : turn - step)) % turn;
        }
        set_coordinate(row, bits, i, value);
    }
}

typedef struct {
    uint32_t dim, bits;
    uint64_t n, nq;
    uint8_t *rows, *queries, *blocks;
} store_t;

static store_t store_make(uint32_t dim, uint32_t bits, uint64_t n, uint64_t nq, way_t way) {
    size_t size = row_bytes(dim, bits);
    store_t s = {dim, bits, n, nq, memory(n * size), memory(nq * size), NULL};
    for (uint64_t q = 0; q < nq; q++) fill_row(s.queries + q * size, NULL, dim, bits, way == EQUAL_ARCS ? ANYTHING : way);
    for (uint64_t i = 0; i < n; i++) fill_row(s.rows + i * size, s.queries, dim, bits, way);
    s.blocks = memory((size_t)ht_block_bytes(n, dim, bits));
    memset(s.blocks, 0xA5, (size_t)ht_block_bytes(n, dim, bits));
    CHECK(ht_block_put(s.blocks, dim, bits, 0, s.rows, n) == HT_OK, "put");
    return s;
}

static void store_free(store_t *s) { free(s->rows), free(s->queries), free(s->blocks); }

typedef struct {
    uint64_t nq, k;
    uint32_t *distances;
    int64_t *ids, *counts;
} heaps_t;

static heaps_t heaps_make(uint64_t nq, uint64_t k) {
    heaps_t h = {nq, k, memory(nq * k * 4), memory(nq * k * 8), memory(nq * 8)};
    memset(h.counts, 0, nq * 8);
    return h;
}

static void heaps_free(heaps_t *h) { free(h->distances), free(h->ids), free(h->counts); }

enum { MOST_PAGES = 3 };
typedef struct {
    const uint8_t *page[MOST_PAGES];
} pages_t;

/*  The pages of a bitmap for n positions; those in which every position counts are none. */
static inline pages_t pages_of(const uint8_t *allowed, uint64_t n) {
    pages_t pages = {{NULL}};
    for (uint64_t block = 0; allowed && block < (n + 7) / 8; block++)
        if (allowed[block] != 0xFF) pages.page[block / HT_PAGE] = allowed + block / HT_PAGE * HT_PAGE;
    return pages;
}

static inline int32_t scan(const store_t *s, uint32_t metric, uint64_t first, uint64_t last, const int64_t *ids, int ascending,
                    const uint8_t *allowed, heaps_t *h) {
    uint64_t bytes = (uint64_t)ht_scratch_bytes(s->dim, s->bits, s->nq);
    void *scratch = memory(bytes);
    pages_t pages = pages_of(allowed, s->n);
    int32_t error = ht_scan(s->blocks, s->dim, s->bits, metric, first, last, ids, ascending, allowed ? pages.page : NULL,
                            s->queries, s->nq, h->k, h->distances, h->ids, h->counts, scratch, bytes);
    free(scratch);
    return error;
}

typedef struct {
    uint32_t distance;
    int64_t id;
} hit_t;

static int compare_hits(const void *a, const void *b) {
    const hit_t *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/*  Everything a scan should find for one query, sorted; returns how many there are. */
static uint64_t literal_search(const store_t *s, uint64_t q, uint32_t metric, const int64_t *ids, const uint8_t *allowed,
                               hit_t *hits) {
    size_t size = row_bytes(s->dim, s->bits);
    uint64_t count = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        if (allowed && !(allowed[i / 8] >> i % 8 & 1)) continue;
        hits[count].distance = literal_distance(s->rows + i * size, s->queries + q * size, s->dim, s->bits, metric);
        hits[count++].id = ids ? ids[i] : (int64_t)i;
    }
    qsort(hits, count, sizeof *hits, compare_hits);
    return count;
}

/*  Whether heaps, once sorted, are what the literal search finds; ids and `allowed` as given to the scan. */
static inline int heaps_right(const store_t *s, heaps_t *h, uint32_t metric, const int64_t *ids, const uint8_t *allowed) {
    hit_t *hits = memory(s->n * sizeof *hits);
    int right = ht_heap_sort(h->distances, h->ids, h->counts, h->nq, h->k) == HT_OK;
    for (uint64_t q = 0; q < s->nq; q++) {
        uint64_t count = literal_search(s, q, metric, ids, allowed, hits);
        if (count > h->k) count = h->k;
        right = right && (uint64_t)h->counts[q] == count;
        for (uint64_t i = 0; right && i < count; i++)
            right = h->distances[q * h->k + i] == hits[i].distance && h->ids[q * h->k + i] == hits[i].id;
    }
    free(hits);
    return right;
}

#endif

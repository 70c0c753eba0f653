/*  test_coarse.c: the search in two passes against the literal formula, on every instruction set this machine runs. Build
 *  it with the address and undefined-behaviour sanitizers. */
#include "harness.h"

static int32_t search(const store_t *s, const ht_coarse_t *coarse, uint64_t rerank, heaps_t *h, uint8_t *proved,
                      uint64_t *looked_at) {
    int64_t bytes = ht_coarse_search_bytes(coarse, h->k, rerank);
    void *scratch = memory((size_t)bytes + 1);
    int32_t error = ht_coarse_search(coarse, s->queries, s->nq, h->k, rerank, h->distances, h->ids, h->counts, proved,
                                     looked_at, (uint8_t *)scratch + 1, (uint64_t)bytes);
    free(scratch);
    return error;
}

static void compare(uint32_t dim, uint32_t bits, uint32_t coordinates, uint32_t coarse_bits, uint64_t n, uint64_t k,
                    uint32_t metric, way_t way) {
    store_t s = store_make(dim, bits, n, 3, way);
    uint8_t *strips = memory((size_t)ht_coarse_bytes(n, coordinates, coarse_bits)), proved[3];
    uint8_t *allowed = memory(n / 8 + 1);
    int64_t *ids = memory(n * 8);
    uint64_t looked_at[3];
    pages_t pages;
    memset(strips, 0, (size_t)ht_coarse_bytes(n, coordinates, coarse_bits));
    CHECK(ht_coarse_put(strips, coordinates, coarse_bits, dim, bits, 0, s.rows, n / 2) == HT_OK, "put");
    CHECK(ht_coarse_put(strips, coordinates, coarse_bits, dim, bits, n / 2, s.rows + n / 2 * row_bytes(dim, bits), n - n / 2) ==
              HT_OK, "put the rest");
    for (uint64_t i = 0; i < n; i++) ids[i] = (int64_t)(n - i) * 3;
    for (uint64_t i = 0; i <= n / 8; i++) allowed[i] = (uint8_t)random_below(256);
    pages = pages_of(allowed, n);
    for (int masked = 0; masked < 2; masked++)
        for (int mode = 0; mode < 3; mode++) { /* exact; a few, if they are proved; and all */
            heaps_t h = heaps_make(3, k);
            ht_coarse_t coarse = {strips, s.blocks, ids, masked ? pages.page : NULL, n, coordinates, coarse_bits, dim, bits, metric};
            CHECK(search(&s, &coarse, mode == 0 ? 0 : mode == 1 ? k + 5 : n, &h, proved, looked_at) == HT_OK, "search");
            if (mode == 0 || (proved[0] && proved[1] && proved[2]))
                CHECK(heaps_right(&s, &h, metric, ids, masked ? allowed : NULL), "%s, %u of %u bits, %u of %u, way %d, mode %d",
                      metric_names[metric], coarse_bits, bits, coordinates, dim, way, mode);
            if (mode == 0) {
                heaps_t plain = heaps_make(3, k);
                CHECK(scan(&s, metric, 0, n, ids, 0, masked ? allowed : NULL, &plain) == HT_OK, "scan");
                CHECK(ht_heap_sort(plain.distances, plain.ids, plain.counts, 3, k) == HT_OK, "sort");
                for (uint64_t q = 0; q < 3; q++)
                    CHECK(memcmp(plain.ids + q * k, h.ids + q * k, (size_t)plain.counts[q] * 8) == 0, "the ids of the plain scan");
                heaps_free(&plain);
            }
            if (mode == 2) CHECK(proved[0] && proved[1] && proved[2], "all were looked at");
            heaps_free(&h);
        }
    store_free(&s), free(strips), free(allowed), free(ids);
}

static void refusals(void) {
    ht_coarse_t coarse = {.coordinates = 4, .coarse_bits = 2, .dim = 4, .bits = 8, .count = 1};
    uint8_t row[4] = {0}, proved, scratch[8];
    uint32_t distance;
    int64_t id, count = 0;
    uint64_t looked_at;
    CHECK(ht_coarse_bytes(1, 0, 2) == HT_ERROR_DIM, "no coordinates");
    CHECK(ht_coarse_bytes(1, 4, 8) == HT_ERROR_BITS, "8 bits");
    CHECK(ht_coarse_bytes(1, 1025, 2) == HT_ERROR_DIM, "sums of more than 16 bits");
    CHECK(ht_coarse_bytes(65, 1024, 2) == 128 * 256, "the widest");
    CHECK(ht_coarse_put(NULL, 4, 2, 4, 8, 0, row, 1) == HT_ERROR_NULL, "null");
    CHECK(ht_coarse_put(row, 5, 2, 4, 8, 0, row, 1) == HT_ERROR_DIM, "more coordinates than there are");
    CHECK(ht_coarse_put(row, 4, 4, 4, 2, 0, row, 1) == HT_ERROR_BITS, "more bits than there are");
    CHECK(ht_coarse_search_bytes(NULL, 1, 0) == HT_ERROR_NULL, "null");
    CHECK(ht_coarse_search_bytes(&coarse, 0, 0) == HT_ERROR_K, "k");
    CHECK(ht_coarse_search(&coarse, row, 1, 1, 0, &distance, &id, &count, &proved, &looked_at, scratch, 8) == HT_ERROR_NULL,
          "no codes");
    coarse.strips = coarse.blocks = row;
    CHECK(ht_coarse_search(&coarse, row, 1, 1, 0, &distance, &id, &count, &proved, &looked_at, scratch, 8) == HT_ERROR_SCRATCH,
          "scratch");
}

int main(void) {
    static const uint32_t shapes[][4] = {{64, 8, 64, 4}, {64, 8, 32, 2}, {37, 8, 19, 1}, {9, 4, 9, 2}, {33, 4, 20, 4},
                                         {70, 2, 70, 1}, {5, 1, 3, 1}, {600, 8, 512, 4}};
    for (int i = 0; i < ISAS; i++) {
        if (ht_isa_supported(isa_names[i]) != 1) continue;
        CHECK(ht_isa_use(isa_names[i]) == HT_OK, "use");
        for (uint64_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
            for (uint32_t metric = 0; metric < METRICS; metric++) {
                const uint32_t *p = shapes[shape];
                way_t way = (way_t)random_below(WAYS);
                compare(p[0], p[1], p[2], p[3], 1 + random_below(500), 1 + random_below(20), metric, way);
                if (p[0] < 100) compare(p[0], p[1], p[2], p[3], 4200, 3, metric, way); /* enough strips for a sample */
            }
    }
    refusals();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}

/*  test_threads.c: one thread adds codes to a store while others search what is published of it, to be built with
 *  -fsanitize=thread. A reader sees `count` codes and must load no byte of those beyond, where the writer writes. */
#include <pthread.h>

#include "harness.h"

enum { READERS = 3, CODES = 203, K = 3, DIM = 40, STEP = 3, FIRST = 20 };

typedef struct {
    uint32_t bits, metric;
    uint8_t *rows, *blocks, *strips, *tables;
    uint64_t published; /* atomic: how many codes readers may look at */
    long searches, wrong;
} shared_t;

/*  The least distance among the first `count` rows, by the literal formula. */
static uint32_t least(const shared_t *shared, uint64_t count, const uint8_t *query) {
    uint32_t best = UINT32_MAX;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *row = shared->rows + i * row_bytes(DIM, shared->bits);
        uint32_t distance = literal_distance(row, query, DIM, shared->bits, shared->metric);
        if (distance < best) best = distance;
    }
    return best;
}

static uint32_t coarse_bits(const shared_t *shared) { return shared->bits < 2 ? 1 : 2; }

/*  Searches by tables and in two passes; returns how many went wrong. */
static long search_otherwise(const shared_t *shared, uint64_t count, const uint8_t *query) {
    ht_coarse_t coarse = {.strips = shared->strips, .blocks = shared->blocks, .count = count, .coordinates = FIRST,
                          .coarse_bits = coarse_bits(shared), .dim = DIM, .bits = shared->bits, .metric = shared->metric};
    int64_t bytes = ht_coarse_search_bytes(&coarse, K, 0), more = shared->bits < 8 ? ht_tables_bytes(DIM, shared->bits, 1) : 0;
    uint8_t *scratch = memory((size_t)(bytes > more ? bytes : more)), proved;
    uint32_t distances[K];
    int64_t ids[K], filled = 0;
    uint64_t looked_at;
    long wrong = ht_coarse_search(&coarse, query, 1, K, 0, distances, ids, &filled, &proved, &looked_at, scratch,
                                  (uint64_t)bytes) != HT_OK;
    ht_heap_sort(distances, ids, &filled, 1, K);
    wrong += distances[0] != least(shared, count, query);
    filled = 0;
    if (more) wrong += ht_scan_tables(shared->blocks, DIM, shared->bits, 0, count, NULL, 1, NULL, shared->tables, 1, K,
                                      distances, ids, &filled, scratch, (uint64_t)more) != HT_OK;
    free(scratch);
    return wrong;
}

static void *read_all(void *argument) {
    shared_t *shared = argument;
    ht_store_t store = {.blocks = shared->blocks, .ascending = 1};
    ht_index_t index = {DIM, shared->bits, shared->metric, 1, &store};
    uint64_t bytes = (uint64_t)ht_search_bytes(&index, 1, NULL), count, resume, seen = 0;
    uint8_t *scratch = memory(bytes);
    uint32_t distances[CODES];
    int64_t ids[CODES], filled, found;
    long searches = 0, wrong = 0;
    const uint8_t *query = shared->rows + CODES * row_bytes(DIM, shared->bits);
    do {
        count = __atomic_load_n(&shared->published, __ATOMIC_ACQUIRE);
        if (count == seen) continue;
        seen = store.count = count, filled = 0;
        if (ht_search(&index, query, 1, K, distances, ids, NULL, NULL, scratch, bytes)) wrong++;
        if (distances[0] != least(shared, count, query)) wrong++;
        if (ht_scan(shared->blocks, DIM, shared->bits, shared->metric, 0, count, NULL, 1, NULL, query, 1, K, distances,
                    ids, &filled, scratch, bytes)) wrong++;
        found = ht_within(shared->blocks, DIM, shared->bits, shared->metric, 0, count, NULL, NULL, query, UINT32_MAX - 1,
                          CODES, distances, ids, &resume, scratch, bytes);
        if (found != (int64_t)count || resume != count) wrong++;
        wrong += search_otherwise(shared, count, query);
        searches += 5;
    } while (count < CODES);
    __atomic_fetch_add(&shared->searches, searches, __ATOMIC_RELAXED);
    __atomic_fetch_add(&shared->wrong, wrong, __ATOMIC_RELAXED);
    free(scratch);
    return NULL;
}

static void add_while_others_search(uint32_t bits, uint32_t metric) {
    shared_t shared = {.bits = bits, .metric = metric};
    size_t width = row_bytes(DIM, bits);
    pthread_t readers[READERS];
    shared.rows = memory((CODES + 1) * width), shared.blocks = memory((size_t)ht_block_bytes(CODES, DIM, bits));
    shared.strips = memory((size_t)ht_coarse_bytes(CODES, FIRST, coarse_bits(&shared))), shared.tables = memory(DIM * 16);
    for (size_t i = 0; i < DIM * 16; i++) shared.tables[i] = (uint8_t)random_below(256);
    for (size_t i = 0; i < (CODES + 1) * width; i++) shared.rows[i] = (uint8_t)random_below(256);
    for (int i = 0; i < READERS; i++)
        if (pthread_create(readers + i, NULL, read_all, &shared)) abort();
    for (uint64_t first = 0; first < CODES; first += STEP) {
        uint64_t n = CODES - first < STEP ? CODES - first : STEP;
        CHECK(ht_block_put(shared.blocks, DIM, bits, first, shared.rows + first * width, n) == HT_OK, "put");
        CHECK(ht_coarse_put(shared.strips, FIRST, coarse_bits(&shared), DIM, bits, first, shared.rows + first * width, n) ==
                  HT_OK, "put the coarse part");
        __atomic_store_n(&shared.published, first + n, __ATOMIC_RELEASE);
        for (volatile int pause = 0; pause < 20000; pause++) {}
    }
    for (int i = 0; i < READERS; i++) pthread_join(readers[i], NULL);
    CHECK(shared.wrong == 0 && shared.searches >= READERS * 5, "bits %u, %s: %ld wrong of %ld searches", bits,
          metric_names[metric], shared.wrong, shared.searches);
    free(shared.rows), free(shared.blocks), free(shared.strips), free(shared.tables);
}

int main(void) {
    literal_cosine(0); /* its table is made by the first who asks */
    for (int isa = -1; isa < ISAS; isa++) { /* first the one that is chosen by whoever searches first */
        if (isa >= 0 && ht_isa_use(isa_names[isa]) != HT_OK) continue;
        for (int b = 0; b < BIT_DEPTHS; b++)
            for (uint32_t metric = 0; metric < METRICS; metric++) add_while_others_search(all_bits[b], metric);
    }
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}

/*  fuzz_core.c: any bytes as a shape, rows, queries and cells of a search; what comes back is right, or an error.
 *
 *      clang -g -O1 -fsanitize=fuzzer,address,undefined native/[a-z]*.c native/tests/fuzz_core.c -lm -o fuzz && ./fuzz
 */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    const uint8_t *data;
    size_t size, at;
} bytes_t;

static uint32_t next(bytes_t *bytes) { return bytes->at < bytes->size ? bytes->data[bytes->at++] : 0; }

static void must(int condition, const char *what) {
    if (!condition) fprintf(stderr, "%s\n", what), abort();
}

/*  Whether the nearest distances are those of the literal formula. */
static void check_nearest(const uint8_t *rows, uint64_t n, const uint8_t *query, uint32_t dim, uint32_t bits,
                          uint32_t metric, uint64_t k, const uint32_t *found, const int64_t *ids) {
    size_t width = row_bytes(dim, bits);
    for (uint64_t i = 0; i < k; i++) {
        uint64_t nearer = 0;
        if (ids[i] < 0) {
            must(i >= n, "a place is empty though there are codes");
            continue;
        }
        must((uint64_t)ids[i] < n, "an id that is not there");
        must(literal_distance(rows + (uint64_t)ids[i] * width, query, dim, bits, metric) == found[i], "a wrong distance");
        for (uint64_t j = 0; j < n; j++)
            nearer += literal_distance(rows + j * width, query, dim, bits, metric) < found[i];
        must(nearer <= i, "a nearer code was passed over");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes_t bytes = {data, size, 0};
    uint32_t dim = next(&bytes), bits = next(&bytes) % 10, metric = next(&bytes) % 4;
    uint64_t n = next(&bytes) % 64, k = next(&bytes) % 8, isa = next(&bytes) % ISAS;
    int64_t store_bytes = ht_block_bytes(n, dim, bits), needed;
    ht_store_t store = {.count = n, .ascending = 1};
    ht_index_t index = {dim, bits, metric, 1, &store};
    uint8_t *rows, *again, *blocks, *query, *scratch;
    uint32_t distances[8];
    int64_t ids[8], positions[64];
    if (store_bytes < 0) return 0; /* a shape that is refused */
    if (ht_isa_use(isa_names[isa]) != HT_OK) ht_isa_use("serial");
    rows = memory(n * row_bytes(dim, bits)), again = memory(n * row_bytes(dim, bits));
    blocks = memory((size_t)store_bytes), query = memory(row_bytes(dim, bits));
    for (size_t i = 0; i < row_bytes(dim, bits); i++) query[i] = (uint8_t)next(&bytes);
    for (size_t i = 0; i < n * row_bytes(dim, bits); i++) rows[i] = (uint8_t)next(&bytes);
    must(ht_block_put(blocks, dim, bits, 0, rows, n) == HT_OK, "put");
    for (uint64_t i = 0; i < n; i++) positions[i] = (int64_t)i;
    must(ht_block_get(blocks, dim, bits, positions, n, again) == HT_OK, "get");
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < dim; j++)
            must(coordinate(rows + i * row_bytes(dim, bits), bits, j) ==
                     coordinate(again + i * row_bytes(dim, bits), bits, j), "a coordinate changed");
    store.blocks = blocks;
    needed = ht_search_bytes(&index, 1, NULL);
    must(needed > 0, "scratch");
    scratch = memory((size_t)needed);
    if (ht_search(&index, query, 1, k, distances, ids, NULL, NULL, scratch, (uint64_t)needed) == HT_OK)
        check_nearest(rows, n, query, dim, bits, metric, k, distances, ids);
    else
        must(k == 0 || metric > HT_COSINE, "a search that makes sense was refused");
    free(rows), free(again), free(blocks), free(query), free(scratch);
    return 0;
}

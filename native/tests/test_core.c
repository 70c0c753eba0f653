/*  test_core.c: the native core against the literal formula, on every instruction set this machine runs. Build it
 *  with the address and undefined-behaviour sanitizers. */
#include "harness.h"

typedef uint32_t (*pair_t)(const uint8_t *, const uint8_t *, uint64_t);
typedef float (*pair_f32_t)(const uint8_t *, const uint8_t *, uint64_t);
static const pair_t pairs[METRICS][BIT_DEPTHS] = {{ht_l1_u8, ht_l1_u4, ht_l1_u2, ht_l1_u1},
                                                  {ht_l2_u8, ht_l2_u4, ht_l2_u2, ht_l2_u1},
                                                  {ht_cosine_u8, ht_cosine_u4, ht_cosine_u2, ht_cosine_u1}};
static const pair_f32_t pairs_f32[METRICS][BIT_DEPTHS] = {
    {ht_l1_u8_f32, ht_l1_u4_f32, ht_l1_u2_f32, ht_l1_u1_f32},
    {ht_l2_u8_f32, ht_l2_u4_f32, ht_l2_u2_f32, ht_l2_u1_f32},
    {ht_cosine_u8_f32, ht_cosine_u4_f32, ht_cosine_u2_f32, ht_cosine_u1_f32}};
static const uint32_t dims[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129, 200, 1000, 65535};
enum { DIMS = sizeof dims / sizeof *dims };

/*  Every byte against every byte, as vectors of one coordinate at 8 bits and as eight, four or two packed ones below:
 *  pairwise, as a matrix, as a full ranking, and with each distance as the radius. */
static void test_byte_pairs(const char *isa) {
    for (uint32_t m = 0; m < METRICS; m++)
        for (int b = 0; b < BIT_DEPTHS; b++) {
            uint32_t bits = all_bits[b], *matrix = memory(65536 * 4);
            store_t s = {8 / bits, bits, 256, 256, memory(256), memory(256), memory(2048)};
            heaps_t h = heaps_make(256, 256);
            int right = 1;
            for (int i = 0; i < 256; i++) s.rows[i] = s.queries[i] = (uint8_t)i;
            CHECK(ht_block_put(s.blocks, s.dim, bits, 0, s.rows, 256) == HT_OK, "put");
            CHECK(ht_distances(s.rows, 256, s.queries, 256, s.dim, bits, m, matrix) == HT_OK, "distances");
            for (int i = 0; i < 65536; i++) {
                uint8_t x = (uint8_t)(i >> 8), y = (uint8_t)i;
                uint32_t expected = literal_distance(&x, &y, s.dim, bits, m);
                right &= pairs[m][b](&x, &y, s.dim) == expected && matrix[i] == expected;
                right &= pairs_f32[m][b](&x, &y, s.dim) == (float)expected;
            }
            CHECK(right, "%s %s %u bits: pairwise", isa, metric_names[m], bits);
            CHECK(scan(&s, m, 0, 256, NULL, 0, NULL, &h) == HT_OK, "scan");
            CHECK(heaps_right(&s, &h, m, NULL, NULL), "%s %s %u bits: all bytes ranked", isa, metric_names[m], bits);
            free(matrix), heaps_free(&h), store_free(&s);
        }
}

/*  Every arc between angles all around in every coordinate, with exactly their distance as the radius: the tightest limit a
 *  lower bound can be held to. One pair of angles in seven is taken, so that each angle and each arc has its turn many
 *  times. 4-bit codes have one nibble of the row in even places and the other in odd ones, or in the last of each word
 *  only, where bounds of the others are exact and cannot hide one that is too high. */
static void test_tight_limits(const char *isa) {
    static const uint32_t tight_dims[] = {1, 16, 64};
    for (uint32_t m = 0; m < METRICS; m++)
        for (int b = 0; b < 2; b++)
            for (int d = 0; d < 3; d++) {
                store_t s = store_make(tight_dims[d], all_bits[b], 256, 1, ANYTHING);
                uint64_t bytes = (uint64_t)ht_scratch_bytes(s.dim, s.bits, 1), resume;
                size_t size = row_bytes(s.dim, s.bits);
                void *scratch = memory(bytes);
                uint32_t every = tight_dims[d] == 64 ? 16 : 2;
                int right = 1;
                for (int i = 0; i < 256; i++)
                    for (uint32_t c = 0; c < s.dim; c++)
                        set_coordinate(s.rows + (size_t)i * size, s.bits, c,
                                       (uint32_t)(c % every == every - 1 ? i >> (8 - s.bits) : i));
                CHECK(ht_block_put(s.blocks, s.dim, s.bits, 0, s.rows, 256) == HT_OK, "put");
                for (int q = 0; q < 256; q++)
                    for (uint64_t i = (uint64_t)q * 3 % 7; i < 256; i += 7) {
                        const uint8_t *query = s.rows + (size_t)q * size;
                        uint32_t distance, radius = pairs[m][b](query, s.rows + i * size, s.dim);
                        int64_t id;
                        right &= ht_within(s.blocks, s.dim, s.bits, m, i, i + 1, NULL, NULL, query, radius, 1, &distance,
                                           &id, &resume, scratch, bytes) == 1 && distance == radius;
                        right &= radius == 0 || ht_within(s.blocks, s.dim, s.bits, m, i, i + 1, NULL, NULL, query,
                                                          radius - 1, 1, &distance, &id, &resume, scratch, bytes) == 0;
                    }
                CHECK(right, "%s %s dim %u, %u bits", isa, metric_names[m], s.dim, s.bits);
                free(scratch), store_free(&s);
            }
}

/*  A tile of copies of the query makes the l1 filter rest, and the block after it meets the bound that the metric has
 *  instead, with exactly its distance as the radius: every arc in all coordinates, and two of them in turn. */
static void test_rested_filter(const char *isa) {
    static const uint32_t rested_dims[] = {61, 64};
    enum { TILE = 256, ALL = TILE + 8 }; /* of eight words a code */
    for (uint32_t m = 0; m < METRICS; m++)
        for (int d = 0; d < 2; d++) {
            store_t s = store_make(rested_dims[d], 8, ALL, 1, ANYTHING);
            uint64_t bytes = (uint64_t)ht_scratch_bytes(s.dim, 8, 1), resume;
            uint32_t distances[ALL];
            int64_t found[ALL];
            void *scratch = memory(bytes);
            int right = 1;
            for (int i = 0; i < TILE; i++) memcpy(s.rows + (size_t)i * s.dim, s.queries, s.dim);
            CHECK(ht_block_put(s.blocks, s.dim, 8, 0, s.rows, TILE) == HT_OK, "put");
            for (uint32_t arc = 1; arc < 512 + 64; arc++) { /* everywhere; two of them; and beyond 511 in every third place */
                uint8_t *row = s.rows + TILE * s.dim;
                uint32_t radius;
                for (uint32_t c = 0; c < s.dim; c++)
                    row[c] = (uint8_t)(s.queries[c] + (arc > 511 ? c % 3 == 0 ? arc - 511 : 0 :
                                                       arc > 255 && c % 2 ? arc * 37 : arc));
                for (uint32_t i = 1; i < 8; i++) memcpy(row + i * s.dim, row, s.dim);
                radius = pairs[m][0](s.queries, row, s.dim);
                CHECK(ht_block_put(s.blocks, s.dim, 8, TILE, row, ALL - TILE) == HT_OK, "put");
                right &= ht_within(s.blocks, s.dim, 8, m, 0, ALL, NULL, NULL, s.queries, radius, ALL, distances, found,
                                   &resume, scratch, bytes) == ALL && distances[ALL - 1] == radius;
                right &= radius == 0 || ht_within(s.blocks, s.dim, 8, m, 0, ALL, NULL, NULL, s.queries, radius - 1, ALL,
                                                  distances, found, &resume, scratch, bytes) == TILE;
            }
            CHECK(right, "%s %s dim %u", isa, metric_names[m], s.dim);
            free(scratch), store_free(&s);
        }
}

/*  Codes of one word to six and more, in more blocks than a row has, near a few centres and half a turn away from them:
 *  rows of blocks, blocks left early, and what does not fill a row or a group. */
static void test_words(const char *isa) {
    for (uint32_t words = 1; words <= 17; words += words < 6 ? 1 : 5)
        for (uint32_t m = 0; m < METRICS; m++)
            for (int b = 0; b < BIT_DEPTHS; b++)
                for (int way = CENTRES; way < WAYS; way++) {
                    uint32_t dim = words * 64 / all_bits[b] - random_below(2);
                    store_t s = store_make(dim, all_bits[b], 203, 5, (way_t)way);
                    heaps_t h = heaps_make(5, 3);
                    CHECK(scan(&s, m, 0, s.n, NULL, 0, NULL, &h) == HT_OK, "scan");
                    CHECK(heaps_right(&s, &h, m, NULL, NULL), "%s %s dim %u, %u bits", isa, metric_names[m], dim, s.bits);
                    heaps_free(&h), store_free(&s);
                }
}

static void test_dims(const char *isa) {
    for (int d = 0; d < DIMS; d++)
        for (uint32_t m = 0; m < METRICS; m++)
            for (int b = 0; b < BIT_DEPTHS; b++) {
                uint32_t dim = dims[d], bits = all_bits[b];
                uint64_t n = dim > 1000 ? 9 : 37, nq = dim > 1000 ? 2 : 6;
                store_t s = store_make(dim, bits, n, nq, (way_t)(d % WAYS));
                heaps_t h = heaps_make(nq, 5);
                size_t size = row_bytes(dim, bits);
                uint32_t *matrix = memory(nq * n * 4);
                int right = ht_distances(s.queries, nq, s.rows, n, dim, bits, m, matrix) == HT_OK;
                for (uint64_t i = 0; i < nq * n; i++) {
                    const uint8_t *x = s.queries + i / n * size, *y = s.rows + i % n * size;
                    uint32_t expected = literal_distance(x, y, dim, bits, m);
                    right = right && matrix[i] == expected && pairs[m][b](x, y, dim) == expected;
                }
                CHECK(right, "%s %s dim %u, %u bits: distances", isa, metric_names[m], dim, bits);
                CHECK(scan(&s, m, 0, n, NULL, 0, NULL, &h) == HT_OK, "scan");
                CHECK(heaps_right(&s, &h, m, NULL, NULL), "%s %s dim %u, %u bits", isa, metric_names[m], dim, bits);
                free(matrix), heaps_free(&h), store_free(&s);
            }
}

/*  The farthest two vectors there are: the largest sums, in every lane. */
static void test_antipodes(const char *isa) {
    for (uint32_t m = 0; m < METRICS; m++)
        for (int b = 0; b < BIT_DEPTHS; b++) {
            store_t s = store_make(65535, all_bits[b], 8, 4, ANYTHING);
            heaps_t h = heaps_make(4, 8);
            size_t size = row_bytes(s.dim, s.bits);
            for (uint64_t i = 0; i < 12; i++)
                for (uint32_t c = 0; c < s.dim; c++)
                    set_coordinate(i < 8 ? s.rows + i * size : s.queries + (i - 8) * size, s.bits, c,
                                   i < 8 ? 1u << (s.bits - 1) : 0);
            CHECK(ht_block_put(s.blocks, s.dim, s.bits, 0, s.rows, 8) == HT_OK, "put");
            CHECK(scan(&s, m, 0, 8, NULL, 0, NULL, &h) == HT_OK, "scan");
            CHECK(heaps_right(&s, &h, m, NULL, NULL), "%s %s %u bits", isa, metric_names[m], s.bits);
            CHECK(m != HT_COSINE || h.distances[0] == 2147450880u, "%u", h.distances[0]);
            heaps_free(&h), store_free(&s);
        }
}

static void test_scan(const char *isa) {
    static const uint64_t sizes[] = {1, 7, 8, 9, 64, 333}, ks[] = {1, 10, 400};
    for (uint32_t m = 0; m < METRICS; m++)
        for (int b = 0; b < BIT_DEPTHS; b++)
            for (int way = 0; way < WAYS; way++)
                for (int i = 0; i < 6; i++) {
                    uint64_t n = sizes[i], k = ks[random_below(3)], nq = 1 + random_below(9), cut = random_below((uint32_t)n + 1);
                    store_t s = store_make(1 + random_below(90), all_bits[b], n, nq, (way_t)way);
                    int64_t *ids = memory(n * 8), *ascending = memory(n * 8);
                    uint8_t *allowed = memory((n + 7) / 8);
                    heaps_t plain = heaps_make(nq, k), split = heaps_make(nq, k), named = heaps_make(nq, k);
                    heaps_t masked = heaps_make(nq, k), ordered = heaps_make(nq, k), other = heaps_make(nq, k);
                    for (uint64_t p = 0; p < n; p++) {
                        ids[p] = (int64_t)((p * 7919) % 1009) * 10000000019 - 5000000000000;
                        ascending[p] = (int64_t)p * 3 - 50;
                    }
                    for (uint64_t p = 0; p < (n + 7) / 8; p++) allowed[p] = (uint8_t)(random_below(256) & random_below(256));
                    scan(&s, m, 0, n, NULL, 0, NULL, &plain);
                    CHECK(heaps_right(&s, &plain, m, NULL, NULL), "%s %s plain", isa, metric_names[m]);
                    scan(&s, m, cut, n, NULL, 0, NULL, &split); /* the later half first */
                    scan(&s, m, 0, cut / 2, NULL, 0, NULL, &other);
                    scan(&s, m, cut / 2, cut, NULL, 0, NULL, &split);
                    CHECK(ht_heap_merge(split.distances, split.ids, split.counts, other.distances, other.ids, other.counts,
                                        nq, k) == HT_OK, "merge");
                    CHECK(heaps_right(&s, &split, m, NULL, NULL), "%s %s split at %d", isa, metric_names[m], (int)cut);
                    scan(&s, m, 0, cut, ids, 0, NULL, &named);
                    scan(&s, m, cut, n, ids, 0, NULL, &named);
                    CHECK(heaps_right(&s, &named, m, ids, NULL), "%s %s any ids", isa, metric_names[m]);
                    scan(&s, m, cut, n, ascending, 1, NULL, &ordered);
                    scan(&s, m, 0, cut, ascending, 1, NULL, &ordered);
                    CHECK(heaps_right(&s, &ordered, m, ascending, NULL), "%s %s ascending ids", isa, metric_names[m]);
                    scan(&s, m, 0, n, ids, 0, allowed, &masked);
                    CHECK(heaps_right(&s, &masked, m, ids, allowed), "%s %s allowed", isa, metric_names[m]);
                    heaps_free(&plain), heaps_free(&split), heaps_free(&named), heaps_free(&masked);
                    heaps_free(&ordered), heaps_free(&other);
                    free(ids), free(ascending), free(allowed), store_free(&s);
                }
}

/*  Three pages: of some positions, of all, and of some again. */
static void test_pages(const char *isa) {
    uint64_t a_page = HT_PAGE * 8, n = 2 * a_page + 1000;
    uint8_t *allowed = memory((n + 7) / 8);
    int64_t positions[4] = {-1, 0, (int64_t)a_page, (int64_t)n - 1};
    uint8_t counts[4];
    pages_t pages;
    for (uint64_t p = 0; p < (n + 7) / 8; p++) allowed[p] = p / HT_PAGE == 1 ? 0xFF : p % 3 ? 0 : (uint8_t)random_below(256);
    pages = pages_of(allowed, n);
    CHECK(pages.page[0] && !pages.page[1] && pages.page[2], "pages");
    CHECK(ht_counting_at(pages.page, positions, 4, counts) == HT_OK && !counts[0] && counts[1] == (allowed[0] & 1) &&
              counts[2] == 1 && counts[3] == (allowed[(n - 1) / 8] >> (n - 1) % 8 & 1), "counting");
    for (int b = 0; b < BIT_DEPTHS; b++) {
        store_t s = store_make(5, all_bits[b], n, 1, ANYTHING);
        heaps_t h = heaps_make(1, 3000);
        scan(&s, HT_L1, 3, n, NULL, 0, allowed, &h);
        allowed[0] &= 0xF8; /* the scan began at the fourth */
        CHECK(heaps_right(&s, &h, HT_L1, NULL, allowed), "%s, %u bits: pages", isa, all_bits[b]);
        heaps_free(&h), store_free(&s);
    }
    free(allowed);
}

/*  Enough vectors for many tiles, so that the l1 filter rests and wakes; every instruction set against serial. */
static void test_many(void) {
    for (uint32_t m = 0; m < METRICS; m++)
        for (int b = 0; b < BIT_DEPTHS; b++)
            for (int way = 0; way < WAYS; way++) {
                store_t s = store_make(way % 2 ? 131 : way ? 24 : 64, all_bits[b], way % 2 ? 4000 : 12000, 6, (way_t)way);
                heaps_t serial = heaps_make(6, 10);
                ht_isa_use("serial");
                scan(&s, m, 3, s.n - 2, NULL, 0, NULL, &serial);
                ht_heap_sort(serial.distances, serial.ids, serial.counts, 6, 10);
                for (int i = 1; i < ISAS; i++) {
                    heaps_t h = heaps_make(6, 10);
                    if (ht_isa_use(isa_names[i]) == HT_OK) {
                        scan(&s, m, 3, s.n - 2, NULL, 0, NULL, &h);
                        ht_heap_sort(h.distances, h.ids, h.counts, 6, 10);
                        CHECK(!memcmp(h.distances, serial.distances, 240) && !memcmp(h.ids, serial.ids, 480),
                              "%s %s %u bits", isa_names[i], metric_names[m], s.bits);
                    }
                    heaps_free(&h);
                }
                heaps_free(&serial), store_free(&s);
            }
}

static void test_within(const char *isa) {
    for (uint32_t m = 0; m < METRICS; m++)
        for (int b = 0; b < BIT_DEPTHS; b++)
            for (int way = 0; way < WAYS; way++) {
                store_t s = store_make(1 + random_below(70), all_bits[b], 217, 1, (way_t)way);
                uint64_t bytes = (uint64_t)ht_scratch_bytes(s.dim, s.bits, 1), first = random_below(20), resume = first;
                uint32_t median, distances[13];
                int64_t found[13], count, expected = (int64_t)first - 1;
                void *scratch = memory(bytes);
                size_t size = row_bytes(s.dim, s.bits);
                int right = 1;
                median = literal_distance(s.rows + 100 * size, s.queries, s.dim, s.bits, m);
                do {
                    count = ht_within(s.blocks, s.dim, s.bits, m, resume, 210, NULL, NULL, s.queries, median, 13,
                                      distances, found, &resume, scratch, bytes);
                    for (int64_t i = 0; i < count; i++) {
                        for (expected++; expected < 210; expected++)
                            if (literal_distance(s.rows + (size_t)expected * size, s.queries, s.dim, s.bits, m) <= median)
                                break;
                        right &= found[i] == expected;
                        right &= distances[i] == literal_distance(s.rows + (size_t)found[i] * size, s.queries, s.dim, s.bits, m);
                    }
                } while (right && count == 13 && resume < 210);
                for (expected++; expected < 210; expected++)
                    right &= literal_distance(s.rows + (size_t)expected * size, s.queries, s.dim, s.bits, m) > median;
                CHECK(right && resume == 210, "%s %s %u bits", isa, metric_names[m], s.bits);
                free(scratch), store_free(&s);
            }
}

static void test_put_get(void) {
    for (int d = 0; d < DIMS; d++)
        for (int b = 0; b < BIT_DEPTHS; b++) {
            uint32_t dim = dims[d], bits = all_bits[b];
            size_t size = row_bytes(dim, bits), blocks_size = (size_t)ht_block_bytes(21, dim, bits);
            uint8_t *rows = memory(21 * size), *back = memory(21 * size), *blocks = memory(blocks_size);
            uint8_t *once = memory(blocks_size);
            int64_t positions[21];
            for (int i = 0; i < 21; i++) fill_row(rows + (size_t)i * size, NULL, dim, bits, ANYTHING), positions[i] = 20 - i;
            memset(blocks, 0, blocks_size), memset(once, 0, blocks_size);
            CHECK(ht_block_put(once, dim, bits, 0, rows, 21) == HT_OK, "put at once");
            CHECK(ht_block_put(blocks, dim, bits, 5, rows + 5 * size, 16) == HT_OK, "put the end");
            CHECK(ht_block_put(blocks, dim, bits, 0, rows, 5) == HT_OK, "put the beginning");
            CHECK(memcmp(blocks, once, blocks_size) == 0, "dim %u, %u bits: put in parts", dim, bits);
            CHECK(ht_block_get(blocks, dim, bits, positions, 21, back) == HT_OK, "get");
            for (int i = 0; i < 21; i++)
                CHECK(memcmp(back + (size_t)(20 - i) * size, rows + (size_t)i * size, size) == 0, "dim %u, %u bits", dim, bits);
            free(rows), free(back), free(blocks), free(once);
        }
}

static void test_bad_arguments(void) {
    uint8_t code[64] = {0}, blocks[512] = {0}, scratch[4096];
    uint32_t distances[4];
    int64_t ids[4], counts[1] = {0}, negative = -1;
    uint64_t resume;
#define SCAN(blocks, dim, bits, metric, first, last, queries, k, counts, scratch, bytes)                      \
    ht_scan(blocks, dim, bits, metric, first, last, NULL, 0, NULL, queries, 1, k, distances, ids, counts, scratch, bytes)
    CHECK(SCAN(blocks, 64, 8, 0, 0, 8, code, 4, counts, scratch, 4096) == HT_OK, "all is well");
    CHECK(SCAN(NULL, 64, 8, 0, 0, 8, code, 4, counts, scratch, 4096) == HT_ERROR_NULL, "blocks");
    CHECK(SCAN(blocks, 64, 8, 0, 0, 8, NULL, 4, counts, scratch, 4096) == HT_ERROR_NULL, "queries");
    CHECK(SCAN(blocks, 64, 8, 0, 0, 8, code, 4, NULL, scratch, 4096) == HT_ERROR_NULL, "counts");
    CHECK(SCAN(blocks, 64, 8, 0, 0, 8, code, 4, counts, NULL, 4096) == HT_ERROR_NULL, "scratch");
    CHECK(SCAN(blocks, 0, 8, 0, 0, 8, code, 4, counts, scratch, 4096) == HT_ERROR_DIM, "dim 0");
    CHECK(SCAN(blocks, 65536, 8, 0, 0, 8, code, 4, counts, scratch, 4096) == HT_ERROR_DIM, "dim 65536");
    CHECK(SCAN(blocks, 64, 3, 0, 0, 8, code, 4, counts, scratch, 4096) == HT_ERROR_BITS, "bits");
    CHECK(SCAN(blocks, 64, 8, 3, 0, 8, code, 4, counts, scratch, 4096) == HT_ERROR_METRIC, "metric");
    CHECK(SCAN(blocks, 64, 8, 0, 9, 8, code, 4, counts, scratch, 4096) == HT_ERROR_RANGE, "first > last");
    CHECK(SCAN(blocks, 64, 8, 0, 0, UINT64_MAX, code, 4, counts, scratch, 4096) == HT_ERROR_RANGE, "last");
    CHECK(SCAN(blocks, 64, 8, 0, 0, 8, code, 0, counts, scratch, 4096) == HT_ERROR_K, "k");
    CHECK(SCAN(blocks, 64, 8, 0, 0, 8, code, 4, counts, scratch, 63) == HT_ERROR_SCRATCH, "scratch size");
    CHECK(SCAN(blocks, 64, 8, 0, 0, 8, code, 4, &negative, scratch, 4096) == HT_ERROR_HEAP, "count");
    CHECK(SCAN(NULL, 64, 8, 0, 5, 5, code, 4, counts, scratch, 4096) == HT_OK, "an empty range");
    CHECK(ht_scan(blocks, 64, 8, 0, 0, 8, NULL, 0, NULL, NULL, 0, 4, NULL, NULL, NULL, NULL, 0) == HT_OK, "no query");
    CHECK(ht_within(blocks, 64, 8, 0, 0, 8, NULL, NULL, code, 9, 0, distances, ids, &resume, scratch, 4096) == HT_ERROR_K, "capacity");
    CHECK(ht_within(blocks, 64, 8, 0, 0, 8, NULL, NULL, code, 9, 4, distances, ids, NULL, scratch, 4096) == HT_ERROR_NULL, "resume");
    CHECK(ht_distances(code, 1, NULL, 1, 8, 8, 0, distances) == HT_ERROR_NULL, "b");
    CHECK(ht_distances(code, 1, code, 1, 8, 8, 9, distances) == HT_ERROR_METRIC, "metric");
    CHECK(ht_block_bytes(UINT64_MAX, 8, 8) == HT_ERROR_RANGE && ht_block_bytes(1, 0, 8) == HT_ERROR_DIM, "block bytes");
    CHECK(ht_block_bytes((uint64_t)1 << 40, 8, 8) == (int64_t)1 << 43, "large stores");
    CHECK(ht_block_put(NULL, 8, 8, 0, code, 1) == HT_ERROR_NULL, "put");
    CHECK(ht_block_put(blocks, 8, 8, UINT64_MAX, code, 1) == HT_ERROR_RANGE, "put first");
    CHECK(ht_block_get(blocks, 8, 8, &negative, 1, code) == HT_ERROR_RANGE, "get a negative position");
    CHECK(ht_heap_sort(distances, ids, &negative, 1, 4) == HT_ERROR_HEAP && ht_heap_sort(NULL, ids, counts, 1, 4) == HT_ERROR_NULL, "sort");
    CHECK(ht_heap_merge(distances, ids, counts, NULL, ids, counts, 1, 4) == HT_ERROR_NULL, "merge");
    CHECK(ht_scratch_bytes(8, 5, 1) == HT_ERROR_BITS && ht_scratch_bytes(8, 8, UINT64_MAX) == HT_ERROR_RANGE, "scratch bytes");
    CHECK(ht_l1_u8(NULL, code, 8) == UINT32_MAX && ht_l1_u8(code, code, 0) == UINT32_MAX, "pair");
    CHECK(ht_isa_use("mmx") == HT_ERROR_ISA_UNKNOWN && ht_isa_use(NULL) == HT_ERROR_NULL, "isa");
    CHECK(ht_isa_supported("serial") == 1 && ht_isa_supported("") == HT_ERROR_ISA_UNKNOWN, "isa");
    CHECK(ht_isa_supported("avx2") + ht_isa_supported("neon") < 2, "no processor has both");
    for (int32_t error = -11; error <= 0; error++) CHECK(strlen(ht_error_text(error)) > 0, "text");
}

int main(void) {
    CHECK(ht_isa_name() != NULL, "HYPERTORUS_ISA");
    for (int i = 0; i < ISAS; i++) {
        if (ht_isa_use(isa_names[i]) != HT_OK) {
            printf("%s: skipped, this machine does not run it\n", isa_names[i]);
            continue;
        }
        CHECK(strcmp(ht_isa_name(), isa_names[i]) == 0, "in use");
        test_byte_pairs(isa_names[i]);
        test_tight_limits(isa_names[i]);
        test_rested_filter(isa_names[i]);
        test_words(isa_names[i]);
        test_dims(isa_names[i]);
        test_antipodes(isa_names[i]);
        test_scan(isa_names[i]);
        test_pages(isa_names[i]);
        test_within(isa_names[i]);
        printf("%s: tested\n", isa_names[i]);
    }
    test_many();
    test_put_get();
    test_bad_arguments();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}

/*  test_tables.c: the search by tables against the literal sum, on every instruction set this machine runs. Build it with
 *  the address and undefined-behaviour sanitizers. */
#include "harness.h"

static uint64_t nibbles_of(const store_t *s) { return ((uint64_t)s->dim * s->bits + 3) / 4; }

/*  Ways to fill tables: anything; small numbers, so that ties abound; all the same; the largest or nothing; large ones of
 *  which only a few nibbles differ, so that what is left of a limit is small; sums over bits, all but a little. */
enum { ANY_ENTRY, SMALL, FLAT, EXTREME, NARROW, SUMS, TABLE_WAYS };

static uint8_t sum_over_bits(uint32_t costs, uint64_t nibble) { /* a byte for each bit, which also costs if it is not set */
    uint32_t sum = random_below(3);
    for (int bit = 0; bit < 4; bit++, costs >>= 8)
        if ((nibble >> bit & 1) == (costs >> 7 & 1)) sum += (costs & 127) / 2;
    return (uint8_t)sum;
}

static uint8_t *tables_make(const store_t *s, int way) {
    uint64_t size = nibbles_of(s) * 16;
    uint8_t *tables = memory(s->nq * size);
    uint32_t costs = 0;
    for (uint64_t i = 0; i < s->nq * size; i++) {
        tables[i] = (uint8_t)random_below(256);
        if (i % 16 == 0) costs = random_below(UINT32_MAX);
        if (way == SMALL) tables[i] %= 3;
        if (way == FLAT) tables[i] = 77;
        if (way == EXTREME) tables[i] = tables[i] & 1 ? 255 : 0;
        if (way == SUMS) tables[i] = sum_over_bits(costs, i % 16);
        if (way == NARROW) tables[i] = (uint8_t)(200 + (i / 16 % 5 == 0 ? tables[i] % 50 : 0));
    }
    return tables;
}

static uint32_t literal_sum(const store_t *s, const uint8_t *tables, uint64_t q, uint64_t i) {
    const uint8_t *row = s->rows + i * row_bytes(s->dim, s->bits);
    uint32_t sum = 0;
    for (uint64_t n = 0; n < nibbles_of(s); n++)
        sum += tables[(q * nibbles_of(s) + n) * 16 + (row[n / 2] >> (n % 2 * 4) & 15)];
    return sum;
}

static void scan_tables(const store_t *s, const uint8_t *tables, uint64_t first, uint64_t last, const int64_t *ids,
                        int ascending, const uint8_t *allowed, heaps_t *h) {
    uint64_t bytes = (uint64_t)ht_tables_bytes(s->dim, s->bits, s->nq);
    void *scratch = memory(bytes);
    pages_t pages = pages_of(allowed, s->n);
    CHECK(ht_scan_tables(s->blocks, s->dim, s->bits, first, last, ids, ascending, allowed ? pages.page : NULL, tables, s->nq, h->k,
                         h->distances, h->ids, h->counts, scratch, bytes) == HT_OK, "scan");
    free(scratch);
}

static int tables_right(const store_t *s, const uint8_t *tables, heaps_t *h, const int64_t *ids, const uint8_t *allowed) {
    hit_t *hits = memory(s->n * sizeof *hits);
    int right = ht_heap_sort(h->distances, h->ids, h->counts, h->nq, h->k) == HT_OK;
    for (uint64_t q = 0; q < s->nq; q++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < s->n; i++)
            if (!allowed || allowed[i / 8] >> i % 8 & 1)
                hits[count].distance = literal_sum(s, tables, q, i), hits[count++].id = ids ? ids[i] : (int64_t)i;
        qsort(hits, count, sizeof *hits, compare_hits);
        if (count > h->k) count = h->k;
        right = right && (uint64_t)h->counts[q] == count;
        for (uint64_t i = 0; right && i < count; i++)
            right = h->distances[q * h->k + i] == hits[i].distance && h->ids[q * h->k + i] == hits[i].id;
    }
    free(hits);
    return right;
}

static void test_scan(const char *isa) {
    static const uint32_t dims[] = {1, 3, 16, 17, 33, 64, 65, 130, 1000};
    static const uint64_t sizes[] = {1, 8, 9, 63, 64, 65, 700}, ks[] = {1, 10, 800};
    for (int d = 0; d < 9; d++)
        for (int b = 1; b < BIT_DEPTHS; b++)
            for (int way = 0; way < TABLE_WAYS; way++) {
                uint64_t n = sizes[random_below(7)], nq = 1 + random_below(9), k = ks[random_below(3)];
                uint64_t cut = random_below((uint32_t)n + 1);
                store_t s = store_make(dims[d], all_bits[b], n, nq, (way_t)(way % CENTRES));
                uint8_t *tables = tables_make(&s, way), *allowed = memory((n + 7) / 8);
                int64_t *ids = memory(n * 8), *ascending = memory(n * 8);
                heaps_t whole = heaps_make(nq, k), split = heaps_make(nq, k), named = heaps_make(nq, k);
                heaps_t ordered = heaps_make(nq, k), masked = heaps_make(nq, k);
                for (uint64_t p = 0; p < n; p++) {
                    ids[p] = (int64_t)((p * 7919) % 1009) * 10000000019 - 5000000000000;
                    ascending[p] = (int64_t)p * 3 - 50;
                }
                for (uint64_t p = 0; p < (n + 7) / 8; p++) allowed[p] = (uint8_t)(random_below(256) & random_below(256));
                scan_tables(&s, tables, 0, n, NULL, 0, NULL, &whole);
                CHECK(tables_right(&s, tables, &whole, NULL, NULL), "%s dim %u, %u bits", isa, s.dim, s.bits);
                scan_tables(&s, tables, cut, n, NULL, 0, NULL, &split);
                scan_tables(&s, tables, 0, cut, NULL, 0, NULL, &split);
                CHECK(tables_right(&s, tables, &split, NULL, NULL), "%s dim %u, %u bits: split", isa, s.dim, s.bits);
                scan_tables(&s, tables, 0, cut, ids, 0, NULL, &named);
                scan_tables(&s, tables, cut, n, ids, 0, NULL, &named);
                CHECK(tables_right(&s, tables, &named, ids, NULL), "%s dim %u, %u bits: ids", isa, s.dim, s.bits);
                scan_tables(&s, tables, cut, n, ascending, 1, NULL, &ordered);
                scan_tables(&s, tables, 0, cut, ascending, 1, NULL, &ordered);
                CHECK(tables_right(&s, tables, &ordered, ascending, NULL), "%s dim %u: ascending", isa, s.dim);
                scan_tables(&s, tables, 0, n, ids, 0, allowed, &masked);
                CHECK(tables_right(&s, tables, &masked, ids, allowed), "%s dim %u, %u bits: allowed", isa, s.dim, s.bits);
                heaps_free(&whole), heaps_free(&split), heaps_free(&named), heaps_free(&ordered), heaps_free(&masked);
                free(tables), free(allowed), free(ids), free(ascending), store_free(&s);
            }
}

/*  Sums beyond 16 bits, by the widest codes there are. */
static void test_wide(const char *isa) {
    for (int b = 1; b < BIT_DEPTHS; b++) {
        store_t s = store_make(65535, all_bits[b], 70, 5, ANYTHING);
        uint8_t *tables = tables_make(&s, b == 1 ? EXTREME : b == 2 ? ANY_ENTRY : SUMS);
        heaps_t h = heaps_make(5, 4);
        scan_tables(&s, tables, 0, s.n, NULL, 0, NULL, &h);
        CHECK(tables_right(&s, tables, &h, NULL, NULL), "%s %u bits: wide", isa, s.bits);
        heaps_free(&h), free(tables), store_free(&s);
    }
}

static void test_within(const char *isa) {
    for (int b = 1; b < BIT_DEPTHS; b++)
        for (int way = 0; way < TABLE_WAYS; way++) {
            store_t s = store_make(1 + random_below(150), all_bits[b], 217, 1, ANYTHING);
            uint64_t bytes = (uint64_t)ht_tables_bytes(s.dim, s.bits, 1), first = random_below(20), resume = first;
            uint8_t *tables = tables_make(&s, way);
            uint32_t radius = literal_sum(&s, tables, 0, 100), distances[13];
            int64_t found[13], count, expected = (int64_t)first - 1;
            void *scratch = memory(bytes);
            int right = 1;
            do {
                count = ht_within_tables(s.blocks, s.dim, s.bits, resume, 210, NULL, NULL, tables, radius, 13, distances,
                                         found, &resume, scratch, bytes);
                for (int64_t i = 0; i < count; i++) {
                    for (expected++; expected < 210; expected++)
                        if (literal_sum(&s, tables, 0, (uint64_t)expected) <= radius) break;
                    right &= found[i] == expected && distances[i] == literal_sum(&s, tables, 0, (uint64_t)found[i]);
                }
            } while (right && count == 13 && resume < 210);
            for (expected++; expected < 210; expected++)
                right &= literal_sum(&s, tables, 0, (uint64_t)expected) > radius;
            CHECK(right && resume == 210, "%s %u bits: within", isa, s.bits);
            free(scratch), free(tables), store_free(&s);
        }
}

static void test_bad_arguments(void) {
    uint8_t tables[1024] = {0}, blocks[512] = {0}, *scratch;
    uint32_t distances[4];
    int64_t ids[4], counts[1] = {0}, negative = -1;
    uint64_t bytes = (uint64_t)ht_tables_bytes(64, 4, 1), resume;
    scratch = memory(bytes);
#define SCAN(blocks, dim, bits, first, last, tables, k, counts, scratch, bytes)                                  \
    ht_scan_tables(blocks, dim, bits, first, last, NULL, 0, NULL, tables, 1, k, distances, ids, counts, scratch, bytes)
    CHECK(SCAN(blocks, 64, 4, 0, 8, tables, 4, counts, scratch, bytes) == HT_OK, "all is well");
    CHECK(SCAN(NULL, 64, 4, 0, 8, tables, 4, counts, scratch, bytes) == HT_ERROR_NULL, "blocks");
    CHECK(SCAN(blocks, 64, 4, 0, 8, NULL, 4, counts, scratch, bytes) == HT_ERROR_NULL, "tables");
    CHECK(SCAN(blocks, 64, 4, 0, 8, tables, 4, NULL, scratch, bytes) == HT_ERROR_NULL, "counts");
    CHECK(SCAN(blocks, 64, 4, 0, 8, tables, 4, counts, NULL, bytes) == HT_ERROR_NULL, "scratch");
    CHECK(SCAN(blocks, 64, 8, 0, 8, tables, 4, counts, scratch, bytes) == HT_ERROR_BITS, "8 bits are not nibbles");
    CHECK(SCAN(blocks, 0, 4, 0, 8, tables, 4, counts, scratch, bytes) == HT_ERROR_DIM, "dim");
    CHECK(SCAN(blocks, 64, 4, 9, 8, tables, 4, counts, scratch, bytes) == HT_ERROR_RANGE, "first > last");
    CHECK(SCAN(blocks, 64, 4, 0, 8, tables, 0, counts, scratch, bytes) == HT_ERROR_K, "k");
    CHECK(SCAN(blocks, 64, 4, 0, 8, tables, 4, counts, scratch, bytes - 1) == HT_ERROR_SCRATCH, "scratch size");
    CHECK(SCAN(blocks, 64, 4, 0, 8, tables, 4, &negative, scratch, bytes) == HT_ERROR_HEAP, "count");
    CHECK(SCAN(NULL, 64, 4, 5, 5, tables, 4, counts, scratch, bytes) == HT_OK, "an empty range");
    CHECK(ht_within_tables(blocks, 64, 4, 0, 8, NULL, NULL, tables, 9, 0, distances, ids, &resume, scratch, bytes) ==
              HT_ERROR_K, "capacity");
    CHECK(ht_within_tables(blocks, 64, 4, 0, 8, NULL, NULL, tables, 9, 4, distances, ids, NULL, scratch, bytes) ==
              HT_ERROR_NULL, "resume");
    CHECK(ht_tables_bytes(8, 8, 1) == HT_ERROR_BITS && ht_tables_bytes(8, 4, UINT64_MAX) == HT_ERROR_RANGE, "bytes");
    free(scratch);
}

int main(void) {
    for (int i = 0; i < ISAS; i++) {
        if (ht_isa_use(isa_names[i]) != HT_OK) continue;
        test_scan(isa_names[i]);
        test_wide(isa_names[i]);
        test_within(isa_names[i]);
        printf("%s: tested\n", isa_names[i]);
    }
    test_bad_arguments();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed != 0;
}

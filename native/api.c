/*  api.c: the exported functions that are not the store, the heap or the dispatch: arguments are checked here, then
 *  tiles of blocks meet groups of queries. */
#include "hypertorus.h"
#include "scan.h"

uint32_t ht_version(void) { return 3; }

const char *ht_error_text(int32_t error) {
    switch (error) {
    case HT_OK: return "no error";
    case HT_ERROR_NULL: return "a required pointer is null";
    case HT_ERROR_DIM: return "dim must be 1 to 65535";
    case HT_ERROR_BITS: return "bits must be 8, 4, 2 or 1";
    case HT_ERROR_METRIC: return "metric must be 0 (l1), 1 (l2) or 2 (cosine)";
    case HT_ERROR_RANGE: return "positions must be in order, not negative and at most 2^44";
    case HT_ERROR_K: return "k must be at least 1 and k times the queries must fit memory";
    case HT_ERROR_SCRATCH: return "the scratch memory is smaller than ht_scratch_bytes says";
    case HT_ERROR_HEAP: return "the count of a heap must be 0 to k";
    case HT_ERROR_ISA_UNKNOWN: return "HYPERTORUS_ISA must be serial, avx2, avx512, avx512vnni or neon";
    case HT_ERROR_ISA_UNSUPPORTED: return "this processor does not run the instruction set HYPERTORUS_ISA asks for";
    default: return "unknown error";
    }
}

#define DEFINE_PAIR(metric, dtype)                                                                 \
    uint32_t ht_##metric##_##dtype(const uint8_t *a, const uint8_t *b, uint64_t dim) {             \
        if (!a || !b || dim == 0 || dim > 65535) return UINT32_MAX;                                \
        return hypertorus_##metric##_##dtype(a, b, (uint16_t)dim);                                 \
    }                                                                                              \
    float ht_##metric##_##dtype##_f32(const uint8_t *a, const uint8_t *b, uint64_t dim) {          \
        return (float)ht_##metric##_##dtype(a, b, dim);                                            \
    }
HT_FOR_EACH_PAIR(DEFINE_PAIR)

ht_pair_t ht_pair(uint32_t metric, uint32_t bits) {
    static const ht_pair_t pairs[3][4] = {{ht_l1_u1, ht_l1_u2, ht_l1_u4, ht_l1_u8},
                                          {ht_l2_u1, ht_l2_u2, ht_l2_u4, ht_l2_u8},
                                          {ht_cosine_u1, ht_cosine_u2, ht_cosine_u4, ht_cosine_u8}};
    return pairs[metric][bits == 8 ? 3 : bits / 2];
}

int32_t ht_distances(const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m, uint32_t dim, uint32_t bits,
                     uint32_t metric, uint32_t *distances) {
    int32_t error = ht_bad_shape(dim, bits);
    const ht_isa_t *isa;
    if (error) return error;
    if (metric > HT_COSINE) return HT_ERROR_METRIC;
    if (n && m && (!a || !b || !distances)) return HT_ERROR_NULL;
    if (!(isa = ht_isa_current(&error))) return error;
    isa->distances(metric, bits, (uint16_t)dim, a, n, b, m, distances);
    return HT_OK;
}

/*  Scratch holds the query states, their planes and a block; 64 bytes more than needed allow for any alignment. */
int64_t ht_scratch_bytes(uint32_t dim, uint32_t bits, uint64_t nq) {
    int32_t error = ht_bad_shape(dim, bits);
    if (error) return error;
    if (nq > (uint64_t)1 << 40) return HT_ERROR_RANGE;
    return (int64_t)(64 + nq * (sizeof(ht_query_t) + ht_query_bytes(dim, bits)) + ht_words(dim, bits) * HT_WORD_BYTES);
}

int32_t ht_prepare(ht_scan_t *scan, const ht_isa_t **isa, ht_query_t **states, const uint8_t *queries, uint64_t nq,
                   void *scratch, uint64_t scratch_bytes) {
    int32_t error = ht_bad_shape(scan->dim, scan->bits);
    int64_t needed;
    uint8_t *planes;
    if (error) return error;
    if (scan->metric > HT_COSINE) return HT_ERROR_METRIC;
    if (scan->first > scan->last || scan->last > (uint64_t)1 << 44) return HT_ERROR_RANGE;
    if (scan->k == 0 || scan->k > INT64_MAX / 16 || (nq && scan->k > INT64_MAX / 16 / nq)) return HT_ERROR_K;
    if ((nq && (!queries || !scratch)) || (scan->first < scan->last && !scan->blocks)) return HT_ERROR_NULL;
    needed = ht_scratch_bytes(scan->dim, scan->bits, nq);
    if (needed < 0) return (int32_t)needed;
    if (nq && scratch_bytes < (uint64_t)needed) return HT_ERROR_SCRATCH;
    if (!(*isa = ht_isa_current(&error))) return error;
    scan->words = ht_words(scan->dim, scan->bits);
    scan->pair = ht_pair(scan->metric, scan->bits);
    scan->resume = scan->last;
    ht_plan(&scan->plan, scan->metric, scan->bits, (*isa)->ability);
    if (!nq) return HT_OK;
    *states = (ht_query_t *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    planes = (uint8_t *)(*states + nq);
    scan->tail = planes + nq * ht_query_bytes(scan->dim, scan->bits);
    for (uint64_t q = 0; q < nq; q++) {
        memset(*states + q, 0, sizeof **states);
        ht_query_prepare(scan, *states + q, queries + q * ht_row_bytes(scan->dim, scan->bits),
                         planes + q * ht_query_bytes(scan->dim, scan->bits));
    }
    return HT_OK;
}

/*  A tile of blocks stays in the first-level cache while all queries pass over it, four at a time so that they share
 *  loads. Where the l1 filter lets through more than an eighth, it is a detour: it rests, each time for longer. */
static void scan_tile(ht_scan_t *scan, const ht_isa_t *isa, ht_query_t *queries, uint64_t nq, uint64_t begin,
                      uint64_t stop) {
    for (uint64_t q = 0; q < nq;) {
        int group = nq - q < HT_GROUP ? 1 : HT_GROUP;
        int filter = scan->plan.filtered && queries[q].unfiltered_tiles == 0;
        uint64_t passed = isa->scan_blocks(scan, queries + q, group, filter, begin, stop);
        if (!filter) queries[q].unfiltered_tiles -= (uint64_t)scan->plan.filtered;
        else if (passed * 8 > (stop - begin) * (uint64_t)group)
            queries[q].unfiltered_tiles = queries[q].rest = queries[q].rest < 512 ? queries[q].rest * 2 + 8 : 512;
        q += (uint64_t)group;
    }
}

/*  Kernels load whole blocks. The lanes beyond the last code of a store are where a writer puts the next ones, so the
 *  block that has such lanes is scanned from a copy of the others. */
static void scan_tail(ht_scan_t *scan, const ht_isa_t *isa, ht_query_t *queries, uint64_t nq, uint64_t block) {
    const uint8_t *blocks = scan->blocks, *codes = blocks + block * scan->words * HT_WORD_BYTES;
    memset(scan->tail, 0, scan->words * HT_WORD_BYTES);
    ht_copy_blocks(scan->tail, codes, scan->words, scan->written % HT_LANES);
    scan->blocks = (const uint8_t *)((uintptr_t)scan->tail - block * scan->words * HT_WORD_BYTES);
    scan_tile(scan, isa, queries, nq, block, block + 1);
    scan->blocks = blocks;
}

void ht_scan_tiles(ht_scan_t *scan, const ht_isa_t *isa, ht_query_t *queries, uint64_t nq) {
    uint64_t begin = scan->first / HT_LANES, end = (scan->last + HT_LANES - 1) / HT_LANES;
    uint64_t tile = HT_TILE_BYTES / (scan->words * HT_WORD_BYTES), whole = scan->written / HT_LANES;
    int has_tail = begin < end && end > whole;
    if (tile == 0) tile = 1;
    if (has_tail) end = whole;
    for (; begin < end && scan->resume == scan->last; begin += tile)
        scan_tile(scan, isa, queries, nq, begin, end - begin < tile ? end : begin + tile);
    if (has_tail && nq && scan->resume == scan->last) scan_tail(scan, isa, queries, nq, whole);
}

int32_t ht_counting_at(ht_pages_t allowed, const int64_t *positions, uint64_t n, uint8_t *counts) {
    for (uint64_t i = 0; i < n; i++) counts[i] = positions[i] >= 0 && ht_counts(allowed, (uint64_t)positions[i]);
    return HT_OK;
}

int32_t ht_scan(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint32_t metric, uint64_t first, uint64_t last,
                const int64_t *ids, int32_t ascending, ht_pages_t allowed, const uint8_t *queries, uint64_t nq,
                uint64_t k, uint32_t *heap_distances, int64_t *heap_ids, int64_t *counts, void *scratch,
                uint64_t scratch_bytes) {
    ht_scan_t scan = {.blocks = blocks, .first = first, .last = last, .written = last,
                      .dim = dim, .bits = bits, .metric = metric, .given_ids = ids, .ascending = ascending,
                      .allowed = allowed, .k = k, .radius = UINT32_MAX};
    const ht_isa_t *isa;
    ht_query_t *states = NULL;
    int32_t error;
    if (nq && (!heap_distances || !heap_ids || !counts)) return HT_ERROR_NULL;
    if ((error = ht_prepare(&scan, &isa, &states, queries, nq, scratch, scratch_bytes))) return error;
    for (uint64_t q = 0; q < nq; q++)
        if (counts[q] < 0 || (uint64_t)counts[q] > k) return HT_ERROR_HEAP;
    if (first == last) return HT_OK;
    for (uint64_t q = 0; q < nq; q++) {
        states[q].distances = heap_distances + q * k, states[q].ids = heap_ids + q * k, states[q].count = counts + q;
        ht_heap_limit(&scan, states + q, ht_id(&scan, first));
    }
    ht_scan_tiles(&scan, isa, states, nq);
    return HT_OK;
}

int64_t ht_within(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint32_t metric, uint64_t first, uint64_t last,
                  const int64_t *ids, ht_pages_t allowed, const uint8_t *query, uint32_t radius, uint64_t capacity,
                  uint32_t *distances, int64_t *found_ids, uint64_t *resume, void *scratch, uint64_t scratch_bytes) {
    ht_scan_t scan = {.blocks = blocks, .first = first, .last = last, .written = last,
                      .dim = dim, .bits = bits, .metric = metric, .given_ids = ids, .allowed = allowed,
                      .k = capacity, .radius_only = 1, .radius = radius};
    const ht_isa_t *isa;
    ht_query_t *state = NULL;
    int64_t count = 0;
    int32_t error;
    if (!distances || !found_ids || !resume) return HT_ERROR_NULL;
    if ((error = ht_prepare(&scan, &isa, &state, query, 1, scratch, scratch_bytes))) return error;
    state->distances = distances, state->ids = found_ids, state->count = &count;
    ht_limit(&scan, state, radius);
    ht_scan_tiles(&scan, isa, state, 1);
    *resume = scan.resume;
    return count;
}

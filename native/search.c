/*  search.c: the search of whole stores. Codes in no cell are scanned, and `walk.c` looks at those in cells. */
#include "cells.h"

static uint64_t most_cells(const ht_index_t *index) {
    uint64_t cells = 0;
    for (uint32_t i = 0; i < index->n_stores; i++)
        if (index->stores[i].cells > cells) cells = index->stores[i].cells;
    return cells;
}

static int32_t bad_index(const ht_index_t *index) {
    if (!index || (index->n_stores && !index->stores)) return HT_ERROR_NULL;
    for (uint32_t i = 0; i < index->n_stores; i++) {
        const ht_store_t *store = index->stores + i;
        if (store->arranged > store->count || store->count > (uint64_t)1 << 44) return HT_ERROR_RANGE;
        if (store->cells > store->arranged || (store->arranged && !store->cells)) return HT_ERROR_RANGE;
        if (store->cells && (!store->centres || !store->ends || !store->reaches || !store->samples)) return HT_ERROR_NULL;
        if (store->cells && index->bits > 2 && index->metric != HT_L1 && !store->rows) return HT_ERROR_NULL;
        if (store->cells && store->ends[store->cells - 1] != store->arranged) return HT_ERROR_RANGE;
    }
    return HT_OK;
}

int64_t ht_search_bytes(const ht_index_t *index, uint64_t nq, const ht_asked_t *asked) {
    int32_t error = bad_index(index);
    uint64_t cells;
    int64_t scan;
    if (error) return error;
    cells = most_cells(index);
    scan = ht_scratch_bytes(index->dim, index->bits, nq);
    if (scan < 0) return scan;
    if (nq && cells > ((uint64_t)1 << 40) / nq) return HT_ERROR_RANGE;
    scan += (int64_t)(8 + nq * sizeof(int64_t)); /* counts of heaps, where none are given, at the end */
    if (!cells) return scan;
    return scan + (int64_t)ht_walk_bytes(nq, ht_seeds(asked, cells), cells, index->dim);
}

static int64_t *counts_at(void *scratch, int64_t bytes, uint64_t nq) {
    return (int64_t *)(((uintptr_t)scratch + (uintptr_t)bytes - nq * sizeof(int64_t)) & ~(uintptr_t)7);
}

static void scan_store(const ht_index_t *index, const ht_store_t *store, ht_scan_t *scan) {
    scan->blocks = store->blocks, scan->given_ids = store->ids, scan->allowed = store->allowed;
    scan->ascending = store->ascending != 0;
    scan->dim = index->dim, scan->bits = index->bits, scan->metric = index->metric;
    scan->first = store->arranged, scan->last = scan->resume = scan->written = store->count;
}

/*  Sorts heaps, and fills the places that are left. */
static int32_t finish(uint32_t *distances, int64_t *ids, const int64_t *counts, uint64_t nq, uint64_t k) {
    for (uint64_t q = 0; q < nq; q++)
        for (uint64_t i = q * k + (uint64_t)counts[q]; i < q * k + k; i++) distances[i] = UINT32_MAX, ids[i] = -1;
    return ht_heap_sort(distances, ids, counts, nq, k);
}

int32_t ht_search(const ht_index_t *index, const uint8_t *queries, uint64_t nq, uint64_t k, uint32_t *heap_distances,
                  int64_t *heap_ids, int64_t *counts, ht_asked_t *asked, void *scratch, uint64_t scratch_bytes) {
    ht_scan_t scan = {.k = k, .radius = asked ? (uint32_t)asked->radius : UINT32_MAX};
    const ht_isa_t *isa;
    ht_query_t *states = NULL;
    int64_t needed = ht_search_bytes(index, nq, asked);
    int32_t error, fresh = !counts;
    if (needed < 0) return (int32_t)needed;
    if (nq && (!heap_distances || !heap_ids)) return HT_ERROR_NULL;
    if (nq && scratch_bytes < (uint64_t)needed) return HT_ERROR_SCRATCH;
    if (nq && fresh) counts = memset(counts_at(scratch, needed, nq), 0, nq * sizeof *counts);
    scan.dim = index->dim, scan.bits = index->bits, scan.metric = index->metric;
    if ((error = ht_prepare(&scan, &isa, &states, queries, nq, scratch, scratch_bytes))) return error;
    for (uint64_t q = 0; q < nq; q++) {
        if (counts[q] < 0 || (uint64_t)counts[q] > k) return HT_ERROR_HEAP;
        states[q].distances = heap_distances + q * k, states[q].ids = heap_ids + q * k, states[q].count = counts + q;
    }
    if (asked) {
        asked->looked_at = 0;
        if (asked->proved && nq) memset(asked->proved, 1, nq);
    }
    for (uint32_t i = 0; i < index->n_stores && nq; i++) {
        const ht_store_t *store = index->stores + i;
        if (!store->count) continue;
        if (!store->blocks) return HT_ERROR_NULL;
        scan_store(index, store, &scan);
        if (store->cells) {
            uint8_t *rest = (uint8_t *)scratch + ht_scratch_bytes(scan.dim, scan.bits, nq);
            ht_walk_t memory = ht_walk_layout(rest, states, nq, ht_seeds(asked, store->cells), store->cells);
            ht_walk_cells(&scan, isa, store, &memory, queries, nq, asked);
            scan_store(index, store, &scan);
        }
        if (scan.first == scan.last) continue;
        for (uint64_t q = 0; q < nq; q++) ht_heap_limit(&scan, states + q, ht_id(&scan, scan.first));
        ht_scan_tiles(&scan, isa, states, nq);
        if (asked) asked->looked_at += nq * (scan.last - scan.first);
    }
    return fresh ? finish(heap_distances, heap_ids, counts, nq, k) : HT_OK;
}

/*  The store and the position of an id; no store if it is nowhere. */
static const ht_store_t *place_of(const ht_index_t *index, int64_t id, uint64_t *position) {
    for (uint32_t i = 0; i < index->n_stores; i++) {
        const ht_store_t *store = index->stores + i;
        uint64_t low = 0, high = store->count;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (store->ids[middle] < id) low = middle + 1;
            else high = middle;
        }
        *position = low;
        if (low == store->count || store->ids[low] != id) continue;
        if (ht_counts(store->allowed, low)) return store;
    }
    return NULL;
}

int32_t ht_search_among(const ht_index_t *index, const int64_t *ids, uint64_t n, const uint8_t *queries, uint64_t nq,
                        uint64_t k, uint32_t *heap_distances, int64_t *heap_ids, void *scratch, uint64_t scratch_bytes) {
    ht_scan_t scan = {.k = k, .radius = UINT32_MAX};
    const ht_isa_t *isa;
    ht_query_t *states = NULL;
    int64_t needed = ht_search_bytes(index, nq, NULL), *counts;
    int32_t error;
    uint64_t position;
    if (needed < 0) return (int32_t)needed;
    if (!nq || !heap_distances || !heap_ids || (n && !ids)) return HT_ERROR_NULL;
    if (scratch_bytes < (uint64_t)needed) return HT_ERROR_SCRATCH;
    scan.dim = index->dim, scan.bits = index->bits, scan.metric = index->metric;
    if ((error = ht_prepare(&scan, &isa, &states, queries, nq, scratch, scratch_bytes))) return error;
    for (uint32_t i = 0; i < index->n_stores; i++)
        if (index->stores[i].count && (!index->stores[i].ids || !index->stores[i].ascending)) return HT_ERROR_RANGE;
    for (uint64_t i = 0; i < n; i++)
        if ((i && ids[i - 1] >= ids[i]) || !place_of(index, ids[i], &position)) return HT_ERROR_RANGE;
    counts = memset(counts_at(scratch, needed, nq), 0, nq * sizeof *counts);
    for (uint64_t i = 0; i < n; i++) {
        const ht_store_t *store = place_of(index, ids[i], &position);
        const uint8_t *block = store->blocks + position / HT_LANES * scan.words * HT_WORD_BYTES;
        for (uint64_t q = 0; q < nq; q++) {
            uint32_t distance = ht_lane_distance(&scan, block, (uint32_t)(position % HT_LANES), states[q].code);
            ht_heap_push(heap_distances + q * k, heap_ids + q * k, counts + q, k, distance, ids[i]);
        }
    }
    return finish(heap_distances, heap_ids, counts, nq, k);
}

int64_t ht_parts(const ht_index_t *index, const uint8_t *query, uint32_t radius, uint64_t *parts, void *scratch,
                 uint64_t scratch_bytes) {
    ht_scan_t scan = {.k = 1, .radius = UINT32_MAX};
    const ht_isa_t *isa;
    ht_query_t *states = NULL;
    int64_t needed = ht_search_bytes(index, 1, NULL), count = 0;
    int32_t error;
    if (needed < 0) return needed;
    if (index->n_stores != 1) return HT_ERROR_RANGE;
    if (!parts) return HT_ERROR_NULL;
    if (scratch_bytes < (uint64_t)needed) return HT_ERROR_SCRATCH;
    scan.dim = index->dim, scan.bits = index->bits, scan.metric = index->metric;
    if ((error = ht_prepare(&scan, &isa, &states, query, 1, scratch, scratch_bytes))) return error;
    if (index->stores->cells) {
        const ht_store_t *store = index->stores;
        uint64_t window = ht_window(&scan, radius);
        uint8_t *rest = (uint8_t *)scratch + ht_scratch_bytes(scan.dim, scan.bits, 1);
        ht_walk_t memory = ht_walk_layout(rest, states, 1, ht_seeds(NULL, store->cells), store->cells);
        ht_measure_centres(&scan, isa, store, query, states, 1, memory.to_centre, memory.points);
        for (uint64_t cell = 0; cell < store->cells; cell++) {
            ht_slice_t part;
            if (!ht_reaches(scan.metric, store->reaches[cell], memory.to_centre[cell], window, ht_centre_error(&scan))) continue;
            part = ht_slice(&scan, store, cell, memory.to_centre[cell], window);
            if (part.first < part.last) parts[2 * count] = part.first, parts[2 * count + 1] = part.last, count++;
        }
    }
    if (index->stores->arranged < index->stores->count)
        parts[2 * count] = index->stores->arranged, parts[2 * count + 1] = index->stores->count, count++;
    return count;
}

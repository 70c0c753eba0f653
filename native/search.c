/*  search.c: the search of whole stores. Codes in no cell are scanned. Of codes in cells, those of the nearest cells are
 *  looked at first, which gives a limit; then those parts of the other cells that `cells.c` cannot rule out. */
#include "cells.h"

enum { HT_SEEDS = 2, HT_CELLS_AT_ONCE = 16, HT_WAITING_LINES = 16 };

/*  One to four queries on their way through the cells of a store. */
typedef struct {
    const ht_store_t *store;
    const ht_isa_t *isa;
    ht_scan_t scan;
    ht_query_t *queries;
    uint64_t count, seeds;
    const uint32_t *to_centre[HT_GROUP];
    uint64_t window[HT_GROUP];
    const int64_t *seed[HT_GROUP]; /* the cells nearest to each query */
    ht_slice_t part; /* of the cell that is looked at next, and by which queries */
    uint32_t wanted;
    uint64_t looked_at;
} group_t;

static void see_limit(group_t *group, uint64_t q) {
    const ht_query_t *query = group->queries + q;
    uint32_t limit = (uint64_t)*query->count < group->scan.k ? group->scan.radius : query->distances[0];
    group->window[q] = limit == UINT32_MAX ? HT_NO_WINDOW : ht_window(&group->scan, limit);
}

static void look(group_t *group, ht_slice_t part, ht_query_t *queries, uint64_t count) {
    group->scan.first = part.first, group->scan.last = group->scan.resume = part.last;
    ht_scan_tiles(&group->scan, group->isa, queries, count);
}

/*  The nearest cells come first, for they give the limit that passes over most of the others. */
static void look_at_seeds(group_t *group, uint64_t q) {
    for (uint64_t i = 0; i < group->seeds; i++) {
        uint64_t cell = (uint64_t)group->seed[q][i];
        ht_slice_t part = ht_slice(&group->scan, group->store, cell, group->to_centre[q][cell], group->window[q]);
        if (part.first >= part.last) continue;
        look(group, part, group->queries + q, 1);
        group->looked_at += part.last - part.first;
        see_limit(group, q);
    }
}

static int is_seed(const group_t *group, uint64_t q, uint64_t cell) {
    for (uint64_t i = 0; i < group->seeds; i++)
        if ((uint64_t)group->seed[q][i] == cell) return 1;
    return 0;
}

/*  The union of the parts of one cell that matter to these queries; `wanted` has a bit for each query it matters to. */
static ht_slice_t union_of(const group_t *group, uint64_t cell, uint32_t *wanted) {
    ht_slice_t all = {UINT64_MAX, 0};
    for (uint64_t q = 0; q < group->count; q++) {
        ht_slice_t part;
        if (!(*wanted >> q & 1)) continue;
        part = ht_slice(&group->scan, group->store, cell, group->to_centre[q][cell], group->window[q]);
        if (part.first >= part.last || is_seed(group, q, cell)) {
            *wanted &= ~(1u << q);
            continue;
        }
        if (part.first < all.first) all.first = part.first;
        if (part.last > all.last) all.last = part.last;
    }
    return all;
}

/*  Queries that want the same cell look at it together; the others meanwhile have a limit that nothing is within. */
static void look_together(group_t *group, ht_slice_t part, uint32_t wanted) {
    ht_query_t *queries = group->queries;
    for (uint64_t q = 0; q < HT_GROUP; q++) {
        queries[q].silent = !(wanted >> q & 1);
        if (queries[q].silent) ht_limit(&group->scan, queries + q, -1);
    }
    look(group, part, queries, HT_GROUP);
    for (uint64_t q = 0; q < HT_GROUP; q++) {
        if (queries[q].silent) ht_heap_limit(&group->scan, queries + q, 0);
        queries[q].silent = 0;
    }
}

/*  Three or four together; fewer take less time one after the other, the second from the cache. */
static void look_at_part(group_t *group, ht_slice_t part, uint32_t wanted) {
    uint32_t count = (wanted & 1) + (wanted >> 1 & 1) + (wanted >> 2 & 1) + (wanted >> 3);
    if (count > 2) look_together(group, part, wanted);
    for (uint64_t q = 0; q < group->count && count; q++) {
        if (!(wanted >> q & 1)) continue;
        if (count <= 2) look(group, part, group->queries + q, 1);
        group->looked_at += part.last - part.first;
        see_limit(group, q);
    }
}

/*  Looks at the part that waits, and lets one of this cell wait, whose first codes come into the cache meanwhile. */
static void look_at_cell(group_t *group, uint64_t cell, uint32_t wanted) {
    ht_slice_t part = union_of(group, cell, &wanted);
    if (!wanted) return;
    for (uint64_t i = 0; i < HT_WAITING_LINES; i++)
        HT_PREFETCH(group->scan.blocks + part.first / HT_LANES * group->scan.words * HT_WORD_BYTES + i * HT_WORD_BYTES);
    look_at_part(group, group->part, group->wanted);
    group->part = part, group->wanted = wanted;
}

/*  Whether any of some cells may reach a query: a quick look that compilers widen, and that lets a little more through
 *  than `ht_reaches`. Numbers are below 2^31, and floats are off by less than a millionth. */
HT_INLINE int any_reaches(uint32_t metric, const uint32_t *reach, const uint32_t *distance, uint64_t count,
                          uint64_t window, uint64_t error) {
    int any = 0;
    if (metric == HT_L1) {
        int32_t more = (int32_t)(window < (1 << 30) ? window : 1 << 30);
        for (uint64_t i = 0; i < count; i++) any |= (int32_t)distance[i] <= (int32_t)reach[i] + more;
    } else {
        float more = (float)(window + 1) * 1.000001f, least = (float)error * 1.000001f;
        for (uint64_t i = 0; i < count; i++) {
            float span = (float)(int32_t)reach[i] * 1.000001f + more;
            any |= (float)(int32_t)distance[i] * 0.999999f <= span * span * (1.000001f / 65536) + least;
        }
    }
    return any;
}

HT_INLINE uint32_t wanting(const group_t *group, uint64_t error, uint64_t cell) {
    uint32_t wanted = 0;
    for (uint64_t q = 0; q < group->count; q++)
        wanted |= (uint32_t)ht_reaches(group->scan.metric, group->store->reaches[cell], group->to_centre[q][cell],
                                    group->window[q], error) << q;
    return wanted;
}

HT_INLINE void look_at_others_of(group_t *group, uint32_t metric) {
    uint64_t error = ht_centre_error(&group->scan), cells = group->store->cells;
    for (uint64_t begin = 0, end; begin < cells; begin = end) {
        int any = 0;
        end = cells - begin < HT_CELLS_AT_ONCE ? cells : begin + HT_CELLS_AT_ONCE;
        for (uint64_t q = 0; q < group->count; q++)
            any |= any_reaches(metric, group->store->reaches + begin, group->to_centre[q] + begin, end - begin,
                               group->window[q], error);
        for (uint64_t cell = begin; cell < end && any; cell++) {
            uint32_t wanted = wanting(group, error, cell);
            if (wanted) look_at_cell(group, cell, wanted);
        }
    }
}

static void look_at_others(group_t *group) {
    group->wanted = 0;
    if (group->scan.metric == HT_L1) look_at_others_of(group, HT_L1);
    else look_at_others_of(group, HT_L2);
    look_at_part(group, group->part, group->wanted);
}

/*  Whether no cell but the seeds has a part in the window of a query: then looking at the seeds was enough. */
static int is_proved(const group_t *group, uint64_t q) {
    for (uint64_t cell = 0; cell < group->store->cells; cell++) {
        uint32_t distance = group->to_centre[q][cell];
        ht_slice_t part;
        if (!ht_reaches(group->scan.metric, group->store->reaches[cell], distance, group->window[q],
                     ht_centre_error(&group->scan)))
            continue;
        part = ht_slice(&group->scan, group->store, cell, distance, group->window[q]);
        if (part.first < part.last && !is_seed(group, q, cell)) return 0;
    }
    return 1;
}

/*  Scratch beyond that of a scan: the distances to all centres, the seeds, and the queries in the order of their nearest
 *  cells. */
static uint64_t seeds_of(const ht_asked_t *asked, uint64_t cells) {
    uint64_t seeds = asked && asked->most_cells ? asked->most_cells : HT_SEEDS;
    return seeds < cells ? seeds : cells;
}

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
    cells = ht_stride(cells);
    return scan + (int64_t)(64 + nq * (sizeof(ht_query_t) + 12 + 4 * cells + 12 * seeds_of(asked, cells)) +
                            4 * (uint64_t)index->dim);
}

static int64_t *counts_at(void *scratch, int64_t bytes, uint64_t nq) {
    return (int64_t *)(((uintptr_t)scratch + (uintptr_t)bytes - nq * sizeof(int64_t)) & ~(uintptr_t)7);
}

typedef struct {
    ht_query_t *states, *sorted;
    int64_t *order;
    int64_t *seed;
    uint32_t *seed_distance, *nearest, *to_centre;
    int16_t *points; /* of one query */
} memory_t;

static memory_t laid_out(uint8_t *memory, ht_query_t *states, uint64_t nq, uint64_t seeds, uint64_t cells) {
    memory_t out = {.states = states, .sorted = (ht_query_t *)(((uintptr_t)memory + 63) & ~(uintptr_t)63)};
    out.order = (int64_t *)(out.sorted + nq);
    out.seed = out.order + nq;
    out.seed_distance = (uint32_t *)(out.seed + nq * seeds);
    out.nearest = out.seed_distance + nq * seeds;
    out.to_centre = out.nearest + nq;
    out.points = (int16_t *)(out.to_centre + nq * ht_stride(cells));
    return out;
}

/*  The cells nearest to a query, nearest first. Compilers widen the first look at some of them. */
static void choose_seeds(const uint32_t *to_centre, uint64_t cells, uint64_t seeds, uint32_t *distances, int64_t *seed) {
    int64_t count = 0;
    for (uint64_t begin = 0, end; begin < cells; begin = end) {
        int32_t nearest = INT32_MAX;
        end = cells - begin < HT_CELLS_AT_ONCE ? cells : begin + HT_CELLS_AT_ONCE;
        for (uint64_t cell = begin; cell < end; cell++)
            nearest = (int32_t)to_centre[cell] < nearest ? (int32_t)to_centre[cell] : nearest;
        if ((uint64_t)count == seeds && (uint32_t)nearest >= distances[0]) continue;
        for (uint64_t cell = begin; cell < end; cell++)
            ht_heap_push(distances, seed, &count, seeds, to_centre[cell], (int64_t)cell);
    }
    ht_heap_sort(distances, seed, &count, 1, seeds);
}

/*  Queries side by side that have the same nearest cell, or one near it, for cells near each other have numbers near each
 *  other; so a group of four shares most of what it looks at. */
static void sort_queries(const ht_store_t *store, memory_t *memory, uint64_t nq, uint64_t seeds) {
    int64_t count = 0;
    for (uint64_t q = 0; q < nq; q++) {
        choose_seeds(memory->to_centre + q * ht_stride(store->cells), store->cells, seeds,
                     memory->seed_distance + q * seeds, memory->seed + q * seeds);
        ht_heap_push(memory->nearest, memory->order, &count, nq, (uint32_t)memory->seed[q * seeds], (int64_t)q);
    }
    ht_heap_sort(memory->nearest, memory->order, &count, 1, nq);
    for (uint64_t i = 0; i < nq; i++) memory->sorted[i] = memory->states[memory->order[i]];
}

static void search_cells(ht_scan_t *scan, const ht_isa_t *isa, const ht_store_t *store, memory_t *memory,
                         const uint8_t *queries, uint64_t nq, ht_asked_t *asked) {
    uint64_t seeds = seeds_of(asked, store->cells);
    ht_measure_centres(scan, isa, store, queries, memory->states, nq, memory->to_centre, memory->points);
    for (uint64_t q = 0; q < nq; q++) ht_heap_limit(scan, memory->states + q, 0);
    sort_queries(store, memory, nq, seeds);
    for (uint64_t begin = 0; begin < nq;) {
        group_t group = {.store = store, .isa = isa, .scan = *scan, .queries = memory->sorted + begin, .seeds = seeds};
        group.count = nq - begin < HT_GROUP ? 1 : HT_GROUP;
        for (uint64_t q = 0; q < group.count; q++) {
            uint64_t number = (uint64_t)memory->order[begin + q];
            group.to_centre[q] = memory->to_centre + number * ht_stride(store->cells);
            group.seed[q] = memory->seed + number * seeds;
            see_limit(&group, q);
            look_at_seeds(&group, q);
        }
        if (!asked || !asked->most_cells) look_at_others(&group);
        else if (asked->proved)
            for (uint64_t q = 0; q < group.count; q++)
                asked->proved[memory->order[begin + q]] &= (uint8_t)is_proved(&group, q);
        if (asked) asked->looked_at += group.looked_at;
        begin += group.count;
    }
}

static void scan_store(const ht_index_t *index, const ht_store_t *store, ht_scan_t *scan) {
    scan->blocks = store->blocks, scan->given_ids = store->ids, scan->allowed = store->allowed;
    scan->ascending = store->ascending != 0;
    scan->dim = index->dim, scan->bits = index->bits, scan->metric = index->metric;
    scan->first = store->arranged, scan->last = scan->resume = store->count;
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
            memory_t memory = laid_out(rest, states, nq, seeds_of(asked, store->cells), store->cells);
            search_cells(&scan, isa, store, &memory, queries, nq, asked);
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
        if (!store->allowed || store->allowed[low / 8] >> low % 8 & 1) return store;
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
        memory_t memory = laid_out(rest, states, 1, seeds_of(NULL, store->cells), store->cells);
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

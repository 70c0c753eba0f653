/*  walk.c: queries on their way through the cells of a store. Those of the nearest cells are looked at first, which gives
 *  a limit; then those parts of the other cells that `cells.c` cannot rule out. */
#include "cells.h"

enum { HT_SEEDS = 2, HT_CELLS_AT_ONCE = 16, HT_WAITING = 4, HT_FIRST_LINES = 32, HT_MOST_LINES = 16 };

/*  A part of a cell that waits to be looked at by some queries of a group, a bit each. */
typedef struct { ht_slice_t part; uint32_t wanted; } visit_t;

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
    visit_t waiting[HT_WAITING]; /* a ring: the oldest is made next, while the codes of the others are fetched */
    uint64_t oldest, n_waiting;
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

static const uint8_t *block_at(const group_t *group, uint64_t position) {
    return group->scan.blocks + (position + HT_LANES - 1) / HT_LANES * group->scan.words * HT_WORD_BYTES;
}

/*  While one visit is made, what the next one will look at is fetched, at an even pace. */
static void fetch_ahead(group_t *group, const visit_t *now, const visit_t *next) {
    uint64_t blocks = (now->part.last - now->part.first) / HT_LANES + 1;
    group->scan.ahead = group->scan.ahead_end = NULL;
    if (!next) return;
    group->scan.ahead = block_at(group, next->part.first) + HT_FIRST_LINES * HT_WORD_BYTES;
    group->scan.ahead_end = block_at(group, next->part.last);
    if (group->scan.ahead >= group->scan.ahead_end) return;
    group->scan.ahead_lines = (uint64_t)(group->scan.ahead_end - group->scan.ahead) / HT_WORD_BYTES / blocks + 1;
    if (group->scan.ahead_lines > HT_MOST_LINES) group->scan.ahead_lines = HT_MOST_LINES;
}

static void make_visit(group_t *group) {
    const visit_t *visit = group->waiting + group->oldest, *next = group->waiting + (group->oldest + 1) % HT_WAITING;
    fetch_ahead(group, visit, group->n_waiting > 1 ? next : NULL);
    look_at_part(group, visit->part, visit->wanted);
    group->oldest = (group->oldest + 1) % HT_WAITING, group->n_waiting--;
}

/*  Lets a visit wait until those before it have been made; its first codes come into the cache meanwhile. */
static void wait_for(group_t *group, const visit_t *visit) {
    const uint8_t *line = block_at(group, visit->part.first), *end = block_at(group, visit->part.last);
    for (uint64_t i = 0; i < HT_FIRST_LINES && line < end; i++, line += HT_WORD_BYTES) HT_PREFETCH(line);
    if (group->n_waiting == HT_WAITING) make_visit(group);
    group->waiting[(group->oldest + group->n_waiting++) % HT_WAITING] = *visit;
}

static void make_all_visits(group_t *group) {
    while (group->n_waiting) make_visit(group);
}

static void look_at_cell(group_t *group, uint64_t cell, uint32_t wanted) {
    visit_t visit = {.part = union_of(group, cell, &wanted)};
    visit.wanted = wanted;
    if (wanted) wait_for(group, &visit);
}

/*  The nearest cells come first, for they give the limit that passes over most of the others. */
static void look_at_seeds(group_t *group) {
    for (uint64_t q = 0; q < group->count; q++)
        for (uint64_t i = 0; i < group->seeds; i++) {
            uint64_t cell = (uint64_t)group->seed[q][i];
            visit_t visit = {.wanted = 1u << q};
            visit.part = ht_slice(&group->scan, group->store, cell, group->to_centre[q][cell], group->window[q]);
            if (visit.part.first < visit.part.last) wait_for(group, &visit);
        }
    make_all_visits(group);
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
    if (group->scan.metric == HT_L1) look_at_others_of(group, HT_L1);
    else look_at_others_of(group, HT_L2);
    make_all_visits(group);
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

uint64_t ht_seeds(const ht_asked_t *asked, uint64_t cells) {
    uint64_t seeds = asked && asked->most_cells ? asked->most_cells : HT_SEEDS;
    return seeds < cells ? seeds : cells;
}

ht_walk_t ht_walk_layout(uint8_t *memory, ht_query_t *states, uint64_t nq, uint64_t seeds, uint64_t cells) {
    ht_walk_t out = {.states = states, .sorted = (ht_query_t *)(((uintptr_t)memory + 63) & ~(uintptr_t)63)};
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
static void sort_queries(const ht_store_t *store, ht_walk_t *memory, uint64_t nq, uint64_t seeds) {
    int64_t count = 0;
    for (uint64_t q = 0; q < nq; q++) {
        choose_seeds(memory->to_centre + q * ht_stride(store->cells), store->cells, seeds,
                     memory->seed_distance + q * seeds, memory->seed + q * seeds);
        ht_heap_push(memory->nearest, memory->order, &count, nq, (uint32_t)memory->seed[q * seeds], (int64_t)q);
    }
    ht_heap_sort(memory->nearest, memory->order, &count, 1, nq);
    for (uint64_t i = 0; i < nq; i++) memory->sorted[i] = memory->states[memory->order[i]];
}

void ht_walk_cells(ht_scan_t *scan, const ht_isa_t *isa, const ht_store_t *store, ht_walk_t *memory,
                         const uint8_t *queries, uint64_t nq, ht_asked_t *asked) {
    uint64_t seeds = ht_seeds(asked, store->cells);
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
        }
        look_at_seeds(&group);
        if (!asked || !asked->most_cells) look_at_others(&group);
        else if (asked->proved)
            for (uint64_t q = 0; q < group.count; q++)
                asked->proved[memory->order[begin + q]] &= (uint8_t)is_proved(&group, q);
        if (asked) asked->looked_at += group.looked_at;
        begin += group.count;
    }
}

/*  walk.c: queries on their way through the cells of a store. The nearest cells of each query are looked at first, which
 *  gives it a limit; then those parts of the other cells that `cells.c` cannot rule out. Queries go in crowds of those that
 *  have the same nearest cell or one near it, so that the codes of a cell come from memory once for all that want them. A
 *  crowd of all queries would read less, but more slowly: what it looked at first has left the cache by the time the
 *  others of the same cluster come. */
#include "cells.h"

enum { HT_SEEDS = 2, HT_CROWD = 8, HT_CELLS_AT_ONCE = 16, HT_FIRST_LINES = 32, HT_MOST_LINES = 16 };

/*  Some queries on their way through the cells of a store. */
typedef struct {
    const ht_store_t *store;
    const ht_isa_t *isa;
    ht_scan_t scan;
    ht_walk_t *memory;
    const int64_t *members; /* the queries that are here */
    uint64_t nq, seeds;
    ht_visit_t waiting[HT_WAITING]; /* a ring: the oldest is made next, while the codes of the others are fetched */
    uint64_t oldest, n_waiting;
    uint64_t looked_at;
} crowd_t;

static const uint32_t *to_centres(const crowd_t *crowd, uint64_t q) {
    return crowd->memory->to_centre + q * ht_stride(crowd->store->cells);
}

static void see_limit(crowd_t *crowd, uint64_t q) {
    const ht_query_t *query = crowd->memory->states + q;
    uint32_t limit = (uint64_t)*query->count < crowd->scan.k ? crowd->scan.radius : query->distances[0];
    crowd->memory->window[q] = limit == UINT32_MAX ? HT_NO_WINDOW : ht_window(&crowd->scan, limit);
}

static int is_seed(const crowd_t *crowd, uint64_t q, uint64_t cell) {
    for (uint64_t i = 0; i < crowd->seeds; i++)
        if ((uint64_t)crowd->memory->seed[q * crowd->seeds + i] == cell) return 1;
    return 0;
}

static void look(crowd_t *crowd, const ht_look_t *looking) {
    crowd->scan.first = looking->part.first, crowd->scan.last = crowd->scan.resume = looking->part.last;
    ht_scan_tiles(&crowd->scan, crowd->isa, crowd->memory->states + looking->query, 1);
    crowd->looked_at += looking->part.last - looking->part.first;
    see_limit(crowd, looking->query);
}

/*  Four queries look at what any of them wants. */
static void look_together(crowd_t *crowd, const ht_look_t *looks) {
    ht_query_t together[HT_GROUP], *states = crowd->memory->states;
    ht_slice_t all = looks->part;
    for (uint64_t i = 0; i < HT_GROUP; i++) {
        together[i] = states[looks[i].query];
        if (looks[i].part.first < all.first) all.first = looks[i].part.first;
        if (looks[i].part.last > all.last) all.last = looks[i].part.last;
    }
    crowd->scan.first = all.first, crowd->scan.last = crowd->scan.resume = all.last;
    ht_scan_tiles(&crowd->scan, crowd->isa, together, HT_GROUP);
    for (uint64_t i = 0; i < HT_GROUP; i++) {
        states[looks[i].query] = together[i];
        see_limit(crowd, looks[i].query);
    }
    crowd->looked_at += HT_GROUP * (all.last - all.first);
}

static const uint8_t *block_at(const crowd_t *crowd, uint64_t position) {
    return crowd->scan.blocks + (position + HT_LANES - 1) / HT_LANES * crowd->scan.words * HT_WORD_BYTES;
}

/*  While one visit is made, what the next one will look at is fetched, at an even pace. */
static void fetch_ahead(crowd_t *crowd, const ht_visit_t *now, const ht_visit_t *next) {
    uint64_t blocks = now->codes / HT_LANES + 1;
    crowd->scan.ahead = crowd->scan.ahead_end = NULL;
    if (!next) return;
    crowd->scan.ahead = block_at(crowd, next->all.first) + HT_FIRST_LINES * HT_WORD_BYTES;
    crowd->scan.ahead_end = block_at(crowd, next->all.last);
    if (crowd->scan.ahead >= crowd->scan.ahead_end) return;
    crowd->scan.ahead_lines = (uint64_t)(crowd->scan.ahead_end - crowd->scan.ahead) / HT_WORD_BYTES / blocks + 1;
    if (crowd->scan.ahead_lines > HT_MOST_LINES) crowd->scan.ahead_lines = HT_MOST_LINES;
}

static void make_visit(crowd_t *crowd) {
    const ht_visit_t *visit = crowd->waiting + crowd->oldest, *next = crowd->waiting + (crowd->oldest + 1) % HT_WAITING;
    uint64_t i = 0;
    fetch_ahead(crowd, visit, crowd->n_waiting > 1 ? next : NULL);
    for (; visit->count - i >= HT_GROUP; i += HT_GROUP) look_together(crowd, visit->looks + i);
    for (; i < visit->count; i++) look(crowd, visit->looks + i);
    crowd->oldest = (crowd->oldest + 1) % HT_WAITING, crowd->n_waiting--;
}

static void make_all_visits(crowd_t *crowd) {
    while (crowd->n_waiting) make_visit(crowd);
}

/*  An empty visit, behind those that wait. */
static ht_visit_t *new_visit(crowd_t *crowd) {
    uint64_t place;
    ht_visit_t *visit;
    if (crowd->n_waiting == HT_WAITING) make_visit(crowd);
    place = (crowd->oldest + crowd->n_waiting) % HT_WAITING;
    visit = crowd->waiting + place;
    visit->looks = crowd->memory->looks + place * HT_CROWD;
    visit->count = visit->codes = 0, visit->all.first = UINT64_MAX, visit->all.last = 0;
    return visit;
}

/*  A query wants to look at its part of a cell. */
static void join(const crowd_t *crowd, ht_visit_t *visit, uint64_t q, uint64_t cell) {
    ht_look_t *looking = visit->looks + visit->count;
    looking->query = q;
    looking->part = ht_slice(&crowd->scan, crowd->store, cell, to_centres(crowd, q)[cell], crowd->memory->window[q]);
    if (looking->part.first >= looking->part.last) return;
    if (looking->part.first < visit->all.first) visit->all.first = looking->part.first;
    if (looking->part.last > visit->all.last) visit->all.last = looking->part.last;
    visit->codes += looking->part.last - looking->part.first;
    visit->count++;
}

/*  Lets a visit wait until those before it have been made; its first codes come into the cache meanwhile. */
static void wait_for(crowd_t *crowd, const ht_visit_t *visit) {
    const uint8_t *line, *end;
    if (!visit->count) return;
    line = block_at(crowd, visit->all.first), end = block_at(crowd, visit->all.last);
    for (uint64_t i = 0; i < HT_FIRST_LINES && line < end; i++, line += HT_WORD_BYTES) HT_PREFETCH(line);
    crowd->n_waiting++;
}

/*  The nearest cells come first, for they give the limit that passes over most of the others. */
static void look_at_seeds(crowd_t *crowd) {
    const ht_walk_t *memory = crowd->memory;
    for (uint64_t i = 0, count = crowd->nq * crowd->seeds; i < count;) {
        uint64_t cell = memory->nearest[i];
        ht_visit_t *visit = new_visit(crowd);
        for (; i < count && memory->nearest[i] == cell; i++) join(crowd, visit, (uint64_t)memory->order[i], cell);
        wait_for(crowd, visit);
    }
    make_all_visits(crowd);
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

/*  The queries that any of some cells may reach. */
HT_INLINE uint64_t wanting(crowd_t *crowd, uint32_t metric, uint64_t error, uint64_t begin, uint64_t end) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < crowd->nq; i++) {
        uint64_t q = (uint64_t)crowd->members[i];
        if (any_reaches(metric, crowd->store->reaches + begin, to_centres(crowd, q) + begin, end - begin,
                        crowd->memory->window[q], error))
            crowd->memory->wanting[count++] = (uint32_t)q;
    }
    return count;
}

HT_INLINE void look_at_others_of(crowd_t *crowd, uint32_t metric) {
    uint64_t error = ht_centre_error(&crowd->scan), cells = crowd->store->cells;
    for (uint64_t begin = 0, end; begin < cells; begin = end) {
        uint64_t count;
        end = cells - begin < HT_CELLS_AT_ONCE ? cells : begin + HT_CELLS_AT_ONCE;
        count = wanting(crowd, metric, error, begin, end);
        for (uint64_t cell = begin; cell < end && count; cell++) {
            ht_visit_t *visit = new_visit(crowd);
            for (uint64_t i = 0; i < count; i++) {
                uint64_t q = crowd->memory->wanting[i];
                if (ht_reaches(crowd->scan.metric, crowd->store->reaches[cell], to_centres(crowd, q)[cell],
                               crowd->memory->window[q], error) &&
                    !is_seed(crowd, q, cell))
                    join(crowd, visit, q, cell);
            }
            wait_for(crowd, visit);
        }
    }
}

static void look_at_others(crowd_t *crowd) {
    if (crowd->scan.metric == HT_L1) look_at_others_of(crowd, HT_L1);
    else look_at_others_of(crowd, HT_L2);
    make_all_visits(crowd);
}

/*  Whether no cell but the seeds has a part in the window of a query: then looking at the seeds was enough. */
static int is_proved(const crowd_t *crowd, uint64_t q) {
    for (uint64_t cell = 0; cell < crowd->store->cells; cell++) {
        uint32_t distance = to_centres(crowd, q)[cell];
        ht_slice_t part;
        if (!ht_reaches(crowd->scan.metric, crowd->store->reaches[cell], distance, crowd->memory->window[q],
                     ht_centre_error(&crowd->scan)))
            continue;
        part = ht_slice(&crowd->scan, crowd->store, cell, distance, crowd->memory->window[q]);
        if (part.first < part.last && !is_seed(crowd, q, cell)) return 0;
    }
    return 1;
}

uint64_t ht_seeds(const ht_asked_t *asked, uint64_t cells) {
    uint64_t seeds = asked && asked->most_cells ? asked->most_cells : HT_SEEDS;
    return seeds < cells ? seeds : cells;
}

/*  The nearest cells of all queries, or all seeds of a crowd. */
static uint64_t most_nearest(uint64_t nq, uint64_t seeds) { return nq > HT_CROWD * seeds ? nq : HT_CROWD * seeds; }

ht_walk_t ht_walk_layout(uint8_t *memory, ht_query_t *states, uint64_t nq, uint64_t seeds, uint64_t cells) {
    ht_walk_t out = {.states = states, .looks = (ht_look_t *)(((uintptr_t)memory + 63) & ~(uintptr_t)63)};
    out.window = (uint64_t *)(out.looks + HT_CROWD * HT_WAITING);
    out.seed = (int64_t *)(out.window + nq);
    out.members = out.seed + nq * seeds;
    out.order = out.members + nq;
    out.nearest = (uint32_t *)(out.order + HT_CROWD * seeds);
    out.seed_distance = out.nearest + most_nearest(nq, seeds);
    out.wanting = out.seed_distance + seeds;
    out.to_centre = out.wanting + HT_CROWD;
    out.points = (int16_t *)(out.to_centre + nq * ht_stride(cells));
    return out;
}

uint64_t ht_walk_bytes(uint64_t nq, uint64_t seeds, uint64_t cells, uint64_t dim) {
    uint64_t looks = HT_CROWD * HT_WAITING * sizeof(ht_look_t), longs = nq * (2 + seeds) + HT_CROWD * seeds;
    uint64_t words = most_nearest(nq, seeds) + seeds + HT_CROWD + nq * ht_stride(cells) + dim;
    return 64 + looks + 8 * longs + 4 * words;
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

/*  The seeds of all in the order of their cells, so that the queries of one cell are side by side. */
static void order_seeds(crowd_t *crowd) {
    ht_walk_t *memory = crowd->memory;
    int64_t count = 0;
    for (uint64_t i = 0; i < crowd->nq; i++)
        for (uint64_t j = 0; j < crowd->seeds; j++)
            ht_heap_push(memory->nearest, memory->order, &count, crowd->nq * crowd->seeds,
                         (uint32_t)memory->seed[(uint64_t)crowd->members[i] * crowd->seeds + j], crowd->members[i]);
    ht_heap_sort(memory->nearest, memory->order, &count, 1, crowd->nq * crowd->seeds);
}

void ht_walk_cells(ht_scan_t *scan, const ht_isa_t *isa, const ht_store_t *store, ht_walk_t *memory,
                   const uint8_t *queries, uint64_t nq, ht_asked_t *asked) {
    crowd_t crowd = {.store = store, .isa = isa, .scan = *scan, .memory = memory};
    int64_t count = 0;
    crowd.seeds = ht_seeds(asked, store->cells);
    ht_measure_centres(scan, isa, store, queries, memory->states, nq, memory->to_centre, memory->points);
    for (uint64_t q = 0; q < nq; q++) {
        int64_t *seed = memory->seed + q * crowd.seeds;
        ht_heap_limit(scan, memory->states + q, 0);
        see_limit(&crowd, q);
        choose_seeds(to_centres(&crowd, q), store->cells, crowd.seeds, memory->seed_distance, seed);
        ht_heap_push(memory->nearest, memory->members, &count, nq, (uint32_t)*seed, (int64_t)q);
    }
    ht_heap_sort(memory->nearest, memory->members, &count, 1, nq); /* cells near each other have numbers near each other */
    for (uint64_t begin = 0; begin < nq; begin += crowd.nq) {
        crowd.members = memory->members + begin, crowd.nq = nq - begin < HT_CROWD ? nq - begin : HT_CROWD;
        order_seeds(&crowd);
        look_at_seeds(&crowd);
        if (!asked || !asked->most_cells) look_at_others(&crowd);
        else if (asked->proved)
            for (uint64_t i = 0; i < crowd.nq; i++)
                asked->proved[crowd.members[i]] &= (uint8_t)is_proved(&crowd, (uint64_t)crowd.members[i]);
    }
    if (asked) asked->looked_at += crowd.looked_at;
}

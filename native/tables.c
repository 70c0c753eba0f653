/*  tables.c: the search by tables, whatever the instruction set: queries are prepared, strips of vectors are turned in
 *  tiles that all queries pass over, filters follow the limits, and what passes is offered to heaps and lists. */
#include "tables.h"

enum { HT_TURNED_BYTES = 65536, HT_MOST_STRIPS = 256, HT_AHEAD = 3, HT_FEW = 8, HT_ROOMY = 192, HT_FULL = 254, HT_LOST = 4 };

typedef struct {
    const uint8_t *tables; /* [words * 16][16], by nibbles as they are stored, zeros beyond the last */
    ht_costs_t costs;
    uint8_t *filter;       /* this query's part of [columns][group][entries] */
    uint64_t group;
    int64_t base, base_by_bits;
    int64_t limit, filtered; /* `filtered`: the limit for which the filter was made, less the base; 0: none was */
    uint32_t scale;
    uint32_t *distances;
    int64_t *ids, *count;
} query_t;

typedef struct {
    const uint8_t *blocks;
    ht_pages_t allowed;
    const int64_t *given_ids;
    uint64_t words, pairs, columns, chunks, first, last, k, nq;
    int32_t in_order, radius_only;
    uint32_t radius;
    uint64_t resume;
    const ht_table_kernel_t *kernel;
    query_t *queries;
    uint64_t *masks;
    uint8_t *turned, *strip, *filters, *memory;
} search_t;

static uint64_t nibbles_of(uint32_t dim, uint32_t bits) { return ((uint64_t)dim * bits + 3) / 4; }

static uint64_t most_columns(uint64_t words, uint64_t pairs) {
    return pairs * 2 > words * HT_SEVENS_OF_WORD ? pairs * 2 : words * HT_SEVENS_OF_WORD;
}

/*  Strips of a tile. One that few queries pass over stays in the first-level cache; many read it in order, and then their
 *  filters had better stay there. */
static uint64_t most_strips(uint64_t columns, uint64_t nq) {
    uint64_t strips = (nq < HT_FEW ? HT_TURNED_BYTES / 4 : HT_TURNED_BYTES) / (columns * HT_STRIP);
    return strips > HT_MOST_STRIPS ? HT_MOST_STRIPS : strips ? strips : 1;
}

static int32_t bad_tables(uint32_t dim, uint32_t bits, uint64_t nq) {
    int32_t error = ht_bad_shape(dim, bits);
    if (error) return error;
    if (bits == 8) return HT_ERROR_BITS;
    return nq > (uint64_t)1 << 36 ? HT_ERROR_RANGE : HT_OK;
}

/*  Scratch: queries, masks, turned strips, the last strip where it is not whole, filters, and tables, aligned to 64. */
static uint64_t layout(search_t *search, uint32_t dim, uint32_t bits, uint64_t nq, uint8_t *memory) {
    uint64_t words = ht_words(dim, bits), pairs = (nibbles_of(dim, bits) + 1) / 2, offset = 0;
    uint64_t sizes[6] = {nq * sizeof(query_t), HT_MOST_STRIPS * HT_GROUP * sizeof(uint64_t),
                         HT_TURNED_BYTES + most_columns(words, pairs) * HT_STRIP, words * HT_WORD_BYTES * HT_STRIP_BLOCKS,
                         nq * words * HT_SEVENS_OF_WORD * HT_SEVENS,
                         nq * (words * 16 + pairs * 2 + words * 8) * 16};
    uint8_t *places[6];
    for (int i = 0; i < 6; i++) {
        if (memory) places[i] = memory + offset;
        offset += (sizes[i] + 63) & ~(uint64_t)63;
    }
    if (memory) {
        search->queries = (query_t *)(void *)places[0], search->masks = (uint64_t *)(void *)places[1];
        search->turned = places[2], search->strip = places[3], search->filters = places[4], search->memory = places[5];
        search->words = words, search->pairs = pairs;
    }
    return offset + 64;
}

int64_t ht_tables_bytes(uint32_t dim, uint32_t bits, uint64_t nq) {
    int32_t error = bad_tables(dim, bits, nq);
    return error ? error : (int64_t)layout(NULL, dim, bits, nq, NULL);
}

static void prepare(search_t *search, query_t *query, const uint8_t *given, uint32_t bits, uint64_t nibbles, uint8_t *memory) {
    uint8_t *tables = memory, *rest = memory + search->words * 256;
    memset(tables, 0, search->words * 256), memset(rest, 0, search->pairs * 32);
    for (uint64_t n = 0; n < nibbles; n++) {
        uint8_t least = 255;
        for (uint64_t code = 0; code < 16; code++) {
            uint8_t entry = given[n * 16 + code];
            tables[n * 16 + (bits == 2 ? ht_gray(code) : code)] = entry;
            if (entry < least) least = entry;
        }
        for (uint64_t i = n * 16; i < n * 16 + 16; i++) rest[i] = (uint8_t)(tables[i] - least);
        query->base += least;
    }
    query->tables = tables, query->costs.nibbles = rest;
}

/*  While ids to come are at least `next_id`, a tie with the root of a heap can only win if the root's id is higher. */
static void see_limit(const search_t *search, query_t *query, int64_t next_id) {
    query->limit = search->radius;
    if (search->radius_only || (uint64_t)*query->count < search->k) return;
    if (query->distances[0] <= search->radius)
        query->limit = (int64_t)query->distances[0] - (search->in_order && query->ids[0] <= next_id);
}

/*  What each bit of a nibble with these entries costs; returns by how much the sum of these, with entry 0, is less than the
 *  entries, over all 16 together, and lowers the base so that it is nowhere more. */
static uint32_t cost_of_bits(const uint8_t *entries, int16_t *costs, int64_t *base) {
    int32_t most = 0, total = 0;
    for (int bit = 0; bit < 4; bit++) {
        costs[bit] = (int16_t)(entries[1 << bit] - entries[0]);
        *base += costs[bit] < 0 ? costs[bit] : 0;
    }
    for (int i = 0; i < 16; i++) {
        int32_t over = entries[0] - entries[i];
        for (int bit = 0; bit < 4; bit++) over += i >> bit & 1 ? costs[bit] : 0;
        if (over > most) most = over;
        total -= over;
    }
    *base += entries[0] - most;
    return (uint32_t)(total + 16 * most);
}

/*  Whether what nibbles cost is nearly enough a sum over their bits for all queries, who then have a base by bits. Where
 *  it is not for one of them, all of them stay as they were. */
static int cost_bits(search_t *search, uint8_t *memory) {
    for (uint64_t q = 0; q < search->nq; q++) {
        query_t *query = search->queries + q;
        int16_t *costs = (int16_t *)(void *)(memory + q * search->words * 64 * sizeof(int16_t));
        uint64_t lost = 0;
        int64_t base = 0;
        for (uint64_t n = 0; n < search->words * 16; n++)
            lost += cost_of_bits(query->tables + n * 16, costs + n * 4, &base);
        if (lost > search->pairs * 2 * 16 * HT_LOST) return 0;
        query->costs.bits = costs, query->base_by_bits = base;
    }
    for (uint64_t q = 0; q < search->nq; q++) search->queries[q].base = search->queries[q].base_by_bits;
    return 1;
}

/*  The least filter sum that is beyond the limit; 0: everything is. The filter is made anew once the limit has fallen by
 *  an eighth. While there is no limit all entries are zero. */
static uint32_t see_filter(const search_t *search, query_t *query) {
    int64_t left = query->limit - query->base, full = search->chunks == 1 ? HT_FULL : (int64_t)search->chunks * HT_ROOMY;
    if (full > 65534) full = 65534;
    if (left < 0) return 0;
    if (!query->filtered || (query->scale < 65535 && left * 8 <= query->filtered * 7)) {
        int64_t scale = full * 65536 / (left ? left : 1);
        query->filtered = left ? left : 1, query->scale = (uint32_t)(scale < 65535 ? scale : 65535);
        search->kernel->scale(&query->costs, query->scale, query->group, query->filter);
    }
    return (uint32_t)(left * query->scale >> 16) + 1;
}

static uint32_t distance_of(const search_t *search, const query_t *query, uint64_t position) {
    const uint8_t *lane = search->blocks + position / HT_LANES * search->words * HT_WORD_BYTES + position % HT_LANES * 8;
    const uint8_t *tables = query->tables;
    uint32_t distance = 0;
    for (uint64_t pair = 0; pair < search->pairs; pair++, tables += 32) {
        uint8_t byte = lane[pair / 8 * HT_WORD_BYTES + pair % 8];
        distance += (uint32_t)tables[byte & 15] + tables[16 + (byte >> 4)];
    }
    return distance;
}

/*  Takes one vector that passed; returns 1 when the list is full. */
static int offer(search_t *search, query_t *query, uint64_t position) {
    uint32_t distance = distance_of(search, query, position);
    int64_t id;
    if (distance > query->limit) return 0;
    id = search->given_ids ? search->given_ids[position] : (int64_t)position;
    if (!search->radius_only) {
        ht_heap_push(query->distances, query->ids, query->count, search->k, distance, id);
        see_limit(search, query, id);
        return 0;
    }
    if ((uint64_t)*query->count == search->k) return search->resume = position, 1;
    query->distances[*query->count] = distance, query->ids[(*query->count)++] = id;
    return 0;
}

/*  The vectors of a strip that may be looked at at all. */
static uint64_t strip_mask(const search_t *search, uint64_t position) {
    uint64_t mask = ~(uint64_t)0;
    if (search->allowed) {
        mask = 0;
        for (uint64_t block = 0; block < HT_STRIP_BLOCKS && position + block * HT_LANES < search->last; block++)
            mask |= (uint64_t)ht_counting(search->allowed, position / HT_LANES + block) << (block * HT_LANES);
    }
    if (position < search->first) mask &= ~(uint64_t)0 << (search->first - position);
    if (search->last - position < HT_STRIP) mask &= ~(~(uint64_t)0 << (search->last - position));
    return mask;
}

static int lowest_bit(uint64_t mask) {
    int bit = 0;
    for (; !(mask & 0xFF); mask >>= 8) bit += 8;
    for (; !(mask & 1); mask >>= 1) bit++;
    return bit;
}

static int take(search_t *search, query_t *query, uint64_t position, uint64_t mask) {
    for (mask &= strip_mask(search, position); mask; mask &= mask - 1)
        if (offer(search, query, position + (uint64_t)lowest_bit(mask))) return 1;
    return 0;
}

/*  Strips from `position` on; of the last one, which may not be whole, nothing beyond its codes is read. */
static void turn_strips(search_t *search, uint64_t position, uint64_t strips) {
    uint64_t strip_bytes = search->words * HT_WORD_BYTES * HT_STRIP_BLOCKS;
    for (uint64_t i = 0; i < strips; i++, position += HT_STRIP) {
        const uint8_t *blocks = search->blocks + position / HT_LANES * search->words * HT_WORD_BYTES;
        if (search->last - position >= HT_AHEAD * HT_STRIP) /* which no processor guesses from how strips are read */
            for (uint64_t line = 0; line < strip_bytes; line += 64) HT_PREFETCH(blocks + (HT_AHEAD - 1) * strip_bytes + line);
        if (search->last - position < HT_STRIP) {
            memset(search->strip, 0, strip_bytes);
            ht_copy_blocks(search->strip, blocks, search->words, search->last - position);
            blocks = search->strip;
        }
        search->kernel->turn(blocks, search->words, search->pairs, search->turned + i * search->columns * HT_STRIP);
    }
}

static int scan_tile(search_t *search, uint64_t position, uint64_t strips) {
    turn_strips(search, position, strips);
    for (uint64_t q = 0; q < search->nq; q += search->queries[q].group) {
        query_t *queries = search->queries + q;
        uint64_t group = queries->group;
        uint32_t below[HT_GROUP], any = 0;
        for (uint64_t i = 0; i < group; i++) any |= below[i] = see_filter(search, queries + i);
        if (!any || !search->kernel->filter(search->turned, strips, search->columns, queries->filter, (int)group, below,
                                            search->masks))
            continue;
        for (uint64_t i = 0; i < strips * group; i++)
            if (search->masks[i] &&
                take(search, queries + i % group, position + i / group * HT_STRIP, search->masks[i]))
                return 1;
    }
    return 0;
}

/*  Tiles grow, since limits are still wide after the first vectors. */
static void scan_strips(search_t *search) {
    uint64_t most = most_strips(search->columns, search->nq), strips = 1;
    for (uint64_t position = search->first / HT_LANES * HT_LANES; position < search->last;) {
        uint64_t left = (search->last - position + HT_STRIP - 1) / HT_STRIP;
        if (strips > left) strips = left;
        if (scan_tile(search, position, strips)) return;
        position += strips * HT_STRIP;
        strips = strips * 2 < most ? strips * 2 : most;
    }
}

static void scan_plain(search_t *search) {
    for (uint64_t position = search->first; position < search->last; position++) {
        if (!ht_counts(search->allowed, position)) continue;
        for (uint64_t q = 0; q < search->nq; q++)
            if (offer(search, search->queries + q, position)) return;
    }
}

static void choose_kernel(search_t *search, const ht_isa_t *isa) {
    uint8_t *costs = search->memory + search->nq * (search->words * 256 + search->pairs * 32);
    search->kernel = isa->tables, search->columns = search->pairs * 2;
    if (!search->kernel) return;
    if (isa->sevens && cost_bits(search, costs))
        search->kernel = isa->sevens, search->columns = search->words * HT_SEVENS_OF_WORD;
    search->chunks = (search->columns + HT_CHUNK - 1) / HT_CHUNK;
    for (uint64_t q = 0; q < search->nq; q++) {
        query_t *query = search->queries + q;
        uint64_t grouped = search->nq - search->nq % HT_GROUP, in_group = q < grouped ? q % HT_GROUP : 0;
        query->group = q < grouped ? HT_GROUP : 1, query->costs.columns = search->columns;
        query->filter = search->filters + ((q - in_group) * search->columns + in_group) * search->kernel->entries;
    }
}

static int32_t begin(search_t *search, uint32_t dim, uint32_t bits, const uint8_t *tables, uint32_t *distances,
                     int64_t *ids, int64_t *counts, void *scratch, uint64_t scratch_bytes) {
    uint64_t nibbles = nibbles_of(dim, bits), nq = search->nq;
    int32_t error = bad_tables(dim, bits, nq);
    const ht_isa_t *isa;
    if (error) return error;
    if (search->first > search->last || search->last > (uint64_t)1 << 44) return HT_ERROR_RANGE;
    if (search->k == 0 || search->k > INT64_MAX / 16 || (nq && search->k > INT64_MAX / 16 / nq)) return HT_ERROR_K;
    if (nq && (!tables || !scratch || !distances || !ids || !counts)) return HT_ERROR_NULL;
    if (search->first < search->last && !search->blocks) return HT_ERROR_NULL;
    if (nq && scratch_bytes < (uint64_t)ht_tables_bytes(dim, bits, nq)) return HT_ERROR_SCRATCH;
    for (uint64_t q = 0; q < nq; q++)
        if (counts[q] < 0 || (uint64_t)counts[q] > search->k) return HT_ERROR_HEAP;
    if (!(isa = ht_isa_current(&error))) return error;
    if (!nq || search->first == search->last) return HT_OK;
    layout(search, dim, bits, nq, (uint8_t *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63));
    search->resume = search->last;
    for (uint64_t q = 0; q < nq; q++) {
        query_t *query = search->queries + q;
        memset(query, 0, sizeof *query);
        query->distances = distances + q * search->k, query->ids = ids + q * search->k, query->count = counts + q;
        prepare(search, query, tables + q * nibbles * 16, bits, nibbles,
                search->memory + q * (search->words * 256 + search->pairs * 32));
        see_limit(search, query, search->given_ids ? search->given_ids[search->first] : (int64_t)search->first);
    }
    choose_kernel(search, isa);
    if (search->kernel) scan_strips(search);
    else scan_plain(search);
    return HT_OK;
}

int32_t ht_scan_tables(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint64_t first, uint64_t last,
                       const int64_t *ids, int32_t ascending, ht_pages_t allowed, const uint8_t *tables, uint64_t nq,
                       uint64_t k, uint32_t *heap_distances, int64_t *heap_ids, int64_t *counts, void *scratch,
                       uint64_t scratch_bytes) {
    search_t search = {.blocks = blocks, .allowed = allowed, .given_ids = ids, .first = first, .last = last, .k = k,
                       .nq = nq, .in_order = !ids || ascending, .radius = UINT32_MAX};
    return begin(&search, dim, bits, tables, heap_distances, heap_ids, counts, scratch, scratch_bytes);
}

int64_t ht_within_tables(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint64_t first, uint64_t last,
                         const int64_t *ids, ht_pages_t allowed, const uint8_t *tables, uint32_t radius,
                         uint64_t capacity, uint32_t *distances, int64_t *found_ids, uint64_t *resume, void *scratch,
                         uint64_t scratch_bytes) {
    search_t search = {.blocks = blocks, .allowed = allowed, .given_ids = ids, .first = first, .last = last,
                       .k = capacity, .nq = 1, .radius_only = 1, .radius = radius, .resume = last};
    int64_t count = 0;
    int32_t error;
    if (!resume) return HT_ERROR_NULL;
    error = begin(&search, dim, bits, tables, distances, found_ids, &count, scratch, scratch_bytes);
    if (error) return error;
    *resume = search.resume;
    return count;
}

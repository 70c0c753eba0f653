/*  coarse.c: search in two passes: bounds from the coarse part say which codes are worth their true distance.
 *
 *  The bound. A coarse coordinate is the top bits of a code's coordinate, so it stands for an arc of neighbouring values.
 *  Whatever the code is, the distance of that coordinate to the query's is at least that of the nearest value of the
 *  arc, since every metric grows with the arc between two values; call its value v. Coordinates beyond the coarse ones
 *  add at least 0. So the true distance D is at least the sum of v over the coarse coordinates.
 *
 *  In integers. The entry of a nibble is floor(V / unit), where V is the sum of v over its coordinates and `unit` is as
 *  small as keeps entries within 127. The sum S of entries is at most D / unit, and whole, so S <= floor(D / unit). A code
 *  with S > floor(limit / unit) has D > limit: it is farther than the k-th nearest so far, and a tie never is passed over.
 *
 *  Exact: the nearest by bound among every 16th strip give a first limit, then all codes are passed over but those whose
 *  bound is within the limit, which falls as nearer codes are found. With `rerank`, only so many codes with the smallest
 *  bounds (S, then position) are looked at; the result is exact nevertheless, and proved to be, if the largest of these
 *  sums is beyond the limit in the end.
 */
#include "coarse.h"

#include "hypertorus.h"

enum { SAMPLED = 16, FEW_STRIPS = 64, TOGETHER = 32, FIRST = 64 };

static uint64_t columns_of(uint32_t coordinates, uint32_t bits) { return ht_row_bytes(coordinates, bits); }

static int32_t bad_coarse(uint32_t coordinates, uint32_t coarse_bits, uint32_t dim, uint32_t bits) {
    int32_t error = ht_bad_shape(dim, bits);
    if (error) return error;
    if (coarse_bits != 4 && coarse_bits != 2 && coarse_bits != 1) return HT_ERROR_BITS;
    if (coarse_bits > bits) return HT_ERROR_BITS;
    if (!coordinates || coordinates > dim || columns_of(coordinates, coarse_bits) > HT_COLUMNS) return HT_ERROR_DIM;
    return HT_OK;
}

int64_t ht_coarse_bytes(uint64_t count, uint32_t coordinates, uint32_t coarse_bits) {
    int32_t error = bad_coarse(coordinates, coarse_bits, coordinates, 8);
    if (error) return error;
    if (count > (uint64_t)1 << 44) return HT_ERROR_RANGE;
    return (int64_t)((count + HT_STRIP - 1) / HT_STRIP * HT_STRIP * columns_of(coordinates, coarse_bits));
}

static uint32_t coordinate(const uint8_t *row, uint32_t bits, uint32_t i) {
    return row[(uint64_t)i * bits / 8] >> (uint64_t)i * bits % 8 & ((1u << bits) - 1);
}

int32_t ht_coarse_put(uint8_t *strips, uint32_t coordinates, uint32_t coarse_bits, uint32_t dim, uint32_t bits,
                      uint64_t first, const uint8_t *rows, uint64_t n) {
    int32_t error = bad_coarse(coordinates, coarse_bits, dim, bits);
    const uint64_t columns = columns_of(coordinates, coarse_bits);
    if (error) return error;
    if (n && (!strips || !rows)) return HT_ERROR_NULL;
    if (first > INT64_MAX || n > INT64_MAX - first) return HT_ERROR_RANGE;
    for (uint64_t position = first; position < first + n; position++, rows += ht_row_bytes(dim, bits)) {
        uint8_t *lane = strips + position / HT_STRIP * columns * HT_STRIP + position % HT_STRIP;
        for (uint64_t c = 0; c < columns; c++) lane[c * HT_STRIP] = 0;
        for (uint32_t i = 0; i < coordinates; i++) {
            uint64_t bit = (uint64_t)i * coarse_bits;
            uint32_t top = coordinate(rows, bits, i) >> (bits - coarse_bits);
            lane[bit / 8 * HT_STRIP] |= (uint8_t)(top << bit % 8);
        }
    }
    return HT_OK;
}

typedef struct {
    const ht_coarse_t *coarse;
    ht_scan_t scan;
    const ht_isa_t *isa;
    const uint8_t *query;
    ht_strips_t next;
    uint64_t columns, strips, unit;
    uint8_t *tables, *rows, *tail; /* the last strip, if it is not whole, without what another thread may write to */
    uint64_t *keys; /* sum << 48 | position of the smallest so far, and room for as many more */
    uint32_t *trial_distances, *distances;
    int64_t *trial_ids, *ids, *count;
    uint64_t looked_at;
} search_t;

/*  The value of the distance from a coordinate of the query to the nearest one that the coarse one may be. */
static uint32_t least_value(const ht_coarse_t *coarse, uint32_t query, uint32_t top) {
    uint32_t shift = coarse->bits - coarse->coarse_bits, turn = 1u << coarse->bits, arc;
    uint32_t from_first = (query - (top << shift)) & (turn - 1), size = 1u << shift;
    if (from_first < size) return 0;
    arc = turn - from_first < from_first - (size - 1) ? turn - from_first : from_first - (size - 1);
    if (coarse->metric == HT_L1) return arc;
    return coarse->metric == HT_L2 ? arc * arc : hypertorus_cosine_table[arc << (8 - coarse->bits)];
}

static uint32_t nibble_value(const search_t *search, uint64_t nibble, uint32_t entry) {
    const ht_coarse_t *coarse = search->coarse;
    uint32_t bits = coarse->coarse_bits, value = 0;
    for (uint32_t j = 0; j < 4 / bits; j++) {
        uint64_t i = nibble * (4 / bits) + j;
        uint32_t top = entry >> j * bits & ((1u << bits) - 1);
        if (i < coarse->coordinates) value += least_value(coarse, coordinate(search->query, coarse->bits, (uint32_t)i), top);
    }
    return value;
}

static void prepare_tables(search_t *search) {
    uint32_t values[16], largest = HT_ENTRY;
    for (int last = 0; last < 2; last++, search->unit = (largest + HT_ENTRY - 1) / HT_ENTRY)
        for (uint64_t nibble = 0; nibble < search->columns * 2; nibble++)
            for (uint32_t entry = 0; entry < 16; entry++) {
                values[entry] = nibble_value(search, nibble, entry);
                if (values[entry] > largest) largest = values[entry];
                if (last) search->tables[nibble * 16 + entry] = (uint8_t)(values[entry] / search->unit);
            }
}

static uint16_t in_units(const search_t *search, uint64_t distance) {
    return (uint16_t)(distance / search->unit < HT_NO_SUM ? distance / search->unit : HT_NO_SUM - 1);
}

static int counts(const search_t *search, uint64_t position) {
    const ht_coarse_t *coarse = search->coarse;
    return position < coarse->count && ht_counts(coarse->allowed, position);
}

static const uint8_t *block_of(const search_t *search, uint64_t position) {
    return search->scan.blocks + position / HT_LANES * search->scan.words * HT_WORD_BYTES;
}

static void prefetch(const search_t *search, uint64_t position) {
    for (uint64_t w = 0; w < search->scan.words; w++) HT_PREFETCH(block_of(search, position) + w * HT_WORD_BYTES);
}

/*  Offers the positions of keys to a heap of k: some rows at a time are gathered and measured together. */
static void rerank(search_t *search, const uint64_t *keys, uint64_t n, uint32_t *distances, int64_t *ids, int64_t *count) {
    const uint64_t mask = ((uint64_t)1 << 48) - 1, size = ht_row_bytes(search->scan.dim, search->scan.bits);
    uint32_t measured[TOGETHER];
    for (uint64_t begin = 0; begin < n; begin += TOGETHER) {
        uint64_t some = n - begin < TOGETHER ? n - begin : TOGETHER;
        for (uint64_t i = begin + some; i < n && i < begin + 2 * TOGETHER; i++) prefetch(search, keys[i] & mask);
        for (uint64_t i = 0; i < some; i++) {
            uint64_t position = keys[begin + i] & mask;
            const uint8_t *lane = block_of(search, position) + position % HT_LANES * 8;
            for (uint64_t w = 0; w < search->scan.words; w++) {
                uint64_t word = ht_load_word(lane + w * HT_WORD_BYTES);
                if (search->scan.bits == 2) word = ht_gray(word);
                memcpy(search->rows + i * size + w * 8, &word, size - w * 8 < 8 ? size - w * 8 : 8);
            }
        }
        search->isa->distances(search->scan.metric, search->scan.bits, (uint16_t)search->scan.dim, search->query, 1,
                               search->rows, some, measured);
        for (uint64_t i = 0; i < some; i++)
            ht_heap_push(distances, ids, count, search->scan.k, measured[i], ht_id(&search->scan, keys[begin + i] & mask));
    }
    search->looked_at += n;
}

/*  Moves the `keep` smallest of `n` keys to the front, the largest of them last. */
static void select_smallest(uint64_t *keys, uint64_t n, uint64_t keep) {
    uint64_t low = 0, high = n - 1, wanted = keep - 1;
    while (low < high) {
        uint64_t pivot = keys[low + (high - low) / 2], i = low, j = high, swapped;
        for (;;) {
            while (keys[i] < pivot) i++;
            while (keys[j] > pivot) j--;
            if (i >= j) break;
            swapped = keys[i], keys[i++] = keys[j], keys[j--] = swapped;
        }
        if (wanted <= j) high = j;
        else low = j + 1;
    }
}

/*  As `ht_strips_t`, over all strips of the store. */
static uint64_t next_strip(const search_t *search, uint64_t strip, uint64_t step, uint16_t limit, uint16_t *sums,
                           uint64_t *within) {
    uint64_t whole = search->coarse->count / HT_STRIP;
    if (strip < whole) {
        uint64_t found = search->next(search->coarse->strips, search->columns, search->tables, strip, whole, step, limit,
                                      sums, within);
        if (found < whole) return found;
        strip += (whole - strip + step - 1) / step * step;
    }
    if (strip >= search->strips) return search->strips;
    return strip + search->next(search->tail, search->columns, search->tables, 0, 1, 1, limit, sums, within);
}

static void copy_tail(search_t *search) {
    uint64_t whole = search->coarse->count / HT_STRIP, left = search->coarse->count % HT_STRIP;
    const uint8_t *strip = search->coarse->strips + whole * search->columns * HT_STRIP;
    memset(search->tail, 0, search->columns * HT_STRIP);
    for (uint64_t c = 0; c < search->columns && left; c++)
        memcpy(search->tail + c * HT_STRIP, strip + c * HT_STRIP, left);
}

/*  The keys with the `most` smallest sums of every `step`th strip; returns how many there are. */
static uint64_t smallest(search_t *search, uint64_t step, uint64_t most) {
    uint64_t n = 0, largest = UINT64_MAX, strip = 0, within;
    uint16_t sums[HT_STRIP], limit = HT_NO_SUM - 1;
    while ((strip = next_strip(search, strip, step, limit, sums, &within)) < search->strips) {
        for (; within; within &= within - 1) {
            uint64_t i = ht_lowest(within), position = strip * HT_STRIP + ht_strip_lane(i);
            uint64_t key = (uint64_t)sums[i] << 48 | position;
            if (key >= largest || !counts(search, position)) continue;
            search->keys[n++] = key;
            if (n < 2 * most) continue;
            select_smallest(search->keys, n, most);
            n = most, largest = search->keys[most - 1], limit = (uint16_t)(largest >> 48);
        }
        strip += step;
    }
    if (n > most) select_smallest(search->keys, n, most), n = most;
    return n;
}

/*  All codes whose bound is within the limit, which is at most `ceiling`. */
static void look_at_all(search_t *search, uint64_t ceiling) {
    uint64_t pending[TOGETHER], n = 0, strip = 0, within;
    uint16_t sums[HT_STRIP];
    for (;; strip++) {
        uint64_t root = (uint64_t)*search->count < search->scan.k ? UINT32_MAX : search->distances[0];
        strip = next_strip(search, strip, 1, in_units(search, root < ceiling ? root : ceiling), sums, &within);
        if (strip >= search->strips) break;
        for (; within; within &= within - 1) {
            uint64_t position = strip * HT_STRIP + ht_strip_lane(ht_lowest(within));
            if (!counts(search, position)) continue;
            prefetch(search, position);
            pending[n++] = position;
            if (n == TOGETHER) rerank(search, pending, n, search->distances, search->ids, search->count), n = 0;
        }
    }
    rerank(search, pending, n, search->distances, search->ids, search->count);
}

static void search_one(search_t *search, uint64_t most, uint8_t *proved) {
    uint64_t sampled = search->strips < FEW_STRIPS ? 1 : SAMPLED, k = search->scan.k, ceiling = UINT32_MAX, n;
    int64_t trial = 0;
    prepare_tables(search);
    if (!most) {
        n = smallest(search, sampled, 4 * k + FIRST);
        rerank(search, search->keys, n, search->trial_distances, search->trial_ids, &trial);
        if ((uint64_t)trial == k) ceiling = search->trial_distances[0];
        look_at_all(search, ceiling);
        *proved = 1;
        return;
    }
    n = smallest(search, 1, most);
    rerank(search, search->keys, n, search->distances, search->ids, search->count);
    *proved = n < most || most >= search->coarse->count;
    if ((uint64_t)*search->count == k && n)
        *proved |= (uint16_t)(search->keys[n - 1] >> 48) > in_units(search, search->distances[0]);
}

static uint64_t kept(uint64_t k, uint64_t rerank) { return 2 * (rerank ? rerank : 4 * k + FIRST); }

int64_t ht_coarse_search_bytes(const ht_coarse_t *coarse, uint64_t k, uint64_t rerank) {
    int64_t scan;
    if (!coarse) return HT_ERROR_NULL;
    if (!k || k > INT64_MAX / 1024 || rerank > INT64_MAX / 1024) return HT_ERROR_K;
    scan = ht_scratch_bytes(coarse->dim, coarse->bits, 1);
    return scan < 0 ? scan : scan + (int64_t)(64 + HT_COLUMNS * (32 + HT_STRIP) + kept(k, rerank) * 8 + k * 12 +
                                            TOGETHER * ht_row_bytes(coarse->dim, coarse->bits));
}

int32_t ht_coarse_search(const ht_coarse_t *coarse, const uint8_t *queries, uint64_t nq, uint64_t k, uint64_t rerank,
                         uint32_t *heap_distances, int64_t *heap_ids, int64_t *heap_counts, uint8_t *proved,
                         uint64_t *looked_at, void *scratch, uint64_t scratch_bytes) {
    int64_t needed = ht_coarse_search_bytes(coarse, k, rerank);
    int32_t error;
    if (needed < 0) return (int32_t)needed;
    if ((error = bad_coarse(coarse->coordinates, coarse->coarse_bits, coarse->dim, coarse->bits))) return error;
    if (nq && (!queries || !heap_distances || !heap_ids || !heap_counts || !proved || !looked_at)) return HT_ERROR_NULL;
    if (coarse->count && (!coarse->strips || !coarse->blocks)) return HT_ERROR_NULL;
    if (nq && scratch_bytes < (uint64_t)needed) return HT_ERROR_SCRATCH;
    for (uint64_t q = 0; q < nq; q++)
        if (heap_counts[q] < 0 || (uint64_t)heap_counts[q] > k) return HT_ERROR_HEAP;
    for (uint64_t q = 0; q < nq; q++) {
        const uint8_t *query = queries + q * ht_row_bytes(coarse->dim, coarse->bits);
        search_t search = {.coarse = coarse, .unit = 1};
        const ht_isa_t *isa;
        ht_query_t *state = NULL;
        ht_scan_t scan = {.blocks = coarse->blocks, .last = coarse->count, .dim = coarse->dim, .bits = coarse->bits,
                          .metric = coarse->metric, .given_ids = coarse->ids, .k = k, .radius = UINT32_MAX};
        uint8_t *rest = (uint8_t *)(((uintptr_t)scratch + (uintptr_t)ht_scratch_bytes(coarse->dim, coarse->bits, 1) + 63) & ~(uintptr_t)63);
        if ((error = ht_prepare(&scan, &isa, &state, query, 1, scratch, scratch_bytes))) return error;
        search.scan = scan, search.isa = isa, search.query = query, search.next = ht_strips(isa);
        search.columns = columns_of(coarse->coordinates, coarse->coarse_bits);
        search.strips = (coarse->count + HT_STRIP - 1) / HT_STRIP;
        search.keys = (uint64_t *)(void *)rest, search.trial_ids = (int64_t *)(search.keys + kept(k, rerank));
        search.trial_distances = (uint32_t *)(search.trial_ids + k);
        search.tables = (uint8_t *)(search.trial_distances + k), search.tail = search.tables + HT_COLUMNS * 32;
        search.rows = search.tail + HT_COLUMNS * HT_STRIP;
        search.distances = heap_distances + q * k, search.ids = heap_ids + q * k, search.count = heap_counts + q;
        copy_tail(&search);
        search_one(&search, rerank, proved + q);
        looked_at[q] = search.looked_at;
    }
    return HT_OK;
}

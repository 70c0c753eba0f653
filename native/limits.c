/*  limits.c: which cheap sum stands for which metric, and the limit that makes looking at it safe.
 *
 *  Table sums. An entry floor(v * n / d), where v is the smallest value a coordinate of that entry can have, is at
 *  most v * n / d; so the sum of entries is at most D * n / d, and D <= limit implies sum <= floor(limit * n / d).
 *
 *  The l1 filter of bytes. Let h be convex on 0..128 with h(i) <= value(i), the value of one arc i in l2 or cosine.
 *  By Jensen D >= sum h(arc) >= dim * h(l1 / dim), and h grows, so D <= limit bounds l1 from above. Squares are
 *  convex themselves. The cosine is convex up to arc 33; from there h is the chord to (128, 2^15), which stays below
 *  the concave rest because the tangent from that corner touches the curve at arc 33.0.
 *
 *  The line. Values of arcs lie around a line; with T(sixteenth) = floor of the least (value / slope - arc) of a sixteenth
 *  of half a turn, value >= slope (arc + T). Half a turn counts to the first. So D <= limit implies that the sum of
 *  arc + T is at most floor(limit / slope). Entries are T + lift, which is never negative, and what that adds is known, as
 *  is what padding adds, whose arcs are zero. A slope of 210 loses 480 a coordinate if all arcs are alike, and 299 up to
 *  arc 31; no slope loses less than 465.
 *
 *  Near arcs. Up to arc 32 a value is at least 1199 / 256 squares of the arc, and 95 % of it or less; beyond, it is at
 *  least that of arc 32. So D <= limit implies that the sum of squares of arcs, none counting for more than 32, is at most
 *  floor(limit * 256 / 1199). Where limits are small, as among codes of one cluster, no filter is as close; unrelated codes
 *  have 853 such squares a coordinate, so it is worth its time below 512.
 *
 *  Chords. value = 2^14 - s(64 - arc), where s is odd, and a table of s(1) to s(64) is short enough to be looked up.
 *
 *  Dots. cos(a - b) is cos a cos b + sin a sin b. With cosines and sines rounded to 127ths, the sum of products of two
 *  angles is at most 161 too large in 127ths squared, over all pairs of angles (the worst is an angle with itself). So
 *  127^2 - 161 - products is at most the value of their arc times 127^2 / 2^14.
 *
 *  Pairs of nibbles. A difference without its lowest bit is one of 2b and 2b + 1, and its entry has the smaller value.
 *  The topmost nibble of a word is in two pieces, its lowest bit is left out on both sides and nothing is borrowed from
 *  it: if the query has that bit, the difference is 2b - 1 or 2b. For each such word the filter's limit is raised by
 *  the most an entry can then exceed the value.
 */
#include "hypertorus.h"
#include "scan.h"

enum { HT_HALF_TURN = 128, HT_TANGENT = 33, HT_FARTHEST_L2 = 65535 * 16384, HT_FARTHEST_COSINE = 65535 * 32768,
       HT_ARC_EXPECTED = 48 };

static uint64_t value_of(uint32_t metric, uint64_t arc) {
    return metric == HT_L2 ? arc * arc : hypertorus_cosine_table[arc];
}

/*  The largest l1 whose Jensen bound does not exceed `distance`. */
static int64_t l1_limit(uint32_t metric, uint64_t dim, uint64_t distance) {
    uint64_t low = 0, high = metric == HT_L2 ? HT_HALF_TURN : HT_TANGENT, next;
    if (distance >= dim * value_of(metric, HT_HALF_TURN)) return (int64_t)(dim * HT_HALF_TURN);
    if (distance >= dim * value_of(metric, high)) {
        low = high, next = HT_HALF_TURN;
    } else {
        while (high - low > 1) {
            uint64_t middle = (low + high) / 2;
            if (dim * value_of(metric, middle) <= distance) low = middle;
            else high = middle;
        }
        next = high;
    }
    return (int64_t)(dim * low + (distance - dim * value_of(metric, low)) * (next - low) /
                                     (value_of(metric, next) - value_of(metric, low)));
}

/*  128 plus 127 times the cosine of an arc, rounded. */
static uint8_t cosine_u8(uint32_t arc) {
    int32_t cosine = 127 * (16384 - (int32_t)hypertorus_cosine_table[arc]);
    return (uint8_t)(128 + (cosine >= 0 ? (cosine + 8192) / 16384 : -((8192 - cosine) / 16384)));
}

/*  Entries are values in the units of the plan: of two differences of 4 bits, or a lower bound of them. */
static void plan_pairs(ht_plan_t *plan, uint32_t metric) {
    uint32_t values[16];
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t arc = i < 8 ? i : 16 - i;
        values[i] = metric == HT_L1 ? arc : (uint32_t)value_of(metric, metric == HT_L2 ? arc : arc * 16);
    }
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t whole = values[i >> 3], even = (i & 7) * 2, entries[3]; /* of 2b - 1, 2b and 2b + 1 */
        for (uint32_t e = 0; e < 3; e++)
            entries[e] = (whole + values[(even + 15 + e) % 16]) * plan->numerator / plan->denominator;
        if (entries[2] < entries[1]) entries[1] = entries[2];
        plan->wide[i] = (uint8_t)entries[1];
        if (entries[1] > entries[0] && entries[1] - entries[0] > plan->unborrowed)
            plan->unborrowed = entries[1] - entries[0];
    }
}

/*  The sine, as it were, of a quarter of a turn and less, in units of 2^-14 of its 64th. */
static uint16_t sine_of(uint32_t m) { return (uint16_t)(hypertorus_cosine_table[64 + m] - hypertorus_cosine_table[64]); }

static void plan_chords(ht_plan_t *plan) {
    plan->kernel = HT_CHORDS, plan->exact = 1;
    for (int32_t i = 0; i < 16; i++) {
        int32_t least = INT32_MAX;
        for (int32_t arc = i * 8; arc < i * 8 + 8; arc++) {
            int32_t above = (int32_t)hypertorus_cosine_table[arc] + HT_LINE_SLOPE * (HT_LINE_LIFT - arc);
            if (above < least) least = above;
        }
        plan->table[i] = (uint8_t)(least / HT_LINE_SLOPE);
    }
    for (uint32_t i = 0; i < 64; i++)
        plan->chords[0][i] = (uint8_t)sine_of(i + 1), plan->chords[1][i] = (uint8_t)(sine_of(i + 1) >> 8);
}

static void plan_dots(ht_plan_t *plan) {
    plan->kernel = HT_DOTS, plan->exact = 1;
    for (uint32_t i = 0; i < 128; i++) {
        plan->chords[0][i] = (uint8_t)hypertorus_cosine_table[i];
        plan->chords[1][i] = (uint8_t)(hypertorus_cosine_table[i] >> 8);
    }
    for (uint32_t i = 0; i < 128; i++) plan->wide[i] = cosine_u8(i);
}

void ht_plan(ht_plan_t *plan, uint32_t metric, uint32_t bits, ht_ability_t ability) {
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    memset(plan, 0, sizeof *plan);
    plan->exact = 1, plan->numerator = plan->denominator = 1;
    if (ability == HT_TRUE_DISTANCES) return;
    if (bits == 8) {
        plan->kernel = metric == HT_L1 ? HT_SAD : metric == HT_L2 ? HT_SQUARES : HT_BUCKETS;
        plan->filtered = metric != HT_L1;
        plan->exact = metric == HT_L1; /* half a turn counts too little in the other two kernels */
        if (metric != HT_COSINE) return;
        if (ability == HT_WIDE_TABLES) {
            plan_dots(plan);
            return;
        }
        if (ability == HT_TRUE_COSINES) {
            plan_chords(plan);
            return;
        }
        plan->run = 4, plan->numerator = 63, plan->denominator = 32768;
        for (int i = 0; i < 16; i++) plan->table[i] = (uint8_t)(hypertorus_cosine_table[i * 8] * 63u / 32768);
    } else if (bits == 4) {
        plan->kernel = HT_NIBBLE_SUB, plan->exact = metric == HT_L1;
        plan->run = 255 / 2 / 8;
        if (metric == HT_L2) plan->run = 255 / 2 / 16, plan->denominator = 4;
        if (metric == HT_COSINE) plan->run = 255 / 2 / 31, plan->numerator = 31, plan->denominator = 32768;
        for (int i = 0; i < 16; i++) {
            uint32_t arc = i < 8 ? (uint32_t)i : 16u - (uint32_t)i;
            uint32_t value = metric == HT_L1 ? arc : (uint32_t)value_of(metric, metric == HT_L2 ? arc : arc * 16);
            plan->table[i] = (uint8_t)(value * plan->numerator / plan->denominator);
        }
        plan->filtered = ability == HT_WIDE_TABLES;
        if (plan->filtered) plan_pairs(plan, metric);
    } else {
        /* A nibble of differing bits: four coordinates of 1 bit or two of 2 bits, whose l2 counts a full field 4. */
        plan->kernel = HT_NIBBLE_XOR, plan->run = 255 / 2 / 8;
        if (metric == HT_COSINE) plan->denominator = bits == 2 ? 16384 : 32768;
        for (int i = 0; i < 16; i++) {
            int full_fields = (i & (i >> 1) & 1) + ((i & (i >> 1)) >> 2 & 1);
            plan->table[i] = (uint8_t)(ones[i] + (bits == 2 && metric == HT_L2 ? 2 * full_fields : 0));
        }
    }
}

/*  From now on only distances up to `distance` matter to this query; negative: none do. */
void ht_limit(const ht_scan_t *scan, ht_query_t *query, int64_t distance) {
    const int64_t offset = scan->plan.kernel == HT_DOTS ? query->offset : 0;
    query->start_l1 = query->start = query->start_line = query->start_near = 0, query->start_halves = (uint32_t)offset;
    if (distance < 0) return;
    /* The sums of these two are kept in 32 bits. */
    if (scan->plan.kernel == HT_SQUARES && distance > HT_FARTHEST_L2) distance = HT_FARTHEST_L2;
    if (scan->plan.kernel == HT_DOTS && distance > HT_FARTHEST_COSINE) distance = HT_FARTHEST_COSINE;
    query->start = -1 - distance * scan->plan.numerator / scan->plan.denominator;
    query->start_halves = (uint32_t)query->start;
    if (scan->plan.kernel == HT_DOTS) query->start_halves = (uint32_t)(offset - 1 - distance * HT_DOT_ONE / 16384);
    if (scan->plan.kernel == HT_CHORDS)
        query->start_line = -1 - distance / HT_LINE_SLOPE - (int64_t)scan->dim * HT_LINE_LIFT -
                            (int64_t)(scan->words * 8 - scan->dim) * scan->plan.table[0];
    if (scan->plan.kernel == HT_CHORDS) query->start_near = -1 - distance * 256 / HT_NEAR_256THS;
    if (!scan->plan.filtered) return;
    if (scan->bits == 4) query->start_l1 = query->start - query->offset;
    else query->start_l1 = -1 - l1_limit(scan->metric, scan->dim, (uint64_t)distance);
}

/*  The l1 of bytes may leave a block once all its lanes are beyond the limit of every query. Unrelated vectors are 64
 *  apart in a coordinate, on average; asking pays only where they would be beyond the limit well before the end, so
 *  with distances that concentrate nobody asks. */
uint64_t ht_early(const ht_scan_t *scan, const ht_query_t *queries, int group, int filter) {
    int64_t limit = 0;
    uint64_t words;
    for (int q = 0; q < group; q++) {
        int64_t start = filter ? queries[q].start_l1 : queries[q].start;
        if (-start > limit) limit = -start;
    }
    words = (uint64_t)(limit / (HT_ARC_EXPECTED * 8)) + 1;
    return words * 4 <= scan->words * 3 ? words : 0;
}

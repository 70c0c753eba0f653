/*  limits.c: which cheap sum stands for which metric, and the limit that makes looking at it safe.
 *
 *  Table sums. An entry floor(v * n / d), where v is the smallest value a coordinate of that entry can have, is at
 *  most v * n / d; so the sum of entries is at most D * n / d, and D <= limit implies sum <= floor(limit * n / d).
 *
 *  The l1 filter of bytes. Let h be convex on 0..128 with h(i) <= value(i), the value of one arc i in l2 or cosine.
 *  By Jensen D >= sum h(arc) >= dim * h(l1 / dim), and h grows, so D <= limit bounds l1 from above. Squares are
 *  convex themselves. The cosine is convex up to arc 33; from there h is the chord to (128, 2^15), which stays below
 *  the concave rest because the tangent from that corner touches the curve at arc 33.0.
 */
#include "hypertorus.h"
#include "scan.h"

enum { HT_HALF_TURN = 128, HT_TANGENT = 33, HT_FARTHEST_L2 = 65535 * 16384 };

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

void ht_plan(ht_plan_t *plan, uint32_t metric, uint32_t bits, int bounds) {
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    memset(plan, 0, sizeof *plan);
    plan->exact = 1, plan->numerator = plan->denominator = 1;
    if (!bounds) return;
    if (bits == 8) {
        plan->kernel = metric == HT_L1 ? HT_SAD : metric == HT_L2 ? HT_SQUARES : HT_BUCKETS;
        plan->filtered = metric != HT_L1;
        plan->exact = metric == HT_L1; /* half a turn counts too little in the other two kernels */
        if (metric != HT_COSINE) return;
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
    query->start_l1 = query->start = 0;
    if (distance < 0) return;
    if (scan->plan.kernel == HT_SQUARES && distance > HT_FARTHEST_L2) distance = HT_FARTHEST_L2; /* starts fit 31 bits */
    query->start = -1 - distance * scan->plan.numerator / scan->plan.denominator;
    if (scan->plan.filtered) query->start_l1 = -1 - l1_limit(scan->metric, scan->dim, (uint64_t)distance);
}

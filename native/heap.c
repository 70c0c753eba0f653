/*  heap.c: the k nearest so far, a max-heap by (distance, id) whose root is the one to be beaten, and what happens
 *  to a vector that a kernel let through. */
#include "scan.h"

static int before(uint32_t distance, int64_t id, uint32_t other_distance, int64_t other_id) {
    return distance < other_distance || (distance == other_distance && id < other_id);
}

/*  Puts an entry at `hole` or below, where both of its children come before it. */
static void sift_down(uint32_t *distances, int64_t *ids, uint64_t count, uint64_t hole, uint32_t distance, int64_t id) {
    for (;;) {
        uint64_t child = 2 * hole + 1;
        if (child >= count) break;
        if (child + 1 < count && before(distances[child], ids[child], distances[child + 1], ids[child + 1])) child++;
        if (!before(distance, id, distances[child], ids[child])) break;
        distances[hole] = distances[child], ids[hole] = ids[child];
        hole = child;
    }
    distances[hole] = distance, ids[hole] = id;
}

void ht_heap_push(uint32_t *distances, int64_t *ids, int64_t *count, uint64_t k, uint32_t distance, int64_t id) {
    uint64_t hole = (uint64_t)*count;
    if (hole == k) {
        if (before(distance, id, distances[0], ids[0])) sift_down(distances, ids, k, 0, distance, id);
        return;
    }
    for (++*count; hole > 0; hole = (hole - 1) / 2) {
        uint64_t parent = (hole - 1) / 2;
        if (!before(distances[parent], ids[parent], distance, id)) break;
        distances[hole] = distances[parent], ids[hole] = ids[parent];
    }
    distances[hole] = distance, ids[hole] = id;
}

/*  While ids to come are at least `next_id`, a tie with the root can only win if the root's id is higher. */
void ht_heap_limit(const ht_scan_t *scan, ht_query_t *query, int64_t next_id) {
    int in_order = !scan->given_ids || scan->ascending;
    if ((uint64_t)*query->count < scan->k) ht_limit(scan, query, scan->radius);
    else ht_limit(scan, query, (int64_t)query->distances[0] - (in_order && query->ids[0] <= next_id));
}

int ht_offer(ht_scan_t *scan, ht_query_t *query, uint64_t block, uint32_t lanes, const int64_t *sums) {
    const uint8_t *codes = scan->blocks + block * scan->words * HT_WORD_BYTES;
    const int64_t start = query->start;
    lanes &= ht_counting(scan->allowed, block);
    for (uint32_t lane = 0; lane < HT_LANES; lane++) {
        uint64_t position = block * HT_LANES + lane;
        int64_t id, sum = sums[lane] - start;
        uint32_t distance;
        if (!(lanes >> lane & 1) || position < scan->first || position >= scan->last) continue;
        if (sum + query->start >= 0) continue; /* the limit fell since the kernel looked */
        distance = scan->plan.exact ? (uint32_t)sum * scan->plan.denominator
                                    : ht_lane_distance(scan, codes, lane, query->code);
        if (distance > scan->radius) continue;
        id = ht_id(scan, position);
        if (!scan->radius_only) {
            ht_heap_push(query->distances, query->ids, query->count, scan->k, distance, id);
            ht_heap_limit(scan, query, id);
        } else {
            if ((uint64_t)*query->count == scan->k) return scan->resume = position, 1;
            query->distances[*query->count] = distance, query->ids[(*query->count)++] = id;
        }
    }
    return 0;
}

static int32_t bad_heaps(const uint32_t *distances, const int64_t *ids, const int64_t *counts, uint64_t nq, uint64_t k) {
    if (k == 0 || k > INT64_MAX / 16 || (nq && k > INT64_MAX / 16 / nq)) return HT_ERROR_K;
    if (nq && (!distances || !ids || !counts)) return HT_ERROR_NULL;
    for (uint64_t q = 0; q < nq; q++)
        if (counts[q] < 0 || (uint64_t)counts[q] > k) return HT_ERROR_HEAP;
    return HT_OK;
}

int32_t ht_heap_merge(uint32_t *into_distances, int64_t *into_ids, int64_t *into_counts, const uint32_t *from_distances,
                      const int64_t *from_ids, const int64_t *from_counts, uint64_t nq, uint64_t k) {
    int32_t error = bad_heaps(into_distances, into_ids, into_counts, nq, k);
    if (!error) error = bad_heaps(from_distances, from_ids, from_counts, nq, k);
    if (error) return error;
    for (uint64_t q = 0; q < nq; q++)
        for (uint64_t i = q * k; i < q * k + (uint64_t)from_counts[q]; i++)
            ht_heap_push(into_distances + q * k, into_ids + q * k, into_counts + q, k, from_distances[i], from_ids[i]);
    return HT_OK;
}

int32_t ht_heap_sort(uint32_t *distances, int64_t *ids, const int64_t *counts, uint64_t nq, uint64_t k) {
    int32_t error = bad_heaps(distances, ids, counts, nq, k);
    if (error) return error;
    for (uint64_t q = 0; q < nq; q++, distances += k, ids += k)
        for (uint64_t size = (uint64_t)counts[q]; size > 1; size--) {
            uint32_t distance = distances[size - 1];
            int64_t id = ids[size - 1];
            distances[size - 1] = distances[0], ids[size - 1] = ids[0];
            sift_down(distances, ids, size - 1, 0, distance, id);
        }
    return HT_OK;
}

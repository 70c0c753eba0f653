/*  scan_serial.c: the scan for any processor, true distances one lane after the other; the reference the others
 *  are tested against. */
#include "distances.h"

static uint32_t block_serial(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                             int filter, int64_t (*sums)[HT_LANES]) {
    uint32_t lanes = 0;
    (void)filter;
    for (int q = 0; q < group; q++)
        for (uint32_t lane = 0; lane < HT_LANES; lane++) {
            sums[q][lane] = queries[q].start + ht_lane_distance(scan, block, lane, queries[q].code);
            lanes |= (uint32_t)(sums[q][lane] < 0) << (q * HT_LANES + (int)lane);
        }
    return lanes;
}

static uint64_t scan_blocks_serial(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                   uint64_t end) {
    (void)filter;
    return ht_scan_loop(scan, queries, group, begin, end, block_serial, NULL);
}

static void distances_serial(uint32_t metric, uint32_t bits, uint16_t dim, const uint8_t *a, uint64_t n,
                             const uint8_t *b, uint64_t m, uint32_t *distances) {
    ht_distances_rows(metric, bits, dim, a, n, b, m, distances);
}

static int supported_serial(void) { return 1; }

const ht_isa_t ht_isa_serial = {"serial", supported_serial, scan_blocks_serial,
                                distances_serial, HT_TRUE_DISTANCES, NULL, NULL};

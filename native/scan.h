/*  scan.h: how codes are stored for scanning, and what the scan of each instruction set is given and must do.
 *
 *  Stored layout. Eight vectors make a block; a block is a sequence of words; a word is one cache line with the
 *  next 8 bytes of each of the eight vectors:
 *
 *      [block][word][lane 0..7][8 bytes]        position = 8 * block + lane
 *
 *  A register then holds the same 8 bytes of several vectors, every 64-bit lane sums up a vector of its own, and
 *  no sum ever crosses lanes. A vector that does not fill its last word is padded with zeros; the query is padded
 *  alike, so padding adds nothing to any distance. 2-bit coordinates are stored in Gray code.
 *
 *  Results are exact although most vectors are only bounded. A kernel compares, per lane, a cheap sum with a limit
 *  and reports lanes at or below it; `ht_offer` then takes the true distance. Every cheap sum is a lower bound of
 *  the true distance in its own units (`limits.c` has the proofs), so no vector that belongs to the result is lost.
 */
#ifndef HT_SCAN_H
#define HT_SCAN_H

#include <stdint.h>
#include <string.h>

#include "api.h"

#if defined(_MSC_VER) && !defined(__clang__)
#define HT_INLINE static __forceinline
#define HT_TARGET(isa)
#define HT_PREFETCH(address) ((void)(address))
#define HT_RARELY(condition) (condition)
__declspec(dllimport) int __stdcall IsProcessorFeaturePresent(unsigned long feature);
#define HT_CPU_AVX2() IsProcessorFeaturePresent(40)
#define HT_CPU_AVX512() 0 /* Windows tells of AVX-512 F but not of BW */
#define HT_CPU_AVX512VNNI() 0
#else
#define HT_INLINE static inline __attribute__((always_inline))
#define HT_TARGET(isa) __attribute__((target(isa)))
/*  Into the second-level cache, where more can be under way than in the first. */
#define HT_PREFETCH(address) __builtin_prefetch(address, 0, 2)
#define HT_RARELY(condition) __builtin_expect(!!(condition), 0)
#define HT_CPU_AVX2() __builtin_cpu_supports("avx2")
#define HT_CPU_AVX512() (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
#define HT_CPU_AVX512VNNI()                                                                        \
    (HT_CPU_AVX512() && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi") && \
     __builtin_cpu_supports("avx512vpopcntdq"))
#endif

enum { HT_LANES = 8, HT_WORD_BYTES = 64, HT_GROUP = 4, HT_ROW = 8, HT_TILE_BYTES = 16384, HT_PREFETCH_BYTES = 1024 };

/*  The cheap sums a kernel may be asked for. SAD: l1 of bytes. SQUARES: l2 of bytes. BUCKETS: a table of sixteenths
 *  of half a turn, on bytes. CHORDS: a line through such a table as a filter, on bytes, and the true distances of what
 *  passes. DOTS: inner products of cosines and sines as the filter instead. NIBBLE_SUB and NIBBLE_XOR: a table by the
 *  difference of two 4-bit fields; where bits can be counted, XOR counts them instead. */
typedef enum { HT_SAD, HT_SQUARES, HT_BUCKETS, HT_CHORDS, HT_DOTS, HT_NIBBLE_SUB, HT_NIBBLE_XOR } ht_kernel_t;

/*  The line of CHORDS: what an arc costs, and how much is added to all that its table takes off or adds.
 *  The cosine distance of a quarter of a turn. */
enum { HT_LINE_SLOPE = 210, HT_LINE_LIFT = 11, HT_CHORD_QUARTER = 16384 };
enum { HT_NEAR_ARC = 32, HT_NEAR_256THS = 1199, HT_NEAR_MOST = 512 };

/*  Dots: the product of an angle with itself in 127ths squared, and how much too large a product may be. */
enum { HT_DOT_ONE = 127 * 127, HT_DOT_SLACK = 161 };

/*  Nibbles moved up by 3 bits in a word of 64: their fourth bits, and the lower three without the lowest bit of the
 *  topmost nibble, which is alone at the end that its other bits have left. */
#define HT_MOVED_TOP 0x4444444444444444u
#define HT_MOVED_LOW 0x3BBBBBBBBBBBBBBBu

/*  What the kernels of an instruction set compute: true distances; the sums of a plan; those and the true cosine distances
 *  of bytes; or those and the sums that need tables of 128 bytes. */
typedef enum { HT_TRUE_DISTANCES, HT_BOUNDS, HT_TRUE_COSINES, HT_WIDE_TABLES } ht_ability_t;

/*  How one metric at one bit depth is scanned: sum <= distance * numerator / denominator, equal if `exact`. */
typedef struct {
    ht_kernel_t kernel;
    int32_t exact;
    int32_t filtered; /* a filter first decides which blocks the kernel sees: an l1 limit (Jensen), or pairs of nibbles */
    uint32_t numerator, denominator;
    uint64_t run; /* words whose table entries add up to no more than 255 in each byte */
    uint8_t table[16];
    /* Only with wide tables. Bytes: 128 + 127 times the cosine of an arc. Nibbles: entries by a whole difference (4 bits)
     * and, below it, another without its lowest bit; and what an entry may be too large by where that lowest bit has not
     * been borrowed from. */
    uint8_t wide[128];
    uint32_t unborrowed;
    uint8_t chords[2][128]; /* bytes: low and high bytes of what `limits.c` says, by arc */
} ht_plan_t;

typedef uint32_t (*ht_pair_t)(const uint8_t *a, const uint8_t *b, uint64_t dim);

typedef struct {
    const uint8_t *code;           /* packed, padded to whole words */
    const uint8_t *first, *second; /* bytes: the code shifted by half a turn; nibbles: low and high ones */
    const uint8_t *third, *fourth; /* what kernels with wide tables or counts of bits want; see blocks.c */
    int64_t offset;                /* of DOTS: what makes a sum of products a distance; of pairs of nibbles: by how much
                                      the limit of the filter is raised */
    int64_t start_l1, start;       /* -1 - limit of the filter and of the kernel: a sum that starts here is negative
                                      at the end if and only if it is within the limit */
    int64_t start_line;            /* the same for the line of CHORDS */
    int64_t start_near;            /* and for its squares of near arcs */
    uint64_t start_halves;         /* for sums in two halves of 32 bits, the upper 0: `start`, or that of the DOTS */
    uint32_t *distances;           /* the result heap of this query */
    int64_t *ids, *count;
    uint64_t unfiltered_tiles, rest; /* tiles the l1 filter still rests because it let too much through; of how many */
} ht_query_t;

typedef struct {
    const uint8_t *blocks;
    uint64_t words, first, last;
    uint64_t written; /* positions from here on another thread may write to; nothing of them is loaded */
    uint8_t *tail;    /* memory of a block */
    uint32_t dim, bits, metric;
    const int64_t *given_ids;
    int32_t ascending;
    ht_pages_t allowed;
    ht_plan_t plan;
    ht_pair_t pair;
    uint64_t k;            /* room in the heap, or in the list of `ht_within` */
    int32_t radius_only;   /* list what lies within `radius` instead of keeping the k nearest */
    uint32_t radius;       /* nothing farther matters; UINT32_MAX: everything does */
    uint64_t resume; /* the first position a full list could not take; `last` while there is room */
    uint64_t early;  /* words after which l1 of bytes asks whether any lane is still within its limit; 0: never */
    const ht_query_t *collecting; /* the first query of those whose sums are all written down, or NULL */
    uint32_t *collected;          /* [query][whole blocks] */
    const uint8_t *ahead, *ahead_end; /* what is looked at next, fetched meanwhile: so many lines a block */
    uint64_t ahead_lines;
} ht_scan_t;

/*  Scans blocks [begin, end) for `group` (1 or HT_GROUP) queries; with `filter` the filter of the plan may come first.
 *  Returns how many pairs of query and block passed the filter. */
typedef uint64_t (*ht_scan_blocks_t)(ht_scan_t *scan, ht_query_t *queries, int group, int filter, uint64_t begin,
                                     uint64_t end);

/*  All n x m distances of packed rows; of rows of points if the metric is HT_POINTS. */
enum { HT_POINTS = HT_COSINE + 1 };
typedef void (*ht_distances_t)(uint32_t metric, uint32_t bits, uint16_t dim, const uint8_t *a, uint64_t n,
                               const uint8_t *b, uint64_t m, uint32_t *distances);

typedef struct {
    const char *name;
    int (*supported)(void);
    ht_scan_blocks_t scan_blocks;
    ht_distances_t distances;
    ht_ability_t ability;
    const struct ht_table_kernel *tables;  /* of the search by tables; NULL: one vector after the other */
    const struct ht_table_kernel *sevens;  /* the same for tables that are sums over bits; NULL: there is none */
} ht_isa_t;

extern const ht_isa_t ht_isa_serial, ht_isa_avx2, ht_isa_avx512, ht_isa_avx512vnni, ht_isa_neon;

const ht_isa_t *ht_isa_current(int32_t *error);
ht_pair_t ht_pair(uint32_t metric, uint32_t bits);
void ht_plan(ht_plan_t *plan, uint32_t metric, uint32_t bits, ht_ability_t ability);
uint64_t ht_early(const ht_scan_t *scan, const ht_query_t *queries, int group, int filter);
void ht_limit(const ht_scan_t *scan, ht_query_t *query, int64_t distance);
void ht_heap_limit(const ht_scan_t *scan, ht_query_t *query, int64_t next_id);
uint64_t ht_query_bytes(uint64_t dim, uint32_t bits);
void ht_query_prepare(const ht_scan_t *scan, ht_query_t *query, const uint8_t *row, uint8_t *memory);
int32_t ht_bad_shape(uint32_t dim, uint32_t bits);
int32_t ht_prepare(ht_scan_t *scan, const ht_isa_t **isa, ht_query_t **states, const uint8_t *queries, uint64_t nq,
                   void *scratch, uint64_t scratch_bytes);
void ht_scan_tiles(ht_scan_t *scan, const ht_isa_t *isa, ht_query_t *queries, uint64_t nq);
void ht_heap_push(uint32_t *distances, int64_t *ids, int64_t *count, uint64_t k, uint32_t distance, int64_t id);

/*  Takes the lanes of a block that a kernel let through, with their sums; returns 1 when the list is full. */
int ht_offer(ht_scan_t *scan, ht_query_t *query, uint64_t block, uint32_t lanes, const int64_t *sums);

HT_INLINE uint64_t ht_row_bytes(uint64_t dim, uint32_t bits) { return (dim * bits + 7) / 8; }
HT_INLINE uint64_t ht_words(uint64_t dim, uint32_t bits) { return (dim * bits + 63) / 64; }

HT_INLINE int64_t ht_id(const ht_scan_t *scan, uint64_t position) {
    return scan->given_ids ? scan->given_ids[position] : (int64_t)position;
}

HT_INLINE uint64_t ht_load_word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/*  Copies the first `count` codes of some blocks; the lanes beyond them are not even read. */
HT_INLINE void ht_copy_blocks(uint8_t *into, const uint8_t *blocks, uint64_t words, uint64_t count) {
    uint64_t whole = count / HT_LANES * words;
    memcpy(into, blocks, whole * HT_WORD_BYTES);
    for (uint64_t w = whole; w < whole + words && count % HT_LANES; w++)
        memcpy(into + w * HT_WORD_BYTES, blocks + w * HT_WORD_BYTES, count % HT_LANES * 8);
}

/*  Gray code of sixty-four bits of 2-bit fields, 0 1 3 2; it is its own inverse. */
HT_INLINE uint64_t ht_gray(uint64_t word) { return word ^ ((word >> 1) & 0x5555555555555555u); }

/*  Eight bytes of a packed row as stored: zeros beyond its end, and Gray code for 2 bits left to the caller. */
HT_INLINE uint64_t ht_row_word(const uint8_t *row, uint64_t dim, uint32_t bits, uint64_t word) {
    uint64_t size = ht_row_bytes(dim, bits), begin = word * 8, loaded = 0;
    uint8_t bytes[8] = {0};
    for (; loaded < 8 && begin + loaded < size; loaded++) bytes[loaded] = row[begin + loaded];
    if (begin + loaded == size && dim * bits % 8) bytes[loaded - 1] &= (uint8_t)(0xFFu >> (8 - dim * bits % 8));
    return ht_load_word(bytes);
}

/*  The distance of one stored vector, gathered a few words at a time, since a call for each would cost more than the
 *  distance; padding is equal on both sides and adds nothing. */
HT_INLINE uint32_t ht_lane_distance(const ht_scan_t *scan, const uint8_t *block, uint32_t lane, const uint8_t *code) {
    enum { GATHERED = 16 };
    uint32_t distance = 0;
    for (uint64_t w = 0; w < scan->words; w += GATHERED) {
        uint64_t count = scan->words - w < GATHERED ? scan->words - w : GATHERED, words[GATHERED];
        for (uint64_t i = 0; i < count; i++) {
            words[i] = ht_load_word(block + (w + i) * HT_WORD_BYTES + lane * 8);
            if (scan->bits == 2) words[i] = ht_gray(words[i]);
        }
        distance += scan->pair((const uint8_t *)words, code + w * 8, count * 64 / scan->bits);
    }
    return distance;
}

/*  A kernel: sums of eight lanes for each query of the group, begun at its `start` (`start_l1` when it is the filter);
 *  returns the negative lanes, 8 bits a query, and writes the sums if there are any. */
typedef uint32_t (*ht_block_kernel_t)(const ht_scan_t *scan, const uint8_t *block, const ht_query_t *queries, int group,
                                      int filter, int64_t (*sums)[HT_LANES]);

HT_INLINE void ht_fetch_ahead(ht_scan_t *scan) {
    if (scan->ahead >= scan->ahead_end) return;
    for (uint64_t i = 0; i < scan->ahead_lines; i++) HT_PREFETCH(scan->ahead + i * HT_WORD_BYTES);
    scan->ahead += scan->ahead_lines * HT_WORD_BYTES;
}

/*  The sums of all lanes of all blocks, in units of distances, those beyond the last vector included. */
HT_INLINE uint64_t ht_collect(ht_scan_t *scan, const ht_query_t *queries, int group, uint64_t begin, uint64_t end,
                              ht_block_kernel_t kernel) {
    uint64_t blocks = (scan->last + HT_LANES - 1) / HT_LANES, first = (uint64_t)(queries - scan->collecting);
    int64_t sums[HT_GROUP][HT_LANES];
    for (uint64_t block = begin; block < end; block++) {
        ht_fetch_ahead(scan);
        kernel(scan, scan->blocks + block * scan->words * HT_WORD_BYTES, queries, group, 0, sums);
        for (int q = 0; q < group; q++) {
            uint32_t *collected = scan->collected + ((first + (uint64_t)q) * blocks + block) * HT_LANES;
            for (int lane = 0; lane < HT_LANES; lane++)
                collected[lane] = (uint32_t)(sums[q][lane] - queries[q].start) * scan->plan.denominator;
        }
    }
    return 0;
}

/*  Which of the eight positions of a block count, whether one position does, and whether any of `n` blocks does. */
HT_INLINE uint32_t ht_counting(ht_pages_t allowed, uint64_t block) {
    const uint8_t *page = allowed ? allowed[block / HT_PAGE] : NULL;
    return page ? page[block % HT_PAGE] : 0xFF;
}

HT_INLINE int ht_counts(ht_pages_t allowed, uint64_t position) {
    return (int)(ht_counting(allowed, position / HT_LANES) >> position % HT_LANES & 1);
}

HT_INLINE int ht_any_counts(ht_pages_t allowed, uint64_t block, uint64_t n) {
    for (; n && !ht_counting(allowed, block); block++) n--;
    return n != 0;
}

/*  The loop all instruction sets share; `group`, `kernel` and `refine` are constants once it is inlined. `refine`
 *  looks again, one query at a time, at blocks that `kernel` as a filter let through; NULL where there is no filter. */
HT_INLINE uint64_t ht_scan_loop(ht_scan_t *scan, ht_query_t *queries, int group, uint64_t begin, uint64_t end,
                                ht_block_kernel_t kernel, ht_block_kernel_t refine) {
    uint64_t passed = 0, block_bytes = scan->words * HT_WORD_BYTES;
    int64_t sums[HT_GROUP][HT_LANES];
    if (HT_RARELY(scan->collecting)) {
        if (!refine) return ht_collect(scan, queries, group, begin, end, kernel);
        for (int q = 0; q < group; q++) ht_collect(scan, queries + q, 1, begin, end, refine);
        return 0;
    }
    for (uint64_t block = begin; block < end; block++) {
        const uint8_t *codes = scan->blocks + block * block_bytes;
        uint32_t lanes;
        ht_fetch_ahead(scan);
        if (!ht_counting(scan->allowed, block)) continue;
        lanes = kernel(scan, codes, queries, group, refine != NULL, sums);
        if (!HT_RARELY(lanes)) continue;
        for (int q = 0; q < group; q++, lanes >>= HT_LANES) {
            uint32_t of_query = lanes & 0xFF;
            if (!of_query) continue;
            passed++;
            if (refine) of_query = refine(scan, codes, queries + q, 1, 0, sums + q);
            if (of_query && ht_offer(scan, queries + q, block, of_query, sums[q])) return passed;
        }
    }
    return passed;
}

/*  Whether any lane of any of HT_ROW blocks is within the limit of any query of the group. */
typedef int (*ht_row_kernel_t)(const ht_scan_t *scan, const uint8_t *blocks, const ht_query_t *queries, int group);

/*  The loop for codes of few words, where what happens once a block would cost as much as the words themselves: a row
 *  of blocks is looked at in one go, and again block by block if there is anything in it. */
HT_INLINE uint64_t ht_scan_rows(ht_scan_t *scan, ht_query_t *queries, int group, uint64_t begin, uint64_t end,
                                ht_row_kernel_t row, ht_block_kernel_t kernel) {
    uint64_t block_bytes = scan->words * HT_WORD_BYTES;
    for (; end - begin >= HT_ROW; begin += HT_ROW) {
        if (!ht_any_counts(scan->allowed, begin, HT_ROW)) continue;
        if (!HT_RARELY(row(scan, scan->blocks + begin * block_bytes, queries, group))) continue;
        ht_scan_loop(scan, queries, group, begin, begin + HT_ROW, kernel, NULL);
        if (scan->resume != scan->last) return 0;
    }
    return ht_scan_loop(scan, queries, group, begin, end, kernel, NULL);
}

#endif

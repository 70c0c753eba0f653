/*  api.h: everything the shared library exports, a plain C interface made to be called through ctypes.
 *
 *  The caller owns all memory; nothing here allocates, starts threads or keeps state, save for the choice of the
 *  instruction set. Calls may run at once in many threads as long as no two write to the same memory; one that is given
 *  the first n positions of a store loads nothing of those beyond, so that another may put codes there. Functions
 *  that return a signed integer return a negative `ht_error_t` for arguments that make no sense, and touch nothing.
 *
 *  Codes are packed as `hypertorus.h` describes; `dim` is 1 to 65,535 and `bits` 8, 4, 2 or 1. A store of n codes
 *  is `ht_block_bytes(n, dim, bits)` bytes whose content only the `ht_block_` functions and the scans interpret.
 */
#ifndef HT_API_H
#define HT_API_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define HT_EXPORT __declspec(dllexport)
#else
#define HT_EXPORT __attribute__((visibility("default")))
#endif

typedef enum { HT_L1 = 0, HT_L2 = 1, HT_COSINE = 2 } ht_metric_t;

typedef enum {
    HT_OK = 0,
    HT_ERROR_NULL = -1,
    HT_ERROR_DIM = -2,
    HT_ERROR_BITS = -3,
    HT_ERROR_METRIC = -4,
    HT_ERROR_RANGE = -5,
    HT_ERROR_K = -6,
    HT_ERROR_SCRATCH = -7,
    HT_ERROR_HEAP = -8,
    HT_ERROR_ISA_UNKNOWN = -9,
    HT_ERROR_ISA_UNSUPPORTED = -10
} ht_error_t;

/*  The version of this interface, and the sentence that belongs to an error code. */
HT_EXPORT uint32_t ht_version(void);
HT_EXPORT const char *ht_error_text(int32_t error);

/*  The instruction set in use: the best this processor runs, or the one HYPERTORUS_ISA names (serial, avx2, avx512,
 *  avx512vnni, neon). `ht_isa_name` is NULL, and every scan an error, while that variable names none that can run here.
 *  `ht_isa_supported` is 1, 0, or negative for an unknown name; `ht_isa_use` overrules the variable. */
HT_EXPORT const char *ht_isa_name(void);
HT_EXPORT int32_t ht_isa_supported(const char *name);
HT_EXPORT int32_t ht_isa_use(const char *name);

/*  The distance of two packed codes, UINT32_MAX for bad arguments; the addresses of these may be given to other
 *  search engines as their metric, the second form to those that expect a float. */
#define HT_DECLARE_PAIR(metric, dtype)                                                             \
    HT_EXPORT uint32_t ht_##metric##_##dtype(const uint8_t *a, const uint8_t *b, uint64_t dim);    \
    HT_EXPORT float ht_##metric##_##dtype##_f32(const uint8_t *a, const uint8_t *b, uint64_t dim);
#define HT_FOR_EACH_PAIR(apply)                                                                    \
    apply(l1, u8) apply(l1, u4) apply(l1, u2) apply(l1, u1) apply(l2, u8) apply(l2, u4)            \
    apply(l2, u2) apply(l2, u1) apply(cosine, u8) apply(cosine, u4) apply(cosine, u2) apply(cosine, u1)
HT_FOR_EACH_PAIR(HT_DECLARE_PAIR)

/*  distances[i * m + j] of packed row-major rows a[i] and b[j]. */
HT_EXPORT int32_t ht_distances(const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t m, uint32_t dim, uint32_t bits,
                               uint32_t metric, uint32_t *distances);

/*  The size of a store; packed row-major rows into its positions first .. first + n - 1; and back, in any order.
 *  Only the lanes of these positions are written; a store may begin as any memory. */
HT_EXPORT int64_t ht_block_bytes(uint64_t count, uint32_t dim, uint32_t bits);
HT_EXPORT int32_t ht_block_put(uint8_t *blocks, uint32_t dim, uint32_t bits, uint64_t first, const uint8_t *rows,
                               uint64_t n);
HT_EXPORT int32_t ht_block_get(const uint8_t *blocks, uint32_t dim, uint32_t bits, const int64_t *positions, uint64_t n,
                               uint8_t *rows);

/*  Bytes of scratch memory, of any alignment, that a scan for `nq` queries needs. */
HT_EXPORT int64_t ht_scratch_bytes(uint32_t dim, uint32_t bits, uint64_t nq);

/*  Which positions of a store count: pages of HT_PAGE bytes each, one bit a position, lowest bit first. Of a page that
 *  is NULL all do. Pages of two moments are shared where nothing changed, so that a change costs a page. */
enum { HT_PAGE = 8192 };
typedef const uint8_t *const *ht_pages_t;

/*  counts[i] is 1 if positions[i] counts, and 0 if not or if it is below 0. */
HT_EXPORT int32_t ht_counting_at(ht_pages_t allowed, const int64_t *positions, uint64_t n, uint8_t *counts);

/*  Offers positions [first, last) of a store to the result heaps of `nq` packed queries. Each heap has room for k
 *  distances and ids, counts[q] of them filled (0 to begin with); afterwards it holds the k smallest, by distance and
 *  then by lower id, of all it was ever offered, whatever the order or the split of the calls.
 *      ids        id of each position, NULL: the position itself
 *      ascending  1 promises that ids ascend with position, which saves looking at ties; ignored without ids
 *      allowed    which positions count; others are passed over; NULL: all do
 *  `blocks`, `ids` and `allowed` point to position 0 whatever `first` is. */
HT_EXPORT int32_t ht_scan(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint32_t metric, uint64_t first,
                          uint64_t last, const int64_t *ids, int32_t ascending, ht_pages_t allowed,
                          const uint8_t *queries, uint64_t nq, uint64_t k, uint32_t *heap_distances, int64_t *heap_ids,
                          int64_t *counts, void *scratch, uint64_t scratch_bytes);

/*  A run of stored codes, and how they are arranged in cells: the first `arranged` positions lie in `cells` cells, one
 *  after the other, and the codes of a cell by ascending radius, which is their distance to its centre as `ht_radii`
 *  gives it. Positions from `arranged` to `count` are in no cell. */
typedef struct {
    const uint8_t *blocks;
    const int64_t *ids;      /* as for `ht_scan`, like `allowed` and `ascending` */
    ht_pages_t allowed;
    uint64_t count;
    uint64_t ascending;
    uint64_t arranged, cells;
    const uint8_t *centres;  /* a store of `cells` codes */
    const uint8_t *rows;     /* the same, packed row-major, for l2; as `ht_points` for cosine; needed above 2 bits */
    const uint64_t *ends;    /* of each cell the position after its last */
    const uint32_t *reaches; /* of each cell the radius of its last code */
    const uint32_t *samples; /* the radius of every eighth position, from position 0 */
} ht_store_t;

/*  Everything that stays the same from search to search. */
typedef struct {
    uint32_t dim, bits, metric, n_stores;
    const ht_store_t *stores;
} ht_index_t;

/*  What may be asked of a search besides the nearest, and what it then tells. */
typedef struct {
    uint64_t most_cells; /* in: look at no more cells than this, the nearest; 0: at all that may matter, so exactly */
    uint64_t looked_at;  /* out: pairs of query and code in the parts of cells that were looked at */
    uint8_t *proved;     /* out, or NULL: for each query 1 if its result is exact in spite of `most_cells` */
    uint64_t radius;     /* in: nothing farther than this is of interest; UINT32_MAX: everything is */
} ht_asked_t;

/*  The radius of each of `n` packed rows around its own centre, row `cell[i]` of `centres`: the distance for l1, and 256
 *  times its square root, rounded down, for l2 and cosine, whose square roots obey the triangle inequality. */
HT_EXPORT int32_t ht_radii(const uint8_t *rows, uint64_t n, const uint8_t *centres, uint64_t cells, const int64_t *cell,
                           uint32_t dim, uint32_t bits, uint32_t metric, uint32_t *radii);

/*  Points of packed row-major rows: cosine and sine of each coordinate in units of 2^-12, [n][dim][2]. */
HT_EXPORT int32_t ht_points(const uint8_t *rows, uint64_t n, uint32_t dim, uint32_t bits, int16_t *points);

/*  Bytes of scratch memory that `ht_search` needs, of any alignment. */
HT_EXPORT int64_t ht_search_bytes(const ht_index_t *index, uint64_t nq, const ht_asked_t *asked);

/*  Offers all codes of all stores to the heaps of `nq` queries, as `ht_scan` does; of codes in cells those are passed
 *  over that are proved to be too far. Without `counts` the heaps begin empty and end sorted, and places that are not
 *  filled have id -1 and distance UINT32_MAX. `asked` may be NULL. */
HT_EXPORT int32_t ht_search(const ht_index_t *index, const uint8_t *queries, uint64_t nq, uint64_t k,
                            uint32_t *heap_distances, int64_t *heap_ids, int64_t *counts, ht_asked_t *asked,
                            void *scratch, uint64_t scratch_bytes);

/*  The nearest among the codes under `n` ids, which ascend, in stores whose ids ascend with position; otherwise as
 *  `ht_search` without counts. HT_ERROR_RANGE if ids do not ascend or one is not there: then nothing is written. */
HT_EXPORT int32_t ht_search_among(const ht_index_t *index, const int64_t *ids, uint64_t n, const uint8_t *queries,
                                  uint64_t nq, uint64_t k, uint32_t *heap_distances, int64_t *heap_ids, void *scratch,
                                  uint64_t scratch_bytes);

/*  The parts of a store in which codes within `radius` of one query can lie, as pairs of positions, first and behind the
 *  last, ascending and apart; there are at most cells + 1. Returns how many. */
HT_EXPORT int64_t ht_parts(const ht_index_t *index, const uint8_t *query, uint32_t radius, uint64_t *parts,
                           void *scratch, uint64_t scratch_bytes);

/*  The coarse part of a store: the top `coarse_bits` (4, 2 or 1) bits of the first `coordinates` of every code, at most
 *  2,048 bits a code, in a layout of its own. Its size; and packed rows of codes into its positions, as `ht_block_put`. */
HT_EXPORT int64_t ht_coarse_bytes(uint64_t count, uint32_t coordinates, uint32_t coarse_bits);
HT_EXPORT int32_t ht_coarse_put(uint8_t *strips, uint32_t coordinates, uint32_t coarse_bits, uint32_t dim, uint32_t bits,
                                uint64_t first, const uint8_t *rows, uint64_t n);

/*  A store and its coarse part; ids and `allowed` as for `ht_scan`. */
typedef struct {
    const uint8_t *strips, *blocks;
    const int64_t *ids;
    ht_pages_t allowed;
    uint64_t count;
    uint32_t coordinates, coarse_bits, dim, bits, metric;
} ht_coarse_t;

/*  Bytes of scratch memory that `ht_coarse_search` needs, of any alignment. */
HT_EXPORT int64_t ht_coarse_search_bytes(const ht_coarse_t *coarse, uint64_t k, uint64_t rerank);

/*  Offers the codes of a store to the heaps of `nq` queries, as `ht_scan` does; those are passed over whose coarse part
 *  proves that they are too far. With `rerank` above 0, only so many codes whose coarse parts are nearest are offered, and
 *  proved[q] is 1 if no other matters. looked_at[q] is how many distances were computed. */
HT_EXPORT int32_t ht_coarse_search(const ht_coarse_t *coarse, const uint8_t *queries, uint64_t nq, uint64_t k,
                                   uint64_t rerank, uint32_t *heap_distances, int64_t *heap_ids, int64_t *heap_counts,
                                   uint8_t *proved, uint64_t *looked_at, void *scratch, uint64_t scratch_bytes);

/*  Adds the heaps `from` to the heaps `into`, query by query. */
HT_EXPORT int32_t ht_heap_merge(uint32_t *into_distances, int64_t *into_ids, int64_t *into_counts,
                                const uint32_t *from_distances, const int64_t *from_ids, const int64_t *from_counts,
                                uint64_t nq, uint64_t k);

/*  Sorts heaps, in place, ascending by (distance, id). What is sorted is a heap no more: do this last. */
HT_EXPORT int32_t ht_heap_sort(uint32_t *distances, int64_t *ids, const int64_t *counts, uint64_t nq, uint64_t k);

/*  Lists, in ascending position, the ids and distances of all positions in [first, last) within `radius` (included)
 *  of one query. Returns how many were written; *resume is `last`, or where to go on when `capacity` was reached. */
HT_EXPORT int64_t ht_within(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint32_t metric, uint64_t first,
                            uint64_t last, const int64_t *ids, ht_pages_t allowed, const uint8_t *query,
                            uint32_t radius, uint64_t capacity, uint32_t *distances, int64_t *found_ids,
                            uint64_t *resume, void *scratch, uint64_t scratch_bytes);

/*  The search by tables, of codes of 4, 2 or 1 bits. A query is [ceil(dim * bits / 4)][16] bytes, and its distance to a
 *  code is the sum of tables[n][nibble n of the packed code], nibble 0 being the lower half of byte 0. Every byte is
 *  allowed; the sum has 32 bits. Otherwise as `ht_scan` and `ht_within`, with scratch memory of `ht_tables_bytes`. */
HT_EXPORT int64_t ht_tables_bytes(uint32_t dim, uint32_t bits, uint64_t nq);
HT_EXPORT int32_t ht_scan_tables(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint64_t first, uint64_t last,
                                 const int64_t *ids, int32_t ascending, ht_pages_t allowed, const uint8_t *tables,
                                 uint64_t nq, uint64_t k, uint32_t *heap_distances, int64_t *heap_ids, int64_t *counts,
                                 void *scratch, uint64_t scratch_bytes);
HT_EXPORT int64_t ht_within_tables(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint64_t first, uint64_t last,
                                   const int64_t *ids, ht_pages_t allowed, const uint8_t *tables, uint32_t radius,
                                   uint64_t capacity, uint32_t *distances, int64_t *found_ids, uint64_t *resume,
                                   void *scratch, uint64_t scratch_bytes);

/*  sums[i - first] of every position i in [first, last): the sum over b of tables[b][byte b of the packed code], tables
 *  being [ceil(dim * bits / 8)][256]; what does not fit 32 bits wraps around. Codes of 8, 4, 2 or 1 bits. */
HT_EXPORT int32_t ht_sums(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint64_t first, uint64_t last,
                          const int32_t *tables, int32_t *sums);

/*  Tables [nq][ceil(dim * bits / 4)][16] of queries [nq][dim] that are not rounded, in units of 2^-16 turns, as
 *  `hypertorus_asymmetric.h` describes. */
HT_EXPORT int32_t ht_turn_tables(const uint16_t *turns, uint64_t nq, uint32_t dim, uint32_t bits, uint32_t metric,
                                 uint8_t *tables);

#endif

/*  sums.c: a sum of table entries for every stored code, which is how a classifier that is linear in tables scores all.
 *
 *  Tables go by the bytes of a packed code, whatever its bits, so that one loop serves all of them. Those of one word
 *  take 8 KB: they stay in the first-level cache while a tile of blocks passes, whose sums stay there too. */
#include "scan.h"

enum { HT_SUM_BLOCKS = 256 };

/*  What the next `bytes` bytes of a code add: 2-bit coordinates are stored in Gray code. Unsigned: what does not fit
 *  wraps around. */
HT_INLINE uint32_t entries(const uint8_t *lane, uint64_t bytes, uint32_t bits, const int32_t *tables) {
    uint32_t sum = 0;
    for (uint64_t b = 0; b < bytes; b++)
        sum += (uint32_t)tables[b * 256 + (bits == 2 ? (uint8_t)ht_gray(lane[b]) : lane[b])];
    return sum;
}

int32_t ht_sums(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint64_t first, uint64_t last,
                const int32_t *tables, int32_t *sums) {
    int32_t error = ht_bad_shape(dim, bits);
    uint64_t words = ht_words(dim, bits), size = ht_row_bytes(dim, bits);
    if (error) return error;
    if (first > last || last > (uint64_t)1 << 44) return HT_ERROR_RANGE;
    if (first == last) return HT_OK;
    if (!blocks || !tables || !sums) return HT_ERROR_NULL;
    memset(sums, 0, (last - first) * sizeof *sums);
    for (uint64_t begin = first; begin < last;) {
        uint64_t end = (begin / HT_LANES + HT_SUM_BLOCKS) * HT_LANES;
        if (end > last) end = last;
        for (uint64_t w = 0; w < words; w++) {
            const int32_t *of_word = tables + w * 8 * 256;
            uint64_t bytes = w + 1 < words ? 8 : size - w * 8;
            for (uint64_t i = begin; i < end; i++) {
                const uint8_t *lane = blocks + (i / HT_LANES * words + w) * HT_WORD_BYTES + i % HT_LANES * 8;
                uint32_t more = bytes == 8 ? bits == 2 ? entries(lane, 8, 2, of_word) : entries(lane, 8, 8, of_word)
                                           : entries(lane, bytes, bits, of_word);
                sums[i - first] = (int32_t)((uint32_t)sums[i - first] + more);
            }
        }
        begin = end;
    }
    return HT_OK;
}

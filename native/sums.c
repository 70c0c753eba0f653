/*  sums.c: a sum of table entries for every stored code, which is how a classifier that is linear in tables scores all.
 *
 *  Tables go by the bytes of a packed code, whatever its bits, so that one loop serves all of them. Those of one word
 *  take 8 KB: they stay in the first-level cache while a tile of blocks passes, whose sums stay there too. */
#include "scan.h"

enum { HT_SUM_BLOCKS = 256 };

HT_INLINE void add_lane(const uint8_t *lane, uint64_t bytes, uint32_t bits, const int32_t *tables, int32_t *sum) {
    uint64_t word = ht_load_word(lane);
    uint8_t code[8];
    uint32_t added = (uint32_t)*sum; /* unsigned: what does not fit wraps around */
    if (bits == 2) word = ht_gray(word);
    memcpy(code, &word, sizeof word);
    if (bytes == 8)
        for (int b = 0; b < 8; b++) added += (uint32_t)tables[b * 256 + code[b]];
    else
        for (uint64_t b = 0; b < bytes; b++) added += (uint32_t)tables[b * 256 + code[b]];
    *sum = (int32_t)added;
}

int32_t ht_sums(const uint8_t *blocks, uint32_t dim, uint32_t bits, uint64_t first, uint64_t last,
                const int32_t *tables, int32_t *sums) {
    int32_t error = ht_bad_shape(dim, bits);
    uint64_t words = ht_words(dim, bits), size = ht_row_bytes(dim, bits);
    if (error) return error;
    if (first > last || last > (uint64_t)1 << 44) return HT_ERROR_RANGE;
    if (first < last && (!blocks || !tables || !sums)) return HT_ERROR_NULL;
    memset(sums, 0, (last - first) * sizeof *sums);
    for (uint64_t begin = first; begin < last;) {
        uint64_t end = (begin / HT_LANES + HT_SUM_BLOCKS) * HT_LANES;
        if (end > last) end = last;
        for (uint64_t w = 0; w < words; w++) {
            const int32_t *of_word = tables + w * 8 * 256;
            uint64_t bytes = w + 1 < words ? 8 : size - w * 8;
            for (uint64_t i = begin; i < end; i++)
                add_lane(blocks + (i / HT_LANES * words + w) * HT_WORD_BYTES + i % HT_LANES * 8, bytes, bits, of_word,
                         sums + (i - first));
        }
        begin = end;
    }
    return HT_OK;
}

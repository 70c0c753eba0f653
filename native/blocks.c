/*  blocks.c: packed rows into the blocked store, out of it, and into the planes a query is scanned with. */
#include "scan.h"

int32_t ht_bad_shape(uint32_t dim, uint32_t bits) {
    if (dim == 0 || dim > 65535) return HT_ERROR_DIM;
    if (bits != 8 && bits != 4 && bits != 2 && bits != 1) return HT_ERROR_BITS;
    return HT_OK;
}

int64_t ht_block_bytes(uint64_t count, uint32_t dim, uint32_t bits) {
    int32_t error = ht_bad_shape(dim, bits);
    if (error) return error;
    if (count > (uint64_t)1 << 44) return HT_ERROR_RANGE; /* 2^44 vectors of 65,535 bytes still fit 63 bits */
    return (int64_t)((count + HT_LANES - 1) / HT_LANES * ht_words(dim, bits) * HT_WORD_BYTES);
}

static uint64_t lane_offset(uint64_t position, uint64_t words) {
    return position / HT_LANES * words * HT_WORD_BYTES + position % HT_LANES * 8;
}

int32_t ht_block_put(uint8_t *blocks, uint32_t dim, uint32_t bits, uint64_t first, const uint8_t *rows, uint64_t n) {
    int32_t error = ht_bad_shape(dim, bits);
    uint64_t words = ht_words(dim, bits);
    if (error) return error;
    if (n && (!blocks || !rows)) return HT_ERROR_NULL;
    if (first > INT64_MAX || n > INT64_MAX - first) return HT_ERROR_RANGE;
    for (uint64_t i = 0; i < n; i++, rows += ht_row_bytes(dim, bits)) {
        uint8_t *lane = blocks + lane_offset(first + i, words);
        for (uint64_t w = 0; w < words; w++) {
            uint64_t word = ht_row_word(rows, dim, bits, w);
            if (bits == 2) word = ht_gray(word);
            memcpy(lane + w * HT_WORD_BYTES, &word, sizeof word);
        }
    }
    return HT_OK;
}

int32_t ht_block_get(const uint8_t *blocks, uint32_t dim, uint32_t bits, const int64_t *positions, uint64_t n,
                     uint8_t *rows) {
    int32_t error = ht_bad_shape(dim, bits);
    uint64_t words = ht_words(dim, bits), size = ht_row_bytes(dim, bits);
    if (error) return error;
    if (n && (!blocks || !rows || !positions)) return HT_ERROR_NULL;
    for (uint64_t i = 0; i < n; i++)
        if (positions[i] < 0) return HT_ERROR_RANGE;
    for (uint64_t i = 0; i < n; i++, rows += size) {
        const uint8_t *lane = blocks + lane_offset((uint64_t)positions[i], words);
        for (uint64_t w = 0; w < words; w++) {
            uint64_t word = ht_load_word(lane + w * HT_WORD_BYTES);
            if (bits == 2) word = ht_gray(word);
            memcpy(rows + w * 8, &word, w + 1 < words ? 8 : size - w * 8);
        }
    }
    return HT_OK;
}

/*  A query is kept as packed, and in the planes that save the kernels work in every block. The first two: bytes half a
 *  turn ahead, so that |difference| becomes a sum of absolute differences against 128; or its low and its high nibbles,
 *  those of 4-bit codes 16 ahead, so that subtracting a nibble never borrows into bit 7 of a table index. The third and
 *  the fourth: of bytes, the cosines and sines, negative since the nearer is the smaller; of nibbles, the word moved up
 *  by 3 bits, in its lower three bits of each nibble and in the inverted fourth; below, the word as it is stored. */
uint64_t ht_query_bytes(uint64_t dim, uint32_t bits) { return ht_words(dim, bits) * 8 * 5; }

static int minus_cosine(const ht_scan_t *scan, uint8_t angle) {
    return 128 - scan->plan.wide[angle < 128 ? angle : angle == 128 ? 127 : 256 - angle];
}

static void prepare_dots(const ht_scan_t *scan, ht_query_t *query, uint8_t *cosines, uint8_t *sines) {
    memset(cosines, 0, scan->words * 8), memset(sines, 0, scan->words * 8);
    query->offset = (int64_t)scan->dim * (HT_DOT_ONE - HT_DOT_SLACK);
    for (uint32_t i = 0; i < scan->dim; i++) {
        int cosine = minus_cosine(scan, query->code[i]), sine = minus_cosine(scan, (uint8_t)(query->code[i] - 64));
        query->offset -= 128 * (cosine + sine);
        cosines[i] = (uint8_t)cosine, sines[i] = (uint8_t)sine;
    }
}

void ht_query_prepare(const ht_scan_t *scan, ht_query_t *query, const uint8_t *row, uint8_t *memory) {
    uint64_t size = scan->words * 8;
    uint8_t *code = memory, *first = code + size, *second = first + size;
    uint8_t *third = second + size, *fourth = third + size;
    query->code = code, query->first = first, query->second = second, query->third = third, query->fourth = fourth;
    for (uint64_t w = 0; w < scan->words; w++) {
        uint64_t word = ht_row_word(row, scan->dim, scan->bits, w);
        memcpy(code + w * 8, &word, sizeof word);
        if (scan->bits == 2) word = ht_gray(word);
        for (uint64_t i = w * 8; i < w * 8 + 8; i++) {
            uint8_t byte, ahead = scan->bits == 4 ? 16 : 0;
            memcpy(&byte, (const uint8_t *)&word + i % 8, 1);
            first[i] = scan->bits == 8 ? (uint8_t)(byte + 128) : (uint8_t)((byte & 15) + ahead);
            second[i] = (uint8_t)((byte >> 4) + ahead);
        }
        if (scan->bits == 4) {
            uint64_t moved = word << 3 | word >> 61, low = moved & HT_MOVED_LOW, inverted = ~moved & HT_MOVED_TOP;
            memcpy(third + w * 8, &low, sizeof low), memcpy(fourth + w * 8, &inverted, sizeof inverted);
            query->offset += (int64_t)(scan->plan.unborrowed * (word >> 60 & 1));
        } else {
            memcpy(third + w * 8, &word, sizeof word);
        }
    }
    if (scan->plan.kernel == HT_DOTS) prepare_dots(scan, query, third, fourth);
}

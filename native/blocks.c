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

/*  A query is kept as packed, and in the one or two planes that save the kernels work in every block: bytes half a
 *  turn ahead, so that |difference| becomes a sum of absolute differences against 128; or its low and its high
 *  nibbles, those of 4-bit codes 16 ahead, so that subtracting a nibble never borrows into bit 7 of a table index. */
uint64_t ht_query_bytes(uint64_t dim, uint32_t bits) { return ht_words(dim, bits) * 8 * (bits == 8 ? 2 : 3); }

void ht_query_prepare(const ht_scan_t *scan, ht_query_t *query, const uint8_t *row, uint8_t *memory) {
    uint64_t size = scan->words * 8;
    uint8_t *code = memory, *first = memory + size, *second = scan->bits == 8 ? NULL : first + size;
    query->code = code, query->first = first, query->second = second;
    for (uint64_t w = 0; w < scan->words; w++) {
        uint64_t word = ht_row_word(row, scan->dim, scan->bits, w);
        memcpy(code + w * 8, &word, sizeof word);
        if (scan->bits == 2) word = ht_gray(word);
        for (uint64_t i = w * 8; i < w * 8 + 8; i++) {
            uint8_t byte, ahead = scan->bits == 4 ? 16 : 0;
            memcpy(&byte, (const uint8_t *)&word + i % 8, 1);
            first[i] = second ? (uint8_t)((byte & 15) + ahead) : (uint8_t)(byte + 128);
            if (second) second[i] = (uint8_t)((byte >> 4) + ahead);
        }
    }
}

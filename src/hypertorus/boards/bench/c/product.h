/*  product.h: a product quantiser of 16 subspaces with 16 entries each. A query becomes a table of its distances to all
 *  entries, and a stored vector is 16 numbers of 4 bits that look into it. */
#define PREPARED

typedef uint8_t number;
enum { SUBSPACES = 16, ENTRIES = 16, STORED = SUBSPACES / 2, ASKED = DIM, PER_BYTE = 2 * DIM / SUBSPACES };

static const int8_t codebook[SUBSPACES][ENTRIES][DIM / SUBSPACES] HYPERTORUS_FLASH = {{{3, -7, 11, -2}}};
static uint16_t lookup[SUBSPACES][ENTRIES];

static void prepare(const number *query) {
    for (uint8_t s = 0; s < SUBSPACES; s++, query += DIM / SUBSPACES)
        for (uint8_t e = 0; e < ENTRIES; e++) {
            uint32_t sum = 0;
            for (uint8_t i = 0; i < DIM / SUBSPACES; i++) {
                int16_t d = (int16_t)((int8_t)query[i] - (int8_t)HYPERTORUS_READ8((const uint8_t *)&codebook[s][e][i]));
                sum += (uint16_t)(d * (int32_t)d);
            }
            lookup[s][e] = (uint16_t)(sum >> 4);
        }
}

static inline int32_t distance(const number *query, const number *code, uint16_t dim) {
    uint32_t sum = 0;
    (void)query;
    for (const uint16_t *row = lookup[0]; dim; dim = (uint16_t)(dim - PER_BYTE), row += 2 * ENTRIES, code++)
        sum += (uint32_t)row[*code & 15] + row[ENTRIES + (*code >> 4)];
    return (int32_t)sum;
}

static inline int32_t distance_flash(const number *query, const number *code, uint16_t dim) {
    uint32_t sum = 0;
    (void)query;
    for (const uint16_t *row = lookup[0]; dim; dim = (uint16_t)(dim - PER_BYTE), row += 2 * ENTRIES, code++) {
        uint8_t byte = HYPERTORUS_READ8(code);
        sum += (uint32_t)row[byte & 15] + row[ENTRIES + (byte >> 4)];
    }
    return (int32_t)sum;
}

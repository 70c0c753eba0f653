/*  hypertorus_pages.h: learned words in flash or EEPROM, which survive a reset at any moment.
 *
 *  Words are saved to two pages in turn. A save erases the page that is not the newest, writes the words, and last a
 *  checksum. Whatever byte it is interrupted at, the other page is whole and is the one that is opened; after the
 *  checksum it is the new one. The page, numbers with their lowest byte first:
 *
 *      3  "HTW"
 *      1  version of this layout, 1
 *      2  number of the save, which wraps: of two pages the newer is less than 32,768 ahead of the other
 *      2  records that follow, up to the last one with a word
 *      2  dim
 *      1  name_bytes
 *      1  0
 *      4  model
 *      .  the records of hypertorus_words.h
 *      4  CRC-32 (that of zlib) of all bytes before it
 *
 *  A page of another version, dim, length of names or model, or with more records than there are places, is passed over
 *  as if it were damaged.
 */
#ifndef HYPERTORUS_PAGES_H
#define HYPERTORUS_PAGES_H

#include "hypertorus_words.h"

enum { HYPERTORUS_PAGE_HEADER = 16, HYPERTORUS_PAGE_VERSION = 1, HYPERTORUS_PAGE_UNIT = 32 };

/*  How the two pages, 0 and 1, are reached. */
typedef struct {
    void (*erase)(void *context, uint8_t page); /* all bytes become 255; may do nothing where bytes can be rewritten */
    void (*write)(void *context, uint8_t page, uint32_t offset, const uint8_t *bytes, uint8_t count);
    void (*read)(void *context, uint8_t page, uint32_t offset, uint8_t *bytes, uint8_t count);
    void *context;  /* handed to all three */
    uint32_t bytes; /* size of a page */
    uint8_t unit;   /* bytes of a write, each byte once between erasures: 1, 2, 4, 8, 16 or 32 */
} hypertorus_pages;

/*  CRC-32 by half bytes; it begins at 0, and goes on from what it returned. */
HYPERTORUS_ONCE uint32_t hypertorus_crc(uint32_t crc, const uint8_t *bytes, uint8_t count) {
    static const uint32_t table[16] HYPERTORUS_FLASH = {
        0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
        0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu,
    };
    for (crc = ~crc; count; count--, bytes++) {
        crc = (crc >> 4) ^ HYPERTORUS_READ32(table + ((crc ^ *bytes) & 15));
        crc = (crc >> 4) ^ HYPERTORUS_READ32(table + ((crc ^ (*bytes >> 4)) & 15));
    }
    return ~crc;
}

HYPERTORUS_ONCE void hypertorus_put_bytes(uint8_t *bytes, uint32_t number, uint8_t count) {
    for (; count; count--, number >>= 8) *bytes++ = (uint8_t)number;
}

HYPERTORUS_ONCE uint32_t hypertorus_get_bytes(const uint8_t *bytes, uint8_t count) {
    uint32_t number = 0;
    while (count) number = number << 8 | bytes[--count];
    return number;
}

HYPERTORUS_ONCE void hypertorus_page_header(const hypertorus_words *words, uint16_t save, uint16_t records,
                                            uint8_t *bytes) {
    bytes[0] = 'H', bytes[1] = 'T', bytes[2] = 'W', bytes[3] = HYPERTORUS_PAGE_VERSION;
    hypertorus_put_bytes(bytes + 4, save, 2);
    hypertorus_put_bytes(bytes + 6, records, 2);
    hypertorus_put_bytes(bytes + 8, words->dim, 2);
    bytes[10] = words->name_bytes, bytes[11] = 0;
    hypertorus_put_bytes(bytes + 12, words->model, 4);
}

/*  The bytes of a page with this many records, the checksum included. */
static inline uint32_t hypertorus_page_bytes(const hypertorus_words *words, uint16_t records) {
    return HYPERTORUS_PAGE_HEADER + (uint32_t)records * HYPERTORUS_WORD_BYTES(words->dim, words->name_bytes) + 4;
}

/*  Whether a page is whole and of these words; if so, the number of its save and of its records. */
HYPERTORUS_ONCE uint8_t hypertorus_page_check(const hypertorus_words *words, const hypertorus_pages *pages,
                                              uint8_t page, uint16_t *save, uint16_t *records) {
    uint8_t bytes[HYPERTORUS_PAGE_UNIT], expected[HYPERTORUS_PAGE_HEADER];
    uint32_t crc = 0, offset = 0, end;
    pages->read(pages->context, page, 0, bytes, HYPERTORUS_PAGE_HEADER);
    *save = (uint16_t)hypertorus_get_bytes(bytes + 4, 2), *records = (uint16_t)hypertorus_get_bytes(bytes + 6, 2);
    hypertorus_page_header(words, *save, *records, expected);
    for (uint8_t i = 0; i < HYPERTORUS_PAGE_HEADER; i++)
        if (bytes[i] != expected[i]) return 0;
    end = hypertorus_page_bytes(words, *records) - 4;
    if (*records > words->capacity || end + 4 > pages->bytes) return 0;
    while (offset < end) {
        uint8_t count = end - offset < sizeof bytes ? (uint8_t)(end - offset) : (uint8_t)sizeof bytes;
        pages->read(pages->context, page, offset, bytes, count);
        crc = hypertorus_crc(crc, bytes, count), offset += count;
    }
    pages->read(pages->context, page, end, bytes, 4);
    return hypertorus_get_bytes(bytes, 4) == crc;
}

/*  The newest whole page, or HYPERTORUS_NONE. */
HYPERTORUS_ONCE uint16_t hypertorus_page_newest(const hypertorus_words *words, const hypertorus_pages *pages,
                                                uint16_t *save, uint16_t *records) {
    uint16_t other_save, other_records;
    uint8_t whole = hypertorus_page_check(words, pages, 0, save, records);
    if (!hypertorus_page_check(words, pages, 1, &other_save, &other_records)) return whole ? 0 : HYPERTORUS_NONE;
    if (whole && (uint16_t)(*save - other_save) < 0x8000) return 0;
    *save = other_save, *records = other_records;
    return 1;
}

/*  Reads the words of the last save that was finished. Returns 0, with an empty store, if there is none. */
HYPERTORUS_ONCE uint8_t hypertorus_words_open(hypertorus_words *words, const hypertorus_pages *pages) {
    uint16_t save, records, page = hypertorus_page_newest(words, pages, &save, &records);
    uint8_t *bytes = words->records;
    uint32_t offset = HYPERTORUS_PAGE_HEADER, end;
    hypertorus_words_clear(words);
    if (page == HYPERTORUS_NONE) return 0;
    end = hypertorus_page_bytes(words, records) - 4;
    while (offset < end) {
        uint8_t count = end - offset < 128 ? (uint8_t)(end - offset) : 128;
        pages->read(pages->context, (uint8_t)page, offset, bytes, count);
        bytes += count, offset += count;
    }
    return 1;
}

/*  A page that is being written, a unit at a time. */
typedef struct {
    const hypertorus_pages *pages;
    uint8_t page, waiting, unit[HYPERTORUS_PAGE_UNIT];
    uint32_t offset, crc;
} hypertorus_writer;

HYPERTORUS_ONCE void hypertorus_page_write(hypertorus_writer *writer, const uint8_t *bytes, uint32_t count) {
    for (; count; count--, bytes++) {
        writer->crc = hypertorus_crc(writer->crc, bytes, 1);
        writer->unit[writer->waiting++] = *bytes;
        if (writer->waiting == writer->pages->unit) {
            writer->pages->write(writer->pages->context, writer->page, writer->offset, writer->unit, writer->waiting);
            writer->offset += writer->waiting, writer->waiting = 0;
        }
    }
}

/*  Saves the words to the page that is not the newest. Returns 1 when they were read back whole. Returns 0 if they do
 *  not fit a page or the unit is none of the six, before anything is erased, or if they were not read back; the last save
 *  is then still there. */
HYPERTORUS_ONCE uint8_t hypertorus_words_save(const hypertorus_words *words, const hypertorus_pages *pages) {
    uint16_t save = 0, records = words->capacity, read_save, read_records, newest;
    uint8_t header[HYPERTORUS_PAGE_HEADER], crc[4], blank = 255;
    uint32_t size;
    hypertorus_writer writer;
    while (records && !hypertorus_words_examples(words, (uint16_t)(records - 1))) records--;
    if (pages->unit == 0 || pages->unit > HYPERTORUS_PAGE_UNIT || (pages->unit & (pages->unit - 1))) return 0;
    size = hypertorus_page_bytes(words, records);
    if (((size + pages->unit - 1) & ~(uint32_t)(pages->unit - 1)) > pages->bytes) return 0;
    newest = hypertorus_page_newest(words, pages, &read_save, &read_records);
    if (newest != HYPERTORUS_NONE) save = (uint16_t)(read_save + 1);
    writer.pages = pages, writer.page = newest == 0, writer.waiting = 0, writer.offset = 0, writer.crc = 0;
    pages->erase(pages->context, writer.page);
    hypertorus_page_header(words, save, records, header);
    hypertorus_page_write(&writer, header, sizeof header);
    hypertorus_page_write(&writer, words->records, size - 4 - HYPERTORUS_PAGE_HEADER);
    hypertorus_put_bytes(crc, writer.crc, 4);
    hypertorus_page_write(&writer, crc, 4);
    while (writer.waiting) hypertorus_page_write(&writer, &blank, 1);
    return hypertorus_page_check(words, pages, writer.page, &read_save, &read_records) && read_save == save;
}

#endif

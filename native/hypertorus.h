/*  hypertorus.h: distances between torus codes, for any processor with 8-bit integers.
 *
 *  A coordinate is an angle in whole turns, stored as `bits` (8, 4, 2 or 1) wrap-around bits: overflow is the
 *  wrap of the circle, so the distance of two coordinates is min(a - b, b - a) in unsigned arithmetic.
 *
 *  Packing: coordinate 0 sits in the lowest bits of byte 0, the next coordinate above it, and so on; a vector of
 *  `dim` coordinates occupies ceil(dim * bits / 8) bytes and the unused highest bits of the last byte are zero.
 *
 *  Metrics, all integers, the same on every machine, with w the wrapped difference of two coordinates:
 *      l1      sum of |w|
 *      l2      sum of w * w
 *      cosine  sum of round(2^14 * (1 - cos)) of the angle, looked up by |w| << (8 - bits)
 *
 *  `dim` is 1 to 65,535. The largest distance is then 65,535 * 32,768 = 2^31 - 2^15: 32 bits always suffice.
 *  No allocation, no floating point, no threads, no library beyond <stdint.h> (and, on AVR, <avr/pgmspace.h>).
 *
 *  There are several ways to the same l1, each with a name of its own:
 *      _plain  the formula; compilers widen it to the vector registers of larger processors
 *      _swar   four bytes in a word, for processors of 32 bits
 *      _dsp    two SIMD instructions of Cortex-M4, M7 and M33 for four coordinates
 *      _avr    assembly for AVR: 9 cycles a byte of 8 bits; with b in flash _avr_flash, one cycle more a byte
 *      _table  2-bit codes, one look-up for four coordinates
 *  The name without an ending is the best of them where it is compiled, and with the ending _flash it is the same
 *  distance to a code b in flash. Codes may lie anywhere. Where a word cannot be read at any address (Cortex-M0,
 *  RISC-V), _swar is fast with both codes at multiples of 4, and takes the plain way with others.
 */
#ifndef HYPERTORUS_H
#define HYPERTORUS_H

#include <stdint.h>

/*  How constants are put into flash and read there. Where flash is not ordinary memory (AVR) it has instructions of
 *  its own, which see its first 64 KB. To bring others, define all four before including this file. */
#ifdef HYPERTORUS_FLASH
#define HYPERTORUS_FLASH_APART
#elif defined(__AVR__)
#include <avr/pgmspace.h>
#define HYPERTORUS_FLASH_APART
#define HYPERTORUS_FLASH PROGMEM
#define HYPERTORUS_READ8(address) pgm_read_byte(address)
#define HYPERTORUS_READ16(address) pgm_read_word(address)
#define HYPERTORUS_READ32(address) pgm_read_dword(address)
#else
#define HYPERTORUS_FLASH
#define HYPERTORUS_READ8(address) (*(address))
#define HYPERTORUS_READ16(address) (*(address))
#define HYPERTORUS_READ32(address) (*(address))
#endif

/*  What the processor is best at, as its compiler tells. */
#if defined(__AVR_HAVE_LPMX__) && !defined(__AVR_TINY__)
#define HYPERTORUS_AVR
#elif UINTPTR_MAX == 0xFFFFFFFF && !(defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__))
#define HYPERTORUS_SWAR
#if defined(__ARM_FEATURE_SIMD32) && defined(__GNUC__)
#define HYPERTORUS_DSP
#endif
#endif

/*  round(2^14 * (1 - cos(2 pi i / 256))): half a turn in 128 steps. */
static const uint16_t hypertorus_cosine_table[129] HYPERTORUS_FLASH = {
    0, 5, 20, 44, 79, 123, 177, 241, 315, 398, 491, 593, 705, 827, 958, 1098,
    1247, 1406, 1573, 1749, 1935, 2128, 2331, 2542, 2761, 2989, 3224, 3468, 3719, 3978, 4244, 4518,
    4799, 5087, 5381, 5682, 5990, 6304, 6624, 6950, 7282, 7619, 7961, 8308, 8661, 9018, 9379, 9745,
    10114, 10487, 10864, 11245, 11628, 12014, 12403, 12794, 13188, 13583, 13980, 14378, 14778, 15179, 15580, 15982,
    16384, 16786, 17188, 17589, 17990, 18390, 18788, 19185, 19580, 19974, 20365, 20754, 21140, 21523, 21904, 22281,
    22654, 23023, 23389, 23750, 24107, 24460, 24807, 25149, 25486, 25818, 26144, 26464, 26778, 27086, 27387, 27681,
    27969, 28250, 28524, 28790, 29049, 29300, 29544, 29779, 30007, 30226, 30437, 30640, 30833, 31019, 31195, 31362,
    31521, 31670, 31810, 31941, 32063, 32175, 32277, 32370, 32453, 32527, 32591, 32645, 32689, 32724, 32748, 32763,
    32768,
};

/*  |w| of one 8-bit coordinate from its difference with overflow: min(d, -d). Coordinates of fewer bits are first
 *  moved to the top of the byte, where they wrap just as well. */
static inline uint8_t hypertorus_arc(uint8_t difference) {
    return (difference & 0x80) ? (uint8_t)(0u - difference) : difference;
}

static inline uint16_t hypertorus_chord(uint8_t arc) { return HYPERTORUS_READ16(hypertorus_cosine_table + arc); }

static inline uint8_t hypertorus_ones(uint8_t byte) {
    byte = (uint8_t)(byte - ((byte >> 1) & 0x55));
    byte = (uint8_t)((byte & 0x33) + ((byte >> 2) & 0x33));
    return (uint8_t)((byte + (byte >> 4)) & 0x0F);
}

/*  Four bytes as a word, in whichever order, for sums over all bytes do not care. */

#if !defined(__GNUC__)
static inline uint32_t hypertorus_word(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
#define HYPERTORUS_WORDS(a, b) 1
#elif defined(__ARM_FEATURE_UNALIGNED) || defined(__i386__) || defined(__x86_64__) || defined(__aarch64__)
typedef uint32_t hypertorus_word_t __attribute__((may_alias, aligned(1)));
#define HYPERTORUS_WORDS(a, b) 1
#else
typedef uint32_t hypertorus_word_t __attribute__((may_alias));
#define HYPERTORUS_WORDS(a, b) ((((uintptr_t)(a) | (uintptr_t)(b)) & 3) == 0)
#endif
#if defined(__GNUC__)
static inline uint32_t hypertorus_word(const uint8_t *p) { return *(const hypertorus_word_t *)(const void *)p; }
#endif

/*  The sum of four 8-bit sums in a word. */
static inline uint16_t hypertorus_across(uint32_t sums) {
    sums = (sums & 0x00FF00FFu) + ((sums >> 8) & 0x00FF00FFu);
    return (uint16_t)(sums + (sums >> 16));
}

#ifdef HYPERTORUS_AVR
/*  A loop of assembly: `step` takes a byte of a from X and one of b from `where`, and adds at most 128 to the sum;
 *  `times` of them stand in a row. It is left after 256 bytes, in which the sum overflows once at most. */
#define HYPERTORUS_AVR_2(step) step step
#define HYPERTORUS_AVR_4(step) HYPERTORUS_AVR_2(step) HYPERTORUS_AVR_2(step)
#define HYPERTORUS_AVR_8(step) HYPERTORUS_AVR_4(step) HYPERTORUS_AVR_4(step)
#define HYPERTORUS_AVR_L1(name, bytes, times, step, where)                                                   \
    static inline uint32_t name(const uint8_t *a, const uint8_t *b, uint16_t dim) {                          \
        uint16_t count = bytes, sum = 0, before;                                                             \
        uint8_t ones = count % times, rows = (uint8_t)count / times, rounds = (uint8_t)(count >> 8);         \
        uint8_t high = 0, x, y;                                                                              \
        for (;;) {                                                                                           \
            before = sum;                                                                                    \
            __asm__ volatile("tst %[ones] \n\t breq 2f \n\t"                                                 \
                             "1: " step "dec %[ones] \n\t brne 1b \n\t"                                      \
                             "2: tst %[rows] \n\t breq 4f \n\t"                                              \
                             "3: " HYPERTORUS_AVR_##times(step) "dec %[rows] \n\t brne 3b \n\t 4:"           \
                             : [a] "+x"(a), [b] where(b), [sum] "+r"(sum), [x] "=&d"(x), [y] "=&d"(y),       \
                               [ones] "+r"(ones), [rows] "+r"(rows)                                          \
                             :                                                                               \
                             : "memory");                                                                    \
            high = (uint8_t)(high + (sum < before));                                                         \
            if (rounds-- == 0) return (uint32_t)high << 16 | sum;                                            \
            rows = 256 / times;                                                                              \
        }                                                                                                    \
    }
#endif

/*  8 bits: one coordinate a byte. */

static inline uint32_t hypertorus_l1_u8_plain(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += hypertorus_arc((uint8_t)(a[i] - b[i]));
    return sum;
}

/*  The wider ways count what arcs leave of half a turn: with d the difference of two bytes it is |d - 128|. */

/*  In a word, with every top bit of a set and of b clear, no byte borrows from the next. The low seven bits of d are
 *  then right; they are |d - 128| where d is at least 128, and 128 less them is where d is `small`. The sums of bytes 1
 *  and 3 come with those of byte 2 between them, which is one instruction less than masking it away. */
static inline uint32_t hypertorus_l1_u8_swar(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    const uint32_t top = 0x80808080u;
    uint32_t sum = 0;
    if (!HYPERTORUS_WORDS(a, b)) return hypertorus_l1_u8_plain(a, b, dim);
    while (dim >= 8) {
        uint8_t steps = dim < 127 * 8 ? (uint8_t)(dim / 8) : 127; /* more would overflow the bytes of `smalls` */
        const uint8_t *end = a + 8 * steps;
        uint32_t even = 0, odd = 0, smalls = 0;
        dim = (uint16_t)(dim - 8 * steps), sum += 1024 * (uint32_t)steps;
        do {
            uint32_t a0 = hypertorus_word(a), a1 = hypertorus_word(a + 4);
            uint32_t b0 = hypertorus_word(b), b1 = hypertorus_word(b + 4);
            uint32_t d0 = (a0 | top) - (b0 & ~top), d1 = (a1 | top) - (b1 & ~top);
            uint32_t small0 = (d0 ^ a0 ^ b0) & top, small1 = (d1 ^ a1 ^ b1) & top;
            uint32_t rest = ((d0 & ~top) ^ (small0 - (small0 >> 7))) + ((d1 & ~top) ^ (small1 - (small1 >> 7)));
            smalls += small0 >> 7, smalls += small1 >> 7;
            even += rest & 0x00FF00FFu, odd += rest >> 8;
            a += 8, b += 8;
        } while (a != end);
        odd += even - (even >> 16 << 8);
        sum -= (odd & 0xFFFF) + (odd >> 16) + hypertorus_across(smalls);
    }
    return sum + hypertorus_l1_u8_plain(a, b, dim);
}

#ifdef HYPERTORUS_DSP
static inline uint32_t hypertorus_rest_dsp(const uint8_t *a, const uint8_t *b, uint32_t rest) {
    uint32_t difference = __builtin_arm_usub8(hypertorus_word(a), hypertorus_word(b));
    return __builtin_arm_usada8(difference, 0x80808080u, rest);
}

static inline uint32_t hypertorus_l1_u8_dsp(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 128 * (uint32_t)(dim & ~3u), rest = 0;
    if (!HYPERTORUS_WORDS(a, b)) return hypertorus_l1_u8_plain(a, b, dim);
    for (const uint8_t *end = a + (dim & ~15u); a != end; a += 16, b += 16) {
        rest = hypertorus_rest_dsp(a, b, rest), rest = hypertorus_rest_dsp(a + 4, b + 4, rest);
        rest = hypertorus_rest_dsp(a + 8, b + 8, rest), rest = hypertorus_rest_dsp(a + 12, b + 12, rest);
    }
    for (const uint8_t *end = a + (dim & 12u); a != end; a += 4, b += 4) rest = hypertorus_rest_dsp(a, b, rest);
    return sum - rest + hypertorus_l1_u8_plain(a, b, dim & 3u);
}
#endif

#ifdef HYPERTORUS_AVR
#define HYPERTORUS_AVR_U8(load)                                                                              \
    "ld __tmp_reg__, X+ \n\t" load " \n\t sub __tmp_reg__, %[y] \n\t sbrc __tmp_reg__, 7 \n\t"                \
    "neg __tmp_reg__ \n\t add %A[sum], __tmp_reg__ \n\t adc %B[sum], __zero_reg__ \n\t"

HYPERTORUS_AVR_L1(hypertorus_l1_u8_avr, dim, 8, HYPERTORUS_AVR_U8("ld %[y], %a[b]+"), "+b")
HYPERTORUS_AVR_L1(hypertorus_l1_u8_avr_flash, dim, 8, HYPERTORUS_AVR_U8("lpm %[y], Z+"), "+z")
#endif

static inline uint32_t hypertorus_l1_u8(const uint8_t *a, const uint8_t *b, uint16_t dim) {
#if defined(HYPERTORUS_AVR)
    return hypertorus_l1_u8_avr(a, b, dim);
#elif defined(HYPERTORUS_DSP)
    return hypertorus_l1_u8_dsp(a, b, dim);
#elif defined(HYPERTORUS_SWAR)
    return hypertorus_l1_u8_swar(a, b, dim);
#else
    return hypertorus_l1_u8_plain(a, b, dim);
#endif
}

static inline uint32_t hypertorus_l1_u8_flash(const uint8_t *a, const uint8_t *b, uint16_t dim) {
#if !defined(HYPERTORUS_FLASH_APART)
    return hypertorus_l1_u8(a, b, dim);
#elif defined(HYPERTORUS_AVR)
    return hypertorus_l1_u8_avr_flash(a, b, dim);
#else
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += hypertorus_arc((uint8_t)(a[i] - HYPERTORUS_READ8(b + i)));
    return sum;
#endif
}

static inline uint32_t hypertorus_l2_u8(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) {
        uint16_t arc = hypertorus_arc((uint8_t)(a[i] - b[i]));
        sum += (uint16_t)(arc * arc);
    }
    return sum;
}

static inline uint32_t hypertorus_cosine_u8(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++) sum += hypertorus_chord(hypertorus_arc((uint8_t)(a[i] - b[i])));
    return sum;
}

static inline uint32_t hypertorus_cosine_u8_flash(const uint8_t *a, const uint8_t *b, uint16_t dim) {
#if !defined(HYPERTORUS_FLASH_APART)
    return hypertorus_cosine_u8(a, b, dim);
#else
    uint32_t sum = 0;
    for (uint16_t i = 0; i < dim; i++)
        sum += hypertorus_chord(hypertorus_arc((uint8_t)(a[i] - HYPERTORUS_READ8(b + i))));
    return sum;
#endif
}

/*  4 bits: two coordinates a byte. Each is moved to the top of a byte, so its arc comes out times 16. */

static inline uint8_t hypertorus_arc_low(uint8_t a, uint8_t b) {
    return hypertorus_arc((uint8_t)((uint8_t)(a - b) << 4));
}

static inline uint8_t hypertorus_arc_high(uint8_t a, uint8_t b) {
    return hypertorus_arc((uint8_t)((a & 0xF0) - (b & 0xF0)));
}

static inline uint8_t hypertorus_arcs_u4(uint8_t a, uint8_t b) {
    return (uint8_t)((hypertorus_arc_low(a, b) >> 4) + (hypertorus_arc_high(a, b) >> 4));
}

static inline uint16_t hypertorus_bytes_u4(uint16_t dim) { return (uint16_t)(dim / 2 + dim % 2); }

static inline uint32_t hypertorus_l1_u4_plain(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u4(dim); i++) sum += hypertorus_arcs_u4(a[i], b[i]);
    return sum;
}

/*  As at 8 bits, with half a turn of 8. */
static inline uint32_t hypertorus_l1_u4_swar(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    const uint32_t top = 0x88888888u, low = 0x0F0F0F0Fu;
    uint32_t sum = 0;
    if (!HYPERTORUS_WORDS(a, b)) return hypertorus_l1_u4_plain(a, b, dim);
    while (dim >= 8) {
        uint8_t steps = dim < 15 * 8 ? (uint8_t)(dim / 8) : 15; /* more would overflow the bytes of `sums` */
        uint32_t sums = 0;
        dim = (uint16_t)(dim - 8 * steps), sum += 64 * (uint32_t)steps;
        do {
            uint32_t x = hypertorus_word(a), y = hypertorus_word(b), d = (x | top) - (y & ~top);
            uint32_t small = (d ^ x ^ y) & top, rest = ((d & ~top) ^ (small - (small >> 3))) + (small >> 3);
            sums += (rest & low) + ((rest >> 4) & low);
            a += 4, b += 4;
        } while (--steps);
        sum -= hypertorus_across(sums);
    }
    return sum + hypertorus_l1_u4_plain(a, b, dim);
}

#ifdef HYPERTORUS_DSP
/*  Low and high coordinates apart, each at the top of its byte, so that what is added up comes out times 16. */
static inline uint32_t hypertorus_l1_u4_dsp(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    const uint32_t high = 0xF0F0F0F0u, half = 0x80808080u;
    uint32_t sum = 8 * (uint32_t)(dim & ~7u), rest = 0;
    if (!HYPERTORUS_WORDS(a, b)) return hypertorus_l1_u4_plain(a, b, dim);
    for (const uint8_t *end = a + (dim / 8) * 4; a != end; a += 4, b += 4) {
        uint32_t x = hypertorus_word(a), y = hypertorus_word(b);
        rest = __builtin_arm_usada8((__builtin_arm_usub8(x, y) << 4) & high, half, rest);
        rest = __builtin_arm_usada8(__builtin_arm_usub8(x & high, y & high), half, rest);
    }
    return sum - rest / 16 + hypertorus_l1_u4_plain(a, b, dim & 7u);
}
#endif

#ifdef HYPERTORUS_AVR
#define HYPERTORUS_AVR_U4(load)                                                                              \
    "ld %[x], X+ \n\t" load " \n\t mov __tmp_reg__, %[x] \n\t sub __tmp_reg__, %[y] \n\t"                     \
    "andi %[x], 0xF0 \n\t andi %[y], 0xF0 \n\t sub %[x], %[y] \n\t sbrc %[x], 7 \n\t neg %[x] \n\t"           \
    "mov %[y], __tmp_reg__ \n\t swap %[y] \n\t andi %[y], 0xF0 \n\t sbrc %[y], 7 \n\t neg %[y] \n\t"          \
    "swap %[x] \n\t swap %[y] \n\t add %[x], %[y] \n\t add %A[sum], %[x] \n\t adc %B[sum], __zero_reg__ \n\t"

HYPERTORUS_AVR_L1(hypertorus_l1_u4_avr, hypertorus_bytes_u4(dim), 2, HYPERTORUS_AVR_U4("ld %[y], %a[b]+"), "+b")
HYPERTORUS_AVR_L1(hypertorus_l1_u4_avr_flash, hypertorus_bytes_u4(dim), 2, HYPERTORUS_AVR_U4("lpm %[y], Z+"), "+z")
#endif

static inline uint32_t hypertorus_l1_u4(const uint8_t *a, const uint8_t *b, uint16_t dim) {
#if defined(HYPERTORUS_AVR)
    return hypertorus_l1_u4_avr(a, b, dim);
#elif defined(HYPERTORUS_DSP)
    return hypertorus_l1_u4_dsp(a, b, dim);
#elif defined(HYPERTORUS_SWAR)
    return hypertorus_l1_u4_swar(a, b, dim);
#else
    return hypertorus_l1_u4_plain(a, b, dim);
#endif
}

static inline uint32_t hypertorus_l1_u4_flash(const uint8_t *a, const uint8_t *b, uint16_t dim) {
#if !defined(HYPERTORUS_FLASH_APART)
    return hypertorus_l1_u4(a, b, dim);
#elif defined(HYPERTORUS_AVR)
    return hypertorus_l1_u4_avr_flash(a, b, dim);
#else
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u4(dim); i++) sum += hypertorus_arcs_u4(a[i], HYPERTORUS_READ8(b + i));
    return sum;
#endif
}

static inline uint32_t hypertorus_l2_u4(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u4(dim); i++) {
        uint8_t low = hypertorus_arc_low(a[i], b[i]) >> 4, high = hypertorus_arc_high(a[i], b[i]) >> 4;
        sum += (uint8_t)(low * low + high * high);
    }
    return sum;
}

static inline uint32_t hypertorus_cosine_u4(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u4(dim); i++) {
        sum += hypertorus_chord(hypertorus_arc_low(a[i], b[i]));
        sum += hypertorus_chord(hypertorus_arc_high(a[i], b[i]));
    }
    return sum;
}

/*  2 bits: four coordinates a byte. In Gray code (0 1 3 2) the arc of two coordinates is the number of bits in
 *  which they differ, and the Gray code of a ^ b is that of a ^ that of b; an arc of 2 is 1 + 1 in l1 and
 *  4 = 1 + 1 + 2 in l2; a quarter turn is 2^14 in the cosine table. */

static inline uint8_t hypertorus_gray(uint8_t byte) { return (uint8_t)(byte ^ ((byte >> 1) & 0x55)); }

static inline uint16_t hypertorus_bytes_u2(uint16_t dim) { return (uint16_t)((uint16_t)(dim - 1) / 4 + 1); }

static inline uint32_t hypertorus_l1_u2_plain(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u2(dim); i++) sum += hypertorus_ones(hypertorus_gray(a[i] ^ b[i]));
    return sum;
}

/*  l1 of four coordinates by a ^ b, whose four pairs of bits stand for arcs of 0, 1, 2 and 1. */
#define HYPERTORUS_4(n) (n), (n) + 1, (n) + 2, (n) + 1
#define HYPERTORUS_16(n) HYPERTORUS_4(n), HYPERTORUS_4(n + 1), HYPERTORUS_4(n + 2), HYPERTORUS_4(n + 1)
#define HYPERTORUS_64(n) HYPERTORUS_16(n), HYPERTORUS_16(n + 1), HYPERTORUS_16(n + 2), HYPERTORUS_16(n + 1)
static const uint8_t hypertorus_quarters_table[256] HYPERTORUS_FLASH = {HYPERTORUS_64(0), HYPERTORUS_64(1),
                                                                         HYPERTORUS_64(2), HYPERTORUS_64(1)};

static inline uint8_t hypertorus_quarters(uint8_t differ) {
    return HYPERTORUS_READ8(hypertorus_quarters_table + differ);
}

static inline uint32_t hypertorus_l1_u2_table(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u2(dim); i++) sum += hypertorus_quarters(a[i] ^ b[i]);
    return sum;
}

/*  1 and 2 bits in words: first each pair of bits of a ^ b becomes what it counts, 0 to 2, then pairs are added up. */
static inline uint32_t hypertorus_pairs_swar(const uint8_t *a, const uint8_t *b, uint16_t bytes, uint8_t bits) {
    uint32_t sum = 0;
    uint16_t words = HYPERTORUS_WORDS(a, b) ? bytes / 4 : 0;
    bytes = (uint16_t)(bytes - 4 * words);
    while (words) {
        uint8_t steps = words < 31 ? (uint8_t)words : 31; /* more would overflow the bytes of `sums` */
        uint32_t sums = 0;
        words = (uint16_t)(words - steps);
        do {
            uint32_t x = hypertorus_word(a) ^ hypertorus_word(b);
            x = bits == 2 ? x & ~((x & 0x55555555u) << 1) : x - ((x >> 1) & 0x55555555u);
            x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
            sums += (x + (x >> 4)) & 0x0F0F0F0Fu;
            a += 4, b += 4;
        } while (--steps);
        sum += hypertorus_across(sums);
    }
    for (; bytes; bytes--, a++, b++) sum += hypertorus_ones(bits == 2 ? hypertorus_gray(*a ^ *b) : *a ^ *b);
    return sum;
}

static inline uint32_t hypertorus_l1_u2_swar(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    return hypertorus_pairs_swar(a, b, hypertorus_bytes_u2(dim), 2);
}

static inline uint32_t hypertorus_l1_u2(const uint8_t *a, const uint8_t *b, uint16_t dim) {
#if defined(HYPERTORUS_AVR) || defined(__ARM_ARCH_6M__)
    return hypertorus_l1_u2_table(a, b, dim);
#elif defined(HYPERTORUS_SWAR)
    return hypertorus_l1_u2_swar(a, b, dim);
#else
    return hypertorus_l1_u2_plain(a, b, dim);
#endif
}

static inline uint32_t hypertorus_l1_u2_flash(const uint8_t *a, const uint8_t *b, uint16_t dim) {
#ifdef HYPERTORUS_FLASH_APART
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u2(dim); i++) sum += hypertorus_quarters(a[i] ^ HYPERTORUS_READ8(b + i));
    return sum;
#else
    return hypertorus_l1_u2(a, b, dim);
#endif
}

static inline uint32_t hypertorus_l2_u2(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u2(dim); i++) {
        uint8_t differ = hypertorus_gray(a[i] ^ b[i]);
        sum += (uint8_t)(hypertorus_ones(differ) + 2 * hypertorus_ones(differ & (differ >> 1) & 0x55));
    }
    return sum;
}

static inline uint32_t hypertorus_cosine_u2(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    return hypertorus_l1_u2(a, b, dim) << 14;
}

/*  1 bit: eight coordinates a byte; every metric is a multiple of the Hamming distance. */

static inline uint16_t hypertorus_bytes_u1(uint16_t dim) { return (uint16_t)((uint16_t)(dim - 1) / 8 + 1); }

static inline uint32_t hypertorus_l1_u1_plain(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u1(dim); i++) sum += hypertorus_ones(a[i] ^ b[i]);
    return sum;
}

static inline uint32_t hypertorus_l1_u1_swar(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    return hypertorus_pairs_swar(a, b, hypertorus_bytes_u1(dim), 1);
}

static inline uint32_t hypertorus_l1_u1(const uint8_t *a, const uint8_t *b, uint16_t dim) {
#ifdef HYPERTORUS_SWAR
    return hypertorus_l1_u1_swar(a, b, dim);
#else
    return hypertorus_l1_u1_plain(a, b, dim);
#endif
}

static inline uint32_t hypertorus_l1_u1_flash(const uint8_t *a, const uint8_t *b, uint16_t dim) {
#ifdef HYPERTORUS_FLASH_APART
    uint32_t sum = 0;
    for (uint16_t i = 0; i < hypertorus_bytes_u1(dim); i++) sum += hypertorus_ones(a[i] ^ HYPERTORUS_READ8(b + i));
    return sum;
#else
    return hypertorus_l1_u1(a, b, dim);
#endif
}

static inline uint32_t hypertorus_l2_u1(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    return hypertorus_l1_u1(a, b, dim);
}

static inline uint32_t hypertorus_cosine_u1(const uint8_t *a, const uint8_t *b, uint16_t dim) {
    return hypertorus_l1_u1(a, b, dim) << 15;
}

#endif

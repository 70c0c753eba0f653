/*  tables_avx512.c: the search by tables of nibbles on 512-bit registers. Needs AVX-512 F and BW. */
#include "tables.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define AVX512 HT_TARGET("avx512f,avx512bw")
#define HT_ENTRIES 16
#include "tables_avx512.h"

AVX512 static void scale_avx512(const ht_costs_t *costs, uint32_t scale, uint64_t group, uint8_t *filter) {
    ht_scale_nibbles(costs, scale, group, filter);
}

const ht_table_kernel_t ht_tables_avx512 = {HT_NIBBLES, scale_avx512, turn_avx512, filter_avx512};

#else

const ht_table_kernel_t ht_tables_avx512 = {0, NULL, NULL, NULL};

#endif

/*  tables_avx512vbmi.c: the search by tables of seven bits on 512-bit registers. Needs AVX-512 F, BW and VBMI. */
#include "tables.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define AVX512 HT_TARGET("avx512f,avx512bw,avx512vbmi")
#define HT_ENTRIES 128
#include "tables_avx512.h"

AVX512 static void scale_avx512(const ht_costs_t *costs, uint32_t scale, uint64_t group, uint8_t *filter) {
    ht_scale_sevens(costs, scale, group, filter);
}

const ht_table_kernel_t ht_tables_avx512vbmi = {HT_SEVENS, scale_avx512, turn_avx512, filter_avx512};

#else

const ht_table_kernel_t ht_tables_avx512vbmi = {0, NULL, NULL, NULL};

#endif

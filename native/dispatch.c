/*  dispatch.c: which instruction set runs. Chosen once, at the first call: the variable HYPERTORUS_ISA if it is set,
 *  else the best one this processor has. Nothing is executed at load time. */
#include "scan.h"

#include <stdlib.h>

static const ht_isa_t *const known[] = {&ht_isa_serial, &ht_isa_neon, &ht_isa_avx2, &ht_isa_avx512,
                                       &ht_isa_avx512vnni};
enum { KNOWN = sizeof known / sizeof *known };

/*  Threads may race to choose, but all of them choose the same. */
static const ht_isa_t *current;
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define LOAD_CURRENT() ((const ht_isa_t *)_InterlockedCompareExchangePointer((void *volatile *)&current, NULL, NULL))
#define STORE_CURRENT(isa) ((void)_InterlockedExchangePointer((void *volatile *)&current, (void *)(isa)))
#else
#define LOAD_CURRENT() __atomic_load_n(&current, __ATOMIC_ACQUIRE)
#define STORE_CURRENT(isa) __atomic_store_n(&current, (isa), __ATOMIC_RELEASE)
#endif

static const ht_isa_t *find(const char *name, int32_t *error) {
    for (int i = 0; i < KNOWN; i++)
        if (strcmp(known[i]->name, name) == 0) {
            *error = known[i]->supported() ? HT_OK : HT_ERROR_ISA_UNSUPPORTED;
            return *error ? NULL : known[i];
        }
    *error = HT_ERROR_ISA_UNKNOWN;
    return NULL;
}

const ht_isa_t *ht_isa_current(int32_t *error) {
    const ht_isa_t *isa = LOAD_CURRENT();
    const char *wanted;
    *error = HT_OK;
    if (isa) return isa;
    wanted = getenv("HYPERTORUS_ISA");
    if (wanted && *wanted) isa = find(wanted, error);
    else
        for (int i = 0; i < KNOWN; i++)
            if (known[i]->supported()) isa = known[i];
    if (isa) STORE_CURRENT(isa);
    return isa;
}

const char *ht_isa_name(void) {
    int32_t error;
    const ht_isa_t *isa = ht_isa_current(&error);
    return isa ? isa->name : NULL;
}

int32_t ht_isa_supported(const char *name) {
    int32_t error;
    if (!name) return HT_ERROR_NULL;
    find(name, &error);
    return error == HT_ERROR_ISA_UNKNOWN ? error : error == HT_OK;
}

int32_t ht_isa_use(const char *name) {
    int32_t error;
    const ht_isa_t *isa;
    if (!name) return HT_ERROR_NULL;
    isa = find(name, &error);
    if (isa) STORE_CURRENT(isa);
    return error;
}

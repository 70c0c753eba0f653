/*  test_fuzz.c: the harness for libFuzzer, fed with random bytes, so that it is known to hold where there is no clang. */
#include "fuzz_core.c"

int main(void) {
    uint8_t data[3000];
    for (; passed < 300; passed++) {
        size_t size = random_below(sizeof data);
        for (size_t i = 0; i < size; i++) data[i] = (uint8_t)random_below(256);
        if (size > 1) data[1] = (uint8_t)(1 << data[1] % 4); /* most bit depths are refused */
        LLVMFuzzerTestOneInput(data, size); /* aborts if anything is wrong */
    }
    printf("%ld passed, %ld failed\n", passed, failed);
    return 0;
}

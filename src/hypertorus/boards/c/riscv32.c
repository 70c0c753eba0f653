/*  riscv32.c: rv32imac on the virt machine of qemu, in machine mode; under -icount minstret counts instructions. */

#include "port.h"

/*  The compiler is not told of this extension, as it would look for a C library built with it and find none. */
#define WITH_CSR(instruction) ".option push\n.option arch, +zicsr\n" instruction ".option pop\n"

enum { UART_DATA = 0x10000000, UART_STATE = UART_DATA + 5, FINISHER = 0x100000 };

extern uint32_t port_data[], port_data_end[], port_data_image[], port_bss[], port_bss_end[];
extern uint8_t port_stack_high[];

int main(void);

__asm__(
    ".section .start, \"ax\"\n"
    ".globl port_start\n"
    "port_start:\n"
    ".option push\n"
    ".option norelax\n"
    "la gp, __global_pointer$\n"
    ".option pop\n"
    "la sp, port_stack_high\n"
    "la t0, port_trap\n"
    WITH_CSR("csrw mtvec, t0\n")
    "j port_reset\n"
    ".balign 4\n"
    "port_trap:\n"
    "la sp, port_stack_high\n"
    "j port_fault\n"
    ".text\n");

void port_fault(void) { port_fail("the processor raised a fault"); }

void port_reset(void) {
    const uint32_t *image = port_data_image;
    for (uint32_t *word = port_data; word < port_data_end; word++) *word = *image++;
    for (uint32_t *word = port_bss; word < port_bss_end; word++) *word = 0;
    main();
    port_fail("main() returned without board_end()");
}

void port_begin(void) {}

uint32_t port_clock(void) {
    uint32_t instructions;
    __asm__ volatile(WITH_CSR("csrr %0, minstret\n") : "=r"(instructions));
    return instructions;
}

void port_byte(char byte) {
    while (!(*(volatile uint8_t *)(uintptr_t)UART_STATE & 0x20)) {}
    *(volatile uint8_t *)(uintptr_t)UART_DATA = (uint8_t)byte;
}

port_memory port_stack(void) {
    uint8_t *pointer;
    __asm__ volatile("mv %0, sp" : "=r"(pointer));
    return (port_memory){(uint8_t *)port_bss_end, pointer, port_stack_high};
}

void port_stop(int failed) {
    *(volatile uint32_t *)(uintptr_t)FINISHER = failed ? 0x13333 : 0x5555;
    for (;;) {}
}

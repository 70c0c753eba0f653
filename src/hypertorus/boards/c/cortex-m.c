/*  cortex-m.c: the Cortex-M machines of qemu: MPS2 (M3, M4) and micro:bit (M0).
 *
 *  qemu counts no cycles, but under -icount every instruction takes 2^shift ns of the machine's time, so a timer of the
 *  machine counts instructions: exactly, as an instruction lasts longer than two of its ticks.
 */

#include "port.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

extern uint32_t port_data[], port_data_end[], port_data_image[], port_bss[], port_bss_end[];
extern uint8_t port_stack_high[];

int main(void);

#if __ARM_ARCH >= 7

enum {
    TIMER = 0x40000000, TIMER_CONTROL = TIMER, TIMER_VALUE = TIMER + 4, TIMER_RELOAD = TIMER + 8,
    UART = 0x40004000, UART_DATA = UART, UART_STATE = UART + 4, UART_CONTROL = UART + 8, UART_DIVIDER = UART + 16
};

void port_begin(void) {
    REGISTER(UART_DIVIDER) = 16;
    REGISTER(UART_CONTROL) = 1;
    REGISTER(TIMER_RELOAD) = 0xFFFFFFFF;
    REGISTER(TIMER_VALUE) = 0xFFFFFFFF;
    REGISTER(TIMER_CONTROL) = 1;
}

/*  25 MHz downwards; an instruction takes 128 ns, 3.2 ticks. */
uint32_t port_clock(void) {
    uint32_t ticks = ~REGISTER(TIMER_VALUE);
    return (ticks >> 4) * 5 + (((ticks & 15) * 5 + 8) >> 4);
}

void port_byte(char byte) {
    while (REGISTER(UART_STATE) & 1) {}
    REGISTER(UART_DATA) = (uint8_t)byte;
}

#else

enum {
    TIMER = 0x40008000, TIMER_START = TIMER, TIMER_CAPTURE = TIMER + 0x40, TIMER_BITS = TIMER + 0x508,
    TIMER_PRESCALER = TIMER + 0x510, TIMER_VALUE = TIMER + 0x540,
    UART = 0x40002000, UART_START = UART + 8, UART_READY = UART + 0x11C, UART_ENABLE = UART + 0x500,
    UART_DATA = UART + 0x51C
};

void port_begin(void) {
    REGISTER(UART_ENABLE) = 4;
    REGISTER(UART_START) = 1;
    REGISTER(TIMER_BITS) = 3;
    REGISTER(TIMER_PRESCALER) = 0;
    REGISTER(TIMER_START) = 1;
}

/*  16 MHz upwards; an instruction takes 256 ns, 4.096 ticks. */
uint32_t port_clock(void) {
    REGISTER(TIMER_CAPTURE) = 1;
    uint32_t ticks = REGISTER(TIMER_VALUE);
    return (ticks >> 9) * 125 + (((ticks & 511) * 125 + 256) >> 9);
}

void port_byte(char byte) {
    REGISTER(UART_READY) = 0;
    REGISTER(UART_DATA) = (uint8_t)byte;
    while (!REGISTER(UART_READY)) {}
}

#endif

port_memory port_stack(void) {
    uint8_t *pointer;
    __asm__ volatile("mov %0, sp" : "=r"(pointer));
    return (port_memory){(uint8_t *)port_bss_end, pointer, port_stack_high};
}

/*  Semihosting: SYS_EXIT, because the application ended or because of a run-time error. */
void port_stop(int failed) {
    register uint32_t call __asm__("r0") = 0x18;
    register uint32_t reason __asm__("r1") = failed ? 0x20023 : 0x20026;
    __asm__ volatile("bkpt 0xAB" : : "r"(call), "r"(reason) : "memory");
    for (;;) {}
}

void port_reset(void) {
    const uint32_t *image = port_data_image;
    for (uint32_t *word = port_data; word < port_data_end; word++) *word = *image++;
    for (uint32_t *word = port_bss; word < port_bss_end; word++) *word = 0;
#ifdef __ARM_FP
    REGISTER(0xE000ED88) |= 0xF << 20;
    __asm__ volatile("dsb\n\tisb");
#endif
    main();
    port_fail("main() returned without board_end()");
}

static void fault(void) { port_fail("the processor raised a fault"); }

typedef void (*handler)(void);

const handler port_vectors[16] __attribute__((section(".vectors"), used)) = {
    (handler)(void (*)(void))port_stack_high, port_reset, fault, fault, fault, fault, fault, fault,
    fault, fault, fault, fault, fault, fault, fault, fault,
};

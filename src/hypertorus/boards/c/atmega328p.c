/*  atmega328p.c: an ATmega328P at 16 MHz, as on an Arduino Uno: serial port at 115200 baud, timer 1 counts cycles. */

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <util/delay_basic.h>

#include "port.h"

enum { BEGUN = 0x5EED };

extern uint8_t __heap_start;  /* the first byte after the variables, by the linker */

static volatile uint16_t overflows;
static uint8_t overflow_cost;
static uint16_t begun __attribute__((section(".noinit")));

ISR(TIMER1_OVF_vect) { overflows++; }

ISR(BADISR_vect) { port_fail("an interrupt that nobody handles"); }

/*  Cycles of a fixed wait that begins with the timer at `start`. */
static __attribute__((noinline)) uint16_t wait_from(uint16_t start) {
    TCNT1 = start;
    _delay_loop_2(100);
    return TCNT1 - start;
}

void port_begin(void) {
    UCSR0A = _BV(U2X0);
    UBRR0 = 16;
    UCSR0B = _BV(TXEN0);
    if (begun == BEGUN) port_fail("the program jumped back to its start");
    begun = BEGUN;
    TCCR1A = 0;
    TCCR1B = _BV(CS10);
    TIMSK1 = _BV(TOIE1);
    sei();
    uint16_t undisturbed = wait_from(0);
    overflow_cost = (uint8_t)(wait_from(0xFF00) - undisturbed);
    overflows = 0;
    TCNT1 = 0;
}

/*  Without a branch, so that it always takes equally long. An overflow that waits to be counted (bit 0 of TIFR1) is
 *  one unless the timer was read before it; the interrupts that were served took time of their own. */
uint32_t port_clock(void) {
    uint8_t status = SREG;
    cli();
    uint16_t low = TCNT1;
    uint8_t waits = TIFR1 & _BV(TOV1) & (uint8_t)~((uint8_t)(low >> 8) >> 7);
    uint16_t counted = overflows;
    SREG = status;
    return ((uint32_t)(uint16_t)(counted + waits) << 16 | low) - (uint32_t)counted * overflow_cost;
}

void port_byte(char byte) {
    while (!(UCSR0A & _BV(UDRE0))) {}
    UDR0 = (uint8_t)byte;
}

port_memory port_stack(void) { return (port_memory){&__heap_start, (uint8_t *)SP, (uint8_t *)RAMEND + 1}; }

/*  simavr ends when the processor sleeps with interrupts off; real hardware sleeps. */
void port_stop(int failed) {
    (void)failed;
    while (!(UCSR0A & _BV(UDRE0))) {}
    _delay_loop_2(4000);
    begun = 0;
    cli();
    sleep_enable();
    for (;;) sleep_cpu();
}

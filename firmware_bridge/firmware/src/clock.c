#include "clock.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "ticks.h"

static volatile uint32_t overflows;

ISR(TIMER1_OVF_vect) {
    overflows++;
}

#define TICK_HALF_US 4000U

static volatile bool tick;

ISR(TIMER1_COMPA_vect) {
    OCR1A += TICK_HALF_US;
    tick = true;
}

bool clock_tick_waiting(void) {
    return tick;
}

void clock_take_tick(void) {
    tick = false;
}

void clock_begin(void) {
    OCR1A = TICK_HALF_US;
    TCCR1A = 0;
    TCCR1B = (1 << CS11);  /* 16 MHz / 8 */
    TIMSK1 = (1 << TOIE1) | (1 << OCIE1A);
}

uint32_t clock_us(void) {
    uint32_t high;
    uint16_t low;
    bool pending;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        high = overflows;
        low = TCNT1;
        pending = TIFR1 & (1 << TOV1);
    }
    return ticks_us(high, low, pending);
}

uint16_t clock_half_us(void) {
    uint16_t low;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        low = TCNT1;
    }
    return low;
}

#include "hx711.h"

#include <avr/interrupt.h>
#include <util/atomic.h>
#include <util/delay.h>

#include "clock.h"
#include "conversation.h"
#include "pins.h"

#define SETTLING_CONVERSIONS 4  /* data sheet: after power-up, reset, change of gain or channel */

/* The fastest chips seen finish a conversion in 10.7 ms; a reading that ends later than this after
 * the fall of DOUT may have had the next conversion under it. */
#define LATE_US 9000UL

/* The slowest chip gives 8.5 conversions a second, and after a reset the first comes after up to five
 * periods. */
#define SILENT_US 700000UL
#define STUCK_RETRY_US 100000UL

typedef struct {
    uint8_t index;
    uint8_t pulses;
    uint8_t settling;
    uint8_t state;
    uint32_t looked_us;  /* last reading, or last rescue of a silent chip */
} cell_t;

static cell_t cells[CELLS];
static uint16_t resets;

/* Shared with the interrupt: chips whose fall is waited for, and that have fallen. */
static volatile uint8_t fallen;
static volatile uint32_t fell_us[CELLS];

/* Bits 4-7 of port D are PCINT20-23, bits 4-7 of PCMSK2: one mask serves both. A pin is masked from
 * its fall until it was read, for reading toggles it up to 24 times. */
ISR(PCINT2_vect) {
    uint32_t now_us = clock_us();
    uint8_t fell = PCMSK2 & (uint8_t)~DOUT_PIN & DOUT_ALL;
    PCMSK2 &= (uint8_t)~fell;
    fallen |= fell;
    for (uint8_t cell = 0; cell < CELLS; cell++) {
        if (fell & DOUT_BIT(cell)) {
            fell_us[cell] = now_us;
        }
    }
}

static bool dout_high(uint8_t cell) {
    return DOUT_PIN & DOUT_BIT(cell);
}

static void await_fall(uint8_t cell) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        fallen &= (uint8_t)~DOUT_BIT(cell);
        PCMSK2 |= DOUT_BIT(cell);
    }
}

static void ignore_pin(uint8_t cell) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        PCMSK2 &= (uint8_t)~DOUT_BIT(cell);
        fallen &= (uint8_t)~DOUT_BIT(cell);
    }
}

/* One pulse. Only the high phase is timed by the data sheet (0.2 to 50 us, over 60 us powers the
 * chip down), so only that is kept from interrupts. */
static bool clock_bit(uint8_t sck, uint8_t dout) {
    bool bit;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        SCK_PORT |= sck;
        _delay_us(1);
        bit = DOUT_PIN & dout;
        SCK_PORT &= (uint8_t)~sck;
    }
    return bit;
}

static int32_t clock_out(uint8_t cell) {
    uint8_t sck = SCK_BIT(cell);
    uint8_t dout = DOUT_BIT(cell);
    uint32_t value = 0;
    for (uint8_t pulse = 0; pulse < 24; pulse++) {
        value = value << 1 | clock_bit(sck, dout);
    }
    for (uint8_t pulse = 24; pulse < cells[cell].pulses; pulse++) {
        clock_bit(sck, dout);
    }
    return (int32_t)((value ^ 0x800000UL) - 0x800000UL);  /* sign of 24 bits */
}

static uint8_t settling_flag(cell_t *cell) {
    if (cell->settling == 0) {
        return 0;
    }
    cell->settling--;
    return FLAG_SETTLING;
}

static uint8_t flags_of(cell_t *cell, int32_t count, bool high, uint32_t took_us) {
    uint8_t flags = settling_flag(cell);
    if (count == 0x7FFFFFL || count == -0x800000L) {
        flags |= FLAG_SATURATED;
    }
    if (!high) {
        flags |= FLAG_NOT_HIGH;
    }
    if (took_us > LATE_US) {
        flags |= FLAG_LATE;
    }
    return flags;
}

static void read_cell(uint8_t number, uint32_t t_us, uint8_t flags) {
    cell_t *cell = &cells[number];
    int32_t count = clock_out(number);
    bool high = dout_high(number);  /* the pulse after the last bit drives DOUT high */
    uint32_t now_us = clock_us();
    flags |= flags_of(cell, count, high, now_us - t_us);
    cell->looked_us = now_us;
    cell->state = high ? CELL_OK : CELL_STUCK_LOW;
    scale_t scale = {.cell = number, .index = ++cell->index, .count = count};
    if (high) {
        await_fall(number);
    } else {
        ignore_pin(number);
    }
    say_scale(&scale, flags, t_us);
}

/* A chip that gives nothing is power-cycled again and again: it may have been powered down by a
 * disturbance on its clock, and one that was plugged in again wants a defined start. */
static void rescue(uint8_t number) {
    cells[number].state = CELL_SILENT;
    resets++;
    hx711_reset(number);
}

/* No edge was seen. Low without an edge: it fell while the pin was masked, or it is stuck. */
static void look_after(uint8_t number) {
    cell_t *cell = &cells[number];
    uint32_t now_us = clock_us();
    uint32_t waited_us = now_us - cell->looked_us;
    if (dout_high(number)) {
        if (cell->state == CELL_STUCK_LOW) {
            hx711_reset(number);
            cell->state = CELL_OK;
        } else if (waited_us > SILENT_US) {
            rescue(number);
        }
    } else if (waited_us > STUCK_RETRY_US) {
        read_cell(number, now_us, FLAG_TIME_UNSURE);
    }
}

void hx711_poll(void) {
    for (uint8_t cell = 0; cell < CELLS; cell++) {
        if (fallen & DOUT_BIT(cell)) {
            read_cell(cell, fell_us[cell], 0);
        }
    }
}

void hx711_look_after(void) {
    for (uint8_t cell = 0; cell < CELLS; cell++) {
        if (!(fallen & DOUT_BIT(cell))) {
            look_after(cell);
        }
    }
}

bool hx711_waiting(void) {
    return fallen != 0;
}

void hx711_reset(uint8_t number) {
    ignore_pin(number);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        SCK_PORT |= SCK_BIT(number);
    }
    _delay_us(80);  /* interrupts may make it longer, which does no harm here */
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        SCK_PORT &= (uint8_t)~SCK_BIT(number);
    }
    cells[number].settling = SETTLING_CONVERSIONS;
    cells[number].looked_us = clock_us();
    await_fall(number);
}

void hx711_set_gain(uint8_t number, uint8_t pulses) {
    /* It takes effect with the next reading, and the four after that one settle. */
    cells[number].pulses = pulses;
    cells[number].settling = SETTLING_CONVERSIONS + 1;
}

uint16_t hx711_states(void) {
    uint16_t states = 0;
    for (uint8_t cell = 0; cell < CELLS; cell++) {
        states |= (uint16_t)((uint16_t)cells[cell].state << (4 * cell));
    }
    return states;
}

uint16_t hx711_resets(void) {
    return resets;
}

void hx711_begin(void) {
    DOUT_PULLUPS |= DOUT_ALL;  /* an unplugged chip reads high: silent, and not a count of zero */
    SCK_DDR |= SCK_ALL;
    PCICR |= (1 << PCIE2);
    for (uint8_t cell = 0; cell < CELLS; cell++) {
        cells[cell].pulses = 25;
        hx711_reset(cell);
    }
}

#include "volts.h"

#include <avr/io.h>

#include "pins.h"

/* Data sheet, 24.9: the reference is the supply, 16 MHz / 128 = 125 kHz (50 to 200 for ten bits). */
#define BY_SUPPLY (1 << REFS0)
#define ON_AND_SLOW ((1 << ADEN) | (1 << ADPS2) | (1 << ADPS1) | (1 << ADPS0))
#define BANDGAP 0x0E
#define BANDGAP_MV 1100UL
#define STEPS 1024UL

/* The bandgap drives the converter's capacitor weakly: the first readings still have the voltage of
 * the other channel in them. */
#define UNTIL_SETTLED 8

static const uint8_t CHANNELS[] = {BANDGAP, PROBE_CHANNEL};
#define COUNT (sizeof CHANNELS)

static uint16_t readings[COUNT];
static uint8_t channel;
static uint8_t taken;

static void start(void) {
    ADMUX = BY_SUPPLY | CHANNELS[channel];
    ADCSRA |= (1 << ADSC);
}

void volts_begin(void) {
    PROBE_PULLUPS |= PROBE_BIT;  /* an open probe reads as the supply, not as whatever is near it */
    ADCSRA = ON_AND_SLOW;
    start();
}

void volts_look(void) {
    if (ADCSRA & (1 << ADSC)) {
        return;
    }
    if (++taken == UNTIL_SETTLED) {
        readings[channel] = ADC;
        channel = (uint8_t)((channel + 1) % COUNT);
        taken = 0;
    }
    start();
}

volts_t volts_now(void) {
    volts_t volts = {0};
    if (readings[0] != 0) {
        uint32_t supply_mv = BANDGAP_MV * STEPS / readings[0];
        volts.supply_mv = supply_mv > UINT16_MAX ? UINT16_MAX : (uint16_t)supply_mv;
        volts.probe_mv = (uint16_t)(readings[1] * (uint32_t)volts.supply_mv / STEPS);
    }
    return volts;
}

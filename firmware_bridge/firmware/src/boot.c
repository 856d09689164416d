#include "boot.h"

#include <avr/eeprom.h>
#include <avr/io.h>
#include <avr/wdt.h>
#include <stdbool.h>

#define noinit __attribute__((section(".noinit")))

#define POWER_ONS_AT ((uint8_t *)0)

static uint8_t cause noinit;
static uint8_t cause_from_bootloader noinit;
static uint16_t counter noinit;
static uint16_t counter_check noinit;

/* Optiboot reads and clears MCUSR before us and hands it over in r2. */
__attribute__((naked, used, section(".init0"))) void keep_r2(void) {
    __asm__ volatile("sts %0, r2" ::"i"(&cause_from_bootloader));
}

/* After a bite the watchdog stays on with its shortest time: off at once, before main. */
__attribute__((naked, used, section(".init3"))) void keep_mcusr(void) {
    cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

static bool power_was_off(void) {
    return (cause & ((1 << PORF) | (1 << BORF))) || counter_check != (uint16_t)~counter;
}

static uint16_t first_of_power_on(void) {
    uint8_t power_ons = (uint8_t)(eeprom_read_byte(POWER_ONS_AT) + 1);
    eeprom_update_byte(POWER_ONS_AT, power_ons);
    return (uint16_t)((uint16_t)power_ons << 8);
}

void boot_begin(void) {
    if (cause == 0) {
        cause = cause_from_bootloader & 0x0F;
    }
    counter = power_was_off() ? first_of_power_on() : (uint16_t)(counter + 1);
    counter_check = (uint16_t)~counter;
}

uint8_t boot_cause(void) {
    return cause;
}

uint16_t boot_counter(void) {
    return counter;
}

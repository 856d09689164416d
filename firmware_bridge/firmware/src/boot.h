/* Why and how often the microcontroller started. */
#ifndef TOPPLE_BOOT_H
#define TOPPLE_BOOT_H

#include <stdint.h>

void boot_begin(void);

/* MCUSR as it was at the start: 1 power-on, 2 external, 4 brown-out, 8 watchdog. */
uint8_t boot_cause(void);

/* High byte: power-ons, from EEPROM. Low byte: resets since, from RAM that a reset leaves alone, so
 * that a board that restarts all night does not wear out its EEPROM. */
uint16_t boot_counter(void);

#endif

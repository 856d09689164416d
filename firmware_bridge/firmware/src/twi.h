/* I2C master at 400 kHz, polled, with a deadline for every step. */
#ifndef TOPPLE_TWI_H
#define TOPPLE_TWI_H

#include <stdbool.h>
#include <stdint.h>

void twi_begin(void);

/* Writes one register; false when the device did not acknowledge or the bus is stuck. */
bool twi_write(uint8_t device, uint8_t address, uint8_t value);

/* Reads registers from `address` on; false as above. */
bool twi_read(uint8_t device, uint8_t address, uint8_t *out, uint8_t size);

#endif

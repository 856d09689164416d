/* Which pin does what, Arduino Nano (ATmega328P). Port bits, with the Nano's names.
   Made from schematics/pins.yaml by `make schematics`: change it there. */
#ifndef TOPPLE_PINS_H
#define TOPPLE_PINS_H

#include <avr/io.h>

/* DOUT of cells 0-3: D4-D7, one port and one pin-change interrupt. */
#define DOUT_PIN PIND
#define DOUT_PULLUPS PORTD
#define DOUT_BIT(cell) ((uint8_t)(1U << (4 + (cell))))
#define DOUT_ALL 0xF0

/* PD_SCK of cells 0-3: D8-D11. One clock each: chips on a shared clock lose conversions. */
#define SCK_PORT PORTB
#define SCK_DDR DDRB
#define SCK_BIT(cell) ((uint8_t)(1U << (cell)))
#define SCK_ALL 0x0F

/* INT of the MPU-6050: D12. */
#define IMU_INT_PIN PINB
#define IMU_INT_BIT (1U << PB4)

/* Tilt switch to ground: A0, with pull-up. */
#define SWITCH_PIN PINC
#define SWITCH_PULLUPS PORTC
#define SWITCH_BIT (1U << PC0)

/* Probe of topple-table first-light: A1, with pull-up; channel of the converter. */
#define PROBE_PULLUPS PORTC
#define PROBE_BIT (1U << PC1)
#define PROBE_CHANNEL 1

/* I2C: SDA is A4, SCL is A5. */
#define I2C_PIN PINC
#define I2C_PORT PORTC
#define I2C_DDR DDRC
#define SDA_BIT (1U << PC4)
#define SCL_BIT (1U << PC5)

#endif

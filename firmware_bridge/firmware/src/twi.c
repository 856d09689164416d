#include "twi.h"

#include <avr/io.h>
#include <util/delay.h>
#include <util/twi.h>

#include "clock.h"
#include "pins.h"

/* A byte takes 25 us; the MPU-6050 does not stretch the clock. */
#define DEADLINE_HALF_US (2 * 500U)

void twi_begin(void) {
    TWSR = 0;
    TWBR = 12;  /* 16 MHz / (16 + 2 * 12) = 400 kHz */
    TWCR = (1 << TWEN);
}

/* A device that was interrupted in the middle of a byte holds SDA low; nine clocks let it finish. */
static void free_bus(void) {
    TWCR = 0;
    for (uint8_t clocks = 0; clocks < 9 && !(I2C_PIN & SDA_BIT); clocks++) {
        I2C_PORT &= (uint8_t)~SCL_BIT;
        I2C_DDR |= SCL_BIT;
        _delay_us(5);
        I2C_DDR &= (uint8_t)~SCL_BIT;
        _delay_us(5);
    }
    twi_begin();
}

static bool step(uint8_t control, uint8_t expected) {
    uint16_t began = clock_half_us();
    TWCR = control | (1 << TWINT) | (1 << TWEN);
    while (!(TWCR & (1 << TWINT))) {
        if ((uint16_t)(clock_half_us() - began) > DEADLINE_HALF_US) {
            return false;
        }
    }
    return TW_STATUS == expected;
}

static bool send(uint8_t byte, uint8_t expected) {
    TWDR = byte;
    return step(0, expected);
}

static bool stop(void) {
    uint16_t began = clock_half_us();
    TWCR = (1 << TWINT) | (1 << TWEN) | (1 << TWSTO);
    while (TWCR & (1 << TWSTO)) {
        if ((uint16_t)(clock_half_us() - began) > DEADLINE_HALF_US) {
            return false;
        }
    }
    return true;
}

static bool finish(bool good) {
    if (!stop() || !good) {
        free_bus();
        return false;
    }
    return true;
}

static bool address_register(uint8_t device, uint8_t address) {
    return step(1 << TWSTA, TW_START) && send((uint8_t)(device << 1), TW_MT_SLA_ACK) &&
           send(address, TW_MT_DATA_ACK);
}

bool twi_write(uint8_t device, uint8_t address, uint8_t value) {
    return finish(address_register(device, address) && send(value, TW_MT_DATA_ACK));
}

static bool receive(uint8_t *out, uint8_t size) {
    for (uint8_t at = 0; at < size; at++) {
        bool last = at + 1 == size;  /* the last byte is not acknowledged: the device lets go */
        if (!step(last ? 0 : 1 << TWEA, last ? TW_MR_DATA_NACK : TW_MR_DATA_ACK)) {
            return false;
        }
        out[at] = TWDR;
    }
    return true;
}

bool twi_read(uint8_t device, uint8_t address, uint8_t *out, uint8_t size) {
    return finish(address_register(device, address) && step(1 << TWSTA, TW_REP_START) &&
                  send((uint8_t)(device << 1 | 1), TW_MR_SLA_ACK) && receive(out, size));
}

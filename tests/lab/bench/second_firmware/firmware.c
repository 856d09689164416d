/* Another firmware for the same table, as one writes it on the first afternoon: lines of text at
 * 115200 baud, one clock wire for all four HX711, an inertial sensor that is asked every 10 ms, no
 * time stamps but a counter, no check sum, no watchdog.
 *
 *   S,<counter>,<count>,<count>,<count>,<count>     when all four chips have a data word
 *   I,<counter>,<ax>,<ay>,<az>,<gx>,<gy>,<gz>       every 10 ms
 *
 * The counter counts 10 ms and begins again at 65536.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <util/delay.h>

#define DOUT_ALL 0xF0       /* D4-D7 */
#define SCK 0x01            /* D8, to all four */
#define MPU6050 0x68

static volatile uint16_t counter;
static volatile bool due;

ISR(TIMER1_COMPA_vect) {
    counter++;
    due = true;
}

static uint16_t now(void) {
    cli();
    uint16_t value = counter;
    sei();
    return value;
}

/* The line: every character is waited for. */

static void put(char c) {
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = (uint8_t)c;
}

static void put_number(int32_t value) {
    char text[12];
    put(',');
    ltoa(value, text, 10);
    for (char *c = text; *c; c++) {
        put(*c);
    }
}

static void begin_line(char kind, uint16_t at) {
    put(kind);
    put_number(at);
}

/* The load cells: 25 pulses on the one clock, four bits at a time. */

static void read_scale(void) {
    uint32_t words[4] = {0, 0, 0, 0};
    uint16_t at = now();
    cli();  /* a pulse of more than 60 us would power the chips down */
    for (uint8_t pulse = 0; pulse < 25; pulse++) {
        PORTB |= SCK;
        _delay_us(1);
        uint8_t pins = PIND;
        PORTB &= (uint8_t)~SCK;
        if (pulse < 24) {
            for (uint8_t cell = 0; cell < 4; cell++) {
                words[cell] = words[cell] << 1 | (pins >> (4 + cell) & 1);
            }
        }
    }
    sei();
    begin_line('S', at);
    for (uint8_t cell = 0; cell < 4; cell++) {
        put_number((int32_t)((words[cell] ^ 0x800000UL) - 0x800000UL));
    }
    put('\n');
}

/* The inertial sensor: nobody looks whether it answers. */

static void twi(uint8_t control) {
    TWCR = control | (1 << TWINT) | (1 << TWEN);
    while (!(TWCR & (1 << TWINT))) {
    }
}

static void twi_send(uint8_t byte) {
    TWDR = byte;
    twi(0);
}

static void twi_stop(void) {
    TWCR = (1 << TWINT) | (1 << TWEN) | (1 << TWSTO);
    while (TWCR & (1 << TWSTO)) {
    }
}

static void imu_write(uint8_t address, uint8_t value) {
    twi(1 << TWSTA);
    twi_send(MPU6050 << 1);
    twi_send(address);
    twi_send(value);
    twi_stop();
}

static void read_imu(void) {
    uint8_t raw[14];
    twi(1 << TWSTA);
    twi_send(MPU6050 << 1);
    twi_send(0x3B);
    twi(1 << TWSTA);
    twi_send(MPU6050 << 1 | 1);
    for (uint8_t at = 0; at < 14; at++) {
        twi(at < 13 ? 1 << TWEA : 0);
        raw[at] = TWDR;
    }
    twi_stop();
    begin_line('I', now());
    for (uint8_t at = 0; at < 14; at += 2) {
        if (at != 6) {  /* the temperature */
            put_number((int16_t)((uint16_t)raw[at] << 8 | raw[at + 1]));
        }
    }
    put('\n');
}

int main(void) {
    UBRR0 = 16;  /* 117647 baud; 115200 to a host */
    UCSR0A = 1 << U2X0;
    UCSR0B = 1 << TXEN0;
    DDRB = SCK;
    PORTD = DOUT_ALL;
    TWBR = 12;
    imu_write(0x6B, 0x01);  /* awake, clock from the gyroscope */
    imu_write(0x19, 4);     /* 200 Hz */
    imu_write(0x1A, 3);     /* low-pass at 44 Hz */
    OCR1A = 19999;          /* 16 MHz / 8 / 20000 = 100 Hz */
    TCCR1B = (1 << WGM12) | (1 << CS11);
    TIMSK1 = 1 << OCIE1A;
    sei();
    for (;;) {
        if (!(PIND & DOUT_ALL)) {
            read_scale();
        }
        if (due) {
            due = false;
            read_imu();
        }
    }
}

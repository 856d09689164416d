#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

/* 256 bytes are 10 ms of line, twice the longest time the loop is away (one I2C burst and four
 * HX711 readings). An index of one byte wraps by itself. */
static volatile uint8_t tx_ring[256];
static volatile uint8_t tx_head, tx_tail;

/* The host says little: the longest message has 15 bytes. */
#define RX_SIZE 64
static volatile uint8_t rx_ring[RX_SIZE];
static volatile uint8_t rx_head, rx_tail;
static volatile uint16_t rx_overruns;

void uart_begin(void) {
    UCSR0A = (1 << U2X0);
    UBRR0 = 7;  /* 16 MHz / (8 * (7 + 1)) = 250000, exactly */
    UCSR0C = (1 << UCSZ01) | (1 << UCSZ00);
    UCSR0B = (1 << RXEN0) | (1 << TXEN0) | (1 << RXCIE0);
}

ISR(USART_UDRE_vect) {
    UDR0 = tx_ring[tx_tail++];
    if (tx_tail == tx_head) {
        UCSR0B &= (uint8_t)~(1 << UDRIE0);
    }
}

ISR(USART_RX_vect) {
    if (UCSR0A & (1 << DOR0)) {
        rx_overruns++;
    }
    uint8_t byte = UDR0;
    uint8_t next = (rx_head + 1) % RX_SIZE;
    if (next == rx_tail) {
        rx_overruns++;
    } else {
        rx_ring[rx_head] = byte;
        rx_head = next;
    }
}

bool uart_write(const uint8_t *bytes, uint8_t size) {
    /* The interrupt only ever makes more room. */
    uint8_t used = tx_head - tx_tail;
    if (size > 255 - used) {
        return false;
    }
    for (uint8_t at = 0; at < size; at++) {
        tx_ring[(uint8_t)(tx_head + at)] = bytes[at];
    }
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        tx_head += size;
        UCSR0B |= (1 << UDRIE0);
    }
    return true;
}

bool uart_has_input(void) {
    return rx_tail != rx_head;
}

int16_t uart_read(void) {
    if (!uart_has_input()) {
        return -1;
    }
    uint8_t byte = rx_ring[rx_tail];
    rx_tail = (rx_tail + 1) % RX_SIZE;
    return byte;
}

uint16_t uart_overruns(void) {
    uint16_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        count = rx_overruns;
    }
    return count;
}

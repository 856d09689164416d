/* UART 0 at 250000 baud with a buffer each way. */
#ifndef TOPPLE_UART_H
#define TOPPLE_UART_H

#include <stdbool.h>
#include <stdint.h>

void uart_begin(void);

/* All of it or nothing. */
bool uart_write(const uint8_t *bytes, uint8_t size);

/* A byte, or -1 when there is none. */
int16_t uart_read(void);
bool uart_has_input(void);

/* Bytes from the host that were lost, modulo 65536. */
uint16_t uart_overruns(void);

#endif

/* Timer 1: microseconds since the start. */
#ifndef TOPPLE_CLOCK_H
#define TOPPLE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

void clock_begin(void);

/* Safe with interrupts on or off, also inside an interrupt. */
uint32_t clock_us(void);

/* The bare counter, half microseconds modulo 65536, for short spans. */
uint16_t clock_half_us(void);

/* True once every 2 ms: time to look at what gives no interrupt. */
bool clock_tick_waiting(void);
void clock_take_tick(void);

#endif

/* What the conversation needs of a board. The AVR has it in main.c, the host's tests in
 * host/board.c; a port to another microcontroller writes these again and nothing above them. */
#ifndef TOPPLE_BOARD_H
#define TOPPLE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* Microseconds since the start, modulo 2^32. */
uint32_t board_now_us(void);

/* Queues bytes for the line, all of them or none; false when there is no room. */
bool board_write(const uint8_t *bytes, uint8_t size);

uint8_t board_reset_cause(void);
uint16_t board_boot_counter(void);

/* The cell is clocked with this many pulses from now on and settles. */
void board_set_gain(uint8_t cell, uint8_t pulses);

/* Power-cycles the HX711 of a cell. */
void board_reset_cell(uint8_t cell);

/* Streaming begins: say what is not said again until it changes. */
void board_started(void);

#endif

/* Four HX711, each on a clock pin of its own, read when their DOUT falls. */
#ifndef TOPPLE_HX711_H
#define TOPPLE_HX711_H

#include <stdbool.h>
#include <stdint.h>

void hx711_begin(void);

/* Reads every chip whose DOUT has fallen and says what it gave. */
void hx711_poll(void);

/* Looks after chips whose DOUT does not fall: silent and stuck ones. */
void hx711_look_after(void);

/* True when hx711_poll has something to read at once. */
bool hx711_waiting(void);

void hx711_set_gain(uint8_t cell, uint8_t pulses);

/* Power-cycles a chip: PD_SCK high for more than 60 us. */
void hx711_reset(uint8_t cell);

/* CELL_... of each cell, four bits each, cell 0 lowest. */
uint16_t hx711_states(void);

/* Power cycles given to silent chips. */
uint16_t hx711_resets(void);

#endif

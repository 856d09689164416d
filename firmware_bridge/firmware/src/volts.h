/* The supply and the probe, by the chip's own converter. */
#ifndef TOPPLE_VOLTS_H
#define TOPPLE_VOLTS_H

#include <stdint.h>

#include "messages.h"

void volts_begin(void);

/* One step; to be called every 2 ms. Each voltage is new every 32 ms. */
void volts_look(void);

/* The latest of each; 0 before the first. */
volts_t volts_now(void);

#endif

/* What a source of the firmware needs of the others: a clock that the test sets, and the last sample
 * that was said. */
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "conversation.h"

uint32_t now_us;
scale_t said_scale;
uint32_t said_us;
uint8_t said_flags;
uint32_t said_times;

uint32_t clock_us(void) {
    return now_us;
}

void say_scale(const scale_t *scale, uint8_t flags, uint32_t t_us) {
    said_scale = *scale;
    said_flags = flags;
    said_us = t_us;
    said_times++;
}

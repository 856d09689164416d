/* Microseconds from a 16-bit timer that counts half microseconds; no hardware here, so that the
 * race between reading the counter and its overflow is tested on the host. */
#ifndef TOPPLE_TICKS_H
#define TOPPLE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

/* overflows: as counted by the interrupt; counter: as read; pending: the overflow flag, read after
 * the counter and with interrupts off. A pending overflow belongs to a small counter (it wrapped
 * before the reading) and not to a large one (it wrapped after it). */
static inline uint32_t ticks_us(uint32_t overflows, uint16_t counter, bool pending) {
    if (pending && counter < 0x8000U) {
        overflows++;
    }
    return (overflows << 15) + (counter >> 1);
}

#endif

/* A board for the host's unit tests: what is written is kept, what is asked for is noted. Built
 * together with frame.c and conversation.c into a shared library that Python drives. */
#include <string.h>

#include "../src/board.h"
#include "../src/ticks.h"

uint32_t host_now_us;
uint32_t host_room = 4096;
uint8_t host_out[4096];
uint32_t host_out_size;
uint32_t host_starts;
uint8_t host_gain[4];
uint32_t host_resets[4];

uint32_t board_now_us(void) {
    return host_now_us;
}

bool board_write(const uint8_t *bytes, uint8_t size) {
    if (host_out_size + size > host_room) {
        return false;
    }
    memcpy(host_out + host_out_size, bytes, size);
    host_out_size += size;
    return true;
}

uint8_t board_reset_cause(void) {
    return 8;
}

uint16_t board_boot_counter(void) {
    return 0x0203;
}

void board_set_gain(uint8_t cell, uint8_t pulses) {
    host_gain[cell] = pulses;
}

void board_reset_cell(uint8_t cell) {
    host_resets[cell]++;
}

void board_started(void) {
    host_starts++;
}

uint32_t host_ticks_us(uint32_t overflows, uint16_t counter, bool pending) {
    return ticks_us(overflows, counter, pending);
}

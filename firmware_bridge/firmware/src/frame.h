/* Frames: check sum and COBS, without any hardware. See PROTOCOL.md. */
#ifndef TOPPLE_FRAME_H
#define TOPPLE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "messages.h"

#define CRC_SIZE 2
#define PLAIN_MAX (HEADER_SIZE + LONGEST_BODY + CRC_SIZE)
/* COBS adds one byte to less than 254, and the closing zero is another. */
#define ENCODED_MAX (PLAIN_MAX + 2)

/* CRC-16/CCITT-FALSE: start with CRC_START; over "123456789" it gives 0x29B1. */
uint16_t crc16(uint16_t crc, uint8_t byte);

/* Adds the CRC to plain[0..size) (room for CRC_SIZE more), writes COBS and the closing zero to
 * out (ENCODED_MAX) and gives the number of bytes written. */
uint8_t frame_encode(uint8_t *out, uint8_t *plain, uint8_t size);

typedef struct {
    uint8_t plain[PLAIN_MAX];
    uint8_t size;
    uint8_t run_left;  /* bytes until the next stuffed zero */
    bool zero_due;     /* that zero belongs into the content if more follows */
    bool damaged;      /* too long: thrown away at the next zero */
    bool started;      /* anything since the last zero */
} receiver_t;

typedef enum { FRAME_MORE, FRAME_GOOD, FRAME_BAD } received_t;

/* Takes one byte from the line. After FRAME_GOOD plain[0..size) is the frame without its CRC, until
 * the next call. Any bytes whatever are safe. */
received_t receiver_take(receiver_t *receiver, uint8_t byte);

#endif

#include "frame.h"

/* Byte-wise form of the polynomial 0x1021: 20 instructions and no table. */
uint16_t crc16(uint16_t crc, uint8_t byte) {
    crc = (uint16_t)((crc >> 8) | (crc << 8));
    crc ^= byte;
    crc ^= (uint16_t)((crc & 0xFFU) >> 4);
    crc ^= (uint16_t)(crc << 12);
    crc ^= (uint16_t)((crc & 0xFFU) << 5);
    return crc;
}

static uint16_t crc_over(const uint8_t *bytes, uint8_t size) {
    uint16_t crc = CRC_START;
    for (uint8_t at = 0; at < size; at++) {
        crc = crc16(crc, bytes[at]);
    }
    return crc;
}

uint8_t frame_encode(uint8_t *out, uint8_t *plain, uint8_t size) {
    uint16_t crc = crc_over(plain, size);
    plain[size++] = (uint8_t)(crc >> 8);
    plain[size++] = (uint8_t)crc;

    uint8_t code_at = 0;
    uint8_t at = 1;
    for (uint8_t from = 0; from < size; from++) {
        if (plain[from] == 0) {
            out[code_at] = (uint8_t)(at - code_at);
            code_at = at++;
        } else {
            out[at++] = plain[from];
        }
    }
    out[code_at] = (uint8_t)(at - code_at);
    out[at++] = 0;
    return at;
}

static void receiver_append(receiver_t *receiver, uint8_t byte) {
    if (receiver->size == PLAIN_MAX) {
        receiver->damaged = true;
    } else {
        receiver->plain[receiver->size++] = byte;
    }
}

static received_t receiver_finish(receiver_t *receiver) {
    bool empty = !receiver->started;
    bool good = !receiver->damaged && receiver->run_left == 0 &&
                receiver->size >= HEADER_SIZE + CRC_SIZE &&
                crc_over(receiver->plain, receiver->size) == 0;
    receiver->started = receiver->zero_due = receiver->damaged = false;
    receiver->run_left = 0;
    if (good) {
        receiver->size -= CRC_SIZE;
        return FRAME_GOOD;
    }
    /* Zeros in a row are how a sender ends whatever came before: no fault. */
    return empty ? FRAME_MORE : FRAME_BAD;
}

received_t receiver_take(receiver_t *receiver, uint8_t byte) {
    if (byte == 0) {
        return receiver_finish(receiver);
    }
    if (!receiver->started) {
        receiver->started = true;
        receiver->size = 0;
    }
    if (receiver->run_left > 0) {
        receiver->run_left--;
        receiver_append(receiver, byte);
        return FRAME_MORE;
    }
    if (receiver->zero_due) {
        receiver_append(receiver, 0);
    }
    receiver->zero_due = true;
    receiver->run_left = (uint8_t)(byte - 1);
    return FRAME_MORE;
}

/* What is said to the host, without any hardware. See PROTOCOL.md. */
#ifndef TOPPLE_CONVERSATION_H
#define TOPPLE_CONVERSATION_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

#define FIRMWARE_VERSION 1

/* Forgets everything and says Hello. */
void conversation_begin(void);

/* Takes one byte from the line and does what it completes. */
void conversation_receive(uint8_t byte);

/* True between Start and Stop. */
bool conversation_streaming(void);

/* Samples; said only while streaming. t_us is when the sample was taken. */
void say_scale(const scale_t *scale, uint8_t flags, uint32_t t_us);
void say_imu(const imu_t *imu, uint8_t flags, uint32_t t_us);
void say_switch(bool closed, uint32_t t_us);

/* Fills in tx_dropped, rx_bad and streaming, and says the rest as it is. */
void say_status(status_t *status);

void say_volts(const volts_t *volts);

#endif

/* Generated from firmware_bridge/messages.py by
 * `python -m firmware_bridge.render`. Do not edit. */
#ifndef TOPPLE_MESSAGES_H
#define TOPPLE_MESSAGES_H

#include <stdint.h>

#define PROTOCOL_MAJOR 1
#define PROTOCOL_MINOR 1
#define FIRMWARE_ID 0x544F5050UL
#define SCHEMA_HASH 0x1C4ABA9BUL
#define CELLS 4
#define CRC_START 0xFFFF
#define HEADER_SIZE 8
#define LONGEST_BODY 15

/* By WHO_AM_I, from firmware_bridge/imu_chips.py. */
#define IMU_HAS_ACCEL_CONFIG_2(who) ((who) != 0x68 && (who) != 0x69 && (who) != 0x72)

#define FLAG_SATURATED 1
#define FLAG_NOT_HIGH 2
#define FLAG_LATE 4
#define FLAG_SETTLING 8
#define FLAG_TIME_UNSURE 16

#define CELL_OK 0
#define CELL_SILENT 1
#define CELL_STUCK_LOW 2

#define RESULT_DONE 0
#define RESULT_UNKNOWN_COMMAND 1
#define RESULT_BAD_VALUE 2

/* Who is there; sent after every start and in answer to Identify. */
#define MSG_HELLO 0x01
#define HELLO_SIZE 15
typedef struct {
    uint32_t firmware_id;
    uint8_t protocol_major;
    uint8_t protocol_minor;
    uint32_t schema_hash;
    uint8_t firmware_version;
    uint8_t reset_cause;
    uint16_t boot_counter;
    uint8_t cells;
} hello_t;

static inline void hello_pack(uint8_t *out, const hello_t *m) {
    out[0] = (uint8_t)((uint32_t)m->firmware_id >> 0);
    out[1] = (uint8_t)((uint32_t)m->firmware_id >> 8);
    out[2] = (uint8_t)((uint32_t)m->firmware_id >> 16);
    out[3] = (uint8_t)((uint32_t)m->firmware_id >> 24);
    out[4] = m->protocol_major;
    out[5] = m->protocol_minor;
    out[6] = (uint8_t)((uint32_t)m->schema_hash >> 0);
    out[7] = (uint8_t)((uint32_t)m->schema_hash >> 8);
    out[8] = (uint8_t)((uint32_t)m->schema_hash >> 16);
    out[9] = (uint8_t)((uint32_t)m->schema_hash >> 24);
    out[10] = m->firmware_version;
    out[11] = m->reset_cause;
    out[12] = (uint8_t)((uint16_t)m->boot_counter >> 0);
    out[13] = (uint8_t)((uint16_t)m->boot_counter >> 8);
    out[14] = m->cells;
}

static inline void hello_unpack(hello_t *m, const uint8_t *in) {
    m->firmware_id = (uint32_t)((uint32_t)in[0] << 0 | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24);
    m->protocol_major = in[4];
    m->protocol_minor = in[5];
    m->schema_hash = (uint32_t)((uint32_t)in[6] << 0 | (uint32_t)in[7] << 8 | (uint32_t)in[8] << 16 | (uint32_t)in[9] << 24);
    m->firmware_version = in[10];
    m->reset_cause = in[11];
    m->boot_counter = (uint16_t)((uint16_t)in[12] << 0 | (uint16_t)in[13] << 8);
    m->cells = in[14];
}

/* One conversion of one HX711, at the moment its DOUT fell; frame flags are `ScaleFlag`. */
#define MSG_SCALE 0x02
#define SCALE_SIZE 5
typedef struct {
    uint8_t cell;
    uint8_t index;
    int32_t count;
} scale_t;

static inline void scale_pack(uint8_t *out, const scale_t *m) {
    out[0] = m->cell;
    out[1] = m->index;
    out[2] = (uint8_t)((uint32_t)m->count >> 0);
    out[3] = (uint8_t)((uint32_t)m->count >> 8);
    out[4] = (uint8_t)((uint32_t)m->count >> 16);
}

static inline void scale_unpack(scale_t *m, const uint8_t *in) {
    m->cell = in[0];
    m->index = in[1];
    m->count = (int32_t)((((uint32_t)in[2] << 0 | (uint32_t)in[3] << 8 | (uint32_t)in[4] << 16) ^ 0x800000UL) - 0x800000UL);
}

/* One sample of the MPU-6050, at the moment its INT rose; raw registers, sensor's own axes. */
#define MSG_IMU 0x03
#define IMU_SIZE 15
typedef struct {
    uint8_t index;
    int16_t ax;
    int16_t ay;
    int16_t az;
    int16_t temperature;
    int16_t gx;
    int16_t gy;
    int16_t gz;
} imu_t;

static inline void imu_pack(uint8_t *out, const imu_t *m) {
    out[0] = m->index;
    out[1] = (uint8_t)((uint16_t)m->ax >> 0);
    out[2] = (uint8_t)((uint16_t)m->ax >> 8);
    out[3] = (uint8_t)((uint16_t)m->ay >> 0);
    out[4] = (uint8_t)((uint16_t)m->ay >> 8);
    out[5] = (uint8_t)((uint16_t)m->az >> 0);
    out[6] = (uint8_t)((uint16_t)m->az >> 8);
    out[7] = (uint8_t)((uint16_t)m->temperature >> 0);
    out[8] = (uint8_t)((uint16_t)m->temperature >> 8);
    out[9] = (uint8_t)((uint16_t)m->gx >> 0);
    out[10] = (uint8_t)((uint16_t)m->gx >> 8);
    out[11] = (uint8_t)((uint16_t)m->gy >> 0);
    out[12] = (uint8_t)((uint16_t)m->gy >> 8);
    out[13] = (uint8_t)((uint16_t)m->gz >> 0);
    out[14] = (uint8_t)((uint16_t)m->gz >> 8);
}

static inline void imu_unpack(imu_t *m, const uint8_t *in) {
    m->index = in[0];
    m->ax = (int16_t)((uint16_t)in[1] << 0 | (uint16_t)in[2] << 8);
    m->ay = (int16_t)((uint16_t)in[3] << 0 | (uint16_t)in[4] << 8);
    m->az = (int16_t)((uint16_t)in[5] << 0 | (uint16_t)in[6] << 8);
    m->temperature = (int16_t)((uint16_t)in[7] << 0 | (uint16_t)in[8] << 8);
    m->gx = (int16_t)((uint16_t)in[9] << 0 | (uint16_t)in[10] << 8);
    m->gy = (int16_t)((uint16_t)in[11] << 0 | (uint16_t)in[12] << 8);
    m->gz = (int16_t)((uint16_t)in[13] << 0 | (uint16_t)in[14] << 8);
}

/* The tilt switch changed, or streaming began; 1 is closed. */
#define MSG_SWITCH 0x04
#define SWITCH_SIZE 1
typedef struct {
    uint8_t closed;
} switch_t;

static inline void switch_pack(uint8_t *out, const switch_t *m) {
    out[0] = m->closed;
}

static inline void switch_unpack(switch_t *m, const uint8_t *in) {
    m->closed = in[0];
}

/* Heartbeat with counters, once a second whether streaming or not. Counters wrap. */
#define MSG_STATUS 0x05
#define STATUS_SIZE 15
typedef struct {
    uint16_t tx_dropped;
    uint16_t rx_bad;
    uint16_t rx_overruns;
    uint16_t imu_errors;
    uint8_t imu_who;
    uint16_t cells;
    uint16_t cell_resets;
    uint8_t streaming;
    uint8_t busy_percent;
} status_t;

static inline void status_pack(uint8_t *out, const status_t *m) {
    out[0] = (uint8_t)((uint16_t)m->tx_dropped >> 0);
    out[1] = (uint8_t)((uint16_t)m->tx_dropped >> 8);
    out[2] = (uint8_t)((uint16_t)m->rx_bad >> 0);
    out[3] = (uint8_t)((uint16_t)m->rx_bad >> 8);
    out[4] = (uint8_t)((uint16_t)m->rx_overruns >> 0);
    out[5] = (uint8_t)((uint16_t)m->rx_overruns >> 8);
    out[6] = (uint8_t)((uint16_t)m->imu_errors >> 0);
    out[7] = (uint8_t)((uint16_t)m->imu_errors >> 8);
    out[8] = m->imu_who;
    out[9] = (uint8_t)((uint16_t)m->cells >> 0);
    out[10] = (uint8_t)((uint16_t)m->cells >> 8);
    out[11] = (uint8_t)((uint16_t)m->cell_resets >> 0);
    out[12] = (uint8_t)((uint16_t)m->cell_resets >> 8);
    out[13] = m->streaming;
    out[14] = m->busy_percent;
}

static inline void status_unpack(status_t *m, const uint8_t *in) {
    m->tx_dropped = (uint16_t)((uint16_t)in[0] << 0 | (uint16_t)in[1] << 8);
    m->rx_bad = (uint16_t)((uint16_t)in[2] << 0 | (uint16_t)in[3] << 8);
    m->rx_overruns = (uint16_t)((uint16_t)in[4] << 0 | (uint16_t)in[5] << 8);
    m->imu_errors = (uint16_t)((uint16_t)in[6] << 0 | (uint16_t)in[7] << 8);
    m->imu_who = in[8];
    m->cells = (uint16_t)((uint16_t)in[9] << 0 | (uint16_t)in[10] << 8);
    m->cell_resets = (uint16_t)((uint16_t)in[11] << 0 | (uint16_t)in[12] << 8);
    m->streaming = in[13];
    m->busy_percent = in[14];
}

/* A command was carried out or refused; a repeated command is answered again, not done again. */
#define MSG_ACK 0x06
#define ACK_SIZE 2
typedef struct {
    uint8_t command_id;
    uint8_t result;
} ack_t;

static inline void ack_pack(uint8_t *out, const ack_t *m) {
    out[0] = m->command_id;
    out[1] = m->result;
}

static inline void ack_unpack(ack_t *m, const uint8_t *in) {
    m->command_id = in[0];
    m->result = in[1];
}

/* Answer to Ping; the frame's time says when it was made. */
#define MSG_PONG 0x07
#define PONG_SIZE 1
typedef struct {
    uint8_t token;
} pong_t;

static inline void pong_pack(uint8_t *out, const pong_t *m) {
    out[0] = m->token;
}

static inline void pong_unpack(pong_t *m, const uint8_t *in) {
    m->token = in[0];
}

/* What the microcontroller's own converter measures, once a second, streaming or not. */
#define MSG_VOLTS 0x08
#define VOLTS_SIZE 4
typedef struct {
    uint16_t supply_mv;
    uint16_t probe_mv;
} volts_t;

static inline void volts_pack(uint8_t *out, const volts_t *m) {
    out[0] = (uint8_t)((uint16_t)m->supply_mv >> 0);
    out[1] = (uint8_t)((uint16_t)m->supply_mv >> 8);
    out[2] = (uint8_t)((uint16_t)m->probe_mv >> 0);
    out[3] = (uint8_t)((uint16_t)m->probe_mv >> 8);
}

static inline void volts_unpack(volts_t *m, const uint8_t *in) {
    m->supply_mv = (uint16_t)((uint16_t)in[0] << 0 | (uint16_t)in[1] << 8);
    m->probe_mv = (uint16_t)((uint16_t)in[2] << 0 | (uint16_t)in[3] << 8);
}

/* Asks for Hello, stops streaming and forgets the last command's id: a new host is here. */
#define MSG_IDENTIFY 0x81
#define IDENTIFY_SIZE 0

/* Asks for the time; not repeated, since a late answer would be worthless. */
#define MSG_PING 0x82
#define PING_SIZE 1
typedef struct {
    uint8_t token;
} ping_t;

static inline void ping_pack(uint8_t *out, const ping_t *m) {
    out[0] = m->token;
}

static inline void ping_unpack(ping_t *m, const uint8_t *in) {
    m->token = in[0];
}

/* Command: begin to stream samples. */
#define MSG_START 0x83
#define START_SIZE 1
typedef struct {
    uint8_t command_id;
} start_t;

static inline void start_pack(uint8_t *out, const start_t *m) {
    out[0] = m->command_id;
}

static inline void start_unpack(start_t *m, const uint8_t *in) {
    m->command_id = in[0];
}

/* Command: stop streaming; the heartbeat goes on. */
#define MSG_STOP 0x84
#define STOP_SIZE 1
typedef struct {
    uint8_t command_id;
} stop_t;

static inline void stop_pack(uint8_t *out, const stop_t *m) {
    out[0] = m->command_id;
}

static inline void stop_unpack(stop_t *m, const uint8_t *in) {
    m->command_id = in[0];
}

/* Command: clock a cell with 25 (A, 128), 26 (B, 32) or 27 (A, 64) pulses from now on. */
#define MSG_SET_GAIN 0x85
#define SET_GAIN_SIZE 3
typedef struct {
    uint8_t command_id;
    uint8_t cell;
    uint8_t pulses;
} set_gain_t;

static inline void set_gain_pack(uint8_t *out, const set_gain_t *m) {
    out[0] = m->command_id;
    out[1] = m->cell;
    out[2] = m->pulses;
}

static inline void set_gain_unpack(set_gain_t *m, const uint8_t *in) {
    m->command_id = in[0];
    m->cell = in[1];
    m->pulses = in[2];
}

/* Command: power-cycle the HX711 of one cell. */
#define MSG_RESET_CELL 0x86
#define RESET_CELL_SIZE 2
typedef struct {
    uint8_t command_id;
    uint8_t cell;
} reset_cell_t;

static inline void reset_cell_pack(uint8_t *out, const reset_cell_t *m) {
    out[0] = m->command_id;
    out[1] = m->cell;
}

static inline void reset_cell_unpack(reset_cell_t *m, const uint8_t *in) {
    m->command_id = in[0];
    m->cell = in[1];
}

#endif /* TOPPLE_MESSAGES_H */

#include "imu.h"

#include <avr/interrupt.h>
#include <util/atomic.h>

#include "clock.h"
#include "conversation.h"
#include "pins.h"
#include "twi.h"

#define DEVICE 0x68

/* Register map RM-MPU-6000A. */
#define SMPLRT_DIV 0x19
#define CONFIG 0x1A
#define GYRO_CONFIG 0x1B
#define ACCEL_CONFIG 0x1C
#define ACCEL_CONFIG_2 0x1D
#define LOW_PASS_44_HZ 3
#define INT_PIN_CFG 0x37
#define INT_ENABLE 0x38
#define INT_STATUS 0x3A
#define DATA_READY 0x01
#define ACCEL_XOUT_H 0x3B
#define PWR_MGMT_1 0x6B
#define WHO_AM_I 0x75

#define SILENT_US 50000UL  /* ten samples */
#define INT_SILENT_US 25000UL
#define RETRY_US 250000UL

static uint8_t who;
static bool int_open;  /* INT does not rise though there are samples: it is asked for them */
static uint8_t sample_index;
static uint16_t errors;
static uint32_t looked_us;

static volatile bool risen;
static volatile uint32_t rose_us;

ISR(PCINT0_vect) {
    if (IMU_INT_PIN & IMU_INT_BIT) {
        rose_us = clock_us();
        risen = true;
    }
}

/* Value by register, in the order they are written. */
static const uint8_t SETUP[][2] = {
    {PWR_MGMT_1, 0x01},    /* awake (it sleeps after reset), clock from the gyroscope */
    {SMPLRT_DIV, 4},       /* 1 kHz / (1 + 4) = 200 Hz */
    {CONFIG, LOW_PASS_44_HZ},  /* low-pass at 44 Hz: half of 200 Hz, with margin */
    {GYRO_CONFIG, 0},      /* 250 degrees per second, 131 counts each */
    {ACCEL_CONFIG, 0},     /* 2 g, 16384 counts each */
    {INT_PIN_CFG, 0x10},   /* INT is a 50 us pulse, active high, cleared by any reading */
    {INT_ENABLE, 0x01},    /* data ready */
};

static bool set_up(uint8_t answer) {
    for (uint8_t row = 0; row < sizeof SETUP / sizeof SETUP[0]; row++) {
        if (!twi_write(DEVICE, SETUP[row][0], SETUP[row][1])) {
            return false;
        }
    }
    if (IMU_HAS_ACCEL_CONFIG_2(answer) && !twi_write(DEVICE, ACCEL_CONFIG_2, LOW_PASS_44_HZ)) {
        return false;
    }
    uint8_t power;
    return twi_read(DEVICE, PWR_MGMT_1, &power, 1) && power == 0x01;
}

static void look_for_it(void) {
    uint8_t answer;
    looked_us = clock_us();
    if (twi_read(DEVICE, WHO_AM_I, &answer, 1) && set_up(answer)) {
        who = answer;  /* every chip is tried: the host decides what to think of it */
    } else {
        errors++;
    }
}

static int16_t word(const uint8_t *bytes) {
    return (int16_t)((uint16_t)bytes[0] << 8 | bytes[1]);
}

static void say_sample(const uint8_t *raw, uint8_t flags, uint32_t t_us) {
    imu_t imu = {
        .index = ++sample_index,
        .ax = word(raw), .ay = word(raw + 2), .az = word(raw + 4),
        .temperature = word(raw + 6),
        .gx = word(raw + 8), .gy = word(raw + 10), .gz = word(raw + 12),
    };
    say_imu(&imu, flags, t_us);
}

static void lose_it(void) {
    errors++;
    who = 0;
}

static void read_sample(uint8_t flags, uint32_t t_us) {
    uint8_t raw[14];
    if (twi_read(DEVICE, ACCEL_XOUT_H, raw, sizeof raw)) {
        looked_us = clock_us();
        say_sample(raw, flags, t_us);
    } else {
        lose_it();
    }
}

/* Without INT, asked every 2 ms: reading the state clears it, so no sample is taken twice. */
static void ask_for_sample(void) {
    uint8_t state;
    if (!twi_read(DEVICE, INT_STATUS, &state, 1)) {
        lose_it();
    } else if (state & DATA_READY) {
        int_open = true;
        read_sample(FLAG_TIME_UNSURE, clock_us());
    }
}

bool imu_waiting(void) {
    return risen && who != 0;
}

void imu_poll(void) {
    if (imu_waiting()) {
        uint32_t t_us;
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
            t_us = rose_us;
            risen = false;
        }
        int_open = false;
        read_sample(0, t_us);
    }
}

void imu_look_after(void) {
    uint32_t waited_us = clock_us() - looked_us;
    if (who == 0) {
        if (waited_us > RETRY_US) {
            look_for_it();
        }
    } else if (waited_us > SILENT_US) {
        lose_it();
    } else if (int_open || waited_us > INT_SILENT_US) {
        ask_for_sample();
    }
}

uint8_t imu_who(void) {
    return who;
}

uint16_t imu_errors(void) {
    return errors;
}

void imu_begin(void) {
    twi_begin();
    PCMSK0 |= (1 << PCINT4);
    PCICR |= (1 << PCIE0);
    look_for_it();
}

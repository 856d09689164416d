/* The firmware of the table: reads four HX711, an MPU-6050 and a tilt switch, and says it on the
 * serial line. Interrupts only note times and move bytes; all else happens in the loop, which
 * sleeps whenever there is nothing to do. */
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "board.h"
#include "boot.h"
#include "clock.h"
#include "conversation.h"
#include "hx711.h"
#include "imu.h"
#include "pins.h"
#include "uart.h"
#include "volts.h"

#define HEARTBEAT_US 1000000UL
#define SWITCH_QUIET_US 5000UL  /* contacts bounce for a few milliseconds */

static bool switch_closed;
static uint32_t switch_us;

static uint32_t heartbeat_us;
static uint32_t asleep_half_us;

uint32_t board_now_us(void) {
    return clock_us();
}

bool board_write(const uint8_t *bytes, uint8_t size) {
    return uart_write(bytes, size);
}

uint8_t board_reset_cause(void) {
    return boot_cause();
}

uint16_t board_boot_counter(void) {
    return boot_counter();
}

void board_set_gain(uint8_t cell, uint8_t pulses) {
    hx711_set_gain(cell, pulses);
}

void board_reset_cell(uint8_t cell) {
    hx711_reset(cell);
}

void board_started(void) {
    say_switch(switch_closed, clock_us());
}

static void poll_switch(void) {
    bool closed = !(SWITCH_PIN & SWITCH_BIT);
    uint32_t now_us = clock_us();
    if (closed != switch_closed && now_us - switch_us > SWITCH_QUIET_US) {
        switch_closed = closed;
        switch_us = now_us;
        say_switch(closed, now_us);
    }
}

static uint8_t busy_percent(uint32_t span_us) {
    uint32_t asleep_us = asleep_half_us / 2;
    asleep_half_us = 0;
    return asleep_us >= span_us ? 0 : (uint8_t)(100 - asleep_us / (span_us / 100));
}

static void poll_heartbeat(void) {
    uint32_t span_us = clock_us() - heartbeat_us;
    if (span_us < HEARTBEAT_US) {
        return;
    }
    heartbeat_us += HEARTBEAT_US;
    status_t status = {
        .rx_overruns = uart_overruns(),
        .imu_errors = imu_errors(),
        .imu_who = imu_who(),
        .cells = hx711_states(),
        .cell_resets = hx711_resets(),
        .busy_percent = busy_percent(span_us),
    };
    say_status(&status);
    volts_t volts = volts_now();
    say_volts(&volts);
}

static void poll_host(void) {
    int16_t byte;
    while ((byte = uart_read()) >= 0) {
        conversation_receive((uint8_t)byte);
    }
}

static void look_around(void) {
    clock_take_tick();
    hx711_look_after();
    imu_look_after();
    volts_look();
    poll_switch();
    poll_heartbeat();
}

static bool work_waiting(void) {
    return hx711_waiting() || imu_waiting() || uart_has_input() || clock_tick_waiting();
}

/* Sleeps until there is work; most interrupts only moved a byte out. Looking and falling asleep
 * must not be torn apart by an interrupt that brings work: sei takes effect one instruction late,
 * after sleep has begun. */
static void sleep_until_work(void) {
    cli();
    while (!work_waiting()) {
        uint16_t began = TCNT1;
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
        cli();
        asleep_half_us += (uint16_t)(TCNT1 - began);
    }
    sei();
}

static void begin(void) {
    boot_begin();
    SWITCH_PULLUPS |= SWITCH_BIT;
    set_sleep_mode(SLEEP_MODE_IDLE);
    clock_begin();
    uart_begin();
    sei();
    conversation_begin();
    hx711_begin();
    imu_begin();
    volts_begin();
    heartbeat_us = clock_us();
}

int main(void) {
    begin();
    wdt_enable(WDTO_250MS);
    for (;;) {
        wdt_reset();
        poll_host();
        hx711_poll();
        imu_poll();
        if (clock_tick_waiting()) {
            look_around();
        }
        sleep_until_work();
    }
}

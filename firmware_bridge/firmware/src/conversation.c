#include "conversation.h"

#include <string.h>

#include "board.h"

static struct {
    uint16_t seq;  /* first: there the lab lets it begin shortly before it wraps */
    receiver_t receiver;
    uint16_t tx_dropped;
    uint16_t rx_bad;
    uint8_t last_id;  /* 0: no command yet; ids start at 1 */
    uint8_t last_result;
    bool streaming;
} talk;

/* Room for a whole message; the body is packed in place. */
static uint8_t plain[PLAIN_MAX];
#define BODY (plain + HEADER_SIZE)

static void put_header(uint8_t type, uint8_t flags, uint32_t t_us) {
    plain[0] = type;
    plain[1] = flags;
    plain[2] = (uint8_t)talk.seq;
    plain[3] = (uint8_t)(talk.seq >> 8);
    for (uint8_t byte = 0; byte < 4; byte++) {
        plain[4 + byte] = (uint8_t)(t_us >> (8 * byte));
    }
}

static void say(uint8_t type, uint8_t flags, uint32_t t_us, uint8_t body_size) {
    uint8_t encoded[ENCODED_MAX];
    put_header(type, flags, t_us);
    uint8_t size = frame_encode(encoded, plain, (uint8_t)(HEADER_SIZE + body_size));
    if (board_write(encoded, size)) {
        talk.seq++;
    } else {
        talk.tx_dropped++;  /* no seq is used up, so the host sees whose loss it was */
    }
}

static void say_hello(void) {
    hello_t hello = {
        .firmware_id = FIRMWARE_ID,
        .protocol_major = PROTOCOL_MAJOR,
        .protocol_minor = PROTOCOL_MINOR,
        .schema_hash = SCHEMA_HASH,
        .firmware_version = FIRMWARE_VERSION,
        .reset_cause = board_reset_cause(),
        .boot_counter = board_boot_counter(),
        .cells = CELLS,
    };
    hello_pack(BODY, &hello);
    say(MSG_HELLO, 0, board_now_us(), HELLO_SIZE);
}

static void say_pong(uint8_t token) {
    pong_t pong = {.token = token};
    pong_pack(BODY, &pong);
    say(MSG_PONG, 0, board_now_us(), PONG_SIZE);
}

static void say_ack(void) {
    ack_t ack = {.command_id = talk.last_id, .result = talk.last_result};
    ack_pack(BODY, &ack);
    say(MSG_ACK, 0, board_now_us(), ACK_SIZE);
}

void say_scale(const scale_t *scale, uint8_t flags, uint32_t t_us) {
    if (talk.streaming) {
        scale_pack(BODY, scale);
        say(MSG_SCALE, flags, t_us, SCALE_SIZE);
    }
}

void say_imu(const imu_t *imu, uint8_t flags, uint32_t t_us) {
    if (talk.streaming) {
        imu_pack(BODY, imu);
        say(MSG_IMU, flags, t_us, IMU_SIZE);
    }
}

void say_switch(bool closed, uint32_t t_us) {
    if (talk.streaming) {
        switch_t state = {.closed = closed};
        switch_pack(BODY, &state);
        say(MSG_SWITCH, 0, t_us, SWITCH_SIZE);
    }
}

void say_status(status_t *status) {
    status->tx_dropped = talk.tx_dropped;
    status->rx_bad = talk.rx_bad;
    status->streaming = talk.streaming;
    status_pack(BODY, status);
    say(MSG_STATUS, 0, board_now_us(), STATUS_SIZE);
}

void say_volts(const volts_t *volts) {
    volts_pack(BODY, volts);
    say(MSG_VOLTS, 0, board_now_us(), VOLTS_SIZE);
}

static uint8_t set_streaming(bool streaming) {
    bool begins = streaming && !talk.streaming;
    talk.streaming = streaming;
    if (begins) {
        board_started();
    }
    return RESULT_DONE;
}

static uint8_t set_gain(const uint8_t *body) {
    set_gain_t wish;
    set_gain_unpack(&wish, body);
    if (wish.cell >= CELLS || wish.pulses < 25 || wish.pulses > 27) {
        return RESULT_BAD_VALUE;
    }
    board_set_gain(wish.cell, wish.pulses);
    return RESULT_DONE;
}

static uint8_t reset_cell(const uint8_t *body) {
    reset_cell_t wish;
    reset_cell_unpack(&wish, body);
    if (wish.cell >= CELLS) {
        return RESULT_BAD_VALUE;
    }
    board_reset_cell(wish.cell);
    return RESULT_DONE;
}

static uint8_t carry_out(uint8_t type, const uint8_t *body) {
    switch (type) {
        case MSG_START:
            return set_streaming(true);
        case MSG_STOP:
            return set_streaming(false);
        case MSG_SET_GAIN:
            return set_gain(body);
        default:
            return reset_cell(body);
    }
}

/* Every command begins with its id. A repeated one is answered again and not carried out again. */
static void take_command(uint8_t type, const uint8_t *body) {
    if (body[0] != talk.last_id) {
        talk.last_id = body[0];
        talk.last_result = carry_out(type, body);
    }
    say_ack();
}

static void identify(void) {
    talk.streaming = false;
    talk.last_id = 0;
    say_hello();
}

/* Bytes the body must have; 0xFF for a type that is not for us. */
static uint8_t size_wanted(uint8_t type) {
    switch (type) {
        case MSG_IDENTIFY:
            return IDENTIFY_SIZE;
        case MSG_PING:
            return PING_SIZE;
        case MSG_START:
            return START_SIZE;
        case MSG_STOP:
            return STOP_SIZE;
        case MSG_SET_GAIN:
            return SET_GAIN_SIZE;
        case MSG_RESET_CELL:
            return RESET_CELL_SIZE;
        default:
            return 0xFF;
    }
}

static void take_frame(const uint8_t *frame, uint8_t size) {
    uint8_t type = frame[0];
    const uint8_t *body = frame + HEADER_SIZE;
    if (size - HEADER_SIZE < size_wanted(type)) {
        talk.rx_bad++;
    } else if (type == MSG_IDENTIFY) {
        identify();
    } else if (type == MSG_PING) {
        say_pong(body[0]);
    } else {
        take_command(type, body);
    }
}

void conversation_receive(uint8_t byte) {
    received_t received = receiver_take(&talk.receiver, byte);
    if (received == FRAME_GOOD) {
        take_frame(talk.receiver.plain, talk.receiver.size);
    } else if (received == FRAME_BAD) {
        talk.rx_bad++;
    }
}

bool conversation_streaming(void) {
    return talk.streaming;
}

void conversation_begin(void) {
    memset(&talk, 0, sizeof talk);
    /* A reset may have cut a frame in two; without this zero its first half would take Hello with
     * it. */
    board_write((const uint8_t[]){0}, 1);
    say_hello();
}

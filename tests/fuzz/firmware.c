/* The firmware's conversation under the sanitizers: inputs come on standard input, each a length
 * (4 bytes, little-endian) and so many bytes of the line. After each the board must still greet:
 * a zero and Identify bring exactly one whole Hello at the end of what it says. An input that
 * fails ends the program; the line it prints before says which it was. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "../../firmware_bridge/firmware/src/conversation.h"
#include "../../firmware_bridge/firmware/src/frame.h"
#include "../../firmware_bridge/firmware/src/messages.h"

extern uint8_t host_out[4096];
extern uint32_t host_out_size;
extern uint32_t host_room;
extern uint32_t host_now_us;

static uint32_t number;

static void fail(const char *why) {
    printf("input %u: %s\n", number, why);
    fflush(stdout);
    abort();
}

static void late(int signal) {
    (void)signal;
    fail("more than two seconds of processor time");
}

static void limit_time(void) {
    struct itimerval limit = {{0, 0}, {2, 0}};
    setitimer(ITIMER_PROF, &limit, NULL);
}

static void identify(void) {
    uint8_t plain[PLAIN_MAX] = {MSG_IDENTIFY};
    uint8_t encoded[ENCODED_MAX];
    uint8_t size = frame_encode(encoded, plain, HEADER_SIZE);
    conversation_receive(0);
    for (uint8_t at = 0; at < size; at++) {
        conversation_receive(encoded[at]);
    }
}

/* What the board says last, taken apart by its own receiver. */
static void check_greeted(void) {
    receiver_t receiver;
    memset(&receiver, 0, sizeof receiver);
    uint8_t last = 0;
    for (uint32_t at = 0; at < host_out_size; at++) {
        received_t received = receiver_take(&receiver, host_out[at]);
        if (received == FRAME_BAD) {
            fail("it sent a damaged frame");
        }
        if (received == FRAME_GOOD) {
            last = receiver.plain[0];
        }
    }
    if (last != MSG_HELLO) {
        fail("it does not greet any more");
    }
}

static void converse(const uint8_t *bytes, uint32_t size) {
    host_out_size = 0;
    host_room = sizeof host_out;
    conversation_begin();
    for (uint32_t at = 0; at < size; at++) {
        if (host_out_size > sizeof host_out - 4 * ENCODED_MAX) {
            host_out_size = 0;  /* somebody reads */
        }
        host_now_us += 40;
        conversation_receive(bytes[at]);
    }
    host_out_size = 0;
    identify();
    check_greeted();
}

int main(void) {
    static uint8_t bytes[1 << 20];
    uint8_t head[4];
    signal(SIGPROF, late);
    for (number = 0; fread(head, 1, 4, stdin) == 4; number++) {
        uint32_t size = (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16;
        if (size > sizeof bytes || fread(bytes, 1, size, stdin) != size) {
            return 2;
        }
        limit_time();
        converse(bytes, size);
    }
    printf("%u inputs\n", number);
    return 0;
}

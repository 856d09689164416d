"""A battery-driven e-ink display that sleeps: MicroPython on an ESP32.

mpremote mip install umqtt.simple
mpremote cp eink_sleeper.py :main.py

It wakes, connects, reads the retained summary, draws when the score is another one, and sleeps.
No session at the broker is needed. The Wi-Fi is set up in boot.py, and the driver of your panel is
`panel.py` with `show(buffer)`, which takes WIDTH x HEIGHT points, eight in a byte, 1 is white.
Without one the picture is written to score.pbm.
"""

import json
import os
import time

import framebuf
from umqtt.simple import MQTTClient

HOST = "table.local"
PORT = 1883
USER = "display"
PASSWORD = "secret"
TABLE = "t1"
WIDTH, HEIGHT = 250, 122
SLEEP_S = 60

TOPIC = "topple/1/" + TABLE
CLIENT = "eink-" + "".join("%02x" % byte for byte in os.urandom(4))
WAIT_MS = 5000
KEPT = "shown.txt"
BLACK, WHITE = 0, 1
LINE = 16

heard = {}


def listen():
    """The retained summary and availability, if they come in time."""
    client = MQTTClient(CLIENT, HOST, PORT, USER, PASSWORD, keepalive=15)
    client.set_callback(lambda topic, payload: heard.update({topic.decode(): payload}))
    client.connect()
    rows = [TOPIC + row for row in ("/summary", "/availability")]
    for row in rows:
        client.subscribe(row, 1)
    began_ms = time.ticks_ms()
    while len(heard) < len(rows) and time.ticks_diff(time.ticks_ms(), began_ms) < WAIT_MS:
        client.check_msg()
        time.sleep_ms(20)
    client.disconnect()


def lines():
    """What is to be drawn."""
    summary = heard.get(TOPIC + "/summary")
    if not summary:
        return ["no table " + TABLE + " heard"]
    score = json.loads(summary)
    drawn = ["%-16s %5d" % (name, score["p"][name]) for name in sorted(score["p"])]
    if score.get("t"):
        drawn.append("next: " + score["t"])
    if heard.get(TOPIC + "/availability") == b"offline":
        drawn.append("(the table is off)")
    return drawn


def picture(drawn):
    """The points of the panel."""
    buffer = bytearray((WIDTH + 7) // 8 * HEIGHT)
    frame = framebuf.FrameBuffer(buffer, WIDTH, HEIGHT, framebuf.MONO_HLSB)
    frame.fill(WHITE)
    for number, line in enumerate(drawn):
        frame.text(line, 8, 8 + LINE * number, BLACK)
    return buffer


def show(buffer):
    """Hand the picture to the panel, or keep it as a file where there is none."""
    try:
        import panel
    except ImportError:
        with open("score.pbm", "wb") as file:
            file.write(b"P4\n%d %d\n" % (WIDTH, HEIGHT))
            file.write(bytes(byte ^ 255 for byte in buffer))
    else:
        panel.show(buffer)


def shown_before():
    """What the panel still shows: it keeps it without current."""
    try:
        with open(KEPT) as file:
            return file.read()
    except OSError:
        return ""


def sleep():
    """Until the next look; an ESP32 begins anew afterwards, so this is the end."""
    try:
        from machine import deepsleep
    except ImportError:
        raise SystemExit
    deepsleep(SLEEP_S * 1000)


try:
    listen()
except OSError as error:
    print("no connection:", error)
else:
    now = "\n".join(lines())
    if now != shown_before():
        show(picture(lines()))
        with open(KEPT, "w") as file:
            file.write(now)
    print(now)
sleep()

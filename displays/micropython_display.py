"""Score and undo button on an ESP32 or Pi Pico W with MicroPython.

mpremote mip install umqtt.simple
mpremote cp micropython_display.py :main.py

The Wi-Fi is set up in boot.py, as MicroPython's own guide shows. A button between BUTTON and
ground takes back the last move. `show` prints: put your panel's three lines there.
"""

import json
import os
import time

from umqtt.simple import MQTTClient

HOST = "table.local"
PORT = 1883
USER = "controller"
PASSWORD = "secret"
TABLE = "t1"
BUTTON = 14

TOPIC = "topple/1/" + TABLE
CLIENT = "pico-" + "".join("%02x" % byte for byte in os.urandom(4))
PRESENCE = TOPIC + "/client/" + CLIENT
REPLY = TOPIC + "/reply/" + CLIENT
KEEPALIVE_S = 15
BOUNCE_MS = 50

try:
    from machine import Pin

    button = Pin(BUTTON, Pin.IN, Pin.PULL_UP)
except ImportError:  # a display without a button
    button = None


def show(lines):
    """Draw up to three lines on the panel."""
    print(" | ".join(lines))


def on_message(topic, payload):
    """The score, whether the table is there, or what it said to the button."""
    row = topic.decode()[len(TOPIC) + 1 :]
    if row == "availability" and payload == b"offline":
        show(["the table is off"])
    elif row == "summary" and payload:
        score = json.loads(payload)
        # A dictionary has no order here.
        lines = ["%s %d" % (name, score["p"][name]) for name in sorted(score["p"])]
        show(lines + (["next: " + score["t"]] if score.get("t") else []))
    elif topic.decode() == REPLY:
        said = json.loads(payload)
        show(["undone" if said["ok"] else said.get("msg", said["code"])])


def undo(client):
    """A new id for each press: the table obeys an id once, however often it arrives."""
    press = {"v": 1, "id": "%d" % time.ticks_ms(), "client": CLIENT}
    client.publish(TOPIC + "/cmd/undo", json.dumps(press), False, 1)


def connected():
    """A new connection, with our own last will: the empty presence."""
    client = MQTTClient(CLIENT, HOST, PORT, USER, PASSWORD, keepalive=KEEPALIVE_S)
    client.set_last_will(PRESENCE, b"", retain=True, qos=1)
    client.set_callback(on_message)
    client.connect()
    client.publish(PRESENCE, '{"role":"controller","name":"button"}', True, 1)
    for row in ("/availability", "/summary"):
        client.subscribe(TOPIC + row, 1)
    client.subscribe(REPLY, 1)
    return client


def watch(client):
    """Hear the table and look at the button, until the connection is lost."""
    said_ms, was_up = time.ticks_ms(), True
    while True:
        client.check_msg()
        if button is not None:
            is_up = bool(button.value())
            if was_up and not is_up:
                undo(client)
            was_up = is_up
        if time.ticks_diff(time.ticks_ms(), said_ms) > KEEPALIVE_S * 500:
            said_ms = time.ticks_ms()
            client.ping()
        time.sleep_ms(BOUNCE_MS)


while True:
    try:
        watch(connected())
    except OSError as error:
        show(["no connection", str(error)])
        time.sleep(3)

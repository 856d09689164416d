"""The score as a bar of light on a WLED strip or matrix; a topple as a red flash.

pip install paho-mqtt
python3 wled_bridge.py

The bar shows who leads: each player has as many lights as his share of the points, in the colour
of his pieces, and who is to play shines brighter. A table that is off leaves the strip dark.
"""

import json
import secrets
import time
import urllib.request

import paho.mqtt.client as mqtt

HOST = "table.local"
PORT = 1883
USER = "display"
PASSWORD = "secret"
TABLE = "t1"
WLED = "http://wled.local"
LIGHTS = 60

TOPIC = f"topple/1/{TABLE}"
CLIENT = f"wled-{secrets.token_hex(4)}"
PRESENCE = f"{TOPIC}/client/{CLIENT}"

COLOURS = {"pink": (255, 60, 130), "yellow": (255, 190, 0), "green": (0, 200, 60),
           "blue": (0, 90, 255), "red": (255, 20, 0)}  # fmt: skip
OTHERS = ((255, 110, 0), (0, 160, 200), (170, 0, 220), (200, 200, 200))
"""For players whose pieces have colours that are not listed, by seat."""

FLASH = (255, 0, 0)
FLASHES, FLASH_S = 3, 0.25
"""Below three flashes a second: faster ones can harm people with epilepsy."""


def bar(state):
    """Colour of each light, from a state."""
    players = state["players"]
    points = [max(player["score"], 0) + 1 for player in players]
    turn = (state["turn"] or {}).get("player")
    lights = []
    for seat, player in enumerate(players):
        colour = COLOURS.get((player["colours"] or [""])[0], OTHERS[seat % len(OTHERS)])
        dim = 1 if player["name"] in (turn, *state["winners"]) else 3
        end = round(LIGHTS * sum(points[: seat + 1]) / sum(points))
        lights += [tuple(part // dim for part in colour)] * (end - len(lights))
    return lights or [(0, 0, 0)] * LIGHTS


def ranges(lights):
    """As WLED wants single lights: begin, end, colour, begin, end, colour, ..."""
    found, begin = [], 0
    for end in range(1, len(lights) + 1):
        if end == len(lights) or lights[end] != lights[begin]:
            found += [begin, end, "%02X%02X%02X" % lights[begin]]
            begin = end
    return found


def paint(lights):
    """Send the strip its lights; a strip that is off now will get the next ones."""
    body = {"on": True, "transition": 0, "seg": {"i": ranges(lights)}}
    asked = urllib.request.Request(
        f"{WLED}/json/state", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        urllib.request.urlopen(asked, timeout=2).close()
    except OSError as error:
        print(f"{WLED}: {error}", flush=True)


def on_connect(client, *_):
    """Say that we are there, and ask for what the table says."""
    client.publish(PRESENCE, '{"role":"display","name":"lights"}', 1, retain=True)
    client.subscribe([(f"{TOPIC}/{row}", 1) for row in ("availability", "state", "event")])


shown = [(0, 0, 0)] * LIGHTS
off = False


def on_message(_client, _userdata, message):
    """Bar, flash or darkness."""
    global shown, off
    row = message.topic.removeprefix(TOPIC + "/")
    if row == "availability":
        off = message.payload == b"offline"
    elif row == "state" and message.payload:
        shown = bar(json.loads(message.payload))
    elif row == "event" and json.loads(message.payload)["type"] == "toppled":
        for _ in range(FLASHES):
            paint([FLASH] * LIGHTS)
            time.sleep(FLASH_S)
            paint([(0, 0, 0)] * LIGHTS)
            time.sleep(FLASH_S)
    paint([(0, 0, 0)] * LIGHTS if off else shown)


# Version 2 of the library must be told how it shall call us; 1.6, which Debian 12 has, need not.
calls = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
client = mqtt.Client(*calls, client_id=CLIENT)
client.username_pw_set(USER, PASSWORD)
client.will_set(PRESENCE, b"", 1, retain=True)
client.on_connect, client.on_message = on_connect, on_message
client.connect_async(HOST, PORT, keepalive=15)
client.loop_forever(retry_first_connection=True)

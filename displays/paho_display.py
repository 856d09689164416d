"""The score in a terminal, with paho-mqtt.

pip install paho-mqtt
python3 paho_display.py
"""

import json
import secrets
import time

import paho.mqtt.client as mqtt

HOST = "table.local"
PORT = 1883
USER = "display"
PASSWORD = "secret"
TABLE = "t1"

TOPIC = f"topple/1/{TABLE}"
CLIENT = f"paho-{secrets.token_hex(4)}"

state = None
online = True
good_until_s = None


def on_connect(client, *_):
    """Say that we are there, and ask for what the table says."""
    client.publish(f"{TOPIC}/client/{CLIENT}", '{"role":"display","name":"paho"}', 1, retain=True)
    client.subscribe([(f"{TOPIC}/{row}", 1) for row in ("availability", "state", "health")])


def on_message(_client, _userdata, message):
    """Everything that is needed is in `state`; the rest tells how old it may be."""
    global state, online, good_until_s
    row = message.topic.removeprefix(TOPIC + "/")
    if row == "availability":
        online = message.payload == b"online"
    elif row == "health" and message.payload:
        valid_s = json.loads(message.payload)["valid_s"]
        good_until_s = time.monotonic() + valid_s if not message.retain else good_until_s
    elif row == "state" and message.payload:
        said = json.loads(message.payload)
        same_game = state and all(said[key] == state[key] for key in ("boot", "game"))
        if not same_game or said["rev"] >= state["rev"]:
            state = said


def line():
    """What is shown now."""
    if state is None:
        return "waiting for the table"
    players = [f"{p['mark']} {p['name']} {p['score']}" for p in state["players"]]
    if state["winners"]:
        players.append("won: " + ", ".join(state["winners"]))
    elif state["turn"]:
        players.append(f"next: {state['turn']['player']}")
    if not client.is_connected():
        players.append("(no connection)")
    elif not online:
        players.append("(the table is off)")
    elif good_until_s and time.monotonic() > good_until_s:
        players.append("(old: nothing heard of the table)")
    return "   ".join(players)


# Version 2 of the library must be told how it shall call us; 1.6, which Debian 12 has, need not.
calls = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
client = mqtt.Client(*calls, client_id=CLIENT)
client.username_pw_set(USER, PASSWORD)
client.will_set(f"{TOPIC}/client/{CLIENT}", b"", 1, retain=True)
client.on_connect, client.on_message = on_connect, on_message
client.connect_async(HOST, PORT, keepalive=15)
client.loop_start()
shown = ""
while True:
    if line() != shown:
        shown = line()
        print(shown, flush=True)
    time.sleep(0.1)

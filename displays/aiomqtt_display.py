"""The score in a terminal, with asyncio.

pip install aiomqtt
python3 aiomqtt_display.py
"""

import asyncio
import json
import secrets

import aiomqtt

HOST = "table.local"
PORT = 1883
USER = "display"
PASSWORD = "secret"
TABLE = "t1"

TOPIC = f"topple/1/{TABLE}"
CLIENT = f"aiomqtt-{secrets.token_hex(4)}"
PRESENCE = f"{TOPIC}/client/{CLIENT}"
AGAIN_S = 3


def line(state, online):
    """What is shown of a state."""
    if not state["players"]:
        return "no game yet"
    players = [f"{p['mark']} {p['name']} {p['score']}" for p in state["players"]]
    if state["winners"]:
        players.append("won: " + ", ".join(state["winners"]))
    elif state["turn"]:
        players.append(f"next: {state['turn']['player']}")
    return "   ".join([*players, *([] if online else ["(the table is off)"])])


async def watch(client):
    """Print the score whenever it changes."""
    await client.publish(PRESENCE, '{"role":"display","name":"aiomqtt"}', qos=1, retain=True)
    for row in ("availability", "state"):
        await client.subscribe(f"{TOPIC}/{row}", qos=1)
    state, online, shown = None, True, ""
    async for message in client.messages:
        if message.topic.matches(f"{TOPIC}/availability"):
            online = message.payload == b"online"
        elif message.payload:
            state = json.loads(message.payload)
        if state and line(state, online) != shown:
            shown = line(state, online)
            print(shown, flush=True)


async def main():
    """Connect, and connect again whenever the connection is lost."""
    while True:
        try:
            async with aiomqtt.Client(
                HOST, PORT, username=USER, password=PASSWORD, identifier=CLIENT, keepalive=15,
                will=aiomqtt.Will(PRESENCE, b"", qos=1, retain=True),
            ) as client:  # fmt: skip
                await watch(client)
        except aiomqtt.MqttError as error:
            print(f"no connection ({error}); again in {AGAIN_S} s", flush=True)
            await asyncio.sleep(AGAIN_S)


asyncio.run(main())

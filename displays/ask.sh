#!/bin/sh
# Ask the table for something, and print its answer. Needs mosquitto_rr (Debian: mosquitto-clients).
#
#   ./ask.sh undo
#   ./ask.sh roll '{"value":4}'
set -eu

HOST=table.local
PORT=1883
USER=controller
PASSWORD=secret
TABLE=t1

WAIT_S=5

verb=${1:?which verb? for instance: undo}
data=${2:-"{}"}
random=$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')
client="ask-$random"

# The id makes a repeated message harmless; the answer comes to the client that is named.
mosquitto_rr -h "$HOST" -p "$PORT" -u "$USER" -P "$PASSWORD" -i "$client" -V mqttv311 -q 1 -W "$WAIT_S" \
	-t "topple/1/$TABLE/cmd/$verb" -e "topple/1/$TABLE/reply/$client" \
	-m "{\"v\":1,\"id\":\"$random\",\"client\":\"$client\",\"data\":$data}"

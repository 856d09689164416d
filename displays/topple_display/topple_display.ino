// The score on an ESP32 (or ESP8266, or any board with a network), with the Arduino libraries
// PubSubClient and ArduinoJson 7. It prints on Serial; put your panel's lines into show().

#include <ArduinoJson.h>
#include <PubSubClient.h>
#include <WiFi.h>

const char *WIFI = "name of your network";
const char *WIFI_PASSWORD = "password of your network";
const char *HOST = "table.local";
const int PORT = 1883;
const char *USER = "display";
const char *PASSWORD = "secret";
const char *TABLE = "t1";
// Unique at the broker: a second display needs another one.
const char *CLIENT = "arduino-display-1";

// `summary` and its topic fit the 256 bytes that PubSubClient takes. It drops longer packets
// without a word: to read `state` too, call client.setBufferSize(8192) in setup().
WiFiClient network;
PubSubClient client(network);

String topic(const char *row) { return String("topple/1/") + TABLE + "/" + row; }

String presence() { return topic("client/") + CLIENT; }

void show(const String &line) { Serial.println(line); }

void on_message(char *heard, byte *payload, unsigned int length) {
  if (topic("availability") == heard) {
    if (length == 7 && memcmp(payload, "offline", 7) == 0) show("the table is off");
    return;
  }
  JsonDocument score;
  if (deserializeJson(score, payload, length)) return;  // not ours: keep what is shown
  String line;
  for (JsonPair player : score["p"].as<JsonObject>())
    line += String(player.key().c_str()) + " " + String(player.value().as<int>()) + "  ";
  if (score["t"].is<const char *>()) line += String("next: ") + score["t"].as<const char *>();
  show(line);
}

void connect() {
  // The last will is the empty presence: the table then knows that we are gone.
  if (!client.connect(CLIENT, USER, PASSWORD, presence().c_str(), 1, true, "")) {
    show(String("no connection, code ") + client.state());
    delay(3000);
    return;
  }
  client.publish(presence().c_str(), "{\"role\":\"display\",\"name\":\"Arduino\"}", true);
  client.subscribe(topic("availability").c_str(), 1);
  client.subscribe(topic("summary").c_str(), 1);
}

void setup() {
  Serial.begin(115200);
  WiFi.begin(WIFI, WIFI_PASSWORD);
  client.setServer(HOST, PORT);
  client.setCallback(on_message);
}

void loop() {
  if (WiFi.status() == WL_CONNECTED && !client.connected()) connect();
  client.loop();
}

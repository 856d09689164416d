// MQTT 3.1.1 with the functions and the habits of the Arduino library of this name, written for
// the test of the sketch: no registry that the tests reach has the library itself. The habit that
// matters most: a packet that does not fit the buffer of 256 bytes is dropped without a word.
#pragma once

#include <functional>
#include <vector>

#include "WiFi.h"

class PubSubClient {
 public:
  explicit PubSubClient(WiFiClient &network) : network_(network) {}

  void setServer(const char *host, uint16_t port) { host_ = host, port_ = port; }
  void setCallback(std::function<void(char *, uint8_t *, unsigned int)> heard) { heard_ = heard; }
  bool setBufferSize(uint16_t bytes) { return (buffer_bytes_ = bytes) > 0; }
  bool connected() { return network_.connected() && state_ == 0; }
  int state() { return state_; }

  bool connect(const char *id, const char *user, const char *password, const char *will_topic,
               uint8_t will_qos, bool will_retain, const char *will) {
    state_ = -2;
    if (!network_.connect(host_, port_)) return false;
    Packet packet{0x10};
    packet.text("MQTT");
    packet.bytes({4, uint8_t(0xC6 | will_qos << 3 | will_retain << 5), 0, KEEPALIVE_S});
    for (const char *each : {id, will_topic, will, user, password}) packet.text(each);
    std::vector<uint8_t> answer;
    if (!send(packet) || receive(answer, 5000) != 0x20) return network_.stop(), false;
    state_ = answer[1];
    if (state_) network_.stop();
    return connected();
  }

  bool publish(const char *topic, const char *payload, bool retained) {
    Packet packet{uint8_t(0x30 | retained)};
    packet.text(topic);
    packet.bytes(std::vector<uint8_t>(payload, payload + std::strlen(payload)));
    return send(packet);
  }

  bool subscribe(const char *topic, uint8_t qos) {
    Packet packet{0x82};
    packet.bytes({0, ++number_});
    packet.text(topic);
    packet.bytes({qos});
    return send(packet);
  }

  bool loop() {
    if (!connected()) return false;
    auto now = std::chrono::steady_clock::now();
    if (now - sent_ > std::chrono::seconds(KEEPALIVE_S / 2)) send(Packet{0xC0});
    std::vector<uint8_t> body;
    int kind = network_.available() ? receive(body, 1000) : 0;
    if (kind >> 4 == 3) hear(kind, body);
    return connected();
  }

 private:
  static constexpr uint8_t KEEPALIVE_S = 15;

  struct Packet {
    uint8_t kind;
    std::vector<uint8_t> body{};
    void bytes(const std::vector<uint8_t> &more) { body.insert(body.end(), more.begin(), more.end()); }
    void text(const char *text) {
      size_t count = std::strlen(text);
      bytes({uint8_t(count >> 8), uint8_t(count)});
      bytes(std::vector<uint8_t>(text, text + count));
    }
  };

  bool send(const Packet &packet) {
    if (packet.body.size() + 5 > buffer_bytes_) return false;
    std::vector<uint8_t> whole{packet.kind};
    size_t left = packet.body.size();
    do {
      whole.push_back(uint8_t(left % 128 | (left > 127 ? 128 : 0)));
    } while (left /= 128);
    whole.insert(whole.end(), packet.body.begin(), packet.body.end());
    sent_ = std::chrono::steady_clock::now();
    return network_.write(whole.data(), whole.size());
  }

  // The first byte of the next packet, or 0; an oversized one has an empty body.
  int receive(std::vector<uint8_t> &body, int wait_ms) {
    if (!network_.available(wait_ms)) return 0;
    int kind = network_.read();
    size_t count = 0;
    for (int shift = 0, digit = 128; kind > 0 && digit & 128; shift += 7) {
      digit = network_.read();
      if (digit < 0) return 0;
      count |= size_t(digit & 127) << shift;
    }
    bool fits = count + 5 <= buffer_bytes_;
    for (size_t at = 0; at < count && network_.connected(); ++at) {
      int found = network_.read();
      if (fits) body.push_back(uint8_t(found));
    }
    return kind > 0 && network_.connected() ? kind : 0;
  }

  void hear(int kind, std::vector<uint8_t> &body) {
    if (body.empty()) return;
    size_t topic_bytes = size_t(body[0]) << 8 | body[1];
    std::string topic(body.begin() + 2, body.begin() + 2 + topic_bytes);
    size_t begin = 2 + topic_bytes;
    if (kind & 6) {
      Packet packet{0x40};
      packet.bytes({body[begin], body[begin + 1]});
      send(packet);
      begin += 2;
    }
    heard_(topic.data(), body.data() + begin, unsigned(body.size() - begin));
  }

  WiFiClient &network_;
  const char *host_ = "";
  uint16_t port_ = 0, buffer_bytes_ = 256;
  uint8_t number_ = 0;
  int state_ = -1;
  std::function<void(char *, uint8_t *, unsigned int)> heard_;
  std::chrono::steady_clock::time_point sent_{};
};

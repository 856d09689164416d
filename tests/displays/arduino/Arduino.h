// What the sketch needs of an Arduino, on this computer.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

using byte = uint8_t;

class String {
 public:
  String(const char *text = "") : text_(text) {}
  String(const std::string &text) : text_(text) {}
  explicit String(int number) : text_(std::to_string(number)) {}

  String operator+(const String &more) const { return String(text_ + more.text_); }
  String operator+(int number) const { return String(text_ + std::to_string(number)); }
  String &operator+=(const String &more) {
    text_ += more.text_;
    return *this;
  }
  bool operator==(const char *other) const { return text_ == other; }
  const char *c_str() const { return text_.c_str(); }

 private:
  std::string text_;
};

struct SerialPort {
  void begin(long) {}
  void println(const String &line) {
    std::puts(line.c_str());
    std::fflush(stdout);
  }
};

inline SerialPort Serial;

inline void delay(unsigned long ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

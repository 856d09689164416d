// A network that is always there: this computer's.
#pragma once

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "Arduino.h"

constexpr int WL_CONNECTED = 3;

struct Network {
  void begin(const char *, const char *) {}
  int status() { return WL_CONNECTED; }
};

inline Network WiFi;

class WiFiClient {
 public:
  int connect(const char *host, uint16_t port) {
    stop();
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, std::to_string(port).c_str(), &wanted, &found)) return 0;
    for (addrinfo *each = found; each && socket_ < 0; each = each->ai_next) {
      socket_ = ::socket(each->ai_family, each->ai_socktype, 0);
      if (::connect(socket_, each->ai_addr, each->ai_addrlen)) stop();
    }
    freeaddrinfo(found);
    return socket_ >= 0;
  }

  // Whether a byte can be read within so many milliseconds.
  bool available(int wait_ms = 0) {
    pollfd asked{socket_, POLLIN, 0};
    return socket_ >= 0 && ::poll(&asked, 1, wait_ms) > 0;
  }

  int read() {
    uint8_t found;
    if (::recv(socket_, &found, 1, 0) == 1) return found;
    stop();
    return -1;
  }

  size_t write(const uint8_t *bytes, size_t count) {
    return ::send(socket_, bytes, count, MSG_NOSIGNAL) == ssize_t(count) ? count : 0;
  }

  bool connected() { return socket_ >= 0; }

  void stop() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

 private:
  int socket_ = -1;
};

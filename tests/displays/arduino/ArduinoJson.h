// The part of ArduinoJson 7 that the sketch uses, over Debian's JSON library: no registry that the
// tests reach has ArduinoJson itself.
#pragma once

#include <nlohmann/json.hpp>

#include "Arduino.h"

using Json = nlohmann::ordered_json;

class JsonObject;

class JsonVariant {
 public:
  explicit JsonVariant(const Json &value) : value_(&value) {}

  template <typename T>
  T as() const {
    if constexpr (std::is_same_v<T, JsonObject>) return T(*value_);
    else if constexpr (std::is_same_v<T, const char *>)
      return value_->is_string() ? value_->get_ref<const std::string &>().c_str() : nullptr;
    else return value_->is_number() ? value_->get<T>() : T{};
  }

  template <typename T>
  bool is() const {
    static_assert(std::is_same_v<T, const char *>);
    return value_->is_string();
  }

 private:
  const Json *value_;
};

struct JsonPair {
  const std::string &name;
  const Json &content;
  const std::string &key() const { return name; }
  JsonVariant value() const { return JsonVariant(content); }
};

class JsonObject {
 public:
  explicit JsonObject(const Json &value) : value_(&value) {}

  struct Iterator {
    Json::const_iterator at;
    JsonPair operator*() const { return {at.key(), at.value()}; }
    bool operator!=(const Iterator &other) const { return at != other.at; }
    Iterator &operator++() {
      ++at;
      return *this;
    }
  };
  Iterator begin() const { return {value_->begin()}; }
  Iterator end() const { return {value_->is_object() ? value_->end() : value_->begin()}; }

 private:
  const Json *value_;
};

class JsonDocument {
 public:
  JsonVariant operator[](const char *key) const {
    static const Json nothing;
    return JsonVariant(value.contains(key) ? value[key] : nothing);
  }
  Json value;
};

// True: it could not be read.
inline bool deserializeJson(JsonDocument &document, const byte *text, unsigned int length) {
  document.value = Json::parse(text, text + length, nullptr, false);
  return document.value.is_discarded();
}

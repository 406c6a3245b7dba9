#pragma once
#include "WiFi.h"
class PubSubClient {
 public:
  explicit PubSubClient(Client &client);
  PubSubClient &setServer(const char *host, uint16_t port);
  PubSubClient &setCallback(void (*callback)(char *, uint8_t *, unsigned int));
  PubSubClient &setKeepAlive(uint16_t seconds);
  bool setBufferSize(uint16_t size);
  bool connect(const char *id, const char *user, const char *password);
  bool connected();
  bool loop();
  bool publish(const char *topic, const char *payload);
  bool subscribe(const char *topic, uint8_t qos);
};

#pragma once
#include "Arduino.h"
enum { WL_CONNECTED = 3 };
struct WiFiClass {
  void begin(const char *network, const char *password);
  int status();
};
extern WiFiClass WiFi;
class Client {};
class WiFiClient : public Client {};

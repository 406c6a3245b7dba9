#pragma once
#include "WiFi.h"
class WiFiClientSecure : public Client {
 public:
  void setCACert(const char *pem);
};

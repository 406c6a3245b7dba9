// Declarations of what the sketch of docs/mqtt.md uses, for a check of its syntax.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
class String {
 public:
  String(const char *text = "");
  explicit String(long number);
  String &operator+=(char character);
  bool endsWith(const char *suffix) const;
  int indexOf(const char *text) const;
  int indexOf(char character, unsigned from) const;
  String substring(unsigned from) const;
  String substring(unsigned from, unsigned to) const;
  long toInt() const;
  void replace(const char *found, const char *replacement);
  const char *c_str() const;
};
String operator+(const String &left, const String &right);
unsigned long millis();
long random(long below);
void configTime(long offset, int daylight, const char *server);
float temperatureRead();
template <typename T>
T min(T left, T right) {
  return left < right ? left : right;
}

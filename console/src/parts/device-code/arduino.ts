import type { Filled, Snippet } from './snippet.ts'

export const writeArduino = (filled: Filled): Snippet[] => [
  { step: 'file', name: `${filled.deviceId}.ino`, code: writeSketch(filled) },
]

const writeSketch = ({ deviceId, brokerKey, host, port, isTls, ca }: Filled) => `#include <PubSubClient.h>
#include <WiFi.h>
${isTls ? '#include <WiFiClientSecure.h>\n#include <time.h>\n' : ''}
const char *DEVICE = ${JSON.stringify(deviceId)};
const char *KEY = ${JSON.stringify(brokerKey)};
${isTls ? `const char *CA = R"(${ca.trim()})";\n\nWiFiClientSecure network;` : '\nWiFiClient network;'}
PubSubClient client(network);
unsigned long waitMs = 1000, triedAtMs = 0, sentAtMs = 0;

void setup() {
  WiFi.begin("network", "password");
${isTls ? '  configTime(0, 0, "pool.ntp.org");\n  network.setCACert(CA);\n' : ''}  client.setServer(${JSON.stringify(host)}, ${port});
  client.setBufferSize(4096);
  client.setKeepAlive(60);
}

void loop() {
  if (client.loop()) {
    if (millis() - sentAtMs < 10000) return;
    sentAtMs = millis();
    char message[64];
    snprintf(message, sizeof message, "{\\"temperature\\":%.1f}", temperatureRead());
    client.publish(${JSON.stringify(`devices/${deviceId}/telemetry`)}, message);
    return;
  }
  if (WiFi.status() != WL_CONNECTED || millis() - triedAtMs < waitMs) return;
${isTls ? '  if (time(nullptr) < 1700000000) return;\n' : ''}  triedAtMs = millis();
  waitMs = client.connect(DEVICE, DEVICE, KEY) ? 1000 : min(waitMs * 2, 60000UL);
}`

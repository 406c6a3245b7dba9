import type { Filled, Snippet } from './snippet.ts'

/** The complete device of the guide for ESP-IDF, with onboarding and a filled header file. */
export const writeEspIdf = ({ origin, deviceId, onboardingKey, ca }: Filled): Snippet[] => [
  { step: 'install', code: `cp -r gangway/docs/examples/esp-idf ${deviceId} && cd ${deviceId}` },
  {
    step: 'file',
    name: 'main/device_config.h',
    code: `#pragma once

#define WIFI_NETWORK "network"
#define WIFI_PASSWORD "password"

#define ONBOARDING_URL ${JSON.stringify(origin)}
#define DEVICE_ID ${JSON.stringify(deviceId)}
/* The key of this device alone, derived from that of its group. */
#define BOOTSTRAP_KEY ${JSON.stringify(onboardingKey)}

#define DEFAULT_INTERVAL_SECONDS 10`,
  },
  ...(ca === '' ? [] : [{ step: 'ca' as const, code: `curl -sS '${origin}/v1/ca.crt' -o main/ca.crt` }]),
  { step: 'flash', code: 'idf.py set-target esp32 build flash monitor' },
]

#pragma once

#define WIFI_NETWORK "network"
#define WIFI_PASSWORD "password"

#define ONBOARDING_URL "https://gangway.example.com:8080"
#define DEVICE_ID "pump-7"
/* Of the enrollment group. Better: write id and key to NVS in the factory, and read them from there. */
#define BOOTSTRAP_KEY "the bootstrap key"

#define DEFAULT_INTERVAL_SECONDS 10

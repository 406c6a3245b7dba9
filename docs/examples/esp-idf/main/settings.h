#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the device needs to connect, as the response template of its enrollment group says, and what survives a reset. */

/* The platform's own rule for everything that fails: start at 1 s, double after each failure, 60 s at most. */
#define BACK_OFF_START_MS 1000
#define BACK_OFF_CAP_MS 60000

#define MAX_SETTINGS 2048

typedef struct {
  char host[128];
  int port;
  bool tls;
  char primary[96], secondary[96];
} settings_t;

/* Of the built-in certificate of the server, or of whoever issued your own: main/ca.crt. */
extern const char ca_crt[] asm("_binary_ca_crt_start");

/* False where none have been stored. */
bool load_settings(settings_t *settings);

/*
 * Asks the onboarding service once, and stores what it answers. Otherwise `settings` stay as they are, and `least_wait_ms`
 * is the time to wait at least before the next try.
 */
bool request_settings(settings_t *settings, uint32_t *least_wait_ms);

/* In NVS. */
bool load_text(const char *name, char *text, size_t size);
void store_text(const char *name, const char *text);

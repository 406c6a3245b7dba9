#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Messages that the broker has not acknowledged, in order and in RAM. esp-mqtt has an outbox of its own, which deletes a
 * message after 30 s; a connection may be away for longer. Where every value counts, write it to flash in keep_message()
 * and delete it in forget_message().
 */

/* The oldest are deleted first. They take KEPT_MESSAGES * MAX_MESSAGE bytes. */
#define KEPT_MESSAGES 100
#define MAX_MESSAGE 256

typedef struct {
  uint32_t id;
  bool is_report;
  bool is_acknowledged;
  char payload[MAX_MESSAGE];
} message_t;

void init_kept_messages(void);

/* Any task may call it. */
void keep_message(bool is_report, const char *payload);

/* Copies the first message at or after `id`, so that nothing is locked while it is sent. */
bool copy_message(uint32_t id, message_t *copy);

void forget_message(uint32_t id);

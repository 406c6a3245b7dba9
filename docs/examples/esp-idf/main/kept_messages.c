#include "kept_messages.h"

#include <string.h>

#include "esp_log.h"
#include "freertos/FreeRTOS.h"
#include "freertos/semphr.h"

static const char *TAG = "kept_messages";

static message_t kept[KEPT_MESSAGES];
static uint32_t first_id = 1, next_id = 1;
static SemaphoreHandle_t kept_lock;

void init_kept_messages(void) { kept_lock = xSemaphoreCreateMutex(); }

void keep_message(bool is_report, const char *payload) {
  if (strlen(payload) >= MAX_MESSAGE) {
    ESP_LOGE(TAG, "a message of %u bytes is too long", (unsigned)strlen(payload));
    return;
  }
  xSemaphoreTake(kept_lock, portMAX_DELAY);
  if (next_id - first_id == KEPT_MESSAGES) {
    ESP_LOGW(TAG, "the oldest message was deleted, because %d are kept", KEPT_MESSAGES);
    first_id++;
  }
  message_t *message = &kept[next_id % KEPT_MESSAGES];
  message->id = next_id++;
  message->is_report = is_report;
  message->is_acknowledged = false;
  strcpy(message->payload, payload);
  xSemaphoreGive(kept_lock);
}

bool copy_message(uint32_t id, message_t *copy) {
  xSemaphoreTake(kept_lock, portMAX_DELAY);
  if (id < first_id) id = first_id;
  while (id < next_id && kept[id % KEPT_MESSAGES].is_acknowledged) id++;
  bool is_found = id < next_id;
  if (is_found) *copy = kept[id % KEPT_MESSAGES];
  xSemaphoreGive(kept_lock);
  return is_found;
}

void forget_message(uint32_t id) {
  xSemaphoreTake(kept_lock, portMAX_DELAY);
  if (id >= first_id && id < next_id) kept[id % KEPT_MESSAGES].is_acknowledged = true;
  while (first_id < next_id && kept[first_id % KEPT_MESSAGES].is_acknowledged) first_id++;
  xSemaphoreGive(kept_lock);
}

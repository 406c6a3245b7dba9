#include "settings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cJSON.h"
#include "esp_http_client.h"
#include "esp_log.h"
#include "esp_random.h"
#include "nvs.h"

#include "device_config.h"

static const char *TAG = "settings";

bool load_text(const char *name, char *text, size_t size) {
  nvs_handle_t handle;
  if (nvs_open("device", NVS_READONLY, &handle) != ESP_OK) return false;
  bool is_found = nvs_get_str(handle, name, text, &size) == ESP_OK;
  nvs_close(handle);
  return is_found;
}

void store_text(const char *name, const char *text) {
  nvs_handle_t handle;
  ESP_ERROR_CHECK(nvs_open("device", NVS_READWRITE, &handle));
  ESP_ERROR_CHECK_WITHOUT_ABORT(nvs_set_str(handle, name, text));
  ESP_ERROR_CHECK_WITHOUT_ABORT(nvs_commit(handle));
  nvs_close(handle);
}

static bool copy_text(const cJSON *object, const char *name, char *text, size_t size) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  if (!cJSON_IsString(item) || strlen(item->valuestring) >= size) return false;
  strcpy(text, item->valuestring);
  return true;
}

/* Leaves `settings` as they are where the text lacks one of them. */
static bool parse_settings(const char *text, settings_t *settings) {
  settings_t fresh;
  cJSON *object = cJSON_Parse(text);
  const cJSON *port = cJSON_GetObjectItemCaseSensitive(object, "port");
  const cJSON *tls = cJSON_GetObjectItemCaseSensitive(object, "tls");
  fresh.port = cJSON_IsNumber(port) ? port->valueint : 0;
  fresh.tls = tls == NULL ? fresh.port == 8883 : cJSON_IsTrue(tls);
  bool is_complete = fresh.port > 0 && copy_text(object, "host", fresh.host, sizeof fresh.host) &&
                     copy_text(object, "primary", fresh.primary, sizeof fresh.primary) &&
                     copy_text(object, "secondary", fresh.secondary, sizeof fresh.secondary);
  cJSON_Delete(object);
  if (is_complete) *settings = fresh;
  return is_complete;
}

static esp_err_t on_http_event(esp_http_client_event_t *event) {
  if (event->event_id == HTTP_EVENT_ON_HEADER && strcasecmp(event->header_key, "Retry-After") == 0)
    *(int *)event->user_data = atoi(event->header_value);
  return ESP_OK;
}

bool request_settings(settings_t *settings, uint32_t *least_wait_ms) {
  static char text[MAX_SETTINGS];
  int retry_after_seconds = 0;
  const esp_http_client_config_t config = {
      .url = ONBOARDING_URL "/get_settings",
      .username = DEVICE_ID,
      .password = BOOTSTRAP_KEY,
      .auth_type = HTTP_AUTH_TYPE_BASIC,
      .cert_pem = ca_crt,
      .timeout_ms = 30000,
      /* The bootstrap key goes to the configured address and nowhere else. */
      .disable_auto_redirect = true,
      .event_handler = on_http_event,
      .user_data = &retry_after_seconds,
  };
  *least_wait_ms = 0;
  esp_http_client_handle_t client = esp_http_client_init(&config);
  if (client == NULL) return false;
  int status = 0, length = -1;
  if (esp_http_client_open(client, 0) == ESP_OK && esp_http_client_fetch_headers(client) >= 0) {
    status = esp_http_client_get_status_code(client);
    length = esp_http_client_read_response(client, text, sizeof text - 1);
  }
  esp_http_client_cleanup(client);
  if (length < 0) {
    ESP_LOGW(TAG, "the onboarding service cannot be reached");
    return false;
  }
  text[length] = '\0';
  if (status == 200 && parse_settings(text, settings)) {
    store_text("settings", text);
    return true;
  }
  if (status == 200) {
    ESP_LOGE(TAG, "the settings lack host, port, primary or secondary: check the response template");
  } else {
    /* A refusal holds no secret. */
    ESP_LOGW(TAG, "the onboarding service answered %d: %s", status, text);
  }
  if (status == 409 || status == 429 || status >= 500) {
    /* Devices that were turned away together must not come back together. */
    if (retry_after_seconds > 0 && retry_after_seconds <= 3600)
      *least_wait_ms = (uint32_t)retry_after_seconds * (1000 + esp_random() % 100);
  } else {
    /* Unknown device, wrong key, disabled group: only a person can change that. */
    *least_wait_ms = BACK_OFF_CAP_MS;
  }
  return false;
}

bool load_settings(settings_t *settings) {
  static char text[MAX_SETTINGS];
  return load_text("settings", text, sizeof text) && parse_settings(text, settings);
}

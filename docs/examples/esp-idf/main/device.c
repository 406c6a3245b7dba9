/*
 * A complete device for Gangway, for ESP-IDF 5.1 or later.
 *
 * It fetches its settings with its bootstrap key and keeps them in NVS, connects with TLS where the settings say so,
 * publishes telemetry, applies desired properties, answers methods, and keeps messages until the broker has acknowledged
 * them. The messages are kept in RAM: what has to survive a reset belongs in flash, see keep_message().
 *
 * The response template of the enrollment group:
 *
 *     {"host": "{{target.host}}", "port": "{{target.port}}",
 *      "primary": "{{device.primary_key}}", "secondary": "{{device.secondary_key}}"}
 *
 * Port 8883 means TLS; "tls": true in the template means TLS on any port.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>

#include "cJSON.h"
#include "esp_event.h"
#include "esp_http_client.h"
#include "esp_log.h"
#include "esp_netif.h"
#include "esp_netif_sntp.h"
#include "esp_random.h"
#include "esp_timer.h"
#include "esp_wifi.h"
#include "freertos/FreeRTOS.h"
#include "freertos/event_groups.h"
#include "freertos/queue.h"
#include "freertos/semphr.h"
#include "freertos/task.h"
#include "mqtt_client.h"
#include "nvs.h"
#include "nvs_flash.h"

#include "device_config.h"

/* The platform's own rule: start at 1 s, double after each failure, 60 s at most. */
#define BACK_OFF_START_MS 1000
#define BACK_OFF_CAP_MS 60000
/* A connection that lasted so long ends the series of failures. */
#define STABLE_MS 30000
/* The address of the broker may have changed when it cannot be reached this often in a row. */
#define FAILURES_BEFORE_NEW_SETTINGS 10
/* Between CONNECT and SUBACK. */
#define SIGN_IN_MS 30000
/* Messages that are on their way at the same time. */
#define WINDOW 16
/* Messages that are kept; the oldest are deleted first. They take KEPT_MESSAGES * MAX_MESSAGE bytes. */
#define KEPT_MESSAGES 100
#define MAX_MESSAGE 256
/* Invocations can arrive twice. */
#define KNOWN_INVOCATIONS 8
#define MAX_ID 64
#define MAX_TOPIC 384
#define MAX_SETTINGS 2048

static const char *TAG = "device";
extern const char ca_crt[] asm("_binary_ca_crt_start");

/*
 * ---- Messages that the broker has not acknowledged, in order ----
 * esp-mqtt has an outbox of its own, which deletes a message after 30 s; a connection may be away for longer.
 */

typedef struct {
  uint32_t id;
  bool is_report;
  bool is_acknowledged;
  char payload[MAX_MESSAGE];
} message_t;

static message_t kept[KEPT_MESSAGES];
static uint32_t first_id = 1, next_id = 1;
static SemaphoreHandle_t kept_lock;

/* Any task may call it. Where every value counts, write it to flash here and delete it in forget_message(). */
static void keep_message(bool is_report, const char *payload) {
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

/* Copies the first message at or after `id`, so that nothing is locked while it is sent. */
static bool copy_message(uint32_t id, message_t *copy) {
  xSemaphoreTake(kept_lock, portMAX_DELAY);
  if (id < first_id) id = first_id;
  while (id < next_id && kept[id % KEPT_MESSAGES].is_acknowledged) id++;
  bool is_found = id < next_id;
  if (is_found) *copy = kept[id % KEPT_MESSAGES];
  xSemaphoreGive(kept_lock);
  return is_found;
}

static void forget_message(uint32_t id) {
  xSemaphoreTake(kept_lock, portMAX_DELAY);
  if (id >= first_id && id < next_id) kept[id % KEPT_MESSAGES].is_acknowledged = true;
  while (first_id < next_id && kept[first_id % KEPT_MESSAGES].is_acknowledged) first_id++;
  xSemaphoreGive(kept_lock);
}

/* ---- What survives a reset ---- */

static bool load_text(const char *name, char *text, size_t size) {
  nvs_handle_t handle;
  if (nvs_open("device", NVS_READONLY, &handle) != ESP_OK) return false;
  bool is_found = nvs_get_str(handle, name, text, &size) == ESP_OK;
  nvs_close(handle);
  return is_found;
}

static void store_text(const char *name, const char *text) {
  nvs_handle_t handle;
  ESP_ERROR_CHECK(nvs_open("device", NVS_READWRITE, &handle));
  ESP_ERROR_CHECK_WITHOUT_ABORT(nvs_set_str(handle, name, text));
  ESP_ERROR_CHECK_WITHOUT_ABORT(nvs_commit(handle));
  nvs_close(handle);
}

/* ---- The device's own work. Replace these functions with yours. ---- */

static volatile uint32_t interval_seconds = DEFAULT_INTERVAL_SECONDS;

static void measure(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  struct tm utc;
  gmtime_r(&now.tv_sec, &utc);
  char date[32], payload[MAX_MESSAGE];
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
  /* A repeat is recognized by its timestamp and content, so that every message needs its own timestamp. */
  snprintf(payload, sizeof payload, "{\"temperature\":%.1f,\"running\":true,\"timestamp\":\"%s.%03ldZ\"}",
           60 + (esp_random() % 40) / 10.0, date, (long)now.tv_usec / 1000);
  keep_message(false, payload);
}

static void apply_desired(const cJSON *desired) {
  const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(desired, "intervalSeconds");
  if (wanted == NULL) return;
  const char *problem = "\"intervalSeconds must be 1 to 3600\"";
  if (cJSON_IsNumber(wanted) && wanted->valuedouble >= 1 && wanted->valuedouble <= 3600) {
    char text[16];
    snprintf(text, sizeof text, "%d", wanted->valueint);
    if ((uint32_t)wanted->valueint != interval_seconds) store_text("interval", text);
    interval_seconds = (uint32_t)wanted->valueint;
    /* null removes what an earlier report said. */
    problem = "null";
  }
  char report[MAX_MESSAGE];
  snprintf(report, sizeof report, "{\"intervalSeconds\":%" PRIu32 ",\"problem\":%s}", interval_seconds, problem);
  keep_message(true, report);
}

/* Returns the answer of a method. */
static const char *call_method(const char *method, bool is_repeated) {
  if (strcmp(method, "identify") != 0) return "{\"status\":404,\"payload\":{\"error\":\"method_not_found\"}}";
  if (!is_repeated) ESP_LOGI(TAG, "blinking");
  return "{\"status\":200,\"payload\":{\"blinking\":true}}";
}

/* Measures whether the device is connected or not. */
static void sample_task(void *unused) {
  (void)unused;
  int64_t measured_at = INT64_MIN / 2;
  for (;;) {
    /* In short steps, because the interval may change meanwhile. */
    vTaskDelay(pdMS_TO_TICKS(200));
    if (esp_timer_get_time() - measured_at < (int64_t)interval_seconds * 1000000) continue;
    measured_at = esp_timer_get_time();
    measure();
  }
}

/* ---- One MQTT connection, from CONNECT to its end ---- */

typedef struct {
  char host[128];
  int port;
  bool tls;
  char primary[96], secondary[96];
} settings_t;

typedef enum { ENDED_FAILED, ENDED_REFUSED, ENDED_LOST } outcome_t;

#define SUBSCRIBED_BIT BIT0
#define ENDED_BIT BIT1
#define REFUSED_BIT BIT2

static EventGroupHandle_t session_bits;
/* Numbers of acknowledged packets. It has room for all that are on their way, answers included. */
static QueueHandle_t acknowledged;
static double desired_version;
static char known_invocations[KNOWN_INVOCATIONS][MAX_ID];
static int next_invocation;

static bool is_repeated(const char *correlation_id) {
  for (int i = 0; i < KNOWN_INVOCATIONS; i++)
    if (strcmp(known_invocations[i], correlation_id) == 0) return true;
  strcpy(known_invocations[next_invocation], correlation_id);
  next_invocation = (next_invocation + 1) % KNOWN_INVOCATIONS;
  return false;
}

/* `topic` is devices/{id}/methods/{method}/invoke. */
static void answer_invocation(esp_mqtt_client_handle_t client, const char *topic, const cJSON *invocation) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(invocation, "correlationId");
  const char *method = topic + strlen("devices/" DEVICE_ID "/methods/");
  const char *end = strchr(method, '/');
  char name[129], response[MAX_TOPIC];
  if (end == NULL || (size_t)(end - method) >= sizeof name) return;
  if (!cJSON_IsString(id) || strlen(id->valuestring) >= MAX_ID) return;
  memcpy(name, method, (size_t)(end - method));
  name[end - method] = '\0';
  snprintf(response, sizeof response, "devices/" DEVICE_ID "/methods/%s/response/%s", name, id->valuestring);
  const char *answer = call_method(name, is_repeated(id->valuestring));
  /* It does not wait behind the kept telemetry: the caller waits for it. */
  esp_mqtt_client_enqueue(client, response, answer, 0, 1, 0, true);
}

static void handle_message(esp_mqtt_event_handle_t event) {
  char topic[MAX_TOPIC];
  if (event->current_data_offset != 0 || event->topic_len >= MAX_TOPIC) return;
  memcpy(topic, event->topic, (size_t)event->topic_len);
  topic[event->topic_len] = '\0';
  if (event->data_len < event->total_data_len) {
    ESP_LOGE(TAG, "%d bytes on %s do not fit into the buffer", event->total_data_len, topic);
    return;
  }
  cJSON *content = cJSON_ParseWithLength(event->data, (size_t)event->data_len);
  if (!cJSON_IsObject(content)) {
    ESP_LOGE(TAG, "the message on %s is no JSON object", topic);
  } else if (strcmp(topic, "devices/" DEVICE_ID "/twin/desired") == 0) {
    /* The payload is the full desired state each time, so that a missed change does not matter. */
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(content, "$version");
    double number = cJSON_IsNumber(version) ? version->valuedouble : 0;
    if (number > desired_version) {
      desired_version = number;
      apply_desired(content);
    }
  } else {
    answer_invocation(event->client, topic, content);
  }
  cJSON_Delete(content);
}

static void on_mqtt_event(void *unused, esp_event_base_t base, int32_t event_id, void *event_data) {
  (void)unused;
  (void)base;
  esp_mqtt_event_handle_t event = event_data;
  switch (event_id) {
    case MQTT_EVENT_CONNECTED: {
      const esp_mqtt_topic_t topics[] = {
          {.filter = "devices/" DEVICE_ID "/twin/desired", .qos = 1},
          {.filter = "devices/" DEVICE_ID "/methods/+/invoke", .qos = 1},
      };
      esp_mqtt_client_subscribe_multiple(event->client, topics, 2);
      break;
    }
    case MQTT_EVENT_SUBSCRIBED:
      if (event->error_handle->error_type == MQTT_ERROR_TYPE_SUBSCRIBE_FAILED)
        ESP_LOGE(TAG, "the broker refused a subscription");
      xEventGroupSetBits(session_bits, SUBSCRIBED_BIT);
      break;
    case MQTT_EVENT_PUBLISHED:
      /* The platform has stored the message when it acknowledges it. */
      xQueueSend(acknowledged, &event->msg_id, 0);
      break;
    case MQTT_EVENT_DATA:
      handle_message(event);
      break;
    case MQTT_EVENT_ERROR:
      if (event->error_handle->error_type == MQTT_ERROR_TYPE_CONNECTION_REFUSED &&
          (event->error_handle->connect_return_code == MQTT_CONNECTION_REFUSE_BAD_USERNAME ||
           event->error_handle->connect_return_code == MQTT_CONNECTION_REFUSE_NOT_AUTHORIZED))
        xEventGroupSetBits(session_bits, REFUSED_BIT);
      break;
    case MQTT_EVENT_DISCONNECTED:
      xEventGroupSetBits(session_bits, ENDED_BIT);
      break;
    default:
      break;
  }
}

typedef struct {
  int packet_id;
  uint32_t message_id;
} sent_t;

/* Deletes what was acknowledged, and sends until WINDOW messages are on their way. */
static void send_kept(esp_mqtt_client_handle_t client, sent_t *sent, uint32_t *next_to_send) {
  int packet_id;
  while (xQueueReceive(acknowledged, &packet_id, 0) == pdTRUE)
    for (int i = 0; i < WINDOW; i++)
      if (sent[i].packet_id == packet_id && packet_id != 0) {
        forget_message(sent[i].message_id);
        sent[i].packet_id = 0;
      }
  for (int i = 0; i < WINDOW; i++) {
    message_t message;
    if (sent[i].packet_id != 0) continue;
    if (!copy_message(*next_to_send, &message)) return;
    const char *topic = message.is_report ? "devices/" DEVICE_ID "/twin/reported" : "devices/" DEVICE_ID "/telemetry";
    int published = esp_mqtt_client_publish(client, topic, message.payload, 0, 1, 0);
    if (published < 0) return;
    sent[i] = (sent_t){.packet_id = published, .message_id = message.id};
    *next_to_send = message.id + 1;
  }
}

static outcome_t run_session(const settings_t *settings, const char *password) {
  const esp_mqtt_client_config_t config = {
      .broker.address.hostname = settings->host,
      .broker.address.port = (uint32_t)settings->port,
      .broker.address.transport = settings->tls ? MQTT_TRANSPORT_OVER_SSL : MQTT_TRANSPORT_OVER_TCP,
      .broker.verification.certificate = settings->tls ? ca_crt : NULL,
      .credentials.client_id = DEVICE_ID,
      .credentials.username = DEVICE_ID,
      .credentials.authentication.password = password,
      .session.keepalive = 60,
      /* The library would wait the same time after each failure. */
      .network.disable_auto_reconnect = true,
      .buffer.size = 8192,
      .buffer.out_size = 1024,
  };
  sent_t sent[WINDOW] = {0};
  uint32_t next_to_send = 0;
  desired_version = -1;
  xEventGroupClearBits(session_bits, SUBSCRIBED_BIT | ENDED_BIT | REFUSED_BIT);
  xQueueReset(acknowledged);
  esp_mqtt_client_handle_t client = esp_mqtt_client_init(&config);
  if (client == NULL) return ENDED_FAILED;
  esp_mqtt_client_register_event(client, MQTT_EVENT_ANY, on_mqtt_event, NULL);
  int64_t until = esp_timer_get_time() + (int64_t)SIGN_IN_MS * 1000;
  EventBits_t bits = 0;
  if (esp_mqtt_client_start(client) == ESP_OK) {
    do {
      bits = xEventGroupWaitBits(session_bits, ENDED_BIT | REFUSED_BIT, pdFALSE, pdFALSE, pdMS_TO_TICKS(100));
      if (bits & SUBSCRIBED_BIT) send_kept(client, sent, &next_to_send);
    } while (!(bits & (ENDED_BIT | REFUSED_BIT)) && ((bits & SUBSCRIBED_BIT) || esp_timer_get_time() < until));
  }
  esp_mqtt_client_destroy(client);
  if (bits & SUBSCRIBED_BIT) return ENDED_LOST;
  return (bits & REFUSED_BIT) ? ENDED_REFUSED : ENDED_FAILED;
}

/* Tries the secondary key where the primary one is refused. */
static outcome_t connect_with_keys(const settings_t *settings) {
  outcome_t outcome = run_session(settings, settings->primary);
  return outcome == ENDED_REFUSED ? run_session(settings, settings->secondary) : outcome;
}

/* ---- Settings ---- */

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

/* Asks once. `least_wait_ms` is the time to wait at least before the next try. */
static bool request_settings(settings_t *settings, uint32_t *least_wait_ms) {
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
  if (status == 200) ESP_LOGE(TAG, "the settings lack host, port, primary or secondary: check the response template");
  /* It holds no secret where it is a refusal. */
  else ESP_LOGW(TAG, "the onboarding service answered %d: %s", status, text);
  bool is_temporary = status == 409 || status == 429 || status >= 500;
  /* Unknown device, wrong key, disabled group: only a person can change that. */
  if (!is_temporary) *least_wait_ms = BACK_OFF_CAP_MS;
  /* Devices that were turned away together must not come back together. */
  else if (retry_after_seconds > 0 && retry_after_seconds <= 3600)
    *least_wait_ms = (uint32_t)retry_after_seconds * (1000 + esp_random() % 100);
  return false;
}

/* Between half of the ceiling and the ceiling, so that a fleet does not come back in the same second. */
static uint32_t back_off_ms(int failures) {
  uint32_t ceiling = BACK_OFF_START_MS;
  while (--failures > 0 && ceiling < BACK_OFF_CAP_MS) ceiling *= 2;
  if (ceiling > BACK_OFF_CAP_MS) ceiling = BACK_OFF_CAP_MS;
  return ceiling / 2 + esp_random() % (ceiling / 2 + 1);
}

/* ---- Network, clock, and the loop ---- */

static void on_wifi_event(void *unused, esp_event_base_t base, int32_t event_id, void *event_data) {
  (void)unused;
  (void)base;
  (void)event_data;
  if (event_id == WIFI_EVENT_STA_START || event_id == WIFI_EVENT_STA_DISCONNECTED) esp_wifi_connect();
}

static void start_wifi(void) {
  ESP_ERROR_CHECK(esp_netif_init());
  ESP_ERROR_CHECK(esp_event_loop_create_default());
  esp_netif_create_default_wifi_sta();
  wifi_init_config_t init = WIFI_INIT_CONFIG_DEFAULT();
  ESP_ERROR_CHECK(esp_wifi_init(&init));
  ESP_ERROR_CHECK(esp_event_handler_register(WIFI_EVENT, ESP_EVENT_ANY_ID, on_wifi_event, NULL));
  wifi_config_t wifi = {.sta = {.ssid = WIFI_NETWORK, .password = WIFI_PASSWORD}};
  ESP_ERROR_CHECK(esp_wifi_set_mode(WIFI_MODE_STA));
  ESP_ERROR_CHECK(esp_wifi_set_config(WIFI_IF_STA, &wifi));
  ESP_ERROR_CHECK(esp_wifi_start());
}

/* Certificates and timestamps need the time. */
static void wait_for_clock(void) {
  esp_sntp_config_t config = ESP_NETIF_SNTP_DEFAULT_CONFIG("pool.ntp.org");
  ESP_ERROR_CHECK(esp_netif_sntp_init(&config));
  while (esp_netif_sntp_sync_wait(pdMS_TO_TICKS(10000)) != ESP_OK) ESP_LOGI(TAG, "waiting for the time");
}

void app_main(void) {
  esp_err_t opened = nvs_flash_init();
  if (opened == ESP_ERR_NVS_NO_FREE_PAGES || opened == ESP_ERR_NVS_NEW_VERSION_FOUND) {
    ESP_ERROR_CHECK(nvs_flash_erase());
    opened = nvs_flash_init();
  }
  ESP_ERROR_CHECK(opened);
  kept_lock = xSemaphoreCreateMutex();
  session_bits = xEventGroupCreate();
  acknowledged = xQueueCreate(4 * WINDOW, sizeof(int));
  static char text[MAX_SETTINGS];
  if (load_text("interval", text, sizeof text)) interval_seconds = (uint32_t)atoi(text);
  start_wifi();
  wait_for_clock();
  xTaskCreate(sample_task, "sample", 4096, NULL, 5, NULL);

  static settings_t settings;
  bool has_settings = load_text("settings", text, sizeof text) && parse_settings(text, &settings);
  bool needs_settings = !has_settings;
  int failures = 0, refusals = 0;
  for (;;) {
    outcome_t outcome = ENDED_FAILED;
    uint32_t wait_ms = 0;
    if (needs_settings && request_settings(&settings, &wait_ms)) has_settings = true;
    if (has_settings) {
      int64_t since = esp_timer_get_time();
      outcome = connect_with_keys(&settings);
      if (esp_timer_get_time() - since > (int64_t)STABLE_MS * 1000) failures = 0;
    }
    failures++;
    refusals = outcome == ENDED_REFUSED ? refusals + 1 : 0;
    needs_settings = !has_settings || refusals > 0 || failures >= FAILURES_BEFORE_NEW_SETTINGS;
    uint32_t back_off = back_off_ms(refusals > 0 ? refusals : failures);
    vTaskDelay(pdMS_TO_TICKS(wait_ms > back_off ? wait_ms : back_off));
  }
}

/*
 * A complete device for Gangway, for ESP-IDF 5.1 or later.
 *
 * It fetches its settings with its bootstrap key and keeps them in NVS, connects with TLS where the settings say so,
 * publishes telemetry, applies desired properties, answers methods, and keeps messages until the broker has acknowledged
 * them.
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
#include <sys/time.h>
#include <time.h>

#include "cJSON.h"
#include "esp_event.h"
#include "esp_log.h"
#include "esp_netif.h"
#include "esp_netif_sntp.h"
#include "esp_random.h"
#include "esp_timer.h"
#include "esp_wifi.h"
#include "freertos/FreeRTOS.h"
#include "freertos/event_groups.h"
#include "freertos/queue.h"
#include "freertos/task.h"
#include "mqtt_client.h"
#include "nvs_flash.h"

#include "device_config.h"
#include "kept_messages.h"
#include "settings.h"

/* A connection that lasted so long ends the series of failures. */
#define STABLE_MS 30000
/* The address of the broker may have changed when it cannot be reached this often in a row. */
#define FAILURES_BEFORE_NEW_SETTINGS 10
/* Between CONNECT and SUBACK. */
#define SIGN_IN_MS 30000
/* Messages that are on their way at the same time. */
#define WINDOW 16
/* Invocations can arrive twice. */
#define KNOWN_INVOCATIONS 8
#define MAX_ID 64
#define MAX_TOPIC 384

static const char *TAG = "device";

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
  init_kept_messages();
  session_bits = xEventGroupCreate();
  acknowledged = xQueueCreate(4 * WINDOW, sizeof(int));
  char interval[16];
  if (load_text("interval", interval, sizeof interval)) interval_seconds = (uint32_t)atoi(interval);
  start_wifi();
  wait_for_clock();
  xTaskCreate(sample_task, "sample", 4096, NULL, 5, NULL);

  static settings_t settings;
  bool has_settings = load_settings(&settings);
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

#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "esp_event.h"
typedef struct esp_mqtt_client *esp_mqtt_client_handle_t;
typedef enum {
  MQTT_EVENT_ANY = -1,
  MQTT_EVENT_ERROR,
  MQTT_EVENT_CONNECTED,
  MQTT_EVENT_DISCONNECTED,
  MQTT_EVENT_SUBSCRIBED,
  MQTT_EVENT_UNSUBSCRIBED,
  MQTT_EVENT_PUBLISHED,
  MQTT_EVENT_DATA,
} esp_mqtt_event_id_t;
typedef enum {
  MQTT_CONNECTION_ACCEPTED,
  MQTT_CONNECTION_REFUSE_BAD_USERNAME = 4,
  MQTT_CONNECTION_REFUSE_NOT_AUTHORIZED,
} esp_mqtt_connect_return_code_t;
typedef enum {
  MQTT_ERROR_TYPE_NONE,
  MQTT_ERROR_TYPE_TCP_TRANSPORT,
  MQTT_ERROR_TYPE_CONNECTION_REFUSED,
  MQTT_ERROR_TYPE_SUBSCRIBE_FAILED,
} esp_mqtt_error_type_t;
typedef enum { MQTT_TRANSPORT_UNKNOWN, MQTT_TRANSPORT_OVER_TCP, MQTT_TRANSPORT_OVER_SSL } esp_mqtt_transport_t;
typedef struct {
  esp_mqtt_error_type_t error_type;
  esp_mqtt_connect_return_code_t connect_return_code;
} esp_mqtt_error_codes_t;
typedef struct {
  esp_mqtt_event_id_t event_id;
  esp_mqtt_client_handle_t client;
  char *data;
  int data_len, total_data_len, current_data_offset;
  char *topic;
  int topic_len, msg_id;
  esp_mqtt_error_codes_t *error_handle;
} esp_mqtt_event_t;
typedef esp_mqtt_event_t *esp_mqtt_event_handle_t;
typedef struct {
  const char *filter;
  int qos;
} esp_mqtt_topic_t;
typedef struct {
  struct {
    struct {
      const char *hostname;
      esp_mqtt_transport_t transport;
      uint32_t port;
    } address;
    struct {
      const char *certificate;
    } verification;
  } broker;
  struct {
    const char *username, *client_id;
    struct {
      const char *password;
    } authentication;
  } credentials;
  struct {
    int keepalive;
  } session;
  struct {
    bool disable_auto_reconnect;
  } network;
  struct {
    int size, out_size;
  } buffer;
} esp_mqtt_client_config_t;
esp_mqtt_client_handle_t esp_mqtt_client_init(const esp_mqtt_client_config_t *config);
esp_err_t esp_mqtt_client_register_event(
  esp_mqtt_client_handle_t client, esp_mqtt_event_id_t event, esp_event_handler_t handler, void *arg);
esp_err_t esp_mqtt_client_start(esp_mqtt_client_handle_t client);
esp_err_t esp_mqtt_client_destroy(esp_mqtt_client_handle_t client);
int esp_mqtt_client_subscribe_multiple(esp_mqtt_client_handle_t client, const esp_mqtt_topic_t *topics, int size);
int esp_mqtt_client_publish(
  esp_mqtt_client_handle_t client, const char *topic, const char *data, int len, int qos, int retain);
int esp_mqtt_client_enqueue(
  esp_mqtt_client_handle_t client, const char *topic, const char *data, int len, int qos, int retain, bool store);

#pragma once
#include <stdbool.h>
#include "esp_err.h"
typedef struct esp_http_client *esp_http_client_handle_t;
typedef enum { HTTP_EVENT_ERROR, HTTP_EVENT_ON_HEADER = 3 } esp_http_client_event_id_t;
typedef struct {
  esp_http_client_event_id_t event_id;
  void *user_data;
  char *header_key, *header_value;
} esp_http_client_event_t;
typedef enum { HTTP_AUTH_TYPE_NONE, HTTP_AUTH_TYPE_BASIC } esp_http_client_auth_type_t;
typedef struct {
  const char *url, *username, *password;
  esp_http_client_auth_type_t auth_type;
  const char *cert_pem;
  int timeout_ms;
  bool disable_auto_redirect;
  esp_err_t (*event_handler)(esp_http_client_event_t *event);
  void *user_data;
} esp_http_client_config_t;
esp_http_client_handle_t esp_http_client_init(const esp_http_client_config_t *config);
esp_err_t esp_http_client_open(esp_http_client_handle_t client, int write_len);
int64_t esp_http_client_fetch_headers(esp_http_client_handle_t client);
int esp_http_client_get_status_code(esp_http_client_handle_t client);
int esp_http_client_read_response(esp_http_client_handle_t client, char *buffer, int len);
esp_err_t esp_http_client_cleanup(esp_http_client_handle_t client);

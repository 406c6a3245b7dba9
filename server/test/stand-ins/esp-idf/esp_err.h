#pragma once
typedef int esp_err_t;
#define ESP_OK 0
#define ESP_ERROR_CHECK(x) ((void)(x))
#define ESP_ERROR_CHECK_WITHOUT_ABORT(x) ((void)(x))

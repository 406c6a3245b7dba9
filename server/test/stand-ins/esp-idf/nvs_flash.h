#pragma once
#include "nvs.h"
esp_err_t nvs_flash_init(void);
esp_err_t nvs_flash_erase(void);

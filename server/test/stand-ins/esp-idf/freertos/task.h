#pragma once
#include "freertos/FreeRTOS.h"
typedef struct tskTaskControlBlock *TaskHandle_t;
BaseType_t xTaskCreate(
  void (*task)(void *), const char *name, uint32_t stack, void *arg, UBaseType_t priority, TaskHandle_t *handle);
void vTaskDelay(TickType_t ticks);

#pragma once
#include <stddef.h>
typedef int cJSON_bool;
typedef struct cJSON {
  char *valuestring;
  int valueint;
  double valuedouble;
} cJSON;
cJSON *cJSON_Parse(const char *value);
cJSON *cJSON_ParseWithLength(const char *value, size_t length);
void cJSON_Delete(cJSON *item);
cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *name);
cJSON_bool cJSON_IsNumber(const cJSON *item);
cJSON_bool cJSON_IsString(const cJSON *item);
cJSON_bool cJSON_IsObject(const cJSON *item);
cJSON_bool cJSON_IsTrue(const cJSON *item);

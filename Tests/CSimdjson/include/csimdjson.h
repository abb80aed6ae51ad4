#pragma once
#include <stddef.h>
/// 1 when simdjson accepts the `length` bytes at `text` as one JSON document, 0 when it refuses.
#ifdef __cplusplus
extern "C"
#endif
int csimdjson_accepts(const char *text, size_t length);

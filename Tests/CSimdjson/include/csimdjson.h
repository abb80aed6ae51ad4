#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/// Returns 1 if simdjson accepts the `length` bytes at `text` as one JSON document, otherwise 0.
int csimdjson_accepts(const char *text, size_t length);

/// Returns the values that simdjson reads in the `length` bytes at `text`, in a form that differs whenever two readers read different
/// values: `n` `t` `f`, `i<decimal>;`, `d<bits of the double in hexadecimal>;`, `s<length in bytes>:<UTF-8>`, `[…]`,
/// `{<key as s…><value>…}`. An integer beyond int64_t is written as a double. The caller frees the result with csimdjson_free. Returns NULL
/// if simdjson refuses the text.
char *csimdjson_dump(const char *text, size_t length, size_t *dump_length);

/// Frees the result of csimdjson_dump.
void csimdjson_free(char *dump);

#ifdef __cplusplus
}
#endif

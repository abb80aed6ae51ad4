#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/// 1 when simdjson accepts the `length` bytes at `text` as one JSON document, 0 when it refuses.
int csimdjson_accepts(const char *text, size_t length);

/// What simdjson reads in the `length` bytes at `text`, in a form that two readers can only agree on when they read the same values:
/// `n` `t` `f`, `i<decimal>;`, `d<bits of the double in hexadecimal>;`, `s<length in bytes>:<UTF-8>`, `[…]`, `{<key as s…><value>…}`.
/// An integer beyond int64_t is given as a double. The result is to be given to csimdjson_free; NULL when simdjson refuses the text.
char *csimdjson_dump(const char *text, size_t length, size_t *dump_length);

/// Frees what csimdjson_dump gave.
void csimdjson_free(char *dump);

#ifdef __cplusplus
}
#endif

#pragma once
// RE2 for Swift, which sees no C++. All functions may be called on several threads at once, but for `cre2_free`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cre2_expression cre2_expression;

/// An expression, compiled or refused (`cre2_error` tells), to be given to `cre2_free`. `.` matches a line's end, too, and of the matches that
/// begin at the same place the longest counts. `memory`: how many bytes it and its caches may take.
cre2_expression *cre2_compile(const char *text, size_t length, bool ignores_case, int64_t memory);

/// Why it was refused: a text that ends in a zero and lives as long as the expression. NULL when it was compiled.
const char *cre2_error(const cre2_expression *expression);

/// Where a match begins and ends, in bytes of the text.
typedef struct cre2_match {
    size_t begin, end;
} cre2_match;

/// Whether a compiled expression matches in the `length` bytes at `text`, at `start` or behind it; `^` is the text's begin and no other `start`.
/// `match`, unless NULL, becomes the first such match.
bool cre2_find(const cre2_expression *expression, const char *text, size_t length, size_t start, cre2_match *match);

/// Ends an expression.
void cre2_free(cre2_expression *expression);

#ifdef __cplusplus
}
#endif

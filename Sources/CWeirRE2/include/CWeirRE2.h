#pragma once
// RE2 for Swift, which cannot import C++. All functions except `cre2_free` may be called on several threads at once.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cre2_expression cre2_expression;

/// Compiles an expression. The result may be a refused expression (see `cre2_error`), and must be released with
/// `cre2_free`. `.` matches a line end, too. If several matches begin at the same position, the longest wins. `memory`
/// is the limit in bytes for the expression and its caches.
cre2_expression *cre2_compile(const char *text, size_t length, bool ignores_case, int64_t memory);

/// Returns why the expression was refused, or NULL if it was compiled. The text ends with a zero byte and lives as long
/// as the expression.
const char *cre2_error(const cre2_expression *expression);

/// The start and the end of a match, in bytes of the text.
typedef struct cre2_match {
    size_t begin, end;
} cre2_match;

/// Returns whether a compiled expression matches in the `length` bytes at `text`, at or after `start`. `^` matches only
/// the start of the text, not `start`. Unless `match` is NULL, it receives the first such match.
bool cre2_find(const cre2_expression *expression, const char *text, size_t length, size_t start, cre2_match *match);

/// Releases an expression and its memory.
void cre2_free(cre2_expression *expression);

#ifdef __cplusplus
}
#endif

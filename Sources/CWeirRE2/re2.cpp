#include "CWeirRE2.h"

#include <re2/re2.h>

struct cre2_expression {
    RE2 compiled;
};

extern "C" cre2_expression *cre2_compile(const char *text, size_t length, bool ignores_case, int64_t memory) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(!ignores_case);
    options.set_longest_match(true);
    options.set_dot_nl(true);
    options.set_max_mem(memory);
    return new cre2_expression{{re2::StringPiece(text, length), options}};
}

extern "C" const char *cre2_error(const cre2_expression *expression) {
    return expression->compiled.ok() ? nullptr : expression->compiled.error().c_str();
}

extern "C" bool cre2_find(
    const cre2_expression *expression, const char *text, size_t length, size_t start, cre2_match *match) {
    if (length == 0) text = "";
    re2::StringPiece found;
    if (!expression->compiled.Match(
            re2::StringPiece(text, length), start, length, RE2::UNANCHORED, &found, match == nullptr ? 0 : 1))
        return false;
    if (match != nullptr) {
        const size_t begin = found.data() - text;
        *match = {begin, begin + found.size()};
    }
    return true;
}

extern "C" void cre2_free(cre2_expression *expression) { delete expression; }

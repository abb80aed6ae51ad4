#include "csimdjson.h"
#include <simdjson.h>
extern "C" int csimdjson_accepts(const char *text, size_t length) {
    simdjson::dom::parser parser;
    return parser.parse(text, length).error() == simdjson::SUCCESS;
}

#include "csimdjson.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <simdjson.h>
#include <string>

namespace {

// One parser for each thread: the tests run on several, and a parser keeps its buffers.
thread_local simdjson::dom::parser parser;

void dump_string(std::string_view text, std::string &out) {
    out += 's';
    out += std::to_string(text.size());
    out += ':';
    out += text;
}

void dump_double(double value, std::string &out) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    char digits[20];
    std::snprintf(digits, sizeof digits, "d%016llx;", static_cast<unsigned long long>(bits));
    out += digits;
}

void dump(simdjson::dom::element element, std::string &out) {
    using simdjson::dom::element_type;
    switch (element.type()) {
    case element_type::ARRAY:
        out += '[';
        for (simdjson::dom::element child : simdjson::dom::array(element)) dump(child, out);
        out += ']';
        break;
    case element_type::OBJECT:
        out += '{';
        for (simdjson::dom::key_value_pair member : simdjson::dom::object(element)) {
            dump_string(member.key, out);
            dump(member.value, out);
        }
        out += '}';
        break;
    case element_type::INT64:
        out += 'i';
        out += std::to_string(int64_t(element));
        out += ';';
        break;
    case element_type::UINT64: dump_double(double(uint64_t(element)), out); break;
    case element_type::DOUBLE: dump_double(double(element), out); break;
    case element_type::STRING: dump_string(std::string_view(element), out); break;
    case element_type::BOOL: out += bool(element) ? 't' : 'f'; break;
    case element_type::NULL_VALUE: out += 'n'; break;
    }
}

} // namespace

extern "C" int csimdjson_accepts(const char *text, size_t length) {
    return parser.parse(text, length).error() == simdjson::SUCCESS;
}

extern "C" char *csimdjson_dump(const char *text, size_t length, size_t *dump_length) {
    simdjson::dom::element document;
    if (parser.parse(text, length).get(document) != simdjson::SUCCESS) return nullptr;
    std::string out;
    dump(document, out);
    char *copy = static_cast<char *>(std::malloc(out.size() + 1));
    if (copy == nullptr) std::abort();
    std::memcpy(copy, out.data(), out.size());
    *dump_length = out.size();
    return copy;
}

extern "C" void csimdjson_free(char *dump) { std::free(dump); }

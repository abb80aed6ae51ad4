// libcurl sets and reads its options through variadic functions, which Swift cannot call. These wrappers provide one
// function per argument type. They contain no logic.
#ifndef WEIR_CURL_SHIM_H
#define WEIR_CURL_SHIM_H

#include <curl/curl.h>

typedef size_t (*weir_curl_sink)(char *bytes, size_t size, size_t count, void *user);

static inline CURLcode weir_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode weir_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode weir_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode weir_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode weir_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode weir_curl_set_sink(CURL *easy, CURLoption option, weir_curl_sink value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode weir_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode weir_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode weir_curl_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline unsigned long weir_curl_auth_basic(void) { return CURLAUTH_BASIC; }
static inline CURLMcode weir_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLcode weir_curl_message_result(const CURLMsg *message) { return message->data.result; }

#endif

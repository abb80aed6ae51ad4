#pragma once
// The two things JSONText needs that Swift has no word for: one bit per byte of a vector, and a comparison the compiler turns into
// immediate loads when the length is a constant. Static inline, so they are compiled into the Swift code that calls them.
// Baseline instruction sets only (SSE2 is part of x86-64, NEON of arm64): no flags, no dispatch.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

static inline bool json_is_plain(uint8_t byte) { return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\'; }

/// How many of the `length` bytes at `text` are, from the first on, printable ASCII other than quote and backslash (DEL counts as
/// printable: RFC 8259 lets it stand in a string). Reads nothing outside the `length` bytes.
static inline size_t json_plain_prefix(const uint8_t *text, size_t length) {
    size_t i = 0;
#if defined(__SSE2__)
    // Signed comparison: bytes from 0x80 up are negative, so one test finds them and the control characters.
    for (; i + 16 <= length; i += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(text + i));
        __m128i special = _mm_or_si128(
            _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)),
            _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))));
        unsigned mask = (unsigned)_mm_movemask_epi8(special);
        if (mask) return i + (size_t)__builtin_ctz(mask);
    }
#elif defined(__aarch64__)
    for (; i + 16 <= length; i += 16) {
        uint8x16_t block = vld1q_u8(text + i);
        uint8x16_t special = vorrq_u8(
            vcltq_s8(vreinterpretq_s8_u8(block), vdupq_n_s8(0x20)),
            vorrq_u8(vceqq_u8(block, vdupq_n_u8('"')), vceqq_u8(block, vdupq_n_u8('\\'))));
        // Narrowing by four bits leaves a nibble for each byte.
        uint64_t mask = vget_lane_u64(
            vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(special), 4)), 0);
        if (mask) return i + ((size_t)__builtin_ctzll(mask) >> 2);
    }
#endif
    while (i < length && json_is_plain(text[i])) i += 1;
    return i;
}

/// Like `json_plain_prefix`, with DEL counted as special: it is legal in JSON text but not inert on a terminal.
static inline size_t json_inert_prefix(const uint8_t *text, size_t length) {
    const size_t plain = json_plain_prefix(text, length);
    const void *del = plain > 0 ? memchr(text, 0x7F, plain) : NULL;
    return del ? (size_t)((const uint8_t *)del - text) : plain;
}

/// Whether the `length` bytes at `a` and at `b` are the same.
static inline bool json_same_bytes(const uint8_t *a, const uint8_t *b, size_t length) { return memcmp(a, b, length) == 0; }

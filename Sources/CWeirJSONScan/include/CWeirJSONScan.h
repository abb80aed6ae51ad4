#pragma once
// Operations that JSONText needs and Swift cannot express: one bit per byte of a vector, a comparison that the compiler
// turns into immediate loads when the length is a constant, and a table that needs no initialization at run time. The
// functions are static inline, so they are compiled into the Swift code that calls them. They use the baseline
// instruction sets (SSE2 is part of x86-64, NEON of arm64), and AVX-512 if the processor supports it. They never read
// outside the `length` bytes at `text`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
typedef __m128i json_block;
static inline json_block json_load(const uint8_t *text) { return _mm_loadu_si128((const __m128i *)text); }
// The first eight and the last eight of 8 to 16 bytes.
static inline json_block json_load_ends(const uint8_t *text, size_t length) {
    return _mm_unpacklo_epi64(
        _mm_loadl_epi64((const __m128i *)text), _mm_loadl_epi64((const __m128i *)(text + length - 8)));
}
static inline json_block json_equal(json_block block, uint8_t byte) { return _mm_cmpeq_epi8(block, _mm_set1_epi8((char)byte)); }
static inline json_block json_either(json_block a, json_block b) { return _mm_or_si128(a, b); }
static inline json_block json_turned(json_block block, uint8_t bits) { return _mm_xor_si128(block, _mm_set1_epi8((char)bits)); }
// Signed comparison: bytes from 0x80 up count as negative.
static inline json_block json_below_signed(json_block block, int8_t bound) { return _mm_cmplt_epi8(block, _mm_set1_epi8(bound)); }
static inline json_block json_at_most(json_block block, uint8_t bound) {
    return _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8((char)bound)), block);
}
static inline uint64_t json_mask(json_block block) { return (uint64_t)(unsigned)_mm_movemask_epi8(block); }
static inline size_t json_first(uint64_t mask) { return (size_t)__builtin_ctzll(mask); }
// The same mask without the first `count` bytes; `count` is less than the number of bytes in the block.
static inline uint64_t json_from(uint64_t mask, size_t count) { return mask >> count << count; }
#elif defined(__aarch64__)
#include <arm_neon.h>
typedef uint8x16_t json_block;
static inline json_block json_load(const uint8_t *text) { return vld1q_u8(text); }
static inline json_block json_load_ends(const uint8_t *text, size_t length) {
    return vcombine_u8(vld1_u8(text), vld1_u8(text + length - 8));
}
static inline json_block json_equal(json_block block, uint8_t byte) { return vceqq_u8(block, vdupq_n_u8(byte)); }
static inline json_block json_either(json_block a, json_block b) { return vorrq_u8(a, b); }
static inline json_block json_turned(json_block block, uint8_t bits) { return veorq_u8(block, vdupq_n_u8(bits)); }
static inline json_block json_below_signed(json_block block, int8_t bound) {
    return vcltq_s8(vreinterpretq_s8_u8(block), vdupq_n_s8(bound));
}
static inline json_block json_at_most(json_block block, uint8_t bound) { return vcleq_u8(block, vdupq_n_u8(bound)); }
// Narrowing by four bits leaves one nibble for each byte.
static inline uint64_t json_mask(json_block block) {
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(block), 4)), 0);
}
static inline size_t json_first(uint64_t mask) { return (size_t)__builtin_ctzll(mask) >> 2; }
static inline uint64_t json_from(uint64_t mask, size_t count) { return mask >> 4 * count << 4 * count; }
#endif
#if defined(__SSE2__) || defined(__aarch64__)
#define JSON_HAS_BLOCKS 1
#endif

#if JSON_HAS_BLOCKS
// Matches quote, backslash, control characters and non-ASCII bytes. Flipping the second bit of every byte moves the
// quote to the value of the space and keeps the control characters below it, so one signed comparison finds both.
static inline json_block json_special(json_block block) {
    return json_either(json_below_signed(json_turned(block, 2), 0x21), json_equal(block, '\\'));
}
#endif

/// Returns the number of leading bytes that need no escapes in a string: ASCII from space up, other than quote and
/// backslash.
static inline size_t json_plain_prefix(const uint8_t *text, size_t length) {
    size_t i = 0;
#if JSON_HAS_BLOCKS
    for (; length - i >= 16; i += 16) {
        const json_block block = json_load(text + i);
        const uint64_t mask = json_mask(json_special(block));
        if (mask) return i + json_first(mask);
    }
#endif
    while (i < length && text[i] >= 0x20 && text[i] < 0x80 && text[i] != '"' && text[i] != '\\') i += 1;
    return i;
}

#if JSON_HAS_BLOCKS
// Matches quote, backslash, control characters, DEL and non-ASCII bytes.
static inline uint64_t json_active_mask(json_block block) {
    return json_mask(json_either(
        json_either(json_below_signed(block, 0x20), json_equal(block, 0x7F)),
        json_either(json_equal(block, '"'), json_equal(block, '\\'))));
}
#endif

/// Like json_plain_prefix, but also stops at DEL, which is legal in JSON text but not safe on a terminal.
static inline size_t json_inert_prefix(const uint8_t *text, size_t length) {
    size_t i = 0;
#if JSON_HAS_BLOCKS
    for (; length - i >= 16; i += 16) {
        const uint64_t mask = json_active_mask(json_load(text + i));
        if (mask) return i + json_first(mask);
    }
    // The remainder is examined together with bytes before it; for a short text, the first eight and the last eight
    // bytes.
    if (length >= 16) {
        const uint64_t mask = json_active_mask(json_load(text + length - 16));
        return mask ? length - 16 + json_first(mask) : length;
    }
    if (length >= 8) {
        const uint64_t mask = json_active_mask(json_load_ends(text, length));
        const size_t first = mask ? json_first(mask) : 16;
        return first < 8 ? first : length - 16 + first;
    }
#endif
    while (i < length && text[i] >= 0x20 && text[i] < 0x7F && text[i] != '"' && text[i] != '\\') i += 1;
    return i;
}

/// Copies a text that is usually short, without a call and without a branch per byte.
static inline void json_copy(uint8_t *target, const uint8_t *text, size_t length) {
    if (length > 32) {
        memcpy(target, text, length);
    } else if (length >= 16) {
        memcpy(target, text, 16);
        memcpy(target + length - 16, text + length - 16, 16);
    } else if (length >= 8) {
        memcpy(target, text, 8);
        memcpy(target + length - 8, text + length - 8, 8);
    } else if (length >= 4) {
        memcpy(target, text, 4);
        memcpy(target + length - 4, text + length - 4, 4);
    } else {
        for (size_t i = 0; i < length; i += 1) target[i] = text[i];
    }
}

/// Returns the number of leading bytes that are not a quote, a backslash or a control character.
static inline size_t json_segment_prefix(const uint8_t *text, size_t length) {
    size_t i = 0;
#if JSON_HAS_BLOCKS
    for (; length - i >= 16; i += 16) {
        const json_block block = json_load(text + i);
        const uint64_t mask =
            json_mask(json_either(json_at_most(block, 0x1F), json_either(json_equal(block, '"'), json_equal(block, '\\'))));
        if (mask) return i + json_first(mask);
    }
#endif
    while (i < length && text[i] >= 0x20 && text[i] != '"' && text[i] != '\\') i += 1;
    return i;
}

// The first four bytes, with the first in the low eight bits. A missing byte is 0, which never continues a character.
static inline uint32_t json_four(const uint8_t *text, size_t length) {
    if (length >= 4) return text[0] | (uint32_t)text[1] << 8 | (uint32_t)text[2] << 16 | (uint32_t)text[3] << 24;
    uint32_t four = 0;
    for (size_t i = 0; i < length; i += 1) four |= (uint32_t)text[i] << (8 * i);
    return four;
}

// The length of the character at the start of four bytes, the first of which is not ASCII. Returns 0 if the character
// is not well-formed.
static inline size_t json_character_of(uint32_t four) {
    // First checks the leading bits of lead and continuation bytes. Then rejects overlong forms, surrogates, and code
    // points beyond U+10FFFF.
    if ((four & 0xC0E0) == 0x80C0) return four & 0x1E ? 2 : 0;
    if ((four & 0xC0C0F0) == 0x8080E0) {
        const uint32_t head = four & 0x200F;
        return head != 0 && head != 0x200D ? 3 : 0;
    }
    if ((four & 0xC0C0C0F8) == 0x808080F0) {
        const uint32_t plane = (four & 7) << 2 | (four >> 12 & 3);
        return plane - 1 < 16 ? 4 : 0;
    }
    return 0;
}

/// Returns the length of the character at `text`, whose first byte is not ASCII. Returns 0 if it is not well-formed
/// UTF-8 (RFC 3629 section 4) or is incomplete.
static inline size_t json_character(const uint8_t *text, size_t length) { return json_character_of(json_four(text, length)); }

/// Returns the number of leading bytes that are well-formed non-ASCII characters. The first byte is not ASCII.
static inline size_t json_characters(const uint8_t *text, size_t length) {
    size_t i = 0;
    while (i < length && text[i] >= 0x80) {
        const size_t count = json_character(text + i, length - i);
        if (count == 0) break;
        i += count;
    }
    return i;
}

/// Returns whether the bytes are well-formed UTF-8 that ends with a complete character.
static inline bool json_is_utf8(const uint8_t *text, size_t length) {
    size_t i = 0;
    while (i < length) {
#if JSON_HAS_BLOCKS
        if (length - i >= 16) {
            const uint64_t mask = json_mask(json_below_signed(json_load(text + i), 0));
            if (!mask) {
                i += 16;
                continue;
            }
            i += json_first(mask);
        }
#endif
        if (text[i] < 0x80) {
            i += 1;
            continue;
        }
        const size_t count = json_characters(text + i, length - i);
        if (count == 0) return false;
        i += count;
    }
    return true;
}

// The character for each letter after a backslash, except `u`.
static const uint8_t json_escapes[256] = {
    ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = 8, ['f'] = 12, ['n'] = 10, ['r'] = 13, ['t'] = 9,
};

#if defined(__x86_64__)
#include <immintrin.h>
// Blocks of 64 bytes, with one bit of a word for each byte.
#define JSON_WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt")))

static inline bool json_has_wide_blocks(void) {
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw");
}

// Returns which bytes are escaped: those after an odd run of backslashes (Langdale and Lemire, Parsing Gigabytes of
// JSON per Second, 3.1.1). On entry, `carry` tells whether the first byte is escaped; on return, whether the first byte
// of the next block is.
static inline uint64_t json_escaped_mask(uint64_t backslash, uint64_t *carry) {
    const uint64_t even = 0x5555555555555555;
    const uint64_t open = backslash & ~*carry;
    const uint64_t follows = open << 1 | *carry;
    const uint64_t oddStarts = open & ~even & ~follows;
    unsigned long long runs;
    *carry = __builtin_uaddll_overflow(oddStarts, open, &runs);
    return (even ^ (runs << 1)) & follows;
}

// Returns whether the bytes at `high`, in the block at `i`, are well-formed characters. Only characters that begin in
// the block are checked. `checked` is the end of the last one.
static inline bool json_are_characters(const uint8_t *text, size_t length, size_t i, uint64_t high, size_t *checked) {
    // A character may have begun in the previous block.
    if (*checked > i) high &= ~(uint64_t)0 << (*checked - i);
    while (high) {
        const size_t at = i + json_first(high), bytes = json_character(text + at, length - at);
        if (bytes == 0) return false;
        *checked = at + bytes;
        high = *checked - i < 64 ? high & ~(uint64_t)0 << (*checked - i) : 0;
    }
    return true;
}

JSON_WIDE static inline ptrdiff_t json_string_end_wide(const uint8_t *text, size_t length, bool *escapes) {
    uint64_t carry = 0;
    size_t checked = 0;
    for (size_t i = 0; i < length; i += 64) {
        const size_t rest = length - i < 64 ? length - i : 64;
        const uint64_t there = ~(uint64_t)0 >> (64 - rest);
        const __m512i block = _mm512_maskz_loadu_epi8(there, text + i);
        const uint64_t backslash = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\\'));
        uint64_t escaped = json_escaped_mask(backslash, &carry);
        const uint64_t end = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('"')) & ~escaped;
        // The bytes before the closing quote, or all bytes if the string does not end here.
        const uint64_t inside = end ? (end & -end) - 1 : there;
        if (_mm512_mask_cmplt_epu8_mask(inside, block, _mm512_set1_epi8(0x20))) return -1;
        *escapes |= (backslash & inside) != 0;
        for (escaped &= inside; escaped; escaped &= escaped - 1) {
            if (!json_escapes[text[i + json_first(escaped)]]) return -1;
        }
        if (!json_are_characters(text, length, i, _mm512_movepi8_mask(block) & inside, &checked)) return -1;
        if (end) return (ptrdiff_t)(i + json_first(end));
    }
    return -1;
}
#endif

static inline ptrdiff_t json_string_end_narrow(const uint8_t *text, size_t length, bool *escapes) {
    // The first byte is a special one: the caller has already passed over the plain bytes.
    for (size_t i = 0; i < length; i += json_plain_prefix(text + i, length - i)) {
        if (text[i] == '"') return (ptrdiff_t)i;
        if (text[i] >= 0x80) {
            const size_t count = json_characters(text + i, length - i);
            if (count == 0) return -1;
            i += count;
        } else {
            if (text[i] != '\\' || length - i < 2 || !json_escapes[text[i + 1]]) return -1;
            *escapes = true;
            i += 2;
        }
    }
    return -1;
}

/// Returns the offset of the quote that ends the string that continues at `text`. Sets `escapes` if the string contains
/// any escapes before that quote. Returns -1 if another function must examine the text: for a `\u` escape, and for
/// anything invalid.
static inline ptrdiff_t json_string_end(const uint8_t *text, size_t length, bool *escapes) {
#if defined(__x86_64__)
    if (json_has_wide_blocks()) return json_string_end_wide(text, length, escapes);
#endif
    return json_string_end_narrow(text, length, escapes);
}

/// Writes the value of a string's contents to `value`, which has room for `length` bytes, and returns its length. Sets
/// `ascii` to whether the value is all ASCII. Returns -1 for a `\u` escape, or for an escape that JSON does not define.
static inline ptrdiff_t json_string_value(const uint8_t *text, size_t length, uint8_t *value, bool *ascii) {
    size_t i = 0, count = 0;
    uint64_t high = 0;
    while (i < length) {
#if JSON_HAS_BLOCKS
        // The output never gets ahead of the input.
        if (length - i >= 16) {
            const json_block block = json_load(text + i);
            memcpy(value + count, text + i, 16);
            high |= json_mask(json_below_signed(block, 0));
            const uint64_t mask = json_mask(json_equal(block, '\\'));
            const size_t prefix = mask ? json_first(mask) : 16;
            i += prefix;
            count += prefix;
            if (!mask) continue;
        }
#endif
        uint8_t byte = text[i++];
        if (byte == '\\') {
            byte = i < length ? json_escapes[text[i++]] : 0;
            if (!byte) return -1;
        }
        high |= byte & 0x80;
        value[count++] = byte;
    }
    *ascii = high == 0;
    return (ptrdiff_t)count;
}

/// Returns whether the `length` bytes at `a` and `b` are equal.
static inline bool json_same_bytes(const uint8_t *a, const uint8_t *b, size_t length) { return memcmp(a, b, length) == 0; }

// <string.h> declares memrchr only if _GNU_SOURCE is defined before its inclusion, which a header in a module cannot
// ensure.
extern void *memrchr(const void *text, int byte, size_t length);

/// Returns the offset of the last byte with this value, or -1 if none has it.
static inline ptrdiff_t json_last_byte(const uint8_t *text, size_t length, uint8_t byte) {
    const uint8_t *const found = (const uint8_t *)memrchr(text, byte, length);
    return found ? found - text : -1;
}

#if defined(__x86_64__)
JSON_WIDE static inline size_t json_count_byte_wide(const uint8_t *text, size_t length, uint8_t byte) {
    const __m512i wanted = _mm512_set1_epi8((char)byte);
    size_t count = 0, i = 0;
    for (; length - i >= 64; i += 64) {
        count += (size_t)__builtin_popcountll(_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text + i), wanted));
    }
    if (i == length) return count;
    const uint64_t there = ~(uint64_t)0 >> (64 - (length - i));
    const __m512i rest = _mm512_maskz_loadu_epi8(there, text + i);
    return count + (size_t)__builtin_popcountll(_mm512_mask_cmpeq_epi8_mask(there, rest, wanted));
}
#endif

static inline size_t json_count_byte_narrow(const uint8_t *text, size_t length, uint8_t byte) {
    size_t count = 0;
    // At most 192 at a time, so that an 8-bit counter does not overflow and the text is split into whole vectors.
    for (size_t i = 0; i < length;) {
        const size_t end = length - i < 192 ? length : i + 192;
        uint8_t part = 0;
        for (; i < end; i += 1) part += text[i] == byte;
        count += part;
    }
    return count;
}

/// Returns the number of bytes with this value.
static inline size_t json_count_byte(const uint8_t *text, size_t length, uint8_t byte) {
#if defined(__x86_64__)
    if (json_has_wide_blocks()) return json_count_byte_wide(text, length, byte);
#endif
    return json_count_byte_narrow(text, length, byte);
}

/// The number of bytes that `json_unescaped` may write after its result.
enum { JSON_UNESCAPED_SLACK = 64 };

// The following functions remove the backslashes from JSON inside a JSON string, if its only escapes are quotes,
// backslashes and slashes. They return -1 for anything else, including text that is not a string's contents; the caller
// must then use another way.

#if defined(__x86_64__)
JSON_WIDE static inline ptrdiff_t json_unescaped_wide(const uint8_t *text, size_t length, uint8_t *value) {
    uint64_t carry = 0;
    size_t count = 0, checked = 0;
    for (size_t i = 0; i < length; i += 64) {
        const size_t rest = length - i < 64 ? length - i : 64;
        const uint64_t there = ~(uint64_t)0 >> (64 - rest);
        const __m512i block = _mm512_maskz_loadu_epi8(there, text + i);
        const uint64_t backslash = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('\\'));
        const uint64_t quote = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('"'));
        const uint64_t control = _mm512_mask_cmplt_epu8_mask(there, block, _mm512_set1_epi8(0x20));
        const uint64_t escaped = json_escaped_mask(backslash, &carry);
        const uint64_t plain = quote | backslash | _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8('/'));
        if (control | (quote & ~escaped) | (escaped & ~plain)) return -1;
        const uint64_t kept = there & ~(backslash & ~escaped);
        _mm512_storeu_si512(value + count, _mm512_maskz_compress_epi8(kept, block));
        count += (size_t)__builtin_popcountll(kept);
        if (!json_are_characters(text, length, i, _mm512_movepi8_mask(block), &checked)) return -1;
    }
    // A backslash at the end of a partial block marks the next byte as escaped. That byte does not exist, so it is not
    // plain.
    return carry ? -1 : (ptrdiff_t)count;
}
#endif

static inline ptrdiff_t json_unescaped_narrow(const uint8_t *text, size_t length, uint8_t *value) {
    size_t i = 0, count = 0;
    while (i < length) {
#if JSON_HAS_BLOCKS
        if (length - i >= 16) {
            memcpy(value + count, text + i, 16);
            const size_t prefix = json_segment_prefix(text + i, 16);
            i += prefix;
            count += prefix;
            if (prefix == 16) continue;
        }
#endif
        if (text[i] < 0x20 || text[i] == '"') return -1;
        if (text[i] == '\\') {
            i += 1;
            if (i == length || (text[i] != '"' && text[i] != '\\' && text[i] != '/')) return -1;
        }
        value[count++] = text[i++];
    }
    // Checking the result is enough: an escape inside a multi-byte character leaves that character incomplete.
    return json_is_utf8(value, count) ? (ptrdiff_t)count : -1;
}

/// Returns the length of the value of a string's contents if they have the usual form. Returns -1 for any other form,
/// and for text that is not a string's contents. `value` has room for `length` bytes and the slack.
static inline ptrdiff_t json_unescaped(const uint8_t *text, size_t length, uint8_t *value) {
#if defined(__x86_64__)
    if (json_has_wide_blocks()) return json_unescaped_wide(text, length, value);
#endif
    return json_unescaped_narrow(text, length, value);
}

#include "CJSONWrite.h"

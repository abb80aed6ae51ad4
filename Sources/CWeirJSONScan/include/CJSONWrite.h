#pragma once
// Functions for JSONWriter, under the same rules as CWeirJSONScan.h: static inline, and limited to the baseline instruction
// sets. Each function states how much room it needs, and writes nothing outside that room.

#include "CWeirJSONScan.h"

#if JSON_HAS_BLOCKS
static inline void json_store(uint8_t *target, json_block block) { memcpy(target, &block, 16); }
#endif

/// Copies the bytes that json_inert_prefix counts, and returns their number. `target` has room for `length` bytes; its
/// contents after the counted bytes are unspecified.
static inline size_t json_copy_inert(uint8_t *target, const uint8_t *text, size_t length) {
    size_t i = 0;
#if JSON_HAS_BLOCKS
    for (; length - i >= 16; i += 16) {
        const json_block block = json_load(text + i);
        json_store(target + i, block);
        const uint64_t mask = json_active_mask(block);
        if (mask) return i + json_first(mask);
    }
    if (i == length) return length;
    // The remainder is examined together with bytes before it; for a short text, its first and its last half, which may
    // overlap.
    if (length >= 16) {
        const json_block block = json_load(text + length - 16);
        json_store(target + length - 16, block);
        const uint64_t mask = json_active_mask(block);
        return mask ? length - 16 + json_first(mask) : length;
    }
    if (length >= 8) {
        memcpy(target, text, 8);
        memcpy(target + length - 8, text + length - 8, 8);
        const uint64_t mask = json_active_mask(json_load_ends(text, length));
        const size_t first = mask ? json_first(mask) : 16;
        return first < 8 ? first : length - 16 + first;
    }
    if (length >= 4) {
        uint8_t ends[16];
        memcpy(ends, text, 4);
        memcpy(ends + 4, text + length - 4, 4);
        memcpy(target, ends, 4);
        memcpy(target + length - 4, ends + 4, 4);
        memset(ends + 8, ' ', 8);
        const uint64_t mask = json_active_mask(json_load(ends));
        const size_t first = mask ? json_first(mask) : 8;
        return first < 4 ? first : length - 8 + first;
    }
#endif
    for (; i < length && text[i] >= 0x20 && text[i] < 0x7F && text[i] != '"' && text[i] != '\\'; i += 1) target[i] = text[i];
    return i;
}

/// Returns whether a character changes how a terminal shows the text around it, or is invisible: C1 controls,
/// bidirectional controls, zero-width characters, fillers, tags, line and paragraph separators. (The scan finds those
/// in ASCII. Variation selectors are allowed, because they belong to emoji.)
static inline bool json_is_active(uint32_t scalar) {
    if (scalar < 0x2000) {
        return (scalar >= 0x7F && scalar <= 0x9F) || scalar == 0xAD || scalar == 0x034F || scalar == 0x061C ||
               scalar == 0x115F || scalar == 0x1160 || scalar == 0x17B4 || scalar == 0x17B5 ||
               (scalar >= 0x180B && scalar <= 0x180F);
    }
    if (scalar < 0x2070) {
        return (scalar >= 0x200B && scalar <= 0x200F) || (scalar >= 0x2028 && scalar <= 0x202E) || scalar >= 0x2060;
    }
    if (scalar < 0x10000) {
        return scalar == 0x3164 || scalar == 0xFEFF || scalar == 0xFFA0 || (scalar >= 0xFFF0 && scalar <= 0xFFFB);
    }
    return (scalar >= 0x1BCA0 && scalar <= 0x1BCA3) || (scalar >= 0x1D173 && scalar <= 0x1D17A) ||
           (scalar >= 0xE0000 && scalar <= 0xE00FF) || (scalar >= 0xE01F0 && scalar <= 0xE0FFF);
}

// Returns the length of the character at the start of four bytes (json_four) if a string can contain it unescaped, or 0
// otherwise. The first byte is not ASCII.
static inline __attribute__((noinline)) size_t json_any_inert_character(uint32_t four) {
    const size_t count = json_character_of(four);
    const uint32_t second = four >> 8 & 0x3F;
    if (count == 2) return json_is_active((four & 0x1F) << 6 | second) ? 0 : 2;
    const uint32_t third = second << 6 | (four >> 16 & 0x3F);
    if (count == 3) return json_is_active((four & 0xF) << 12 | third) ? 0 : 3;
    return count == 0 || json_is_active((four & 7) << 18 | third << 6 | (four >> 24 & 0x3F)) ? 0 : 4;
}

// The same, with a fast path for U+00C0 to U+033F and U+1F000 to U+1FFFF: most European letters, and the emoji. None of
// these is active.
static inline size_t json_inert_character(uint32_t four) {
    if ((four & 0xC0FF) - 0x80C3 < 0xCD - 0xC3) return 2;
    return (four & 0xC0C0FFFF) == 0x80809FF0 ? 4 : json_any_inert_character(four);
}

static inline void json_store_four(uint8_t *target, uint32_t four) {
    for (size_t place = 0; place < 4; place += 1) target[place] = (uint8_t)(four >> (8 * place));
}

/// Copies the leading text that a string can contain unescaped, and returns its length in bytes: the bytes that
/// json_inert_prefix counts, and non-ASCII characters. The first `copied` bytes have already been copied. `target` has
/// room for `length` bytes and three more.
static inline __attribute__((noinline)) size_t json_copy_inert_text(
    uint8_t *target, const uint8_t *text, size_t length, size_t copied) {
    size_t i = copied;
#if JSON_HAS_BLOCKS
    while (length >= 16 && i < length) {
        // The last block overlaps the one before it, so that some bytes are copied twice.
        const size_t at = i < length - 16 ? i : length - 16, end = at + 16;
        const json_block block = json_load(text + at);
        json_store(target + at, block);
        uint64_t mask = json_from(json_active_mask(block), i - at);
        i = end;
        while (mask) {
            const size_t place = at + json_first(mask);
            if (text[place] < 0x80) return place;
            const uint32_t four = json_four(text + place, length - place);
            const size_t count = json_inert_character(four);
            if (count == 0) return place;
            if (place + count >= end) {
                // The part of the character after this block has not been copied.
                json_store_four(target + place, four);
                i = place + count;
                break;
            }
            mask = json_from(mask, place + count - at);
        }
    }
#endif
    while (i < length) {
        if (text[i] >= 0x80) {
            const uint32_t four = json_four(text + i, length - i);
            const size_t count = json_inert_character(four);
            if (count == 0) return i;
            json_store_four(target + i, four);
            i += count;
            continue;
        }
        if (text[i] < 0x20 || text[i] == 0x7F || text[i] == '"' || text[i] == '\\') return i;
        target[i] = text[i];
        i += 1;
    }
    return length;
}

/// Writes the 16 lower-case hexadecimal digits of a value.
static inline void json_hexadecimal(uint8_t *target, uint64_t value) {
#if defined(__SSE2__)
    const __m128i bytes = _mm_cvtsi64_si128((int64_t)__builtin_bswap64(value)), low = _mm_set1_epi8(0xF);
    const __m128i nibbles =
        _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(bytes, 4), low), _mm_and_si128(bytes, low));
    const __m128i letters = _mm_and_si128(_mm_cmpgt_epi8(nibbles, _mm_set1_epi8(9)), _mm_set1_epi8('a' - '9' - 1));
    json_store(target, _mm_add_epi8(_mm_add_epi8(nibbles, _mm_set1_epi8('0')), letters));
#elif defined(__aarch64__)
    const uint8x8_t bytes = vcreate_u8(__builtin_bswap64(value));
    const uint8x8_t high = vshr_n_u8(bytes, 4), low = vand_u8(bytes, vdup_n_u8(0xF));
    const uint8x16_t nibbles = vcombine_u8(vzip1_u8(high, low), vzip2_u8(high, low));
    const uint8x16_t letters = vandq_u8(vcgtq_u8(nibbles, vdupq_n_u8(9)), vdupq_n_u8('a' - '9' - 1));
    json_store(target, vaddq_u8(vaddq_u8(nibbles, vdupq_n_u8('0')), letters));
#else
    for (int place = 0; place < 16; place += 1) target[place] = (uint8_t)"0123456789abcdef"[value >> (60 - 4 * place) & 0xF];
#endif
}

/// Writes the 36 characters of a UUID, in its usual lower-case form, from its two halves.
static inline void json_uuid(uint8_t *target, uint64_t high, uint64_t low) {
    uint8_t digits[32];
    json_hexadecimal(digits, high);
    json_hexadecimal(digits + 16, low);
    memcpy(target, digits, 8);
    memcpy(target + 9, digits + 8, 4);
    memcpy(target + 14, digits + 12, 4);
    memcpy(target + 19, digits + 16, 4);
    memcpy(target + 24, digits + 20, 8);
    memcpy(target + 32, digits + 28, 4);
    target[8] = target[13] = target[18] = target[23] = '-';
}

/// Returns the eight digits of a number below 100,000,000 as numbers, with the first in the lowest byte. The number is
/// halved twice and then split into single digits, all parts at once. The factors approximate division by 100 and by
/// 10, exactly enough for the possible values.
static inline uint64_t json_eight_digits(uint32_t value) {
    const uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    const uint64_t hundreds = (fours * 10486) >> 20 & 0x0000007F0000007F;
    const uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    const uint64_t tens = (twos * 103) >> 10 & 0x000F000F000F000F;
    return tens | (twos - tens * 10) << 8;
}

/// Writes eight digits in the order of `json_eight_digits`.
static inline void json_store_digits(uint8_t *target, uint64_t digits) {
    uint64_t text = digits | 0x3030303030303030;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    text = __builtin_bswap64(text);
#endif
    memcpy(target, &text, 8);
}

/// Writes a number below 100,000,000 without leading zeros and returns its number of digits. `target` has room for
/// eight bytes.
static inline size_t json_short_decimal(uint8_t *target, uint32_t value) {
    const uint64_t digits = json_eight_digits(value);
    const size_t zeros = (size_t)__builtin_ctzll(digits | (uint64_t)1 << 56) >> 3;
    json_store_digits(target, digits >> (8 * zeros));
    return 8 - zeros;
}

/// The room that an integer needs: for 20 digits, or 19 and a sign, and for the bytes written after the digits of a
/// shorter one.
enum { JSON_INTEGER_ROOM = 25 };

/// Writes a number of 9 to 16 digits and returns its number of digits. `target` has room for 16 bytes.
static inline size_t json_long_decimal(uint8_t *target, uint64_t value) {
    const uint64_t eight = 100000000;
    const uint32_t first = (uint32_t)(value / eight), last = (uint32_t)(value % eight);
#if defined(__SSE2__)
    // Like json_eight_digits, with both halves at once.
    const __m128i eights = _mm_unpacklo_epi64(_mm_cvtsi32_si128((int)first), _mm_cvtsi32_si128((int)last));
    const __m128i thousands = _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi64x(0xD1B71759)), 45);
    const __m128i rest = _mm_sub_epi32(eights, _mm_mul_epu32(thousands, _mm_set1_epi64x(10000)));
    const __m128i fours = _mm_or_si128(thousands, _mm_slli_epi64(rest, 32));
    const __m128i hundreds = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi32(5243)), 3);
    const __m128i units = _mm_sub_epi16(fours, _mm_mullo_epi16(hundreds, _mm_set1_epi32(100)));
    const __m128i twos = _mm_or_si128(hundreds, _mm_slli_epi32(units, 16));
    const __m128i tens = _mm_mulhi_epu16(twos, _mm_set1_epi16(6554));
    const __m128i ones = _mm_sub_epi16(twos, _mm_mullo_epi16(tens, _mm_set1_epi16(10)));
    const __m128i digits = _mm_or_si128(tens, _mm_slli_epi16(ones, 8));
    const size_t zeros = json_first(~json_mask(json_equal(digits, 0)));
    const __m128i text = json_either(digits, _mm_set1_epi8('0'));
    const uint64_t head = (uint64_t)_mm_cvtsi128_si64(text) >> (8 * zeros);
    memcpy(target, &head, 8);
    _mm_storel_epi64((__m128i *)(target + 8 - zeros), _mm_unpackhi_epi64(text, text));
    return 16 - zeros;
#else
    const size_t count = json_short_decimal(target, first);
    json_store_digits(target + count, json_eight_digits(last));
    return count + 8;
#endif
}

/// Writes a number of more than 16 digits and returns its number of digits. `target` has room for 24 bytes.
static inline __attribute__((noinline)) size_t json_longest_decimal(uint8_t *target, uint64_t value) {
    const uint64_t eight = 100000000, sixteen = eight * eight;
    const size_t count = json_short_decimal(target, (uint32_t)(value / sixteen));
    value %= sixteen;
    json_store_digits(target + count, json_eight_digits((uint32_t)(value / eight)));
    json_store_digits(target + count + 8, json_eight_digits((uint32_t)(value % eight)));
    return count + 16;
}

/// Writes a number and returns its number of digits. `target` has room for JSON_INTEGER_ROOM bytes.
static inline size_t json_decimal(uint8_t *target, uint64_t value) {
    if (value < 10) {
        *target = (uint8_t)('0' + value);
        return 1;
    }
    if (value < 100) {
        target[0] = (uint8_t)('0' + value / 10);
        target[1] = (uint8_t)('0' + value % 10);
        return 2;
    }
    if (value < 100000000) return json_short_decimal(target, (uint32_t)value);
    return value < 10000000000000000 ? json_long_decimal(target, value) : json_longest_decimal(target, value);
}

/// Writes an integer and returns its length in bytes. `target` has room for JSON_INTEGER_ROOM bytes.
static inline size_t json_integer(uint8_t *target, int64_t value) {
    const size_t sign = value < 0;
    target[0] = '-';
    return sign + json_decimal(target + sign, sign ? 0 - (uint64_t)value : (uint64_t)value);
}

#pragma once
// Finds the positions in a text that may hold a secret, in one pass over 64 bytes at a time. Nearly every event passes
// without a hit. The functions are static inline, so they are compiled into the Swift code that calls them. They use
// the baseline instruction sets (SSE2 is part of x86-64), and AVX-512 if the processor supports it. They never read
// outside the `length` bytes at `text`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The kinds of position that may belong to a secret.
enum {
    SECRET_NONE,
    /// The colon or equals sign after a possible name of a secret.
    SECRET_NAME,
    /// A byte in a run of at least SECRET_RUN letters and digits.
    SECRET_RUN_PLACE,
    /// The space after "Bearer" or "Basic".
    SECRET_SCHEME,
    /// An at sign, as in an address with a password.
    SECRET_AT,
    /// The `u` of an escape (`\u00XX`) of an ASCII character.
    SECRET_ESCAPE,
    /// A percent sign that encodes a letter, a digit, or a separator of names and values.
    SECRET_PERCENT,
};

/// The shortest run of letters and digits that may be a key.
#define SECRET_RUN 20

typedef struct {
    size_t place;
    int kind;
} secret_place;

static inline bool secret_is_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

static inline bool secret_is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

/// The number of 64-bit words in each of the two tables of name endings: one by the last three letters, for words of up
/// to four letters, and one by the last five.
#define SECRET_TAILS 512

/// Returns the index in the first table: five bits of each of the last three letters of a name.
static inline uint32_t secret_tail(uint8_t a, uint8_t b, uint8_t c) {
    return (uint32_t)(a & 31) << 10 | (uint32_t)(b & 31) << 5 | (uint32_t)(c & 31);
}

/// Returns the index in the second table, from the last five letters of a name.
static inline uint32_t secret_long_tail(const uint8_t *end) {
    return secret_tail(end[2], end[3], end[4]) ^ ((uint32_t)(end[0] & 31) << 3 | (uint32_t)(end[1] & 31) << 9);
}

/// Returns the indexes in both tables, from the last five letters of a name. `letters` holds them from its lowest byte
/// up.
static inline uint32_t secret_tails_of(uint64_t letters, uint32_t *longTail) {
    const uint64_t five = letters & 0x1F1F1F1F1F;
    const uint32_t tail = (uint32_t)((five >> 6 & 0x7C00) | (five >> 19 & 0x3E0) | (five >> 32));
    *longTail = tail ^ (uint32_t)((five & 31) << 3 | (five >> 8 & 31) << 9);
    return tail;
}

static inline uint64_t secret_has(const uint64_t *tails, uint32_t tail) { return tails[tail >> 6] >> (tail & 63) & 1; }

static inline bool secret_folds_to(const uint8_t *text, const char *word, size_t length) {
    for (size_t i = 0; i < length; i += 1) {
        if ((text[i] | 0x20) != (uint8_t)word[i]) return false;
    }
    return true;
}

/// Returns whether a name may be that of a secret, judged by its last letters. The last letter is at `end - 1`. (A byte
/// that is not a letter counts as one here, so a doubtful name passes.)
static inline bool secret_may_name(const uint8_t *text, size_t end, const uint64_t *tails) {
    if (end < 5) return end >= 3 && secret_has(tails, secret_tail(text[end - 3], text[end - 2], text[end - 1]));
    if (!(secret_has(tails, secret_tail(text[end - 3], text[end - 2], text[end - 1]))
          | secret_has(tails + SECRET_TAILS, secret_long_tail(text + end - 5)))) return false;
    // Many names end with "id" after a separator. Only session ids count (`session_id`, `sess_id`).
    if (secret_is_letter(text[end - 3]) || (text[end - 1] | 0x20) != 'd') return true;
    return end >= 7 && (secret_folds_to(text + end - 7, "sion", 4) || secret_folds_to(text + end - 7, "sess", 4));
}

/// Returns whether the name that ends before the sign at `place` may be that of a secret.
static inline bool secret_ends_name(const uint8_t *text, size_t place, const uint64_t *tails) {
    size_t end = place;
    while (end > 0 && text[end - 1] == ' ') end -= 1;
    if (end > 0 && (text[end - 1] == '"' || text[end - 1] == '\'')) {
        end -= 1;
        while (end > 0 && text[end - 1] == '\\') end -= 1;
    }
    // Skip numbers and brackets after the word: `password2`, `token[]`.
    for (int step = 0; step < 8 && end > 0 && !secret_is_letter(text[end - 1]); step += 1) {
        const uint8_t byte = text[end - 1];
        if (!secret_is_digit(byte) && byte != '_' && byte != '-' && byte != '.' && byte != '[' && byte != ']') return false;
        end -= 1;
    }
    return secret_may_name(text, end, tails);
}

static inline int secret_hex(uint8_t byte) {
    if (secret_is_digit(byte)) return byte - '0';
    const uint8_t letter = byte | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/// Returns the kind of the byte at `place`, which the vector scan has marked.
static inline int secret_kind(const uint8_t *text, size_t length, size_t place, const uint64_t *tails) {
    switch (text[place]) {
    case ':':
    case '=': return secret_ends_name(text, place, tails) ? SECRET_NAME : SECRET_NONE;
    case '@': return SECRET_AT;
    case ' ':
        if (place >= 6 && secret_folds_to(text + place - 6, "bearer", 6)) return SECRET_SCHEME;
        return place >= 5 && secret_folds_to(text + place - 5, "basic", 5) ? SECRET_SCHEME : SECRET_NONE;
    case 'u':
        return length - place >= 5 && text[place + 1] == '0' && text[place + 2] == '0' && text[place + 3] >= '2'
                && text[place + 3] <= '7'
            ? SECRET_ESCAPE
            : SECRET_NONE;
    case '%': {
        if (length - place < 3) return SECRET_NONE;
        const int high = secret_hex(text[place + 1]), low = secret_hex(text[place + 2]);
        if (high < 2 || high > 7 || low < 0) return SECRET_NONE;
        const uint8_t byte = (uint8_t)(high << 4 | low);
        if (secret_is_letter(byte) || secret_is_digit(byte)) return SECRET_PERCENT;
        return byte && strchr("\"%&=?#:@_-", byte) ? SECRET_PERCENT : SECRET_NONE;
    }
    default: return SECRET_NONE;
    }
}

/// One bit for each of 64 bytes, by class. `enders` are the letters that may end the word before a space.
typedef struct {
    uint64_t colons, quotes, signs, backslashes, units, enders, spaces, words;
} secret_masks;

#if defined(__SSE2__)
#include <immintrin.h>
static inline __m128i secret_in_range(__m128i block, char first, char count) {
    const __m128i moved = _mm_sub_epi8(block, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(moved, _mm_set1_epi8(count)), moved);
}

static inline uint64_t secret_bits(__m128i block, int shift) { return (uint64_t)(unsigned)_mm_movemask_epi8(block) << shift; }

static inline __m128i secret_is(__m128i block, char byte) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(byte)); }

static inline secret_masks secret_look_narrow(const uint8_t *text) {
    secret_masks masks = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 64; i += 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)(text + i));
        const __m128i folded = _mm_or_si128(block, _mm_set1_epi8(0x20));
        masks.colons |= secret_bits(secret_is(block, ':'), i);
        masks.quotes |= secret_bits(secret_is(block, '"'), i);
        masks.signs |= secret_bits(
            _mm_or_si128(secret_is(block, '='), _mm_or_si128(secret_is(block, '@'), secret_is(block, '%'))), i);
        masks.backslashes |= secret_bits(secret_is(block, '\\'), i);
        masks.units |= secret_bits(secret_is(block, 'u'), i);
        masks.enders |= secret_bits(_mm_or_si128(secret_is(folded, 'r'), secret_is(folded, 'c')), i);
        masks.spaces |= secret_bits(secret_is(block, ' '), i);
        masks.words |= secret_bits(_mm_or_si128(secret_in_range(folded, 'a', 25), secret_in_range(block, '0', 9)), i);
    }
    return masks;
}
#else
static inline secret_masks secret_look_narrow(const uint8_t *text) {
    secret_masks masks = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 64; i += 1) {
        const uint8_t byte = text[i], folded = byte | 0x20;
        const uint64_t bit = (uint64_t)1 << i;
        masks.colons |= byte == ':' ? bit : 0;
        masks.quotes |= byte == '"' ? bit : 0;
        masks.signs |= byte == '=' || byte == '@' || byte == '%' ? bit : 0;
        masks.backslashes |= byte == '\\' ? bit : 0;
        masks.units |= byte == 'u' ? bit : 0;
        masks.enders |= folded == 'r' || folded == 'c' ? bit : 0;
        masks.spaces |= byte == ' ' ? bit : 0;
        masks.words |= secret_is_letter(byte) || secret_is_digit(byte) ? bit : 0;
    }
    return masks;
}
#endif

#if defined(__x86_64__)
#define SECRET_WIDE __attribute__((target("avx512f,avx512bw,popcnt,bmi")))
static inline bool secret_has_wide_blocks(void) { return __builtin_cpu_supports("avx512bw"); }

SECRET_WIDE static inline uint64_t secret_is_wide(__m512i block, char byte) {
    return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte));
}

SECRET_WIDE static inline secret_masks secret_look_wide(const uint8_t *text) {
    const __m512i block = _mm512_loadu_si512(text);
    const __m512i folded = _mm512_or_si512(block, _mm512_set1_epi8(0x20));
    secret_masks masks;
    masks.colons = secret_is_wide(block, ':');
    masks.quotes = secret_is_wide(block, '"');
    masks.signs = secret_is_wide(block, '=') | secret_is_wide(block, '@') | secret_is_wide(block, '%');
    masks.backslashes = secret_is_wide(block, '\\');
    masks.units = secret_is_wide(block, 'u');
    masks.enders = secret_is_wide(folded, 'r') | secret_is_wide(folded, 'c');
    masks.spaces = secret_is_wide(block, ' ');
    masks.words = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(folded, _mm512_set1_epi8('a')), _mm512_set1_epi8(26))
        | _mm512_cmplt_epu8_mask(_mm512_sub_epi8(block, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    return masks;
}
#endif

// Returns the start of the first run of 20 in a word of bits, or 64 if it contains none.
static inline size_t secret_run_in(uint64_t words) {
    uint64_t run = words & words >> 1;
    run &= run >> 2;
    const uint64_t eight = run & run >> 4;
    const uint64_t twenty = eight & eight >> 8 & run >> 16;
    return twenty ? (size_t)__builtin_ctzll(twenty) : 64;
}

// `wide` becomes a constant when this is inlined into its callers.
__attribute__((always_inline)) static inline secret_place secret_next_in(
    const uint8_t *text, size_t length, size_t from, const uint64_t *tails, bool wide
) {
    // The number of letters and digits directly before the block, and the class of the last byte before it.
    const uint8_t last = from > 0 && from <= length ? text[from - 1] : 0;
    size_t before = 0;
    uint64_t quote = last == '"', backslash = last == '\\', ender = (last | 0x20) == 'r' || (last | 0x20) == 'c';
    for (size_t i = from; i < length; i += 64) {
        uint8_t rest[64];
        const uint8_t *block = text + i;
        if (length - i < 64) {
            memset(rest, 0, sizeof rest);
            memcpy(rest, block, length - i);
            block = rest;
        }
        secret_masks masks;
#if defined(__x86_64__)
        if (wide) {
            masks = secret_look_wide(block);
        } else
#endif
            masks = secret_look_narrow(block);
        size_t run = secret_run_in(masks.words);
        const size_t first = ~masks.words ? (size_t)__builtin_ctzll(~masks.words) : 64;
        if (first > 0 && before + first >= SECRET_RUN) run = 0;
        // Nearly every sign is the colon of a member, and nearly every name ends with a letter.
        uint64_t members = masks.colons & (masks.quotes << 1 | quote);
        uint64_t signs = masks.signs | (masks.colons & ~members) | (masks.units & (masks.backslashes << 1 | backslash))
            | (masks.spaces & (masks.enders << 1 | ender));
        quote = masks.quotes >> 63;
        backslash = masks.backslashes >> 63;
        ender = masks.enders >> 63;
        size_t member = 64;
        for (; members; members &= members - 1) {
            const size_t bit = (size_t)__builtin_ctzll(members), place = i + bit;
            if (place < 6 || !secret_is_letter(text[place - 2])) {
                signs |= (uint64_t)1 << bit;
                continue;
            }
            uint64_t letters = 0;
            uint32_t longTail;
            memcpy(&letters, text + place - 6, 5);
            const uint32_t tail = secret_tails_of(letters, &longTail);
            if (!(secret_has(tails, tail) | secret_has(tails + SECRET_TAILS, longTail))) continue;
            if (!secret_may_name(text, place - 1, tails)) continue;
            member = bit;
            break;
        }
        while (signs) {
            const size_t bit = (size_t)__builtin_ctzll(signs);
            if (bit > run || bit > member) break;
            signs &= signs - 1;
            const size_t place = i + bit;
            const int kind = secret_kind(text, length, place, tails);
            if (kind != SECRET_NONE) return (secret_place){place, kind};
        }
        if (member < run) return (secret_place){i + member, SECRET_NAME};
        if (run < 64) return (secret_place){i + run, SECRET_RUN_PLACE};
        before = first == 64 ? before + 64 : (size_t)__builtin_clzll(~masks.words);
    }
    return (secret_place){length, SECRET_NONE};
}

#if defined(__x86_64__)
SECRET_WIDE static inline secret_place secret_next_wide(
    const uint8_t *text, size_t length, size_t from, const uint64_t *tails
) {
    return secret_next_in(text, length, from, tails, true);
}
#endif

/// Returns the first position from `from` on that may hold a secret. `tails` points to the two tables of name endings.
static inline secret_place secret_next(const uint8_t *text, size_t length, size_t from, const uint64_t *tails) {
#if defined(__x86_64__)
    if (secret_has_wide_blocks()) return secret_next_wide(text, length, from, tails);
#endif
    return secret_next_in(text, length, from, tails, false);
}

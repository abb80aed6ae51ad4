#pragma once
// CRC-32C with the processor's own instruction, which Swift cannot express. The functions that need more than the
// baseline instruction set carry a target attribute. Call them only if `crc32c_has_instruction` returns true.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define CRC32C_TARGET __attribute__((target("sse4.2,pclmul")))
static inline bool crc32c_has_instruction(void) {
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}
CRC32C_TARGET static inline uint32_t crc32c_word(uint32_t crc, uint64_t word) { return (uint32_t)_mm_crc32_u64(crc, word); }
CRC32C_TARGET static inline uint32_t crc32c_byte(uint32_t crc, uint8_t byte) { return _mm_crc32_u8(crc, byte); }

/// Returns the checksum after the data is followed by n more (zero) bytes. `power` is x^(8n - 33) modulo the
/// polynomial, with bits reflected. (The product of two reflected words is one bit too low, and the instruction
/// multiplies by x^32.)
CRC32C_TARGET static inline uint32_t crc32c_followed(uint32_t crc, uint32_t power) {
    const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)crc), _mm_cvtsi32_si128((int)power), 0);
    return (uint32_t)_mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define CRC32C_TARGET __attribute__((target("crc")))
static inline bool crc32c_has_instruction(void) { return (getauxval(AT_HWCAP) & (1 << 7)) != 0; }
CRC32C_TARGET static inline uint32_t crc32c_word(uint32_t crc, uint64_t word) { return __builtin_arm_crc32cd(crc, word); }
CRC32C_TARGET static inline uint32_t crc32c_byte(uint32_t crc, uint8_t byte) { return __builtin_arm_crc32cb(crc, byte); }
#else
static inline bool crc32c_has_instruction(void) { return false; }
#endif

#if defined(CRC32C_TARGET)
CRC32C_TARGET static inline uint64_t crc32c_load(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

/// Returns the state `crc` after these bytes. Requires `crc32c_has_instruction`.
CRC32C_TARGET static inline uint32_t crc32c_by_instruction(uint32_t crc, const uint8_t *bytes, size_t length) {
#if defined(__x86_64__)
    // The instruction has a latency of three cycles, but one can start in each cycle. Three stretches are therefore
    // summed in parallel.
    enum { stretch = 1024 };
    for (; length >= 3 * stretch; length -= 3 * stretch, bytes += 3 * stretch) {
        uint32_t second = 0, third = 0;
        for (size_t i = 0; i < stretch; i += 8) {
            crc = crc32c_word(crc, crc32c_load(bytes + i));
            second = crc32c_word(second, crc32c_load(bytes + stretch + i));
            third = crc32c_word(third, crc32c_load(bytes + 2 * stretch + i));
        }
        crc = crc32c_followed(crc, 0xA51B6135) ^ crc32c_followed(second, 0x170076FA) ^ third;
    }
#endif
    for (; length >= 8; length -= 8, bytes += 8) crc = crc32c_word(crc, crc32c_load(bytes));
    for (; length > 0; length -= 1, bytes += 1) crc = crc32c_byte(crc, *bytes);
    return crc;
}
#else
static inline uint32_t crc32c_by_instruction(uint32_t crc, const uint8_t *bytes, size_t length) {
    (void)bytes;
    (void)length;
    return crc;
}
#endif

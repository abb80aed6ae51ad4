#pragma once
// Hints to the processor, for which Swift has no word: nothing else happens, wherever they point. Static inline, so they are compiled into the
// Swift code that calls them.

#include <stddef.h>

// Has the processor fetch an object whose reference count will be written soon.
static inline void prefetch_object(const void *_Nullable object) {
    if (object) __builtin_prefetch(object, 1);
}

// The same of an object of which so many bytes behind its header will be read, too.
static inline void prefetch_contents(const void *_Nonnull object, size_t bytes) {
    const size_t header = 2 * sizeof(void *);
    __builtin_prefetch(object, 1);
    for (size_t place = 64; place < header + bytes; place += 64) __builtin_prefetch((const char *)object + place);
}

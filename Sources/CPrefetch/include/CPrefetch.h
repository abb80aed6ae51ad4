#pragma once
// Hints to the processor, for which Swift has no word: nothing else happens, wherever they point. Static inline, so they are compiled into the
// Swift code that calls them.

#include <stddef.h>

// Has the processor fetch an object whose reference count will be written soon.
static inline void prefetch_object(const void *_Nullable object) {
    if (object) __builtin_prefetch(object, 1);
}

// The same of an object of so many bytes that will be read, too.
static inline void prefetch_whole_object(const void *_Nonnull object, size_t bytes) {
    __builtin_prefetch(object, 1);
    for (size_t place = 64; place < bytes; place += 64) __builtin_prefetch((const char *)object + place);
}

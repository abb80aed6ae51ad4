#pragma once
// What SectionedModel needs and Swift has no word for. Static inline, so it is compiled into the Swift code that calls it.

// Has the processor fetch an object whose reference count will be written soon. A hint: nothing else happens, wherever it points.
static inline void prefetch_object(const void *_Nullable object) {
    if (object) __builtin_prefetch(object, 1);
}

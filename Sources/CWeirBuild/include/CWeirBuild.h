#ifndef CBUILD_H
#define CBUILD_H

// The commit of the build, from WEIR_COMMIT in the environment of Package.swift; empty if that is not set.
#ifndef WEIR_COMMIT
#define WEIR_COMMIT ""
#endif

static inline const char *weir_commit(void) { return WEIR_COMMIT; }

#endif

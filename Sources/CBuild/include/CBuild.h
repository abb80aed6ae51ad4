#ifndef CBUILD_H
#define CBUILD_H

// The commit that the program is made of, where the environment said it to Package.swift (WEIR_COMMIT); empty where it did not.
#ifndef WEIR_COMMIT
#define WEIR_COMMIT ""
#endif

static inline const char *weir_commit(void) { return WEIR_COMMIT; }

#endif

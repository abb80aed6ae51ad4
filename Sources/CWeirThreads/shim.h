// Swift does not import functions with variable arguments.
#include <sys/prctl.h>

// Names the calling thread. The kernel keeps 15 bytes.
static inline void weir_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// The target is a header of inline functions; this checks that it compiles on its own.
#include "CSecretScan.h"

// The target is a header of inline functions. This file checks that the header compiles on its own.
#include "CWeirJSONScan.h"

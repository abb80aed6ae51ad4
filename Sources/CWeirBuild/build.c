// The target is a header; this checks that it compiles on its own.
#include "CWeirBuild.h"

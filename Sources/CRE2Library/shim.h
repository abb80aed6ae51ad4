// RE2 is C++. Only Sources/CRE2 includes it, and wraps it in a C header.

// RE2 is C++. Only Sources/CWeirRE2 includes it, and wraps it in a C header.

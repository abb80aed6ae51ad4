// RE2 is C++: only Sources/CRE2 includes it, behind a C header.

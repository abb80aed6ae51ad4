// simdjson is C++: only Tests/CSimdjson includes it, behind a C header.

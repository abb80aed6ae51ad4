// simdjson is C++. Only Tests/CSimdjson includes it, and offers a C header.

// A C target of the application, with a name that many packages use.
static inline int consumer_marker(void) { return 1; }

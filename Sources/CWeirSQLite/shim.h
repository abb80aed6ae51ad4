// The parts of SQLite that Swift cannot see: a destructor that is a cast, and a variadic function. An empty value gets
// a non-null address, because SQLite binds a null address as NULL. The functions contain no other logic.
#ifndef WEIR_SQLITE_SHIM_H
#define WEIR_SQLITE_SHIM_H

#include <sqlite3.h>

static inline int weir_sqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int weir_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
static inline int weir_sqlite_configure(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}

#endif

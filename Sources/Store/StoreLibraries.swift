import CSQLite

/// The C library of this room with its version.
package enum StoreLibraries {
    /// The library with the version that runs, for `weir --version`.
    package static var versions: [(name: String, version: String)] {
        [("sqlite", String(cString: sqlite3_libversion()))]
    }
}

import CWeirZlib

/// The C library of this room with its version.
package enum WireLibraries {
    /// The library with the version that runs, for `weir --version`.
    package static var versions: [(name: String, version: String)] { [("zlib", String(cString: zlibVersion()))] }
}

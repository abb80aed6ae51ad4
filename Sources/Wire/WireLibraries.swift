import CZlib

/// The C library of this room, as it is linked.
package enum WireLibraries {
    /// It and its version.
    package static var versions: [(name: String, version: String)] { [("zlib", String(cString: zlibVersion()))] }
}

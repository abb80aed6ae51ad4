import CNATS

/// The C library of this room with its version.
package enum StreamsLibraries {
    /// The library with the version that runs, for `weir --version`.
    package static var versions: [(name: String, version: String)] { [("nats", String(cString: nats_GetVersion()))] }
}

import CYAML

/// The C library of this room with its version.
package enum YAMLLibraries {
    /// The library with the version that runs, for `weir --version`.
    package static var versions: [(name: String, version: String)] {
        [("libyaml", String(cString: yaml_get_version_string()))]
    }
}

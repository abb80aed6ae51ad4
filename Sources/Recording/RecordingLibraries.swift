import CCrypto
import CZstd

/// The C libraries of this room with their versions.
package enum RecordingLibraries {
    /// The libraries with the versions that run, in the order of `weir --version`.
    package static var versions: [(name: String, version: String)] {
        // `OpenSSL 3.0.15 3 Sep 2024`
        let words = String(cString: OpenSSL_version(OPENSSL_VERSION)).split(separator: " ")
        return [
            ("openssl", words.count > 1 ? String(words[1]) : "unknown"),
            ("zstd", String(cString: ZSTD_versionString())),
        ]
    }
}

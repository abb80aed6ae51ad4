import CWeirCurl
import CWeirLibWebSockets

/// The C libraries of this room with their versions.
package enum NetworkLibraries {
    /// The libraries with the versions that run, in the order of `weir --version`.
    package static var versions: [(name: String, version: String)] {
        [
            // The build's commit follows the version number.
            ("libwebsockets", String(String(cString: lws_get_library_version()).prefix { $0 != "-" && $0 != " " })),
            // `libcurl/7.88.1 OpenSSL/3.0.15 …`
            ("libcurl", String(String(cString: curl_version()).prefix { $0 != " " }.drop { !$0.isNumber })),
        ]
    }
}

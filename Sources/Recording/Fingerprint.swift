/// What tells whether two secrets are the same, and not what they are.
package enum Fingerprint {
    /// The first 32 bits of the SHA-256 of a text, as hexadecimal digits.
    package static func of(_ text: String) -> String {
        String(SHA256Digest.of(Array(text.utf8).span).prefix(8))
    }
}

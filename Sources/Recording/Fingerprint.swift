/// A short hash that shows whether two secrets are equal without revealing them.
package enum Fingerprint {
    /// Returns the first 32 bits of the text's SHA-256, as hexadecimal digits.
    package static func of(_ text: String) -> String {
        String(SHA256Digest.of(Array(text.utf8).span).prefix(8))
    }
}

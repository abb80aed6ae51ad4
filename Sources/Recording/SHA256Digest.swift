import CCrypto

/// The SHA-256 of a text in the form of a content security policy.
package enum TextDigest {
    /// Returns the digest of the text's UTF-8, in Base64 with padding.
    package static func base64(of text: String) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        let bytes = Array(text.utf8)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        var encoded = [UInt8](repeating: 0, count: 45)
        let count = Int(EVP_EncodeBlock(&encoded, digest, 32))
        return String(decoding: encoded.prefix(count), as: UTF8.self)
    }
}

/// The SHA-256 (FIPS 180-4) of bytes added in pieces. It owns an OpenSSL context.
final class SHA256Digest {
    private let context: OpaquePointer?

    init() {
        context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes to the digest.
    func update(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// Returns the digest as 64 lower-case hexadecimal digits. Nothing may be added afterwards.
    func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return Hexadecimal.text(of: digest[...])
    }

    /// Returns the digest of one piece.
    static func of(_ bytes: Span<UInt8>) -> String {
        let digest = SHA256Digest()
        digest.update(bytes)
        return digest.finish()
    }
}

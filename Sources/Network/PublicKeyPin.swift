import CLibWebSockets

/// The SHA-256 hash of a server's public key (its SubjectPublicKeyInfo in DER), written as in curl and RFC 7469.
public struct PublicKeyPin: Hashable, Sendable, CustomStringConvertible {
    /// The pin as text: `sha256//` and the hash in base64.
    public let description: String

    /// Parses `sha256//` and 44 characters of base64. Returns `nil` for any other text.
    public init?(_ text: String) {
        let encoded = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard text.hasPrefix(Self.prefix), encoded.count == 44 else { return nil }
        // 32 bytes, and one for the padding.
        var hash = [UInt8](repeating: 0, count: 33)
        guard EVP_DecodeBlock(&hash, encoded, Int32(encoded.count)) == 33 else { return nil }
        self.init(hash: hash.dropLast())
        // OpenSSL accepts more than it writes: white space, and unused bits.
        guard description == text else { return nil }
    }

    private static let prefix = "sha256//"

    private init(hash: [UInt8]) {
        // OpenSSL appends a zero byte.
        var encoded = [UInt8](repeating: 0, count: 45)
        EVP_EncodeBlock(&encoded, hash, Int32(hash.count))
        description = Self.prefix + String(decoding: encoded.dropLast(), as: UTF8.self)
    }

    /// Creates the pin of a certificate. Returns `nil` when OpenSSL cannot encode its key.
    init?(of certificate: OpaquePointer) {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        var hash = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        guard EVP_Digest(encoded, Int(count), &hash, &length, EVP_sha256(), nil) == 1, length == 32 else { return nil }
        self.init(hash: hash)
    }
}

extension [PublicKeyPin] {
    /// Describes the refusal of a server's key; `nil` for a key that is unknown.
    func refusal(of key: PublicKeyPin?) -> String {
        let found = key.map { "the server's public key is \($0), and" } ?? "the server's public key"
        let shown = prefix(2).map(\.description).joined(separator: " or ")
        return "\(found) is not the pinned \(shown)" + (count > 2 ? " or one of \(count - 2) more" : "")
    }
}

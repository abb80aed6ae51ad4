import Testing
public import WeirNetwork
import WeirWire

/// A private certificate authority and the certificates it signed, made by the `openssl` command in a temporary folder.
public struct Certificates: Sendable {
    /// The folder that contains all certificates and keys.
    public let folder: String
    /// The path of the authority's certificate.
    public var authority: String { folder + "/ca.pem" }
    /// A valid identity for `localhost`, 127.0.0.1 and ::1.
    package var good: TLSIdentity { identity("good") }
    /// An identity that is valid only for `other.example`.
    package var otherName: TLSIdentity { identity("other") }
    /// An identity for `localhost` that has expired.
    package var expired: TLSIdentity { identity("expired") }
    /// The path of another authority's certificate. It signed none of the server certificates.
    public var stranger: String { folder + "/stranger.pem" }

    /// A client certificate signed by the authority.
    public var client: ClientCertificate { clientCertificate("client") }
    /// A client certificate signed by the other authority.
    public var strangeClient: ClientCertificate { clientCertificate("strange-client") }
    /// Returns the client certificate with an encrypted key. `passphrase` is the one that the client uses for it.
    public func lockedClient(passphrase: String?) -> ClientCertificate {
        ClientCertificate(
            certificate: client.certificate, key: folder + "/locked.key", passphrase: passphrase.map { Secret($0) })
    }
    /// The passphrase with which the key of `lockedClient` is encrypted.
    public static let passphrase = "open sesame"

    /// The certificates shared by all tests of the process, made on first use.
    public static let shared = Result { try Certificates() }

    private func identity(_ name: String) -> TLSIdentity {
        TLSIdentity(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
    }

    private func clientCertificate(_ name: String) -> ClientCertificate {
        ClientCertificate(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
    }

    /// Returns the pin of an identity's key, computed by the `openssl` command.
    package func pin(_ identity: TLSIdentity) throws -> PublicKeyPin {
        let hash = try run([
            "sh", "-c",
            "openssl x509 -in \"$0\" -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary"
                + " | openssl base64", identity.certificate,
        ])
        return try #require(PublicKeyPin("sha256//\(hash)"))
    }

    private init() throws {
        folder = try temporaryFolder()
        try makeAuthority("ca")
        try makeAuthority("stranger")
        try sign("good", names: "DNS:localhost,IP:127.0.0.1,IP:::1", dates: ["-days", "30"])
        try sign("other", names: "DNS:other.example", dates: ["-days", "30"])
        try sign("client", names: "DNS:client", dates: ["-days", "30"])
        try sign("strange-client", names: "DNS:client", dates: ["-days", "30"], by: "stranger")
        try openssl([
            "pkcs8", "-topk8", "-in", "client.key", "-out", "locked.key", "-passout", "pass:\(Self.passphrase)",
        ])
        try sign("expired", names: "DNS:localhost,IP:127.0.0.1", dates: ["-days", "-1"])
    }

    private func makeAuthority(_ name: String) throws {
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
            "/CN=\(name)",
            "-keyout", "\(name).key", "-out", "\(name).pem",
        ])
    }

    private func sign(_ name: String, names: String, dates: [String], by authority: String = "ca") throws {
        try openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", "\(name).key", "-out", "\(name).csr",
        ])
        try writeFile("\(folder)/\(name).ext", "subjectAltName=\(names)\n")
        try openssl(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "\(authority).pem", "-CAkey", "\(authority).key",
                "-extfile", "\(name).ext",
                "-out", "\(name).pem",
            ]
                + dates)
    }

    private func openssl(_ arguments: [String]) throws {
        // Keeps openssl's progress dots out of the test output.
        try run(["sh", "-c", "cd \"$0\" && exec openssl \"$@\" 2>>openssl.log", folder] + arguments)
    }
}

/// What is taken out of a recording while it is written. A head names the rules that were used.
public enum RedactionRule: String, Hashable, Sendable, CaseIterable {
    /// Every spelling of every secret that was told to the writer becomes `‹redacted›`. Always in force.
    case secrets
    /// `Authorization` headers: no header but `retry-after` is written at all.
    case authorization
    /// Cookies: likewise.
    case cookies
    /// The values of members called `token`, `password` and the like (`CredentialName`) in what is sent, and in the queries of
    /// addresses, become `‹redacted›`.
    case credentials
    /// Session ids, which let others take over a session, become `sid-` and a hash with a salt that is in no file: equal ones stay
    /// equal in all segments of a recording, which then still replays.
    case sessions
}

/// Names under which credentials go.
enum CredentialName {
    private static let names: Set<String> = [
        "token", "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken", "bearer", "jwt",
        "authorization",
        "password", "passwd", "passphrase", "secret", "clientsecret", "apikey", "apitoken", "privatekey", "cookie",
    ]
    private static let longest = 24

    /// Whether a member or parameter of this name is a credential; case, `_` and `-` do not matter.
    static func contains(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count <= longest else { return false }
        var plain: [UInt8] = []
        for byte in name where byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
            plain.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        }
        return names.contains(String(decoding: plain, as: UTF8.self))
    }
}

package import JSONText
package import Wire

/// Takes the secrets that a server sends out of what came, before anything else sees it.
///
/// **Where the scrub is.** At the boundary: a message, an answer or a reason is scrubbed when it is whole, before the session and the recorder
/// are given it. Both take in the same bytes, so a replay of the recording comes to the same, byte by byte, and all that follows is clean
/// without a rule of its own: events, the model, diff logs, hooks, the control socket, the store. What Weir itself needs is read before, or
/// is left in its place: frames of WebSocket and polling, redirects and logins never come by; the session ids in Engine.IO's open packet,
/// in Socket.IO's CONNECT and where a profile says stay for the session (`RedactionRule.sessions` hides them in what is written), Bayeux's `clientId`, an event's offset
/// for recovery and the tokens of lists (`next_page_token`) are no secrets by the rules. Binary attachments are not looked into.
///
/// **The mark.** `‹secret-` and 64 bits of a SHA-256 over a key and the secret, as 16 hexadecimal digits, and `›`. The key is made for each
/// scrubber and is in no file, so that nobody can try passwords against a recording; the same secret has the same mark as long as the scrubber
/// lives: in all segments, answers and events of a run. After the first 4,096 secrets of a payload, and where the payload would grow beyond
/// what a recording holds (`Limits.largest`), the mark is `*`, or 0 for a number. A text with more secrets is one secret as a whole.
///
/// **The rules** are those of `file doctor --secrets` and `file redact --rule secrets` (`SecretRule`, `SecretName`): what was scrubbed, they
/// find clean.
package struct SecretScrubber: Sendable {
    private let key: [UInt8]
    private let sessionPath: JSONPath?

    /// A scrubber with a key that nobody knows. What messages have at `sessionPath` stays: the session needs it to resume.
    package init(leaving sessionPath: JSONPath? = nil) {
        var random = SystemRandomNumberGenerator()
        self.init(key: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }, leaving: sessionPath)
    }

    /// A scrubber with that key.
    init(key: [UInt8], leaving sessionPath: JSONPath? = nil) { (self.key, self.sessionPath) = (key, sessionPath) }

    /// A payload without secrets: JSON, perhaps behind the header of a packet, JSON Lines, or other text; nil when there were none.
    /// Nearly all payloads are passed over in one pass without memory.
    package func scrubbed(_ payload: ArraySlice<UInt8>) -> [UInt8]? { scrubbed(payload, at: nil) }

    private func scrubbed(_ payload: ArraySlice<UInt8>, at path: JSONPath?) -> [UInt8]? {
        guard payload.withUnsafeBufferPointer({ SecretFinder.mayHoldSecret($0) }) else { return nil }
        let isHandshake = payload.starts(with: "0{".utf8) || payload.starts(with: "40".utf8)
        let session = path.flatMap { SessionNames.id(in: payload, at: $0) }.map { Array($0.utf8) }
        var (marks, room) = (0, Limits.largest - payload.count)
        return PayloadWalk.changed(payload, seeksSecrets: true) { value in
            if isHandshake, value.keys == ["sid"] || value.keys == ["pid"] { return nil }
            if value.text == session { return nil }
            return value.replacing(value.secrets.map(\.range)) { secret in
                marks += 1
                if marks > SecretMark.most || room < SecretMark.growth { return SecretMark.short }
                room -= SecretMark.growth
                return SecretMark.text(digest: digest(of: secret))
            }
        }
    }

    /// A message without secrets; nil when there were none.
    package func scrubbed(_ message: WebSocketMessage) -> WebSocketMessage? {
        switch message {
        case .text(let text): scrubbed(text, at: sessionPath).map { .text($0[...]) }
        case .binary: nil
        }
    }

    /// A text without secrets.
    package func scrubbed(_ text: String) -> String {
        scrubbed(ArraySlice(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    private func digest(of secret: ArraySlice<UInt8>) -> String {
        let digest = SHA256Digest()
        digest.update(key.span)
        digest.update(secret.span)
        return digest.finish()
    }
}

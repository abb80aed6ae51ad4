package import WeirJSON
package import WeirWire

/// Removes the secrets that a server sends from received data, before any other code sees it.
///
/// **Where.** At the boundary: a message, an answer or a reason is scrubbed once it is complete, before the session and
/// the recorder receive it. Both see the same bytes, so a replay of the recording has the same result, byte for byte.
/// Everything downstream is clean without rules of its own: events, the model, diff logs, hooks, the control socket and
/// the store. Data that Weir needs is read earlier or left in place:
///
/// * Frames of WebSocket and polling, redirects and logins never reach the scrubber.
/// * The session ids in Engine.IO's open packet, in Socket.IO's CONNECT and at a profile's path stay for the session
///   (`RedactionRule.sessions` hides them in written data).
/// * The rules do not treat Bayeux's `clientId`, an event's offset for recovery and the tokens of lists (`next_page_token`) as secrets.
///
/// Binary attachments are not searched.
///
/// **The mark.** `‹secret-`, 64 bits of a SHA-256 over a key and the secret as 16 hexadecimal digits, and `›`. Each
/// scrubber has its own key, which is in no file, so that passwords cannot be tried against a recording. The same
/// secret has the same mark for the scrubber's lifetime: in all segments, answers and events of a run. After the first
/// 4,096 secrets of a payload, and where the payload would exceed the limit of a recording (`Limits.largest`), the mark
/// is `*`, or 0 for a number. A text with more secrets is treated as one secret.
///
/// **The rules** are those of `file doctor --secrets` and `file redact --rule secrets` (`SecretRule`, `SecretName`), so
/// they find nothing in scrubbed data.
package struct SecretScrubber: Sendable {
    private let key: [UInt8]
    private let sessionPath: JSONPath?

    /// Creates a scrubber with a random key. It leaves the text at `sessionPath` of a message, which the session needs
    /// to resume.
    package init(leaving sessionPath: JSONPath? = nil) {
        var random = SystemRandomNumberGenerator()
        self.init(key: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }, leaving: sessionPath)
    }

    /// Creates a scrubber with a given key.
    init(key: [UInt8], leaving sessionPath: JSONPath? = nil) { (self.key, self.sessionPath) = (key, sessionPath) }

    /// Returns a payload without secrets, or `nil` if it had none. The payload is JSON, possibly after a packet header,
    /// JSON Lines, or other text. Nearly all payloads pass in one scan without allocation.
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

    /// Returns a message without secrets, or `nil` if it had none.
    package func scrubbed(_ message: WebSocketMessage) -> WebSocketMessage? {
        switch message {
        case .text(let text): scrubbed(text, at: sessionPath).map { .text($0[...]) }
        case .binary: nil
        }
    }

    /// Returns the text without secrets.
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

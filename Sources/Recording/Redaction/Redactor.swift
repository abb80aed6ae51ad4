import Wire

/// Replaces secrets in data that is about to be written.
///
/// It finds a secret in any spelling: plain, escaped with backslashes (JSON inside JSON), as `\uXXXX` or `\n`, or percent-encoded, even
/// several times over. In doubt it matches, since hiding a little too much is better than leaking a secret. Time is linear in the text,
/// whatever a peer sends and however many secrets are known: a tail that reconnects again and again knows hundreds of session ids.
struct Redactor {
    /// The text that replaces a secret by default.
    static let replacement = "‹redacted›"

    private var secrets = SecretTree()
    private var starts = SecretStarts()

    /// Hides `secret` from now on; `replacement` takes its place. An empty secret hides nothing.
    mutating func add(_ secret: Secret, as replacement: String = Redactor.replacement) {
        let text = secret.reveal()
        if secrets.insert(text, replacement) { starts.insert(text) }
    }

    /// Stops hiding a secret that was added before.
    mutating func remove(_ secret: Secret) {
        let text = secret.reveal()
        if secrets.remove(text) { starts.remove(text) }
    }

    /// Returns the text with its secrets replaced.
    func redact(_ text: String) -> String {
        guard !secrets.isEmpty, let clean = replaced(ArraySlice(text.utf8)) else { return text }
        return String(decoding: clean, as: UTF8.self)
    }

    /// Returns the bytes with their secrets replaced.
    func redact(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !secrets.isEmpty, let clean = replaced(bytes) else { return bytes }
        return clean[...]
    }

    /// Returns the text with its secrets replaced, or `nil` if it contains none.
    private func replaced(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        bytes.withUnsafeBufferPointer { text in
            var search = SecretSearch(Spelling(text: text))
            let triesEachBackslash = secrets.child(of: SecretTree.root, "\\") != nil
            var result: [UInt8] = []
            var kept = 0
            var place = starts.next(from: 0, in: text)
            while place < text.count {
                let next = triesEachBackslash ? place + 1 : search.spelling.endOfBackslashes(from: &place)
                guard let (end, replacement) = search.longest(of: secrets, from: place) else {
                    place = starts.next(from: next, in: text)
                    continue
                }
                result.append(contentsOf: text[kept..<place])
                result.append(contentsOf: replacement.utf8)
                kept = end
                place = starts.next(from: end, in: text)
            }
            guard kept > 0 else { return nil }
            result.append(contentsOf: text[kept...])
            return result
        }
    }
}

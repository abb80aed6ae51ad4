import Wire

/// Replaces secrets in what is about to be written.
///
/// A secret is found however its characters are spelled: as they are, behind backslashes (JSON inside JSON), as
/// `\uXXXX` or `\n`, percent-encoded, even several times over. In doubt it matches: a little too much is hidden rather
/// than a secret kept. Time is linear in the text, whatever a peer sends.
struct Redactor {
    /// What stands in the place of a secret.
    static let replacement = "‹redacted›"

    /// A text to be hidden, and what takes its place.
    fileprivate struct Hidden {
        var scalars: [Unicode.Scalar]
        var replacement: String
    }

    private var secrets: [Hidden] = []
    /// Bytes a spelling of a secret can begin with, so that most of a text is passed over quickly.
    private var starts = [Bool](repeating: false, count: 256)
    /// Bytes that can follow where a spelling begins with the secret's own first byte.
    private var seconds = [Bool](repeating: false, count: 256)
    /// Whether a secret is one byte, so that it may end the text where it begins.
    private var hasOneByte = false
    /// Whether a secret begins with a backslash, so that it may begin anywhere in a run of them.
    private var triesEachBackslash = false

    /// Hides `secret` from now on; `replacement` takes its place. An empty secret hides nothing.
    mutating func add(_ secret: Secret, as replacement: String = Redactor.replacement) {
        let scalars = Array(secret.reveal().unicodeScalars)
        guard let first = scalars.first, !secrets.contains(where: { $0.scalars == scalars }) else { return }
        secrets.append(Hidden(scalars: scalars, replacement: replacement))
        // The longest first: a secret that is the start of another must not leave the other's rest behind.
        secrets.sort { $0.scalars.count > $1.scalars.count }
        for byte in [UInt8(ascii: "\\"), UInt8(ascii: "%")] {
            starts[Int(byte)] = true
            seconds[Int(byte)] = true
        }
        let bytes = secret.reveal().utf8
        starts[Int(bytes[bytes.startIndex])] = true
        if let second = bytes.dropFirst().first {
            seconds[Int(second)] = true
            if second == UInt8(ascii: " ") { seconds[Int(UInt8(ascii: "+"))] = true }
        } else {
            seconds = [Bool](repeating: true, count: 256)
            hasOneByte = true
        }
        if first == "\\" { triesEachBackslash = true }
        if first == " " { starts[Int(UInt8(ascii: "+"))] = true }
    }

    /// Does not hide `secret` any more.
    mutating func remove(_ secret: Secret) {
        let scalars = Array(secret.reveal().unicodeScalars)
        secrets.removeAll { $0.scalars == scalars }
    }

    /// `text` without secrets.
    func redact(_ text: String) -> String {
        guard !secrets.isEmpty, let clean = replaced(ArraySlice(text.utf8)) else { return text }
        return String(decoding: clean, as: UTF8.self)
    }

    /// `bytes` without secrets.
    func redact(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !secrets.isEmpty, let clean = replaced(bytes) else { return bytes }
        return clean[...]
    }

    /// Whether a spelling can begin at `place`, as far as its second byte tells.
    private func canFollow(_ place: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch text[place] {
        case UInt8(ascii: "\\"), UInt8(ascii: "%"): true
        default: place + 1 < text.count ? seconds[Int(text[place + 1])] : hasOneByte
        }
    }

    /// The text with its secrets replaced, nil when there are none.
    private func replaced(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        bytes.withUnsafeBufferPointer { text in
            var spelling = Spelling(text: text)
            var result: [UInt8] = []
            var kept = 0
            var place = 0
            while place < text.count {
                guard starts[Int(text[place])], canFollow(place, in: text) else {
                    place += 1
                    continue
                }
                let next = triesEachBackslash ? place + 1 : spelling.endOfBackslashes(from: &place)
                guard let (end, replacement) = spelling.end(of: secrets, from: place) else {
                    place = next
                    continue
                }
                result.append(contentsOf: text[kept..<place])
                result.append(contentsOf: replacement.utf8)
                place = end
                kept = end
            }
            guard kept > 0 else { return nil }
            result.append(contentsOf: text[kept...])
            return result
        }
    }
}

/// Follows a secret through a text in every spelling at once: one step per character, from all places reached so far.
private struct Spelling {
    let text: UnsafeBufferPointer<UInt8>
    private var reached: [Int] = []
    private var next: [Int] = []

    /// Four levels of JSON inside JSON put at most this many backslashes before a character.
    private static let longestRun = 16
    /// `%25252F`: encoded three times over.
    private static let percentLevels = 3

    init(text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// Where the next spelling may begin after the one at `place`. Of a run of backslashes, which belong to the
    /// character after it, one place is enough: the first that can reach its end, to which `place` is moved.
    func endOfBackslashes(from place: inout Int) -> Int {
        var end = place
        while byte(end) == UInt8(ascii: "\\") { end += 1 }
        if end == place { return place + 1 }
        place = max(place, end - Self.longestRun)
        return end
    }

    /// Where the first of `secrets` that stands at `start` ends, and what takes its place.
    mutating func end(of secrets: [Redactor.Hidden], from start: Int) -> (end: Int, replacement: String)? {
        for secret in secrets {
            reached.removeAll(keepingCapacity: true)
            reached.append(start)
            for scalar in secret.scalars {
                next.removeAll(keepingCapacity: true)
                for place in reached { follow(scalar, at: place) }
                swap(&reached, &next)
                if reached.isEmpty { break }
            }
            if let end = reached.max() { return (end, secret.replacement) }
        }
        return nil
    }

    /// Adds to `next` where `scalar`, spelled somehow at `place`, ends.
    private mutating func follow(_ scalar: Unicode.Scalar, at place: Int) {
        let run = backslashes(at: place)
        if scalar == "\\" {
            for length in stride(from: 1, through: run, by: 1) { reach(place + length) }
        } else {
            reach(raw(scalar, at: place + run))
        }
        if run > 0 {
            reach(letter(scalar, at: place + run))
            reach(unicodeEscape(scalar, at: place))
        }
        for level in 0...Self.percentLevels { reach(percent(scalar, at: place, level: level)) }
    }

    private mutating func reach(_ place: Int?) {
        if let place, !next.contains(place) { next.append(place) }
    }

    private func byte(_ place: Int) -> UInt8? { place < text.count ? text[place] : nil }

    private func backslashes(at place: Int) -> Int {
        var run = 0
        while run < Self.longestRun, byte(place + run) == UInt8(ascii: "\\") { run += 1 }
        return run
    }

    private func raw(_ scalar: Unicode.Scalar, at place: Int) -> Int? {
        // A space is a plus in a form-encoded query.
        if scalar == " ", byte(place) == UInt8(ascii: "+") { return place + 1 }
        var end = place
        for expected in UTF8.encode(scalar) ?? .init() {
            guard byte(end) == expected else { return nil }
            end += 1
        }
        return end
    }

    private func letter(_ scalar: Unicode.Scalar, at place: Int) -> Int? {
        let letter: Unicode.Scalar
        switch scalar {
        case "\u{8}": letter = "b"
        case "\u{9}": letter = "t"
        case "\u{A}": letter = "n"
        case "\u{C}": letter = "f"
        case "\u{D}": letter = "r"
        default: return nil
        }
        return byte(place) == UInt8(ascii: letter) ? place + 1 : nil
    }

    private func unicodeEscape(_ scalar: Unicode.Scalar, at place: Int) -> Int? {
        var end = place
        for unit in UTF16.encode(scalar) ?? .init() {
            let run = backslashes(at: end)
            guard run > 0, byte(end + run) == UInt8(ascii: "u") else { return nil }
            guard hexadecimal(4, at: end + run + 1) == UInt32(unit) else { return nil }
            end += run + 5
        }
        return end
    }

    private func percent(_ scalar: Unicode.Scalar, at place: Int, level: Int) -> Int? {
        var end = place
        for expected in UTF8.encode(scalar) ?? .init() {
            guard byte(end) == UInt8(ascii: "%") else { return nil }
            end += 1
            for _ in 0..<level {
                guard byte(end) == UInt8(ascii: "2"), byte(end + 1) == UInt8(ascii: "5") else { return nil }
                end += 2
            }
            guard hexadecimal(2, at: end) == UInt32(expected) else { return nil }
            end += 2
        }
        return end
    }

    private func hexadecimal(_ count: Int, at place: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<count {
            guard let byte = byte(place + index), let digit = HexDigit.value(of: byte) else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}

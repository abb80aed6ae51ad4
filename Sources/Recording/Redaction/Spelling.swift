import JSONText

/// The possible readings of an encoded text whose encoding is unknown.
struct Spelling {
    let text: UnsafeBufferPointer<UInt8>

    /// Four levels of JSON inside JSON put at most this many backslashes before a character.
    private static let longestRun = 16
    /// The levels of repeated percent-encoding: `%25252F` is encoded three times over.
    private static let percentLevels = 3

    /// Returns where the next spelling may begin after the one at `place`. A run of backslashes belongs to the
    /// character after it, so one position in the run is enough. `place` moves to the first position from which the end
    /// of the run can be reached.
    func endOfBackslashes(from place: inout Int) -> Int {
        var end = place
        while byte(end) == UInt8(ascii: "\\") { end += 1 }
        if end == place { return place + 1 }
        place = max(place, end - Self.longestRun)
        return end
    }

    /// Calls `body` with each character that may be meant at `place`, and with the position after it.
    func characters(at place: Int, _ body: (Unicode.Scalar, Int) -> Void) {
        func tell(_ scalar: Unicode.Scalar, _ end: Int) {
            body(scalar, end)
            // A space is a plus in a form-encoded query.
            if scalar == "+" { body(" ", end) }
        }
        let run = backslashes(at: place)
        for length in stride(from: 1, through: run, by: 1) { tell("\\", place + length) }
        plain(at: place + run, tell)
        if run > 0 {
            letter(at: place + run, tell)
            if let (scalar, end) = unicodeEscape(at: place) { tell(scalar, end) }
        }
        guard byte(place) == UInt8(ascii: "%") else { return }
        for level in 0...Self.percentLevels {
            if let (scalar, end) = percent(at: place, level: level) { tell(scalar, end) }
        }
    }

    private func byte(_ place: Int) -> UInt8? { place < text.count ? text[place] : nil }

    private func backslashes(at place: Int) -> Int {
        var run = 0
        while run < Self.longestRun, byte(place + run) == UInt8(ascii: "\\") { run += 1 }
        return run
    }

    private func plain(at place: Int, _ body: (Unicode.Scalar, Int) -> Void) {
        guard let first = byte(place), first != UInt8(ascii: "\\") else { return }
        if first < 0x80 {
            body(Unicode.Scalar(first), place + 1)
        } else if let (scalar, end) = Self.decode(from: place, { byte($0).map { ($0, 1) } }) {
            body(scalar, end)
        }
    }

    private func letter(at place: Int, _ body: (Unicode.Scalar, Int) -> Void) {
        switch byte(place) {
        case UInt8(ascii: "b"): body("\u{8}", place + 1)
        case UInt8(ascii: "t"): body("\u{9}", place + 1)
        case UInt8(ascii: "n"): body("\u{A}", place + 1)
        case UInt8(ascii: "f"): body("\u{C}", place + 1)
        case UInt8(ascii: "r"): body("\u{D}", place + 1)
        default: break
        }
    }

    private func unicodeEscape(at place: Int) -> (Unicode.Scalar, end: Int)? {
        guard let (first, end) = codeUnit(at: place) else { return nil }
        guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first).map { ($0, end) } }
        guard let (second, end) = codeUnit(at: end), second & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF).map { ($0, end) }
    }

    private func codeUnit(at place: Int) -> (UInt32, end: Int)? {
        let run = backslashes(at: place)
        guard run > 0, byte(place + run) == UInt8(ascii: "u") else { return nil }
        return hexadecimal(4, at: place + run + 1).map { ($0, place + run + 5) }
    }

    private func percent(at place: Int, level: Int) -> (Unicode.Scalar, end: Int)? {
        Self.decode(from: place) { place in
            guard byte(place) == UInt8(ascii: "%") else { return nil }
            for step in 0..<level {
                guard byte(place + 1 + 2 * step) == UInt8(ascii: "2"), byte(place + 2 + 2 * step) == UInt8(ascii: "5")
                else { return nil }
            }
            return hexadecimal(2, at: place + 1 + 2 * level).map { (UInt8($0), 3 + 2 * level) }
        }
    }

    /// Decodes the character whose UTF-8 begins at `start`. `byte` returns the byte at a position and the length of its
    /// spelling.
    private static func decode(from start: Int, _ byte: (Int) -> (UInt8, length: Int)?) -> (Unicode.Scalar, end: Int)? {
        guard let (first, length) = byte(start) else { return nil }
        var end = start + length
        guard first >= 0x80 else { return (Unicode.Scalar(first), end) }
        let count = (~first).leadingZeroBitCount
        guard (2...4).contains(count) else { return nil }
        var value = UInt32(first & 0x7F >> UInt8(count))
        for _ in 1..<count {
            guard let (next, length) = byte(end), next & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(next & 0x3F)
            end += length
        }
        guard let scalar = Unicode.Scalar(value), UTF8.width(scalar) == count else { return nil }
        return (scalar, end)
    }

    private func hexadecimal(_ count: Int, at place: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<count {
            guard let byte = byte(place + index), let digit = byte.hexValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}

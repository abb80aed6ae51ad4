/// What somebody pressed while a recording is played.
public enum PlayKey: Hashable, Sendable {
    /// A character that is not one of the others.
    case character(Unicode.Scalar)
    case enter, backspace, escape
    case up, down
    case left(isShifted: Bool)
    case right(isShifted: Bool)
}

/// Takes the bytes that a terminal sends apart into keys. What it does not know is passed over.
public struct PlayKeyDecoder: Sendable {
    /// Bytes of a UTF-8 sequence or of an escape sequence that is not whole yet. Bounded: nothing longer is a key.
    private var partial: [UInt8] = []
    private static let longest = 16

    /// A decoder at the start of the input.
    public init() {}

    /// The keys that `bytes`, all that one read gave, complete. An escape that nothing follows in them is the key of that name: a
    /// terminal sends a sequence at once.
    public mutating func keys(in bytes: some Sequence<UInt8>) -> [PlayKey] {
        var keys: [PlayKey] = []
        for byte in bytes { take(byte, into: &keys) }
        if partial == [0x1B] {
            partial = []
            keys.append(.escape)
        }
        return keys
    }

    private mutating func take(_ byte: UInt8, into keys: inout [PlayKey]) {
        partial.append(byte)
        guard partial[0] != 0x1B else { return takeEscaped(byte, into: &keys) }
        switch partial[0] {
        case 0x0A, 0x0D: keys.append(.enter)
        case 0x08, 0x7F: keys.append(.backspace)
        case 0x20..<0x7F: keys.append(.character(Unicode.Scalar(partial[0])))
        case 0xC2...0xF4:
            let length = partial[0] < 0xE0 ? 2 : partial[0] < 0xF0 ? 3 : 4
            guard partial.count == length else { return }
            let text = String(decoding: partial, as: UTF8.self).unicodeScalars
            if text.count == 1, let scalar = text.first, scalar != "\u{FFFD}" { keys.append(.character(scalar)) }
        default: break
        }
        partial = []
    }

    /// CSI sequences: parameters, then a letter. `1;2` is the shifted form.
    private mutating func takeEscaped(_ byte: UInt8, into keys: inout [PlayKey]) {
        let isIntroduced = partial.count > 1 && (partial[1] == UInt8(ascii: "[") || partial[1] == UInt8(ascii: "O"))
        guard partial.count > 2 else {
            // An escape before anything else is somebody's Alt: passed over.
            if partial.count == 2, !isIntroduced { partial = [] }
            return
        }
        guard (0x40...0x7E).contains(byte) || partial.count >= Self.longest else { return }
        let isShifted = partial[2..<partial.count - 1].elementsEqual("1;2".utf8)
        switch byte {
        case UInt8(ascii: "A"): keys.append(.up)
        case UInt8(ascii: "B"): keys.append(.down)
        case UInt8(ascii: "C"): keys.append(.right(isShifted: isShifted))
        case UInt8(ascii: "D"): keys.append(.left(isShifted: isShifted))
        default: break
        }
        partial = []
    }
}

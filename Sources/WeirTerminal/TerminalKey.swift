/// One action of the user at a terminal.
package enum TerminalInput: Hashable, Sendable {
    case key(TerminalKey)
    case mouse(TerminalMouse)
    /// Pasted text, which is untrusted.
    case pasted(String)
}

/// A key press as a terminal reports it.
package enum TerminalKey: Hashable, Sendable {
    /// A character without a case of its own.
    case character(Unicode.Scalar)
    /// A character typed with the control key, as a lower-case letter.
    case control(Unicode.Scalar)
    /// Keys for editing and for confirming input.
    case enter, tab, backTab, backspace, delete, escape
    /// Keys that move the cursor or the page.
    case up, down, home, end, pageUp, pageDown
    /// The left arrow, with or without the shift key.
    case left(isShifted: Bool)
    /// The right arrow, with or without the shift key.
    case right(isShifted: Bool)
}

/// A mouse action and its position.
package struct TerminalMouse: Hashable, Sendable {
    /// The mouse actions that the decoder recognises.
    package enum Action: Hashable, Sendable {
        /// The main button was pressed, or the pointer moved while it was held.
        case pressed, dragged
        /// The wheel turned by one step.
        case wheelUp, wheelDown
    }
    package var action: Action
    /// The position of the pointer, with row and column counted from 0.
    package var place: TerminalPlace
    package init(_ action: Action, at place: TerminalPlace) {
        self.action = action
        self.place = place
    }
}

/// A decoder that turns the bytes from a terminal into user input. Unknown sequences are ignored. The bytes may be
/// split at any point.
///
/// The escape key and the beginning of a sequence are the same byte. While `waitsForMore` is true, more bytes may
/// follow at once. If none do, the caller calls `flush`, which returns the key.
package struct TerminalKeyDecoder: Sendable {
    /// The maximum length of pasted text in bytes. The rest is dropped.
    package static let longestPaste = 65_536
    /// The maximum length of a key's sequence, in bytes.
    private static let longestSequence = 32
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private enum State {
        /// The next byte begins a new input. → sequence, character, pasting
        case ground
        /// An escape byte and the bytes after it. → ground, pasting
        case sequence([UInt8])
        /// The beginning of a UTF-8 character. → ground
        case character([UInt8], length: Int)
        /// Text between the two markers of a paste. → ground
        case pasting([UInt8])
    }

    private var state = State.ground

    /// Creates a decoder at the start of the input.
    package init() {}

    /// Whether the last byte is an escape that may be the key or the beginning of a sequence.
    package var waitsForMore: Bool {
        if case .sequence(let bytes) = state { bytes.count == 1 } else { false }
    }

    /// Returns the escape key if the decoder waits for more. Call this when no byte has followed for a moment.
    package mutating func flush() -> [TerminalInput] {
        guard waitsForMore else { return [] }
        state = .ground
        return [.key(.escape)]
    }

    /// Returns the inputs that these bytes complete.
    package mutating func inputs(in bytes: some Sequence<UInt8>) -> [TerminalInput] {
        var inputs: [TerminalInput] = []
        for byte in bytes { take(byte, into: &inputs) }
        return inputs
    }

    private mutating func take(_ byte: UInt8, into inputs: inout [TerminalInput]) {
        switch state {
        case .ground: begin(byte, into: &inputs)
        case .sequence(let bytes): takeEscaped(byte, after: bytes, into: &inputs)
        case .character(var bytes, let length):
            // An incomplete character is dropped, and the byte begins a new input.
            guard byte & 0xC0 == 0x80 else {
                state = .ground
                return begin(byte, into: &inputs)
            }
            bytes.append(byte)
            guard bytes.count == length else { return state = .character(bytes, length: length) }
            state = .ground
            let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
            if scalars.count == 1, let scalar = scalars.first, scalar != "\u{FFFD}", scalar.value >= 0xA0 {
                inputs.append(.key(.character(scalar)))
            }
        case .pasting(var bytes):
            // The state is reset here to avoid a copy of the bytes for each byte.
            state = .ground
            bytes.append(byte)
            if bytes.last == Self.pasteEnd.last, bytes.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
                let text = bytes.dropLast(Self.pasteEnd.count).prefix(Self.longestPaste)
                inputs.append(.pasted(String(decoding: text, as: UTF8.self)))
            } else {
                // Text that is too long is still read up to the marker.
                if bytes.count > Self.longestPaste + 2 * Self.pasteEnd.count {
                    bytes.removeSubrange(Self.longestPaste..<bytes.count - Self.pasteEnd.count)
                }
                state = .pasting(bytes)
            }
        }
    }

    private mutating func begin(_ byte: UInt8, into inputs: inout [TerminalInput]) {
        switch byte {
        case 0x1B: state = .sequence([byte])
        case 0x0A, 0x0D: inputs.append(.key(.enter))
        case 0x09: inputs.append(.key(.tab))
        case 0x08, 0x7F: inputs.append(.key(.backspace))
        case 0x01...0x1A: inputs.append(.key(.control(Unicode.Scalar(byte + 0x60))))
        case 0x20..<0x7F: inputs.append(.key(.character(Unicode.Scalar(byte))))
        case 0xC2..<0xE0: state = .character([byte], length: 2)
        case 0xE0..<0xF0: state = .character([byte], length: 3)
        case 0xF0...0xF4: state = .character([byte], length: 4)
        default: break
        }
    }

    /// Continues a sequence: `ESC [`, parameters and a letter, or `ESC O` and a letter.
    private mutating func takeEscaped(_ byte: UInt8, after bytes: [UInt8], into inputs: inout [TerminalInput]) {
        guard bytes.count > 1 else {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "O"): state = .sequence(bytes + [byte])
            case 0x1B: inputs.append(.key(.escape))
            // An escape before any other byte is an Alt combination, which is ignored.
            default: state = .ground
            }
            return
        }
        if byte == 0x1B {
            // The previous sequence was incomplete.
            state = .sequence([byte])
        } else if (0x40...0x7E).contains(byte) {
            state = .ground
            complete(bytes[2...], byte, into: &inputs)
        } else if bytes.count < Self.longestSequence {
            state = .sequence(bytes + [byte])
        } else {
            state = .ground
        }
    }

    private mutating func complete(_ parameters: ArraySlice<UInt8>, _ last: UInt8, into inputs: inout [TerminalInput]) {
        if parameters.first == UInt8(ascii: "<") {
            if let mouse = Self.mouse(parameters.dropFirst(), last) { inputs.append(.mouse(mouse)) }
            return
        }
        if last == UInt8(ascii: "~"), parameters.elementsEqual("200".utf8) {
            state = .pasting([])
            return
        }
        let numbers = Self.numbers(parameters)
        if let key = Self.key(numbers, last) { inputs.append(.key(key)) }
    }

    private static func key(_ numbers: [Int], _ last: UInt8) -> TerminalKey? {
        let isShifted = numbers.count == 2 && numbers[1] == 2
        switch last {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right(isShifted: isShifted)
        case UInt8(ascii: "D"): return .left(isShifted: isShifted)
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "~"):
            switch numbers.first {
            case 1, 7: return .home
            case 3: return .delete
            case 4, 8: return .end
            case 5: return .pageUp
            case 6: return .pageDown
            default: return nil
            }
        default: return nil
        }
    }

    /// Decodes a mouse report: `ESC [ < button ; column ; row M`, with `m` for a release (xterm's SGR reports).
    private static func mouse(_ parameters: ArraySlice<UInt8>, _ last: UInt8) -> TerminalMouse? {
        let numbers = numbers(parameters)
        guard numbers.count == 3, last == UInt8(ascii: "M") else { return nil }
        let place = TerminalPlace(row: max(numbers[2] - 1, 0), column: max(numbers[1] - 1, 0))
        // Shift, meta and control are ignored.
        switch numbers[0] & ~(4 | 8 | 16) {
        case 0: return TerminalMouse(.pressed, at: place)
        case 32: return TerminalMouse(.dragged, at: place)
        case 64: return TerminalMouse(.wheelUp, at: place)
        case 65: return TerminalMouse(.wheelDown, at: place)
        default: return nil
        }
    }

    private static func numbers(_ parameters: ArraySlice<UInt8>) -> [Int] {
        parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            $0.reduce(0) { value, byte in
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), value < 100_000 else { return value }
                return value * 10 + Int(byte - UInt8(ascii: "0"))
            }
        }
    }
}

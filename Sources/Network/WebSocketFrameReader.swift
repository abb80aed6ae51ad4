/// Reads the frames a client sends (RFC 6455 section 5): masked, perhaps in fragments, control frames between them.
struct WebSocketFrameReader {
    /// Something that is not a piece of a message.
    enum Control {
        case ping([UInt8])
        case pong
        /// The body of a close frame. Nothing is read after it.
        case close([UInt8])
    }
    /// A breach of the protocol: the close code that answers it, and why.
    struct Violation: Error {
        let code: UInt16
        let reason: String
    }

    private enum State {
        /// Collecting the header; the bytes are in `header`.
        case header
        /// In the payload of a data frame.
        case payload(Frame, remaining: UInt64)
        /// In the payload of a control frame; the bytes are in `control`.
        case control(Frame, remaining: UInt64)
        /// A close frame was read.
        case closed
    }
    private struct Frame {
        var opcode: WebSocketFrame.Opcode
        var isFinal: Bool
        var length: UInt64
        var key: UInt32
    }

    private var state = State.header
    private var header: [UInt8] = []
    private var control: [UInt8] = []
    /// The kind of the message whose fragments are coming.
    private var open: MessageBatch.Kind?

    /// Reads bytes; whole messages and the beginning of the next go to `batch`.
    mutating func read(
        _ input: UnsafeRawBufferPointer, into batch: inout MessageBatch, _ controls: inout [Control]
    ) throws(Violation) {
        var input = input[...]
        while true {
            switch state {
            case .closed: return
            case .header:
                guard try readHeader(&input) else { return }
            case .payload(let frame, let remaining):
                guard try readPayload(&input, frame, remaining, into: &batch) else { return }
            case .control(let frame, let remaining):
                guard readControl(&input, frame, remaining, &controls) else { return }
            }
        }
    }

    /// False when the input ended first.
    private mutating func readHeader(_ input: inout Slice<UnsafeRawBufferPointer>) throws(Violation) -> Bool {
        while header.count < headerSize {
            guard let byte = input.popFirst() else { return false }
            header.append(byte)
            if header.count == 2 { try checkStart() }
        }
        let first = header[0]
        guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0f) else {
            throw Violation(code: 1002, reason: "bad opcode")
        }
        var length = UInt64(header[1] & 0x7f)
        if length >= 126 {
            length = header[2..<(header.count - 4)].reduce(0) { $0 << 8 | UInt64($1) }
            guard length >> 63 == 0 else { throw Violation(code: 1002, reason: "bad length") }
        }
        let key = header.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        header.removeAll(keepingCapacity: true)
        let frame = Frame(opcode: opcode, isFinal: first & 0x80 != 0, length: length, key: key)
        state = opcode.isControl ? .control(frame, remaining: length) : .payload(try begin(frame), remaining: length)
        return true
    }

    /// The header's size as far as it is known.
    private var headerSize: Int {
        guard header.count >= 2 else { return 2 }
        switch header[1] & 0x7f {
        case 126: return 8
        case 127: return 14
        default: return 6
        }
    }

    /// What the first two bytes say already.
    private func checkStart() throws(Violation) {
        guard header[0] & 0x70 == 0 else { throw Violation(code: 1002, reason: "reserved bits") }
        guard header[1] & 0x80 != 0 else { throw Violation(code: 1002, reason: "not masked") }
        if header[0] & 0x08 != 0, header[0] & 0x80 == 0 || header[1] & 0x7f > 125 {
            throw Violation(code: 1002, reason: "bad control frame")
        }
    }

    private mutating func begin(_ frame: Frame) throws(Violation) -> Frame {
        switch (frame.opcode, open) {
        case (.continuation, nil): throw Violation(code: 1002, reason: "nothing to continue")
        case (.text, nil): open = .text
        case (.binary, nil): open = .binary
        case (.continuation, .some): break
        default: throw Violation(code: 1002, reason: "message not finished")
        }
        return frame
    }

    private mutating func readPayload(
        _ input: inout Slice<UnsafeRawBufferPointer>, _ frame: Frame, _ remaining: UInt64,
        into batch: inout MessageBatch
    ) throws(Violation) -> Bool {
        guard remaining <= UInt64(batch.maximumMessage) else {
            throw Violation(code: 1009, reason: "message too large")
        }
        guard remaining == 0 || !input.isEmpty else { return false }
        let count = min(Int(remaining), input.count)
        let phase = Int(frame.length - remaining)
        do throws(MessageBatch.Refusal) {
            try batch.append(UnsafeRawBufferPointer(rebasing: input.prefix(count))) { bytes in
                WebSocketFrame.unmask(bytes, key: frame.key, phase: phase)
            }
            input = input.dropFirst(count)
            guard count == remaining else {
                state = .payload(frame, remaining: remaining - UInt64(count))
                return false
            }
            if frame.isFinal, let kind = open {
                open = nil
                try batch.finish(kind)
            }
        } catch {
            switch error {
            case .tooLarge: throw Violation(code: 1009, reason: "message too large")
            case .notUTF8: throw Violation(code: 1007, reason: "text is not UTF-8")
            }
        }
        state = .header
        return true
    }

    private mutating func readControl(
        _ input: inout Slice<UnsafeRawBufferPointer>, _ frame: Frame, _ remaining: UInt64, _ controls: inout [Control]
    ) -> Bool {
        let count = min(Int(remaining), input.count)
        control += input.prefix(count)
        input = input.dropFirst(count)
        guard count == remaining else {
            state = .control(frame, remaining: remaining - UInt64(count))
            return false
        }
        control.withUnsafeMutableBufferPointer { WebSocketFrame.unmask($0, key: frame.key, phase: 0) }
        switch frame.opcode {
        case .ping: controls.append(.ping(control))
        case .close: controls.append(.close(control))
        case .pong, .text, .binary, .continuation: controls.append(.pong)
        }
        state = frame.opcode == .close ? .closed : .header
        control = []
        return true
    }
}

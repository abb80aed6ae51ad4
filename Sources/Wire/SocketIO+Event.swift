public import JSONText

extension SocketIO {
    /// An event as received: the text of its array, and what stood around it. Name and arguments are read when they are asked for.
    ///
    /// Two references, one of them nil for most events: an event is handed on more often than it is looked at.
    public struct Event: Hashable, Sendable {
        /// What most events lack.
        private struct Surroundings: Hashable, Sendable {
            var namespace = "/"
            var ackID: Int?
            var hasOffset = false
            var attachments: [ArraySlice<UInt8>] = []
        }

        private indirect enum Boxed: Hashable, Sendable { case value(Surroundings) }

        /// The whole JSON array, name included, as received.
        public private(set) var array: RawJSON
        private var boxed: Boxed?

        /// An event of a whole array, which must be known to be JSON and to begin with a name.
        public init(
            namespace: String = "/", array: RawJSON, ackID: Int? = nil, attachments: [ArraySlice<UInt8>] = []
        ) {
            self.array = array
            if namespace != "/" || ackID != nil || !attachments.isEmpty {
                boxed = .value(Surroundings(namespace: namespace, ackID: ackID, attachments: attachments))
            }
        }

        private var surroundings: Surroundings {
            get { if case .value(let surroundings) = boxed { surroundings } else { Surroundings() } }
            set { boxed = .value(newValue) }
        }

        /// The namespace, `/` for the default one.
        public var namespace: String { boxed == nil ? "/" : surroundings.namespace }
        /// The id to acknowledge with, when the sender wants an acknowledgement.
        public var ackID: Int? { boxed == nil ? nil : surroundings.ackID }
        /// Whether the last element of the array is not an argument but the offset of a server that recovers connections.
        public internal(set) var hasOffset: Bool {
            get { boxed == nil ? false : surroundings.hasOffset }
            set { surroundings.hasOffset = newValue }
        }
        /// The binary attachments; where each belongs, `attachment(for:)` tells.
        public internal(set) var attachments: [ArraySlice<UInt8>] {
            get { boxed == nil ? [] : surroundings.attachments }
            set { surroundings.attachments = newValue }
        }

        /// The event in bytes of its own, so that keeping it does not keep the chunk it arrived in.
        var detached: Event {
            var copy = self
            copy.array = RawJSON(unchecked: ArraySlice(Array(array.bytes)))
            if !attachments.isEmpty { copy.attachments = attachments.map { ArraySlice(Array($0)) } }
            return copy
        }

        /// Bytes it holds, near enough for a bound.
        var weight: Int { attachments.reduce(array.bytes.count + 100) { $0 + $1.count } }
    }
}

// MARK: - Reading

extension SocketIO.Event {
    /// The event's name, the first element of the array: a string or, as the reference allows, a number, which is named by its text.
    public var name: String {
        var reader = JSONReader(array.bytes.span, maximumDepth: JSONReader.largestDepth)
        switch try? reader.eventName() {
        case .string(let contents): return reader.string(at: contents)
        case .number(let range): return text(at: range).description
        case nil: return ""
        }
    }

    /// Whether the event has this name; costs less than `name`.
    public func isNamed(_ name: StaticString) -> Bool {
        var reader = JSONReader(array.bytes.span, maximumDepth: JSONReader.largestDepth)
        guard case .string(let contents) = try? reader.eventName() else { return false }
        return reader.matches(contents, name)
    }

    /// The texts of the arguments, the elements after the name.
    public var arguments: [RawJSON] {
        var arguments: [RawJSON] = []
        var reader = JSONReader(array.bytes.span, maximumDepth: JSONReader.largestDepth)
        do throws(JSONError) {
            _ = try reader.eventName()
            while try reader.nextElement() { arguments.append(text(at: try reader.skip())) }
        } catch {
            // The array was checked when it came.
        }
        if hasOffset { _ = arguments.popLast() }
        return arguments
    }

    /// The text of the argument at `index`, counted from 0 after the name; nil when there are fewer.
    public func argument(_ index: Int) -> RawJSON? {
        let arguments = arguments
        return arguments.indices.contains(index) ? arguments[index] : nil
    }

    private func text(at range: Range<Int>) -> RawJSON {
        let start = array.bytes.startIndex
        return RawJSON(unchecked: array.bytes[start + range.lowerBound..<start + range.upperBound])
    }

    /// Checks all of the array that begins at `offset` of a packet and goes to the packet's end, and gives where it stands. Offsets, those of
    /// errors too, count from the packet's first byte.
    static func checkedArray(
        in packet: ArraySlice<UInt8>, from offset: Int, _ maximumDepth: Int = JSONReader.standardDepth
    ) throws(SocketIO.Malformed) -> Range<Int> {
        var reader = JSONReader(packet.span, at: offset, maximumDepth: maximumDepth)
        let array: Range<Int>
        let name: EventName
        do throws(JSONError) {
            _ = try reader.peek()
            let start = reader.offset
            name = try reader.eventName()
            while try reader.nextElement() { try reader.skip() }
            array = start..<reader.offset
            try reader.end()
        } catch {
            throw SocketIO.Malformed(error, within: "the event")
        }
        if case .string(let contents) = name, SocketIO.isReserved(reader.string(at: contents)) {
            throw SocketIO.Malformed(message: "an event with a reserved name", offset: array.lowerBound + 1)
        }
        return array
    }
}

/// How an event is named, and where that stands.
private enum EventName {
    case string(JSONStringRange)
    case number(Range<Int>)
}

extension JSONReader {
    /// Enters the array of an event and consumes the name.
    fileprivate mutating func eventName() throws(JSONError) -> EventName {
        try beginArray()
        guard try nextElement() else { throw JSONError(.unexpectedByte(UInt8(ascii: "]")), at: offset - 1) }
        let kind = try peek()
        switch kind {
        case .string: return .string(try stringRange())
        case .number: return .number(try skip())
        case .object, .array, .bool, .null:
            throw JSONError(.wrongKind(expected: .string, found: kind), at: offset)
        }
    }
}

extension SocketIO.Event {
    /// The array of a text message that brings an event for `/` and asks for nothing, `42["name",…]`: nearly every message of a busy server. Nil
    /// for any other. Only the ends are read: what is between them may be no JSON.
    public static func plainArray(of frame: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard frame.starts(with: #"42[""#.utf8), frame.last == UInt8(ascii: "]") else { return nil }
        let rest = frame.dropFirst(4)
        let name = rest.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: "\""),
            name.count > SocketIO.longestReservedName || !SocketIO.isReserved(String(decoding: name, as: UTF8.self))
        else { return nil }
        return frame.dropFirst(2)
    }
}

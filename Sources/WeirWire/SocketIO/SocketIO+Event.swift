package import WeirJSON

extension SocketIO {
    /// A received event: the text of its array, with the namespace, the acknowledgement id and the attachments. The
    /// name and the arguments are parsed on demand.
    ///
    /// It consists of two references, one of which is `nil` for most events, because an event is passed on more often
    /// than it is examined.
    package struct Event: Hashable, Sendable {
        /// The fields that most events lack.
        private struct Surroundings: Hashable, Sendable {
            var namespace = "/"
            var ackID: Int?
            var hasOffset = false
            var attachments: [ArraySlice<UInt8>] = []
        }

        private indirect enum Boxed: Hashable, Sendable { case value(Surroundings) }

        /// The whole JSON array as received, including the name.
        package private(set) var array: RawJSON
        private var boxed: Boxed?

        /// Creates an event from a whole array. The caller guarantees that it is JSON and begins with a name.
        package init(
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

        /// The namespace; `/` for the default one.
        package var namespace: String { boxed == nil ? "/" : surroundings.namespace }
        /// The id to acknowledge with; `nil` if the sender requests no acknowledgement.
        package var ackID: Int? { boxed == nil ? nil : surroundings.ackID }
        /// Whether the last element of the array is not an argument but the offset of a server that recovers
        /// connections.
        package internal(set) var hasOffset: Bool {
            get { boxed == nil ? false : surroundings.hasOffset }
            set { surroundings.hasOffset = newValue }
        }
        /// The binary attachments. `attachment(for:)` finds the one for a placeholder.
        package internal(set) var attachments: [ArraySlice<UInt8>] {
            get { boxed == nil ? [] : surroundings.attachments }
            set { surroundings.attachments = newValue }
        }

        /// A copy of the event with its own bytes, so that storing it does not keep the received chunk in memory.
        var detached: Event {
            var copy = self
            copy.array = RawJSON(unchecked: ArraySlice(Array(array.bytes)))
            if !attachments.isEmpty { copy.attachments = attachments.map { ArraySlice(Array($0)) } }
            return copy
        }

        /// The approximate size in bytes, for limits.
        var weight: Int { attachments.reduce(array.bytes.count + 100) { $0 + $1.count } }
    }
}

// MARK: - Reading

extension SocketIO.Event {
    /// The event's name: the first element of the array. The reference also allows a number, whose text is then the
    /// name.
    package var name: String {
        var reader = JSONReader(array.bytes.span, maximumDepth: JSONReader.largestDepth)
        switch try? reader.eventName() {
        case .string(let contents): return reader.string(at: contents)
        case .number(let range): return array.slice(range).description
        case nil: return ""
        }
    }

    /// Returns whether the event has this name. Faster than comparing `name`.
    package func isNamed(_ name: StaticString) -> Bool {
        var reader = JSONReader(array.bytes.span, maximumDepth: JSONReader.largestDepth)
        guard case .string(let contents) = try? reader.eventName() else { return false }
        return reader.matches(contents, name)
    }

    /// The arguments as JSON texts: the elements after the name.
    package var arguments: [RawJSON] {
        var arguments: [RawJSON] = []
        var reader = JSONReader(array.bytes.span, maximumDepth: JSONReader.largestDepth)
        do throws(JSONError) {
            _ = try reader.eventName()
            while try reader.nextElement() { arguments.append(array.slice(try reader.skip())) }
        } catch {
            // The array was checked when it arrived.
        }
        if hasOffset { _ = arguments.popLast() }
        return arguments
    }

    /// Returns the text of the argument at `index`, counted from 0 after the name, or `nil` if the event has fewer
    /// arguments.
    package func argument(_ index: Int) -> RawJSON? {
        let arguments = arguments
        return arguments.indices.contains(index) ? arguments[index] : nil
    }

    /// Checks the whole array from `offset` to the end of a packet, and returns its range. All offsets, including those
    /// in errors, count from the packet's first byte.
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

/// The kind of an event's name, and its location.
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
    /// Returns the array of a text message with an event for `/` that requests no acknowledgement, `42["name",…]`.
    /// Nearly every message of a busy server has this form. Returns `nil` for any other message.
    ///
    /// Only the beginning and the last byte are checked; the text between them may not be JSON.
    package static func plainArray(of frame: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard frame.starts(with: #"42[""#.utf8), frame.last == UInt8(ascii: "]") else { return nil }
        let rest = frame.dropFirst(4)
        let name = rest.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: "\""),
            name.count > SocketIO.longestReservedName || !SocketIO.isReserved(String(decoding: name, as: UTF8.self))
        else { return nil }
        return frame.dropFirst(2)
    }
}

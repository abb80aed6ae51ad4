public import WeirJSON

// Binary data in events and acknowledgements. The JSON contains placeholders, `{"_placeholder":true,"num":0}`, and the
// bytes follow in separate binary messages. They have the order of the placeholders, depth first; `num` selects the
// attachment (Socket.IO SIO-5).

extension SocketIO.Event {
    /// Returns the bytes for `value`, a placeholder taken from the arguments. Returns `nil` for any other value.
    package func attachment(for value: RawJSON) -> ArraySlice<UInt8>? { value.resolved(by: attachments) }

    /// Returns the event with a JSON value in place of each attachment.
    package func replacingAttachments(_ value: (ArraySlice<UInt8>) -> RawJSON) -> SocketIO.Event {
        if attachments.isEmpty { return self }
        var event = SocketIO.Event(
            namespace: namespace, array: array.replacing(attachments, value), ackID: ackID)
        event.hasOffset = hasOffset
        return event
    }
}

extension SocketIO.Acknowledgement {
    /// Returns the bytes for `value`, a placeholder taken from the arguments. Returns `nil` for any other value.
    public func attachment(for value: RawJSON) -> ArraySlice<UInt8>? { value.resolved(by: attachments) }

    /// The arguments as separate JSON texts.
    public var values: [RawJSON] {
        var values: [RawJSON] = []
        do throws(JSONError) {
            var reader = JSONReader(arguments.bytes.span)
            try reader.beginArray()
            while try reader.nextElement() { values.append(arguments.slice(try reader.skip())) }
        } catch {
            // Received arguments have been checked. Those made by the application are returned as far as they can be
            // read.
        }
        return values
    }
}

extension SocketIO {
    /// Builds the arguments of an event or of an acknowledgement: JSON values, and bytes that travel as attachments.
    public struct Arguments: Hashable, Sendable {
        private var text: [UInt8] = []
        /// The attachments added so far.
        public private(set) var attachments: [ArraySlice<UInt8>] = []

        /// Creates an empty list of arguments.
        public init() {}

        /// Appends a JSON value as the next argument.
        public mutating func append(_ value: RawJSON) {
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            text += value.bytes
        }

        /// Appends bytes as the next argument.
        public mutating func append(binary bytes: ArraySlice<UInt8>) { append(attach(bytes)) }

        /// Adds an attachment and returns its placeholder, to be used inside a JSON value that is appended later.
        public mutating func attach(_ bytes: ArraySlice<UInt8>) -> RawJSON {
            let placeholder = #"{"_placeholder":true,"num":\#(attachments.count)}"#
            attachments.append(bytes)
            return RawJSON(unchecked: ArraySlice(placeholder.utf8))
        }

        /// The values, separated by commas, or `nil` if there are no values.
        public var list: RawJSON? { text.isEmpty ? nil : RawJSON(unchecked: text[...]) }

        /// The values as a JSON array.
        public var array: RawJSON {
            RawJSON(unchecked: [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")])
        }
    }
}

extension RawJSON {
    fileprivate func resolved(by attachments: [ArraySlice<UInt8>]) -> ArraySlice<UInt8>? {
        guard !attachments.isEmpty else { return nil }
        do throws(JSONError) {
            var reader = JSONReader(bytes.span)
            guard try reader.peek() == .object else { return nil }
            guard let place = try Placeholder.read(from: &reader, nested: { (_) throws(JSONError) in }) else {
                return nil
            }
            return place.index(below: attachments.count).map { attachments[$0] }
        } catch {
            return nil
        }
    }

    /// Returns the text with another value in place of each of `attachments`.
    func replacing(_ attachments: [ArraySlice<UInt8>], _ value: (ArraySlice<UInt8>) -> RawJSON) -> RawJSON {
        var text: [UInt8] = []
        var kept = 0
        do throws(JSONError) {
            var reader = JSONReader(bytes.span)
            try Placeholder.find(in: &reader) { range, placeholder in
                guard let index = placeholder.index(below: attachments.count), range.lowerBound >= kept else { return }
                text += bytes.dropFirst(kept).prefix(range.lowerBound - kept)
                text += value(attachments[index]).bytes
                kept = range.upperBound
            }
        } catch {
            // Received text has been checked.
        }
        return RawJSON(unchecked: (text + bytes.dropFirst(kept))[...])
    }

    /// Throws if a placeholder does not refer to one of `count` attachments. Error offsets count from the start of
    /// `packet`.
    func checkPlaceholders(of count: Int, in packet: ArraySlice<UInt8>) throws(SocketIO.Malformed) {
        let start = bytes.startIndex - packet.startIndex
        var stray: Int?
        do throws(JSONError) {
            var reader = JSONReader(bytes.span)
            try Placeholder.find(in: &reader) { range, placeholder in
                guard placeholder.index(below: count) == nil else { return }
                stray = min(stray ?? range.lowerBound, range.lowerBound)
            }
        } catch {
            throw SocketIO.Malformed(error, within: "the packet").moved(by: start)
        }
        if let stray {
            throw SocketIO.Malformed(message: "a placeholder without its attachment", offset: start + stray)
        }
    }
}

/// The `num` of a placeholder, as written in the JSON.
private struct Placeholder {
    var number: Double?

    func index(below count: Int) -> Int? {
        guard let number, number >= 0, number < Double(count) else { return nil }
        return Int(exactly: number)
    }

    /// Reads an object, and returns a placeholder if it is one. `nested` is called for every other value, and may read
    /// it or not.
    static func read(
        from reader: inout JSONReader, nested: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) -> Placeholder? {
        var isPlaceholder = false
        var number: Double?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let kind = try reader.peek()
            if kind == .bool, reader.matches(key, "_placeholder") {
                isPlaceholder = try reader.bool()
            } else if kind == .number, reader.matches(key, "num") {
                number = try reader.double()
            } else {
                let start = reader.offset
                try nested(&reader)
                if reader.offset == start { try reader.skip() }
            }
        }
        return isPlaceholder ? Placeholder(number: number) : nil
    }

    /// Calls `body` with each placeholder in a value and its range. The reader limits the depth.
    static func find(
        in reader: inout JSONReader, _ body: (Range<Int>, Placeholder) -> Void
    ) throws(JSONError) {
        switch try reader.peek() {
        case .array:
            try reader.beginArray()
            while try reader.nextElement() { try find(in: &reader, body) }
        case .object:
            let start = reader.offset
            let place = try read(from: &reader) { (reader) throws(JSONError) in try find(in: &reader, body) }
            if let place { body(start..<reader.offset, place) }
        case .string, .number, .bool, .null:
            try reader.skip()
        }
    }
}

/// Assembles binary packets: a text with placeholders, then as many binary messages as the text announced
/// (Socket.IO SIO-5).
///
/// It holds at most one packet and its attachments, which may have `room` bytes in total.
struct AttachmentAssembler: Sendable {
    private enum State {
        /// No attachment is due. Follows: gathering, passingOver.
        case idle
        /// Attachments of this packet are due. Follows: idle.
        case gathering(SocketIO.Packet, [ArraySlice<UInt8>], bytes: Int)
        /// This many attachments of a rejected packet are due, and are dropped. Follows: idle.
        case passingOver(Int)
    }

    private var state = State.idle
    /// The maximum total size of one packet's attachments, in bytes.
    private let room: Int

    init(room: Int) { self.room = room }

    /// Whether a packet waits for attachments, so that a text message is not allowed now.
    var isGathering: Bool { if case .gathering = state { true } else { false } }

    /// Whether binary messages are due, either to keep or to drop.
    var isExpecting: Bool { if case .idle = state { false } else { true } }

    /// Begins a packet that announces at least one attachment.
    mutating func begin(_ packet: SocketIO.Packet) { state = .gathering(packet, [], bytes: 0) }

    /// Adds a binary message, and returns the packet that it completes.
    ///
    /// A packet whose attachments are too large is rejected, and its remaining attachments are dropped.
    mutating func attach(_ bytes: ArraySlice<UInt8>) throws(SocketIO.Malformed) -> SocketIO.Packet? {
        switch state {
        case .idle:
            throw SocketIO.Malformed(message: "a binary frame that belongs to no packet", offset: 0)
        case .passingOver(let due):
            state = due > 1 ? .passingOver(due - 1) : .idle
            return nil
        case .gathering(let packet, var attachments, let held):
            // Release the state's reference, so that appending does not copy the array.
            state = .idle
            let due = packet.attachments - attachments.count - 1
            guard bytes.count <= room - held else {
                if due > 0 { state = .passingOver(due) }
                throw SocketIO.Malformed(
                    message: "attachments of \(held + bytes.count) bytes or more; the limit is \(room)", offset: 0)
            }
            attachments.append(bytes)
            if due == 0 { return packet.with(attachments) }
            state = .gathering(packet, attachments, bytes: held + bytes.count)
            return nil
        }
    }

    /// Prepares to drop the attachments of a rejected packet that begins with `text`, as far as the text announces them
    /// legibly.
    mutating func refuse(_ text: ArraySlice<UInt8>) {
        let due = SocketIO.PacketHeader.announcedAttachments(text.span)
        state = due > 0 ? .passingOver(due) : .idle
    }

    /// Discards a packet that is not complete. No attachment is due afterwards.
    mutating func reset() {
        if case .idle = state { return }
        state = .idle
    }
}

extension SocketIO.Packet {
    fileprivate func with(_ attachments: [ArraySlice<UInt8>]) -> SocketIO.Packet {
        switch self {
        case .event(var event, let count):
            event.attachments = attachments
            return .event(event, attachments: count)
        case .acknowledgement(var acknowledgement, let count):
            acknowledgement.attachments = attachments
            return .acknowledgement(acknowledgement, attachments: count)
        case .connect, .disconnect, .connectError:
            return self
        }
    }
}

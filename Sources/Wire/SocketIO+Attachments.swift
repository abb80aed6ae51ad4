public import JSONText

// Binary data in events and acknowledgements: the JSON holds placeholders, `{"_placeholder":true,"num":0}`, and the bytes
// follow in binary messages of their own. The order is that of the placeholders, depth first; `num` decides (1.9).

extension SocketIO.Event {
    /// The bytes that `value`, a placeholder taken from the arguments, stands for; nil for any other value.
    public func attachment(for value: RawJSON) -> ArraySlice<UInt8>? { value.resolved(by: attachments) }

    /// The event with another JSON value in the place of each attachment.
    public func replacingAttachments(_ value: (ArraySlice<UInt8>) -> RawJSON) -> SocketIO.Event {
        if attachments.isEmpty { return self }
        var event = SocketIO.Event(
            namespace: namespace, array: array.replacing(attachments, value), ackID: ackID)
        event.hasOffset = hasOffset
        return event
    }
}

extension SocketIO.Acknowledgement {
    /// The bytes that `value`, a placeholder taken from the arguments, stands for; nil for any other value.
    public func attachment(for value: RawJSON) -> ArraySlice<UInt8>? { value.resolved(by: attachments) }

    /// The texts of the arguments, one by one.
    public var values: [RawJSON] {
        var values: [RawJSON] = []
        do throws(JSONError) {
            var reader = JSONReader(arguments.bytes.span)
            try reader.beginArray()
            while try reader.nextElement() {
                let range = try reader.skip()
                let start = arguments.bytes.startIndex
                values.append(
                    RawJSON(unchecked: arguments.bytes[start + range.lowerBound..<start + range.upperBound]))
            }
        } catch {
            // What was received was checked; what the application made itself is as it made it.
        }
        return values
    }
}

extension SocketIO {
    /// Arguments of an event or of an acknowledgement in the making: JSON values, and bytes that travel as attachments.
    public struct Arguments: Hashable, Sendable {
        private var text: [UInt8] = []
        /// The attachments so far.
        public private(set) var attachments: [ArraySlice<UInt8>] = []

        /// No arguments.
        public init() {}

        /// Adds a JSON value.
        public mutating func append(_ value: RawJSON) {
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            text += value.bytes
        }

        /// Adds bytes.
        public mutating func append(binary bytes: ArraySlice<UInt8>) { append(attach(bytes)) }

        /// Takes bytes along and gives the placeholder that stands for them, to be put into a JSON value that is added next.
        public mutating func attach(_ bytes: ArraySlice<UInt8>) -> RawJSON {
            let placeholder = #"{"_placeholder":true,"num":\#(attachments.count)}"#
            attachments.append(bytes)
            return RawJSON(unchecked: ArraySlice(placeholder.utf8))
        }

        /// The values, separated by commas; nil when there are none.
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

    /// The text with another value in the place of each of `attachments`.
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
            // What was received was checked.
        }
        return RawJSON(unchecked: (text + bytes.dropFirst(kept))[...])
    }

    /// Refuses placeholders that none of `count` attachments belongs to; offsets count from the start of `packet`.
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

/// The `num` of a placeholder, as it stands there.
private struct Placeholder {
    var number: Double?

    func index(below count: Int) -> Int? {
        guard let number, number >= 0, number < Double(count) else { return nil }
        return Int(exactly: number)
    }

    /// Reads an object; gives a placeholder when it is one. `nested` is given every other value and may read it or not.
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

    /// Calls `body` with each placeholder in a value and where it stands. The reader bounds the depth.
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

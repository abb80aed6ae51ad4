public import JSONText

extension Bayeux {
    /// One received message, in either direction.
    public struct Message: Hashable, Sendable {
        /// The channel. Untrusted text, which may not be a valid name.
        public var channel: String
        /// The id that pairs a reply with its request.
        ///
        /// A delivery may carry its publisher's id. A message is a reply only if `isSuccessful` is present
        /// (Bayeux BX-4).
        public var id: String?
        /// The id of the session. Anyone who knows it can receive the session's events.
        public var clientID: Secret?
        /// Whether the request succeeded; `nil` if the message is not a reply.
        public var isSuccessful: Bool?
        /// The reason for a failure: `ddd:arguments:text` or any other text. Untrusted.
        public var error: String?
        /// The channels of a subscribe or unsubscribe request, which may be one name or a list.
        public var subscriptions: [String] = []
        /// The connection type that the client uses.
        public var connectionType: String?
        /// The connection types that the sender supports.
        public var connectionTypes: [String] = []
        /// The version of the protocol.
        public var version: String?
        /// The server's advice. In a client's connect, its `timeout` is how long the client wants the server to hold
        /// it.
        public var advice: Advice?
        /// The published data: any JSON value except null.
        public var data: RawJSON?
        /// The extensions of the message. They may contain tokens, so they are never shown and never forwarded.
        public var ext: RawJSON?

        /// Creates a message on a channel.
        public init(channel: String) { self.channel = channel }
    }

    /// The messages of one frame.
    public struct Frame: Hashable, Sendable {
        /// The messages that could be read, in order.
        public var messages: [Message] = []
        /// The errors in the messages that could not be read.
        public var malformed: [Malformed] = []
        /// Whether the frame contains more messages than the limit allows.
        private var isCut = false
        /// The maximum number of messages read from one frame.
        public static let mostMessages = 10_000

        /// Parses a frame, which is an array of messages or one message (Bayeux BX-2).
        ///
        /// An element that is not a message is added to `malformed`, and the others are read.
        ///
        /// - Throws: `Malformed` if the text is not JSON.
        public init(
            parsing frame: ArraySlice<UInt8>, maximumDepth: Int = JSONReader.standardDepth
        ) throws(Malformed) {
            do throws(JSONError) {
                var reader = JSONReader(frame.span, maximumDepth: maximumDepth)
                if try reader.peek() == .array {
                    try reader.beginArray()
                    while try reader.nextElement() { try read(&reader) }
                } else {
                    try read(&reader)
                }
                try reader.end()
            } catch {
                throw Malformed(error)
            }
        }

        private mutating func read(_ reader: inout JSONReader) throws(JSONError) {
            let start = reader.offset
            guard messages.count + malformed.count < Self.mostMessages else {
                _ = try reader.skip()
                guard !isCut else { return }
                isCut = true
                return malformed.append(
                    Malformed("more than \(Self.mostMessages) messages: the others are passed over", at: start))
            }
            guard try reader.peek() == .object else {
                _ = try reader.skip()
                return malformed.append(Malformed("a message that is not an object", at: start))
            }
            let message = try Message(reading: &reader)
            if message.channel.isEmpty {
                malformed.append(Malformed("a message without a channel", at: start))
            } else {
                messages.append(message)
            }
        }
    }
}

extension Bayeux.Message {
    /// Reads one object. A member of an unexpected type is ignored, as existing servers do.
    fileprivate init(reading reader: inout JSONReader) throws(JSONError) {
        self.init(channel: "")
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, "channel") {
                channel = try reader.textOrSkip() ?? ""
            } else if reader.matches(key, "id") {
                id = try reader.idOrSkip()
            } else if reader.matches(key, "clientId") {
                clientID = try reader.textOrSkip().map { Secret($0) }
            } else if reader.matches(key, "successful") {
                isSuccessful = try reader.flagOrSkip() ?? false
            } else if reader.matches(key, "error") {
                error = try reader.textOrSkip()
            } else if reader.matches(key, "subscription") {
                subscriptions = try reader.textsOrSkip()
            } else if reader.matches(key, "data") {
                data = try reader.peek() == .null ? reader.nothing() : reader.raw()
            } else {
                try readRare(key, &reader)
            }
        }
    }

    private mutating func readRare(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONError) {
        if reader.matches(key, "advice") {
            advice = try reader.advice()
        } else if reader.matches(key, "ext") {
            ext = try reader.peek() == .object ? reader.raw() : reader.nothing()
        } else if reader.matches(key, "version") {
            version = try reader.textOrSkip()
        } else if reader.matches(key, "connectionType") {
            connectionType = try reader.textOrSkip()
        } else if reader.matches(key, "supportedConnectionTypes") {
            connectionTypes = try reader.textsOrSkip()
        } else {
            _ = try reader.skip()
        }
    }
}

extension JSONReader {
    fileprivate mutating func nothing<Value>() throws(JSONError) -> Value? {
        _ = try skip()
        return nil
    }

    fileprivate mutating func textOrSkip() throws(JSONError) -> String? {
        try peek() == .string ? string() : nothing()
    }

    fileprivate mutating func flagOrSkip() throws(JSONError) -> Bool? { try peek() == .bool ? bool() : nothing() }

    /// Reads an id. It should be a string, but peers also send numbers, whose text is then the id.
    fileprivate mutating func idOrSkip() throws(JSONError) -> String? {
        try peek() == .number ? raw().description : textOrSkip()
    }

    /// Reads one string, or a list of strings.
    fileprivate mutating func textsOrSkip() throws(JSONError) -> [String] {
        guard try peek() == .array else { return try textOrSkip().map { [$0] } ?? [] }
        var texts: [String] = []
        try beginArray()
        while try nextElement() {
            if let text = try textOrSkip() { texts.append(text) }
        }
        return texts
    }

    fileprivate mutating func advice() throws(JSONError) -> Bayeux.Advice? {
        guard try peek() == .object else { return try nothing() }
        var advice = Bayeux.Advice()
        try beginObject()
        while let key = try nextKey() {
            if matches(key, "reconnect") {
                advice.reconnect = try textOrSkip().flatMap(Bayeux.Advice.Reconnect.init(rawValue:))
            } else if matches(key, "interval") {
                advice.interval = try milliseconds()
            } else if matches(key, "timeout") {
                advice.timeout = try milliseconds()
            } else {
                _ = try skip()
            }
        }
        return advice
    }

    /// Reads a time span in milliseconds, clamped to one day in either direction. Returns `nil` for anything else.
    private mutating func milliseconds() throws(JSONError) -> Duration? {
        guard try peek() == .number else { return try nothing() }
        let number = try double()
        guard number.magnitude <= 1e15 else { return nil }
        let longest = Bayeux.Advice.longest
        return .milliseconds(min(max(Int64(number), -longest), longest))
    }
}

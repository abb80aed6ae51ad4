public import JSONText

extension Bayeux {
    /// One message as it was received, either way.
    public struct Message: Hashable, Sendable {
        /// The channel; untrusted text, not checked to be a name.
        public var channel: String
        /// What tells a request from another. Deliveries may have the id of whoever published them: a reply is known by
        /// `isSuccessful` (4.5 item 5).
        public var id: String?
        /// The session it belongs to: whoever knows it receives its events.
        public var clientID: Secret?
        /// Present in replies only.
        public var isSuccessful: Bool?
        /// Why not, `ddd:arguments:text` or any other text; untrusted.
        public var error: String?
        /// What is subscribed to or from; a list where one was given.
        public var subscriptions: [String] = []
        /// How the client connects.
        public var connectionType: String?
        /// How it could.
        public var connectionTypes: [String] = []
        /// The protocol's version.
        public var version: String?
        /// What the server advises; of a client's connect, how long it wants to be held.
        public var advice: Advice?
        /// What was published: any JSON but null.
        public var data: RawJSON?
        /// The extensions. They hold tokens: never shown, never handed on.
        public var ext: RawJSON?

        /// A message on a channel.
        public init(channel: String) { self.channel = channel }
    }

    /// The messages of one frame.
    public struct Frame: Hashable, Sendable {
        /// Those that could be read, in order.
        public var messages: [Message] = []
        /// What was wrong with those that could not.
        public var malformed: [Malformed] = []
        /// Whether there were more than are read.
        private var isCut = false
        /// Messages that are read of a frame.
        public static let mostMessages = 10_000

        /// Reads a frame: an array of messages, or one message (4.1). What is no JSON throws; an element that is no message is reported,
        /// and the others are read.
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
    /// Reads one object. Members of another kind than theirs are passed over, as they are by the servers there are.
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

    /// An id is a string, but numbers have been seen where strings belong; both are the text they are written in.
    fileprivate mutating func idOrSkip() throws(JSONError) -> String? {
        try peek() == .number ? raw().description : textOrSkip()
    }

    /// A text or a list of them.
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

    /// A span in milliseconds, at most a day either way; nil for anything else.
    private mutating func milliseconds() throws(JSONError) -> Duration? {
        guard try peek() == .number else { return try nothing() }
        let number = try double()
        guard number.magnitude <= 1e15 else { return nil }
        let longest = Bayeux.Advice.longest
        return .milliseconds(min(max(Int64(number), -longest), longest))
    }
}

package import WeirJSON

/// Bayeux 1.0 (Bayeux BX-1 to BX-23): named channels over frames of JSON messages.
///
/// A frame travels as a message of a WebSocket or as the body of an HTTP exchange. Both ends are state machines:
/// `BayeuxClient` and `BayeuxServer`. This type contains what they share: channels, messages and advice.
package enum Bayeux {
    /// The version that both ends support.
    package static let version = "1.0"

    /// The ways to transport frames.
    package enum ConnectionType: String, Hashable, Sendable, CaseIterable {
        /// Each frame is a text message of one WebSocket.
        case websocket
        /// Each frame is the body of a POST, and its answer is the body of the response.
        case longPolling = "long-polling"
    }

    /// An error in a frame, or in one message of a frame.
    package struct Malformed: Error, Hashable, Sendable {
        /// A description of the error. It never contains text from the peer.
        package var message: String
        /// The position in bytes from the start of the frame, or `nil` if no position applies.
        package var offset: Int?

        init(_ message: String, at offset: Int? = nil) {
            self.message = message
            self.offset = offset
        }

        init(_ error: JSONError) { self.init(error.reason.description, at: error.offset) }
    }

    /// A server's instructions for reconnecting. They are merged: a field missing from a message keeps its earlier
    /// value.
    package struct Advice: Hashable, Sendable {
        /// The possible reactions to a failed connect or the end of a session.
        package enum Reconnect: String, Hashable, Sendable {
            /// Connect again, as the same client.
            case retry
            /// The session is gone; start with a new handshake.
            case handshake
            /// Neither connect again nor start a new handshake.
            case none
        }

        /// The server's advice for the client's next step.
        package var reconnect: Reconnect?
        /// The minimum time before the next connect. A negative value forbids another connect.
        package var interval: Duration?
        /// How long the server holds a connect.
        package var timeout: Duration?

        /// Creates advice. A field that is `nil` is left out of the message.
        package init(reconnect: Reconnect? = nil, interval: Duration? = nil, timeout: Duration? = nil) {
            self.reconnect = reconnect
            self.interval = interval
            self.timeout = timeout
        }

        /// The longest time span accepted from a peer, in milliseconds: one day. A longer one is nonsense.
        static let longest: Int64 = 86_400_000

        mutating func merge(_ later: Advice) {
            reconnect = later.reconnect ?? reconnect
            interval = later.interval ?? interval
            timeout = later.timeout ?? timeout
        }
    }
}

extension Bayeux {
    /// The name of a channel (`/group/10000001`), or a pattern of names: `/group/*` (one segment) or `/group/**` (one
    /// or more).
    ///
    /// Segments contain only letters, digits and `-_!~()$@`. A conversation id with a `+`, for example, is not a
    /// channel.
    package struct Channel: Hashable, Sendable, CustomStringConvertible {
        /// The maximum length of a name, in bytes.
        package static let mostBytes = 1024

        /// The name or the pattern, as written.
        package let name: String

        /// Creates a channel from its name. Returns `nil` if the text is neither a valid name nor a valid pattern.
        package init?(_ name: String) {
            guard name.utf8.count <= Self.mostBytes, name.utf8.first == UInt8(ascii: "/") else { return nil }
            let segments = name.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            for (index, segment) in segments.enumerated() {
                let isLast = index == segments.count - 1
                let isWild = segment.elementsEqual("*".utf8) || segment.elementsEqual("**".utf8)
                guard isWild ? isLast : !segment.isEmpty && segment.allSatisfy(Self.isAllowed) else { return nil }
            }
            self.name = name
        }

        /// Creates a channel from a name that is known to be valid.
        init(known name: String) { self.name = name }

        private static func isAllowed(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_!~()$@".utf8.contains(byte)
            }
        }

        package static let handshake = Channel(known: "/meta/handshake")
        static let connect = Channel(known: "/meta/connect")
        static let subscribe = Channel(known: "/meta/subscribe")
        static let unsubscribe = Channel(known: "/meta/unsubscribe")
        static let disconnect = Channel(known: "/meta/disconnect")

        /// Whether the channel belongs to the protocol (`/meta/…`).
        package var isMeta: Bool { name.hasPrefix("/meta/") }
        /// Whether the channel is for requests to the server (`/service/…`), which are never forwarded to subscribers.
        package var isService: Bool { name.hasPrefix("/service/") }
        /// Whether the channel is a pattern that covers several names.
        package var isPattern: Bool { name.utf8.last == UInt8(ascii: "*") }
        /// Whether clients may subscribe to the channel.
        package var isSubscribable: Bool { !isMeta && !isService }

        /// Returns whether a subscription to this channel receives messages on `other`, which must not be a pattern.
        package func covers(_ other: Channel) -> Bool {
            guard isPattern else { return self == other }
            let isDeep = name.hasSuffix("/**")
            let stem = name.utf8.dropLast(isDeep ? 2 : 1)
            guard other.name.utf8.starts(with: stem), other.name.utf8.count > stem.count else { return false }
            return isDeep || !other.name.utf8.dropFirst(stem.count).contains(UInt8(ascii: "/"))
        }

        /// The name or the pattern, as written.
        package var description: String { name }
    }
}

extension Bayeux {
    /// One received message, in either direction.
    package struct Message: Hashable, Sendable {
        /// The channel. Untrusted text, which may not be a valid name.
        package var channel: String
        /// The id that pairs a reply with its request.
        ///
        /// A delivery may carry its publisher's id. A message is a reply only if `isSuccessful` is present
        /// (Bayeux BX-4).
        package var id: String?
        /// The id of the session. Anyone who knows it can receive the session's events.
        package var clientID: Secret?
        /// Whether the request succeeded; `nil` if the message is not a reply.
        package var isSuccessful: Bool?
        /// The reason for a failure: `ddd:arguments:text` or any other text. Untrusted.
        package var error: String?
        /// The channels of a subscribe or unsubscribe request, which may be one name or a list.
        package var subscriptions: [String] = []
        /// The connection type that the client uses.
        package var connectionType: String?
        /// The connection types that the sender supports.
        package var connectionTypes: [String] = []
        /// The version of the protocol.
        package var version: String?
        /// The server's advice. In a client's connect, its `timeout` is how long the client wants the server to hold
        /// it.
        package var advice: Advice?
        /// The published data: any JSON value except null.
        package var data: RawJSON?
        /// The extensions of the message. They may contain tokens, so they are never shown and never forwarded.
        package var ext: RawJSON?

        /// Creates a message on a channel.
        package init(channel: String) { self.channel = channel }
    }

    /// The messages of one frame.
    package struct Frame: Hashable, Sendable {
        /// The messages that could be read, in order.
        package var messages: [Message] = []
        /// The errors in the messages that could not be read.
        package var malformed: [Malformed] = []
        /// Whether the frame contains more messages than the limit allows.
        private var isCut = false
        /// The maximum number of messages read from one frame.
        package static let mostMessages = 10_000

        /// Parses a frame, which is an array of messages or one message (Bayeux BX-2).
        ///
        /// An element that is not a message is added to `malformed`, and the others are read.
        ///
        /// - Throws: `Malformed` if the text is not JSON.
        package init(
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

extension Bayeux {
    /// Writes frames. A frame is always an array, which every peer accepts (Bayeux BX-2).
    struct FrameWriter: ~Copyable {
        private var writer = JSONWriter()
        private(set) var isEmpty = true

        init() { writer.beginArray() }

        /// Adds a message. `members` writes the members other than the channel and the id.
        mutating func add(_ channel: String, id: String?, _ members: (inout JSONWriter) -> Void = { _ in }) {
            isEmpty = false
            writer.beginObject()
            writer.member("channel", channel)
            writer.member("id", id)
            members(&writer)
            writer.endObject()
        }

        /// Ends the array and returns the frame.
        consuming func finish() -> [UInt8] {
            writer.endArray()
            return writer.bytes
        }
    }

    /// Returns a frame that contains one message.
    static func frame(
        _ channel: Channel, id: String?, _ members: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var frame = FrameWriter()
        frame.add(channel.name, id: id, members)
        return frame.finish()
    }
}

extension JSONWriter {
    mutating func advice(_ advice: Bayeux.Advice) {
        key("advice")
        beginObject()
        if let reconnect = advice.reconnect { member("reconnect", reconnect.rawValue) }
        for (name, span) in [("interval", advice.interval), ("timeout", advice.timeout)] {
            guard let span else { continue }
            key(name)
            integer(span.microseconds / 1000)
        }
        endObject()
    }
}

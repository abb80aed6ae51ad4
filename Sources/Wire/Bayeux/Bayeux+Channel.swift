extension Bayeux {
    /// The name of a channel (`/group/10000001`), or a pattern of names: `/group/*` (one segment) or `/group/**` (one
    /// or more).
    ///
    /// Segments contain only letters, digits and `-_!~()$@`. A conversation id with a `+`, for example, is not a
    /// channel.
    public struct Channel: Hashable, Sendable, CustomStringConvertible {
        /// The maximum length of a name, in bytes.
        public static let mostBytes = 1024

        /// The name or the pattern, as written.
        public let name: String

        /// Creates a channel from its name. Returns `nil` if the text is neither a valid name nor a valid pattern.
        public init?(_ name: String) {
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
        public var isMeta: Bool { name.hasPrefix("/meta/") }
        /// Whether the channel is for requests to the server (`/service/…`), which are never forwarded to subscribers.
        public var isService: Bool { name.hasPrefix("/service/") }
        /// Whether the channel is a pattern that covers several names.
        public var isPattern: Bool { name.utf8.last == UInt8(ascii: "*") }
        /// Whether clients may subscribe to the channel.
        public var isSubscribable: Bool { !isMeta && !isService }

        /// Returns whether a subscription to this channel receives messages on `other`, which must not be a pattern.
        public func covers(_ other: Channel) -> Bool {
            guard isPattern else { return self == other }
            let isDeep = name.hasSuffix("/**")
            let stem = name.utf8.dropLast(isDeep ? 2 : 1)
            guard other.name.utf8.starts(with: stem), other.name.utf8.count > stem.count else { return false }
            return isDeep || !other.name.utf8.dropFirst(stem.count).contains(UInt8(ascii: "/"))
        }

        /// The name or the pattern, as written.
        public var description: String { name }
    }
}

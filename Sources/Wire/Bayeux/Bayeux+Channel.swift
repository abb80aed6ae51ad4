extension Bayeux {
    /// The name of a channel, `/group/10000001`, or a pattern of names, `/group/*` (one segment) and `/group/**` (one or more).
    ///
    /// Segments hold letters, digits and `-_!~()$@`; nothing else, so that a `+` in the id of a conversation is not a channel.
    public struct Channel: Hashable, Sendable, CustomStringConvertible {
        /// The longest name taken.
        public static let mostBytes = 1024

        /// The name as it is written.
        public let name: String

        /// The channel of that name; nil for what is no name and no pattern.
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

        /// A name known to be one.
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

        /// Whether it belongs to the protocol.
        public var isMeta: Bool { name.hasPrefix("/meta/") }
        /// Whether it is for requests to the server, which are never handed on.
        public var isService: Bool { name.hasPrefix("/service/") }
        /// Whether it stands for several names.
        public var isPattern: Bool { name.utf8.last == UInt8(ascii: "*") }
        /// Whether clients may subscribe to it.
        public var isSubscribable: Bool { !isMeta && !isService }

        /// Whether a message on the channel `other`, which is no pattern, is one for who subscribed to this.
        public func covers(_ other: Channel) -> Bool {
            guard isPattern else { return self == other }
            let isDeep = name.hasSuffix("/**")
            let stem = name.utf8.dropLast(isDeep ? 2 : 1)
            guard other.name.utf8.starts(with: stem), other.name.utf8.count > stem.count else { return false }
            return isDeep || !other.name.utf8.dropFirst(stem.count).contains(UInt8(ascii: "/"))
        }

        /// The name.
        public var description: String { name }
    }
}

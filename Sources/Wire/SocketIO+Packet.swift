public import JSONText

extension SocketIO {
    /// The packet types; a packet's first character is its number (1.9).
    public enum PacketType: UInt8, Hashable, Sendable, CaseIterable {
        case connect, disconnect, event, acknowledgement, connectError, binaryEvent, binaryAcknowledgement
    }

    /// One Socket.IO packet, the data of an Engine.IO message (1.9).
    ///
    /// `attachments` counts the binary messages that follow; their placeholders stand in the JSON text. Those of the event and of the
    /// acknowledgement are empty in what was parsed: an `AttachmentAssembler` fills them.
    public enum Packet: Hashable, Sendable {
        /// Joins a namespace, or says that it is joined. The namespace may carry a query over Engine.IO 3.
        case connect(namespace: String, payload: RawJSON?)
        /// Leaves a namespace.
        case disconnect(namespace: String)
        /// An event.
        case event(Event, attachments: Int)
        /// The answer to an event that asked for one.
        case acknowledgement(Acknowledgement, attachments: Int)
        /// Refuses a namespace.
        case connectError(namespace: String, payload: RawJSON?)

        /// How many binary messages follow.
        public var attachments: Int {
            switch self {
            case .event(_, let attachments), .acknowledgement(_, let attachments): attachments
            case .connect, .disconnect, .connectError: 0
            }
        }
    }

    /// More attachments than this are refused (the reference's default).
    public static let maximumAttachments = 10

    /// Whether `name` can be a namespace's: a comma would end it on the wire.
    public static func isNamespace(_ name: String) -> Bool { !name.utf8.contains(UInt8(ascii: ",")) }

    /// Bytes of the longest name that `isReserved` is true of.
    static let longestReservedName = 14

    /// Whether `name` is one of the event names the protocol's libraries keep for themselves; no peer may send them, and `emit` must not
    /// be given them.
    public static func isReserved(_ name: String) -> Bool {
        // Names of a backend are longer than most of these, so their length tells them apart without a comparison.
        switch name.utf8.count {
        case 7: name == "connect"
        case 10: name == "disconnect"
        case 11: name == "newListener"
        case 13: name == "connect_error" || name == "disconnecting"
        case 14: name == "removeListener"
        default: false
        }
    }
}

extension SocketIO.Malformed {
    /// What a reader found wrong.
    init(_ error: JSONError, within place: String) {
        self.init(message: "\(place) is not the JSON it should be: \(error.reason)", offset: error.offset)
    }

    /// The same, counted from the start of a frame that has `count` bytes in front.
    func moved(by count: Int) -> SocketIO.Malformed {
        SocketIO.Malformed(message: message, offset: offset.map { $0 + count })
    }
}

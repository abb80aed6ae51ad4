public import JSONText

extension SocketIO {
    /// The packet types. The first character of a packet is its type's number (Socket.IO SIO-2).
    public enum PacketType: UInt8, Hashable, Sendable, CaseIterable {
        case connect, disconnect, event, acknowledgement, connectError, binaryEvent, binaryAcknowledgement
    }

    /// One Socket.IO packet: the data of an Engine.IO message (Socket.IO SIO-1).
    ///
    /// `attachments` is the number of binary messages that follow; the JSON text contains their placeholders. In a
    /// parsed packet, the attachments of the event or the acknowledgement are empty; an `AttachmentAssembler` fills
    /// them in.
    public enum Packet: Hashable, Sendable {
        /// Requests to join a namespace, or confirms it. Over Engine.IO 3, the namespace may have a query.
        case connect(namespace: String, payload: RawJSON?)
        /// Leaves a namespace, or removes the client from it.
        case disconnect(namespace: String)
        /// Carries an event from either end.
        case event(Event, attachments: Int)
        /// Answers an event that requested an acknowledgement.
        case acknowledgement(Acknowledgement, attachments: Int)
        /// Refuses a request to join a namespace.
        case connectError(namespace: String, payload: RawJSON?)

        /// The number of binary messages that follow.
        public var attachments: Int {
            switch self {
            case .event(_, let attachments), .acknowledgement(_, let attachments): attachments
            case .connect, .disconnect, .connectError: 0
            }
        }
    }

    /// The default limit on attachments of one packet, as in the reference implementation.
    public static let maximumAttachments = 10

    /// Returns whether `name` can be a namespace. A comma would end it on the wire.
    public static func isNamespace(_ name: String) -> Bool { !name.utf8.contains(UInt8(ascii: ",")) }

    /// The length in bytes of the longest reserved event name.
    static let longestReservedName = 14

    /// Returns whether `name` is an event name reserved by the protocol's libraries. No peer may send one, and it must
    /// not be passed to `emit`.
    public static func isReserved(_ name: String) -> Bool {
        // Most event names of a backend are longer than these, so the length alone rules them out without a comparison.
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
    /// Creates an error from a JSON reader's error. `place` names the part of the frame.
    init(_ error: JSONError, within place: String) {
        self.init(message: "\(place) is not the JSON it should be: \(error.reason)", offset: error.offset)
    }

    /// Returns the same error with its offset counted from the start of a frame that has `count` more bytes in front.
    func moved(by count: Int) -> SocketIO.Malformed {
        SocketIO.Malformed(message: message, offset: offset.map { $0 + count })
    }
}

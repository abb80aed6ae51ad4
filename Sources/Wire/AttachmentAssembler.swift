/// Puts binary packets together: a text with placeholders, then as many binary messages as it announced (1.9).
///
/// Holds one packet and its attachments at most, and of these no more than `room` bytes.
struct AttachmentAssembler: Sendable {
    private enum State {
        /// Nothing is due. Follows: gathering, passingOver.
        case idle
        /// Attachments of this packet are due. Follows: idle.
        case gathering(SocketIO.Packet, [ArraySlice<UInt8>], bytes: Int)
        /// So many attachments of a packet that was refused are due, and dropped. Follows: idle.
        case passingOver(Int)
    }

    private var state = State.idle
    /// Bytes of the attachments of one packet, at most.
    private let room: Int

    init(room: Int) { self.room = room }

    /// Whether a packet waits for attachments, so that a text message cannot come now.
    var isGathering: Bool { if case .gathering = state { true } else { false } }

    /// Whether binary messages are due, to be kept or to be passed over.
    var isExpecting: Bool { if case .idle = state { false } else { true } }

    /// Takes the text of a packet that announces attachments, one at least.
    mutating func begin(_ packet: SocketIO.Packet) { state = .gathering(packet, [], bytes: 0) }

    /// Takes a binary message; gives the packet it completes. A packet whose attachments are too large is refused, and the rest of them is
    /// passed over.
    mutating func attach(_ bytes: ArraySlice<UInt8>) throws(SocketIO.Malformed) -> SocketIO.Packet? {
        switch state {
        case .idle:
            throw SocketIO.Malformed(message: "a binary frame that belongs to no packet", offset: 0)
        case .passingOver(let due):
            state = due > 1 ? .passingOver(due - 1) : .idle
            return nil
        case .gathering(let packet, var attachments, let held):
            // Let go of the array before it grows.
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

    /// The packet that begins with `text` was refused: the attachments it announces, if it announces any legibly, go with it.
    mutating func refuse(_ text: ArraySlice<UInt8>) {
        let due = SocketIO.PacketHeader.announcedAttachments(text.span)
        state = due > 0 ? .passingOver(due) : .idle
    }

    /// Forgets what was begun: nothing is due.
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

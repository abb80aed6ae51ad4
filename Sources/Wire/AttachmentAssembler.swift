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

extension EngineIO {
    /// Reads polling bodies chunk by chunk and emits each packet as soon as it is complete.
    ///
    /// A packet has the form of the message that a WebSocket of the session's revision would carry
    /// (Engine.IO EIO-22): text with its type digit; binary with the type byte in revision 3, and bare in
    /// revision 4.
    ///
    /// The reader stores only the packet being read; packets that lie within one chunk are slices of it. One reader
    /// serves all the bodies of a session in turn. `finish(into:)` ends each body.
    public struct PayloadReader: Sendable {
        /// The part of the body that comes next.
        enum State: Hashable, Sendable {
            /// Nothing has been read yet. Follows: undecided, separated, length, kind.
            case start
            /// Only digits were read, and are kept in `partial`: a length, or a packet. Follows: separated, characters.
            case undecided
            /// Revision 4: inside a packet that ends at 0x1E or with the body. Follows: separated.
            case separated
            /// Revision 3 text: inside `<n>:`. Follows: characters, length.
            case length(Int, digits: Int)
            /// Revision 3 text: inside a packet with this many UTF-16 units left. The last character read lacks
            /// `continuation` bytes. Follows: length.
            case characters(Int, continuation: Int)
            /// Revision 3 binary: before the byte 00 or 01. Follows: size.
            case kind
            /// Revision 3 binary: inside the length, one byte per digit, which ends at FF. Follows: data, kind.
            case size(Int, digits: Int, isBinary: Bool)
            /// Revision 3 binary: inside a packet with this many bytes left. Follows: kind.
            case data(Int, isBinary: Bool)
            /// The body was rejected, and the rest of it is ignored. Follows: start, with the next body.
            case refused
        }

        /// The revision whose framing is expected; `nil` until the first body has shown it.
        public private(set) var revision: Revision?
        /// The maximum size of a packet, in bytes of the body.
        let maximumPacket: Int
        /// The maximum number of packets in one body.
        let maximumPackets: Int
        var state = State.start
        /// The beginning of the packet being read.
        var partial: [UInt8] = []
        /// The bytes and the packets of this body so far.
        var offset = 0
        var count = 0

        /// Creates a reader for bodies of a revision. If it is `nil`, the reader detects the revision from the first
        /// body, which begins with the open packet.
        public init(_ revision: Revision?, maximumPacket: Int = Limits.standard, maximumPackets: Int = .max) {
            self.revision = revision
            self.maximumPacket = maximumPacket
            self.maximumPackets = maximumPackets
        }

        /// Reads the next piece of the body and appends complete packets to `packets`. After an error, the rest of this
        /// body is ignored.
        public mutating func read(
            _ chunk: ArraySlice<UInt8>, into packets: inout [WebSocketMessage]
        ) throws(MalformedPayload) {
            var rest = chunk
            do throws(MalformedPayload.Reason) {
                while !rest.isEmpty { try readSome(&rest, into: &packets) }
                offset += chunk.count
            } catch {
                refuse()
                throw MalformedPayload(error, offset: offset + rest.startIndex - chunk.startIndex)
            }
        }

        /// Ends the body, and prepares for the next one.
        public mutating func finish(into packets: inout [WebSocketMessage]) throws(MalformedPayload) {
            let end = offset
            defer {
                refuse()
                state = .start
                (offset, count) = (0, 0)
            }
            do throws(MalformedPayload.Reason) {
                switch state {
                case .start, .length(_, digits: 0), .kind, .refused: break
                case .undecided, .separated: try take([], into: &packets)
                case .length, .characters, .size, .data: throw .endsInsidePacket
                }
            } catch {
                throw MalformedPayload(error, offset: end)
            }
        }

        private mutating func refuse() {
            state = .refused
            partial = []
        }

        /// Sets the framing, which the first bytes of the body have shown.
        mutating func decide(_ revision: Revision, _ next: State) {
            self.revision = revision
            state = next
        }
    }

    /// An error in a polling body, and its position.
    public struct MalformedPayload: Error, Hashable, Sendable {
        /// The kinds of error in a polling body.
        public enum Reason: Error, Hashable, Sendable {
            /// The length is missing, not a number, or too long.
            case badLength
            /// A packet exceeds the size limit.
            case packetTooLarge
            /// The body exceeds the limit on packets.
            case tooManyPackets
            /// A packet that has neither a type digit nor data.
            case emptyPacket
            /// Binary data that is not Base64.
            case badBase64
            /// Text that is not UTF-8, or a length that splits a character.
            case notUTF8
            /// A packet of the binary framing that begins with neither 00 nor 01.
            case badKind
            /// The body ends before its last packet does.
            case endsInsidePacket
        }
        /// The kind of error, without a position.
        public var reason: Reason
        /// The position in the body at which the reader noticed the error, in bytes.
        public var offset: Int
        /// Creates an error at a byte offset in the body.
        public init(_ reason: Reason, offset: Int) {
            self.reason = reason
            self.offset = offset
        }
    }
}

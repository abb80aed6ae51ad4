extension EngineIO {
    /// Reads polling bodies chunk by chunk and gives each packet as soon as it is whole, as the message a WebSocket of the
    /// session's revision would have carried (`reference/socketio.md` 1.5): text with its type digit, binary with the type
    /// byte in front in revision 3 and bare in revision 4.
    ///
    /// It keeps the packet that is being read and nothing else; whole packets of one chunk are slices of that chunk. One
    /// reader serves the bodies of a session, one after the other: `finish(into:)` ends each.
    public struct PayloadReader: Sendable {
        /// What comes next in the body.
        enum State: Hashable, Sendable {
            /// Nothing of the body came. Follows: undecided, separated, length, kind.
            case start
            /// Only digits came, which `partial` holds: a length, or a packet. Follows: separated, characters.
            case undecided
            /// Revision 4: inside a packet that ends at 0x1E or with the body. Follows: separated.
            case separated
            /// Revision 3 text: inside `<n>:`. Follows: characters, length.
            case length(Int, digits: Int)
            /// Revision 3 text: a packet of so many UTF-16 units more, the last of them `continuation` bytes short. Follows: length.
            case characters(Int, continuation: Int)
            /// Revision 3 binary: 00 or 01. Follows: size.
            case kind
            /// Revision 3 binary: the length, a byte for a digit, up to FF. Follows: data, kind.
            case size(Int, digits: Int, isBinary: Bool)
            /// Revision 3 binary: so many bytes more. Follows: kind.
            case data(Int, isBinary: Bool)
            /// The body was refused; nothing of it is read any more. Follows: start, with the next body.
            case refused
        }

        /// The revision whose framing is expected; nil until the first body has told it.
        public private(set) var revision: Revision?
        /// Largest packet, in bytes of the body.
        let maximumPacket: Int
        /// Most packets of one body.
        let maximumPackets: Int
        var state = State.start
        /// The beginning of the packet that is being read.
        var partial: [UInt8] = []
        /// Bytes and packets of this body so far.
        var offset = 0
        var count = 0

        /// A reader of bodies of that revision; nil finds out from the first body, which begins with the open packet.
        public init(_ revision: Revision?, maximumPacket: Int = Limits.standard, maximumPackets: Int = .max) {
            self.revision = revision
            self.maximumPacket = maximumPacket
            self.maximumPackets = maximumPackets
        }

        /// Reads the next piece of the body; what is whole is appended to `packets`. After an error the rest of this body is passed over.
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

        /// The body has ended.
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

        /// The body tells its framing by its first bytes.
        mutating func decide(_ revision: Revision, _ next: State) {
            self.revision = revision
            state = next
        }
    }

    /// Why a polling body cannot be read, and where.
    public struct MalformedPayload: Error, Hashable, Sendable {
        /// What is wrong.
        public enum Reason: Error, Hashable, Sendable {
            /// No number, or one that is too long, where a length should be.
            case badLength
            /// A packet above the bound.
            case packetTooLarge
            /// More packets than the bound.
            case tooManyPackets
            /// A packet of nothing.
            case emptyPacket
            /// Binary data that is not base64.
            case badBase64
            /// Text that is not UTF-8, or a character that a length cuts in two.
            case notUTF8
            /// Neither 00 nor 01 in front of a packet of the binary framing.
            case badKind
            /// The body ends before its last packet does.
            case endsInsidePacket
        }
        /// What is wrong.
        public var reason: Reason
        /// Where in the body, in bytes, the reader noticed.
        public var offset: Int
        /// A malformed body.
        public init(_ reason: Reason, offset: Int) {
            self.reason = reason
            self.offset = offset
        }
    }
}

public import JSONText
public import Wire

/// When a record was made: its number over the whole recording, the session's time, and the wall clock.
public struct Stamp: Hashable, Sendable {
    /// Number of the record, counted from 1 without holes.
    public var n: Int
    /// Time since the recording began.
    public var time: Moment
    /// The wall clock, microseconds since 1970 UTC.
    public var wall: Int64
    /// A stamp.
    public init(n: Int, time: Moment, wall: Int64) {
        self.n = n
        self.time = time
        self.wall = wall
    }
}

/// One record of an event file (`reference/terminal.md` 3.3). `head`, `sync` and `end` are written by the writer itself.
public enum Record: Hashable, Sendable {
    case head(Head)
    case connection(ConnectionRecord)
    case frame(FrameRecord)
    case http(HTTPRecord)
    case subscription(SubscriptionRecord)
    case gap(GapRecord)
    case token(TokenRecord)
    case sync(SyncRecord)
    case end(EndRecord)
    /// A kind this version does not know; kept so that tools pass it on.
    case unknown(kind: String, text: RawJSON)

    /// The first record: what the file is, and what a replay needs to know to make the same session again.
    public struct Head: Hashable, Sendable {
        /// Format version.
        public var major: Int
        public var minor: Int
        /// Random id of the recording, 32 hex digits.
        public var recording: String
        /// Wall clock at time 0, microseconds since 1970 UTC.
        public var wallStart: Int64
        /// The tool and its version.
        public var tool: String
        /// Seed of the session's jitter.
        public var seed: UInt64
        /// The session's configuration as a JSON object, without secrets; opaque to this room.
        public var session: RawJSON
        /// A head.
        public init(major: Int = 1, minor: Int = 0, recording: String, wallStart: Int64, tool: String, seed: UInt64, session: RawJSON) {
            self.major = major
            self.minor = minor
            self.recording = recording
            self.wallStart = wallStart
            self.tool = tool
            self.seed = seed
            self.session = session
        }
    }

    /// `conn`: a change of the connection's state.
    public struct ConnectionRecord: Hashable, Sendable {
        /// The states of the wire connection.
        public enum State: String, Hashable, Sendable {
            case connecting, open, closing, closed, failed
        }
        /// Which connection of the recording, counted from 1.
        public var connection: Int
        public var state: State
        /// The URL, without secrets (`connecting`).
        public var url: String?
        /// The attempt's number since the last success (`connecting`).
        public var attempt: Int?
        /// Close code (`closed`) or HTTP status (`failed`).
        public var code: Int?
        /// The step that failed (`failed`).
        public var phase: String?
        /// The reason; untrusted text.
        public var why: String?
        public init(
            connection: Int, state: State, url: String? = nil, attempt: Int? = nil, code: Int? = nil, phase: String? = nil,
            why: String? = nil
        ) {
            self.connection = connection
            self.state = state
            self.url = url
            self.attempt = attempt
            self.code = code
            self.phase = phase
            self.why = why
        }
    }

    /// `f`: one WebSocket message.
    public struct FrameRecord: Hashable, Sendable {
        public enum Direction: String, Hashable, Sendable {
            case `in`, out
        }
        public var connection: Int
        public var direction: Direction
        public var message: WebSocketMessage
        public init(connection: Int, direction: Direction, message: WebSocketMessage) {
            self.connection = connection
            self.direction = direction
            self.message = message
        }
    }

    /// `http`: one side of a REST exchange.
    public struct HTTPRecord: Hashable, Sendable {
        public enum Phase: Hashable, Sendable {
            /// What was asked.
            case request(method: String, url: String, body: [UInt8])
            /// What was answered.
            case response(status: Int, body: [UInt8], retryAfter: Int?)
            /// Why nothing was answered: a kind from a closed list, and one line.
            case failure(kind: String, message: String)
        }
        /// The exchange's number in the session.
        public var id: Int
        public var phase: Phase
        /// Number of the record that caused the request.
        public var cause: Int?
        public init(id: Int, phase: Phase, cause: Int? = nil) {
            self.id = id
            self.phase = phase
            self.cause = cause
        }
    }

    /// `sub`: a wish about a room, or its fate.
    public struct SubscriptionRecord: Hashable, Sendable {
        public enum Act: String, Hashable, Sendable {
            case want, unwant, join, ack, deny, leave, left, lost
        }
        public var act: Act
        public var room: String
        /// Who wished it: `cli`, `list`, `ctl`.
        public var source: String?
        public var why: String?
        public init(act: Act, room: String, source: String? = nil, why: String? = nil) {
            self.act = act
            self.room = room
            self.source = source
            self.why = why
        }
    }

    /// `gap`: something was lost, or may have been.
    public struct GapRecord: Hashable, Sendable {
        /// `reconnect`, `malformed`, `overflow`, `torn`, `damage`.
        public var why: String
        public var from: Moment?
        public var to: Moment?
        /// How many events; nil when nobody can know.
        public var lost: Int?
        /// Whether the model was brought to the server's truth again, or will be by what `actions` names.
        public var recovered: Bool?
        public var actions: [String]
        public init(why: String, from: Moment? = nil, to: Moment? = nil, lost: Int? = nil, recovered: Bool? = nil, actions: [String] = []) {
            self.why = why
            self.from = from
            self.to = to
            self.lost = lost
            self.recovered = recovered
            self.actions = actions
        }
    }

    /// `token`: the token's reference was resolved again; the token itself is never recorded.
    public struct TokenRecord: Hashable, Sendable {
        /// Whether a token that differs from the one before was found.
        public var renewed: Bool
        public init(renewed: Bool) { self.renewed = renewed }
    }

    /// `sync`: what stands between the last one and this.
    public struct SyncRecord: Hashable, Sendable {
        /// Byte offset of the chunk's first line in the file, and its length.
        public var offset: Int
        public var bytes: Int
        public var records: Int
        public var firstTime: Moment
        public var lastTime: Moment
        /// CRC-32C of the chunk's bytes.
        public var crc: UInt32
        public init(offset: Int, bytes: Int, records: Int, firstTime: Moment, lastTime: Moment, crc: UInt32) {
            self.offset = offset
            self.bytes = bytes
            self.records = records
            self.firstTime = firstTime
            self.lastTime = lastTime
            self.crc = crc
        }
    }

    /// `end`: the recording was closed in order.
    public struct EndRecord: Hashable, Sendable {
        public enum Why: String, Hashable, Sendable {
            case closed, signal
            case diskFull = "disk-full"
        }
        public var why: Why
        public init(why: Why) { self.why = why }
    }
}

package import WeirJSON
package import WeirWire

/// One record of an event file. `schemas/recording.schema.json` describes the format. The writer itself adds `head`,
/// `sync`, `idx` and `end`.
///
/// Large and rare cases are `indirect`: records are passed along more often than they are inspected.
package enum Record: Hashable, Sendable {
    /// The first record, with the format and the configuration.
    indirect case head(Head)
    /// A change in the connection's state.
    indirect case connection(ConnectionRecord)
    /// A WebSocket message, received or sent.
    case frame(FrameRecord)
    /// The start or the end of a REST exchange.
    case http(HTTPRecord)
    /// A subscription request for a room, or its result.
    indirect case subscription(SubscriptionRecord)
    /// A point where events were lost, or may have been.
    indirect case gap(GapRecord)
    /// The token reference was resolved again.
    case token(TokenRecord)
    /// An action that the user requested.
    case action(ActionRecord)
    /// Rows cached from an earlier session.
    case memory(MemoryRecord)
    /// A mark set by the user or by a tool.
    case mark(MarkRecord)
    /// The state of the model, which a replay compares with its own.
    case state(StateRecord)
    /// How far the wall clock and the server's clock differ from the session's clock.
    case clock(ClockRecord)
    /// A diagnostic message of the tool that is worth keeping.
    case note(NoteRecord)
    /// A summary of the chunk between the previous `sync` and this one.
    indirect case sync(SyncRecord)
    /// The offsets of all chunks of the file.
    indirect case index(IndexRecord)
    /// The last record of a file that was closed in order.
    case end(EndRecord)
    /// A kind that this version does not know. `text` is the whole record, kept so that tools pass it on.
    case unknown(kind: String, text: RawJSON)

    /// The record's kind, its `k` member.
    package var kind: String { format.name }

    /// Whether the record's payload is binary.
    var isBinary: Bool {
        if case .frame(let frame) = self, case .binary = frame.message { true } else { false }
    }

    /// Whether the record draws no number and repeats the one before it. Record numbers must not depend on whether and
    /// how a recording is made.
    package var isUnnumbered: Bool {
        // After a rotation the session continues in the next segment.
        if case .end(let end) = self { return end.why == .rotated }
        return format.isUnnumbered
    }
}

extension Record {
    /// `token`: the token reference was resolved again. The token itself is never recorded.
    package struct TokenRecord: Hashable, Sendable {
        /// Whether the resolved token differs from the previous one.
        package var renewed: Bool
        /// Creates a record; `renewed` is false when the token did not change.
        package init(renewed: Bool) { self.renewed = renewed }
    }

    /// `act`: the user requested an action or withdrew one.
    package struct ActionRecord: Hashable, Sendable {
        /// The step that the user took. It determines the meaning of `ActionRecord.what`.
        package enum Act: String, Hashable, Sendable, CaseIterable {
            /// Requested an action; `what` is the action.
            case ask
            /// Withdrew an action or discarded a failed one; `what` is the action's id.
            case drop
            /// Retried a failed action; `what` is the action's id.
            case retry
            /// Cancelled everything in progress under a tag; `what` is the tag.
            case cancel
            /// Did nothing: the outbox was restored from an earlier session; `what` is the list of its entries.
            case restore
            /// Sent an event to the server; `what` is the emit.
            case emit
            /// Passed on a push notification; `what` is its JSON.
            case push
        }
        /// The act, which determines the meaning of `what`.
        package var act: Act
        /// The subject of the act, as JSON; this module does not interpret it.
        package var what: RawJSON
        package init(act: Act, what: RawJSON) {
            self.act = act
            self.what = what
        }
    }

    /// `mem`: rows of an earlier session, which fill the model before the server's first answer.
    package struct MemoryRecord: Hashable, Sendable {
        /// The user whose rows these are: the server's id of the user. Untrusted text.
        package var user: String
        /// The rows as JSON Lines; this module does not interpret them.
        package var rows: [UInt8]
        /// The length of the rows in bytes before they were cut to the limit of a line; `nil` when they are whole.
        package var cutFrom: Int?
        package init(user: String, rows: [UInt8], cutFrom: Int? = nil) {
            self.user = user
            self.rows = rows
            self.cutFrom = cutFrom
        }
    }

    /// `sub`: a subscription request for a room, or its result.
    package struct SubscriptionRecord: Hashable, Sendable {
        /// The request, or the event that ended one.
        package enum Act: String, Hashable, Sendable, CaseIterable {
            case want, unwant, only, reset, share, withdraw, select, who, history, refetch, join, ack, deny, leave, left
            case lost
        }
        /// The connection's number in the recording, counted from 1.
        package var connection: Int?
        /// The request, or its result.
        package var act: Act
        /// The room's name. In a request it may be a pattern, or several patterns joined by ` + ` and ` - `. Untrusted
        /// text.
        package var room: String
        /// The origin of the request: `cli`, `list`, `ctl` or `pin`.
        package var source: String?
        /// The reason given; untrusted text.
        package var why: String?
        /// How long the wish lasts; `nil` for no limit. In a share: how long its rooms may have had no holder.
        package var span: Duration?
        /// The start of the requested history, in milliseconds since 1970; `nil` when the act asks for no history.
        package var since: Int64?
        /// The ids of the other members, in a share. Its own id is in `room`.
        package var rivals: [String]
        package init(
            act: Act, room: String, source: String? = nil, why: String? = nil, span: Duration? = nil,
            since: Int64? = nil, rivals: [String] = [], connection: Int? = nil
        ) {
            self.rivals = rivals
            self.span = span
            self.since = since
            self.connection = connection
            self.act = act
            self.room = room
            self.source = source
            self.why = why
        }
    }

    /// `gap`: events were lost, or may have been.
    package struct GapRecord: Hashable, Sendable {
        /// The connection's number in the recording, counted from 1.
        package var connection: Int?
        /// `reconnect`, `refetched`, `handover`, `catch_up`, `malformed`, `overflow`, `torn`, `damage`, `unwritten`.
        package var why: String
        /// The start of the gap.
        package var from: Moment?
        /// The end of the gap.
        package var to: Moment?
        /// The number of lost events; `nil` when it cannot be known.
        package var lost: Int?
        /// Whether the model matches the server again, or will once the `actions` are done.
        package var recovered: Bool?
        /// The actions that recover the state, such as resync.
        package var actions: [String]
        package init(
            why: String, from: Moment? = nil, to: Moment? = nil, lost: Int? = nil, recovered: Bool? = nil,
            actions: [String] = [],
            connection: Int? = nil
        ) {
            self.connection = connection
            self.why = why
            self.from = from
            self.to = to
            self.lost = lost
            self.recovered = recovered
            self.actions = actions
        }
    }
}

extension Record {
    /// The length in bytes of a received payload before it was cut to the limit of a line; `nil` when the payload is
    /// whole.
    package var lengthBeforeCut: Int? {
        switch self {
        case .frame(let frame): frame.direction == .in ? frame.cutFrom : nil
        case .http(let exchange): exchange.cutFrom
        case .memory(let memory): memory.cutFrom
        case .head, .connection, .subscription, .gap, .token, .action, .mark, .state, .clock, .note, .sync, .index,
            .end, .unknown:
            nil
        }
    }
}

extension Record {
    /// `conn`: a change in a connection's state.
    package struct ConnectionRecord: Hashable, Sendable {
        /// The states of a wire connection.
        package enum State: String, Hashable, Sendable, CaseIterable {
            case connecting, open, upgraded, closing, closed, failed
            /// The reader has paused because received data is not written yet (`paused`), or the process stood still
            /// (`stalled`).
            case paused, stalled
            /// The connection is read again after a pause.
            case resumed
        }
        /// The connection's number in the recording, counted from 1.
        package var connection: Int
        /// The state that the connection reached.
        package var state: State
        /// The URL, without secrets (`connecting`).
        package var url: String?
        /// The number of the attempt since the last success (`connecting`).
        package var attempt: Int?
        /// The close code (`closed`) or the HTTP status (`failed`).
        package var code: Int?
        /// The step that failed (`failed`): the name of a `ConnectFailure.Phase`.
        package var phase: String?
        /// The reason given; untrusted text.
        package var why: String?
        /// Whether and how to reconnect (`closed`, `failed`): the name of a `Reconnection`.
        package var retry: String?
        /// The delay until the next attempt, in microseconds after this record (`closed`, `failed`).
        package var next: Int64?
        /// The protocol with its revision, such as `eio4`.
        package var spoken: String?
        /// The transport: `websocket` or `polling` (`open`, `upgraded`).
        package var transport: String?
        /// The server's session id, hashed with a salt of this recording (`open`).
        package var session: String?
        /// The result of trying to resume an earlier connection (`open`).
        package var resumed: Resumption?
        package init(
            connection: Int, state: State, url: String? = nil, attempt: Int? = nil, code: Int? = nil,
            phase: String? = nil, why: String? = nil, retry: String? = nil, next: Int64? = nil, spoken: String? = nil,
            transport: String? = nil, session: String? = nil, resumed: Resumption? = nil
        ) {
            self.connection = connection
            self.state = state
            self.url = url
            self.attempt = attempt
            self.code = code
            self.phase = phase
            self.why = why
            self.retry = retry
            self.next = next
            self.spoken = spoken
            self.transport = transport
            self.session = session
            self.resumed = resumed
        }
    }

    /// The result of connection state recovery (Socket.IO SIO-15).
    package struct Resumption: Hashable, Sendable {
        /// The private session id, hashed with a salt of this recording.
        package var session: String?
        /// The offset that was sent, hashed with the same salt.
        package var offset: String?
        /// Whether the server sent the missed events.
        package var isRecovered: Bool
    }

    /// `f`: one whole WebSocket message.
    package struct FrameRecord: Hashable, Sendable {
        /// The direction of a message: `in` from the server, `out` to it.
        package enum Direction: String, Hashable, Sendable, CaseIterable {
            case `in`, out
        }
        /// The connection's number in the recording, counted from 1.
        package var connection: Int
        /// Whether the message was received or sent.
        package var direction: Direction
        /// The message, byte for byte except for secrets.
        package var message: WebSocketMessage
        /// The message's length in bytes before it was cut; `nil` when it is whole. Messages above 12,000,000 bytes are
        /// cut, and only their start is kept.
        package var cutFrom: Int?
        /// The transport that carried the message; `nil` for a WebSocket.
        package var transport: String?
        /// Whether a tool inserted the message, so that it was never on the wire.
        package var isInjected: Bool
        /// Whether the message was on the wire but was withheld from its recipient. A replay skips it.
        package var isDropped: Bool
        package init(
            connection: Int, direction: Direction, message: WebSocketMessage, cutFrom: Int? = nil,
            transport: String? = nil,
            isInjected: Bool = false, isDropped: Bool = false
        ) {
            self.connection = connection
            self.direction = direction
            self.message = message
            self.cutFrom = cutFrom
            self.transport = transport
            self.isInjected = isInjected
            self.isDropped = isDropped
        }
    }

    /// `http`: one side of a REST exchange.
    package struct HTTPRecord: Hashable, Sendable {
        /// The side of the exchange, with its contents.
        package enum Phase: Hashable, Sendable {
            /// The request, with the bytes of its body.
            case request(method: String, url: String, body: [UInt8])
            /// The response. `retryAfter` is the header of that name, in seconds; no other header is kept.
            case response(status: Int, body: [UInt8], retryAfter: Int?)
            /// The reason for the missing response: a kind from a closed list, and a message of one line.
            case failure(kind: String, message: String)
        }
        /// The number of the connection the exchange belongs to; 0 when it belongs to none.
        package var connection: Int
        /// The number of the exchange in the session.
        package var id: Int
        /// The side of the exchange, with its contents.
        package var phase: Phase
        /// The number of the record that caused the request.
        package var cause: Int?
        /// The body's length in bytes before it was cut; `nil` when it is whole. Bodies above 12,000,000 bytes are cut,
        /// and only their start is kept.
        package var cutFrom: Int?
        /// Returns the path and query of a recorded URL: everything after the authority. Returns `nil` when the URL has
        /// no scheme or no path.
        package static func target(of url: Substring) -> Substring? {
            guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return nil }
            let rest = url[url.index(colon, offsetBy: 3)...]
            return rest.firstIndex(of: "/").map { rest[$0...] }
        }

        package init(connection: Int = 0, id: Int, phase: Phase, cause: Int? = nil, cutFrom: Int? = nil) {
            self.connection = connection
            self.id = id
            self.phase = phase
            self.cause = cause
            self.cutFrom = cutFrom
        }
    }
}

extension Record {
    /// The first record of a file: its format, and the configuration from which a replay creates the same session.
    package struct Head: Hashable, Sendable {
        /// Major format version. A file with another major version cannot be read.
        package var major: Int
        /// Minor format version. A newer one only adds kinds, members and values.
        package var minor: Int
        /// Random id of the recording: 32 hexadecimal digits, the same in all its segments.
        package var recording: String
        /// The file's segment number in the recording, from 1.
        package var segment: Int
        /// SHA-256 of the previous segment: 64 hexadecimal digits. `nil` in the first segment, and when it is unknown.
        package var previous: String?
        /// The wall clock at time 0, in microseconds since 1970 UTC. The same in all segments.
        package var wallStart: Int64
        /// The name of the clock that the times come from.
        package var clock: String
        /// A salted hash that identifies one boot of one machine. Segments with different values have no common clock.
        /// The salt belongs to this recording.
        package var boot: String?
        /// The name and version of the tool that wrote the file.
        package var tool: String
        /// The name of the operating system.
        package var system: String?
        /// The name of the context in use.
        package var context: String?
        /// The user's title for the recording.
        package var title: String?
        /// Search terms set by the user.
        package var tags: [String]
        /// The longest pause that a player needs to keep, in microseconds.
        package var idleLimit: Int64?
        /// The ids of the redaction rules that were applied.
        package var redactions: [String]
        /// The filter that decided which events are recorded whole, as text; `nil` when all are. Other events keep
        /// their record without its text, marked as dropped.
        package var filter: String?
        /// The seed of the session's jitter.
        package var seed: UInt64
        /// The session's configuration as a JSON object, without secrets. This module does not interpret it.
        package var session: RawJSON
        package init(
            major: Int = 1, minor: Int = 0, recording: String, segment: Int = 1, previous: String? = nil,
            wallStart: Int64,
            clock: String = "CLOCK_BOOTTIME", boot: String? = nil, tool: String, system: String? = nil,
            context: String? = nil,
            title: String? = nil, tags: [String] = [], idleLimit: Int64? = nil, redactions: [String] = ["secrets"],
            filter: String? = nil, seed: UInt64, session: RawJSON
        ) {
            self.major = major
            self.minor = minor
            self.recording = recording
            self.segment = segment
            self.previous = previous
            self.wallStart = wallStart
            self.clock = clock
            self.boot = boot
            self.tool = tool
            self.system = system
            self.context = context
            self.title = title
            self.tags = tags
            self.idleLimit = idleLimit
            self.redactions = redactions
            self.filter = filter
            self.seed = seed
            self.session = session
        }
    }

    /// A name and how often it occurs.
    package struct Count: Hashable, Sendable {
        /// What is counted: a kind of record, or a room.
        package var name: String
        /// The number of its occurrences.
        package var count: Int
    }

    /// `sync`: a summary of the lines between the previous `sync` and this one.
    package struct SyncRecord: Hashable, Sendable {
        /// Byte offset of the chunk's first line in the file. In a compressed file it is an offset in the text.
        package var offset: Int
        /// The length of the chunk in bytes: all lines between two `sync` records, excluding both.
        package var bytes: Int
        /// The number of lines in the chunk.
        package var records: Int
        /// The time of the chunk's first record.
        package var firstTime: Moment
        /// The time of the chunk's last record.
        package var lastTime: Moment
        /// CRC-32C of the chunk's bytes.
        package var crc: UInt32
        /// The connections that are open at the end of the chunk.
        package var connections: [Int] = []
        /// The chunk's records by kind, ordered by first occurrence.
        package var kinds: [Count] = []

        /// Returns how many bytes the record has moved: its line was written at one offset and now begins at `offset`.
        /// Negative when it moved towards the start.
        func displacement(at offset: Int) -> Int { offset - (self.offset + bytes) }
    }

    /// `idx`: the offsets of all chunks of the file. It only speeds up seeking: a file can be read without it. Compare
    /// it with the `sync` records it describes before trusting it.
    package struct IndexRecord: Hashable, Sendable {
        /// The position and extent of one chunk.
        package struct Chunk: Hashable, Sendable {
            /// Byte offset of the chunk's first line.
            package var offset: Int
            /// The time of its first record.
            package var firstTime: Moment
            /// The time of its last record.
            package var lastTime: Moment
            /// The number of its first numbered record.
            package var firstNumber: Int
            /// The number of its lines.
            package var records: Int
        }
        /// The chunks, in file order.
        package var chunks: [Chunk]
        /// The file's records by kind.
        package var kinds: [Count]
        /// Received messages by room, where the room is known. Busiest first, at most 1,000.
        package var rooms: [Count] = []
    }

    /// `end`: the last record of a file that was closed in order.
    package struct EndRecord: Hashable, Sendable {
        /// Why the file ends. The raw value is the record's `why` member.
        package enum Why: String, Hashable, Sendable, CaseIterable {
            case closed, signal
            /// The recording continues in the next segment; the session has not ended.
            case rotated
            case diskFull = "disk-full"
        }
        /// Why the file ends, as decided by its writer.
        package var why: Why
        /// Byte offset of the `idx` line; `nil` when the file has none.
        package var index: Int?
        package init(why: Why, index: Int? = nil) {
            self.why = why
            self.index = index
        }
    }
}

extension Record {
    /// `mark`: a labelled place, set during the recording or later.
    package struct MarkRecord: Hashable, Sendable {
        /// The mark's label. Labels need not be unique.
        package var label: String
        /// The origin of the mark: `key`, `ctl`, `match` or `file`.
        package var author: String?
        /// The name of the colour to show the mark in.
        package var colour: String?
        package init(label: String, author: String? = nil, colour: String? = nil) {
            self.label = label
            self.author = author
            self.colour = colour
        }
    }

    /// `st`: a small checksum of the model that a replay compares with its own.
    package struct StateRecord: Hashable, Sendable {
        /// The number of the record whose input produced this state.
        package var after: Int
        /// The 64-bit checksum of the model (`SectionedSnapshot.checksum`).
        package var checksum: UInt64
        /// The version of the checksum's definition, 1 to 9. Checksums of different versions cannot be compared
        /// (`Item.checksumVersion`).
        package var checksumVersion: Int
        /// The number of sections in the model.
        package var sections: Int
        /// The number of rows in the model.
        package var items: Int
        package init(after: Int, checksum: UInt64, checksumVersion: Int, sections: Int, items: Int) {
            self.after = after
            self.checksum = checksum
            self.checksumVersion = checksumVersion
            self.sections = sections
            self.items = items
        }
    }

    /// `clock`: how far the wall clock and the server's clock differ from the session's clock, which never steps.
    package struct ClockRecord: Hashable, Sendable {
        /// How far the wall clock has moved against the session's clock since the recording began, in microseconds.
        package var step: Int64?
        /// The estimated difference of the server's clock minus the local clock, in microseconds.
        package var serverOffset: Int64?
        package init(step: Int64? = nil, serverOffset: Int64? = nil) {
            self.step = step
            self.serverOffset = serverOffset
        }
    }

    /// `note`: a diagnostic message of the tool that is worth keeping.
    package struct NoteRecord: Hashable, Sendable {
        /// The severity: `info`, `warning` or `error`.
        package var level: String
        /// The message; it may quote untrusted text.
        package var message: String
        package init(level: String, message: String) {
            self.level = level
            self.message = message
        }
    }
}

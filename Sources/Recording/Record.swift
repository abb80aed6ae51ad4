package import JSONText
public import Wire

/// When a record was made: its number in the recording, the session's time and the wall clock.
public struct Stamp: Hashable, Sendable {
    /// The record's number, counted from 1 over the whole recording. A hole means that records are missing. 0 for the
    /// head and for events that are not recorded.
    public var n: Int
    /// Time since the recording began.
    public var time: Moment
    /// The wall clock, in microseconds since 1970 UTC.
    public var wall: Int64
    /// Whether the record repeats state from before the start of its file, so that the file can be played alone. A
    /// reader that has already read the earlier segments skips it. It carries the number of the record before it.
    public var isRestated: Bool
    /// Creates a stamp. `time` counts from the start of the recording, `wall` is microseconds since 1970 UTC.
    public init(n: Int, time: Moment, wall: Int64, isRestated: Bool = false) {
        self.n = n
        self.time = time
        self.wall = wall
        self.isRestated = isRestated
    }
}

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

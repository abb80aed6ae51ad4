package import JSONText
public import Wire

/// When a record was made: its number over the whole recording, the session's time, and the wall clock.
public struct Stamp: Hashable, Sendable {
    /// Number of the record, counted from 1; a hole means that records are missing. 0 for the head and for what is not
    /// recorded.
    public var n: Int
    /// Time since the recording began.
    public var time: Moment
    /// The wall clock, microseconds since 1970 UTC.
    public var wall: Int64
    /// Whether the record is none of its own, but says again what came before the file it stands in, so that the file can be played
    /// alone. Who has what came before passes it over. It repeats the number of the record before it.
    public var isRestated: Bool
    /// A stamp.
    public init(n: Int, time: Moment, wall: Int64, isRestated: Bool = false) {
        self.n = n
        self.time = time
        self.wall = wall
        self.isRestated = isRestated
    }
}

/// One record of an event file; `schemas/recording.schema.json` tells their form. `head`, `sync`, `idx` and `end` are
/// written by the writer itself.
///
/// What is large and rare stands behind a reference: records are handed on more often than they are looked at.
package enum Record: Hashable, Sendable {
    /// What the file is.
    indirect case head(Head)
    /// The connection's state changed.
    indirect case connection(ConnectionRecord)
    /// A WebSocket message came or went.
    case frame(FrameRecord)
    /// A REST exchange began or ended.
    case http(HTTPRecord)
    /// A room was wished for, or met its fate.
    indirect case subscription(SubscriptionRecord)
    /// Something was lost, or may have been.
    indirect case gap(GapRecord)
    /// The token was resolved again.
    case token(TokenRecord)
    /// The user wanted something done.
    case action(ActionRecord)
    /// What was remembered of an earlier session.
    case memory(MemoryRecord)
    /// Somebody marked this place.
    case mark(MarkRecord)
    /// What the model was like, for a replay to compare itself with.
    case state(StateRecord)
    /// How the wall clock, or the server's, stands to the session's.
    case clock(ClockRecord)
    /// A message of the tool that is worth keeping.
    case note(NoteRecord)
    /// What stands between the last one and this.
    indirect case sync(SyncRecord)
    /// Where every chunk of the file is.
    indirect case index(IndexRecord)
    /// The file was closed in order.
    case end(EndRecord)
    /// A kind this version does not know; the text is the whole record, kept so that tools pass it on.
    case unknown(kind: String, text: RawJSON)

    /// The record's `k`.
    package var kind: String { format.name }

    /// Whether its payload is no text.
    var isBinary: Bool {
        if case .frame(let frame) = self, case .binary = frame.message { true } else { false }
    }

    /// Whether it stands beside the numbered records and repeats the number of the one before it: numbers must not depend on
    /// whether and how a recording is made.
    package var isAside: Bool {
        // The session goes on.
        if case .end(let end) = self { return end.why == .rotated }
        return format.isAside
    }
}

extension Record {
    /// `token`: the token's reference was resolved again; the token itself is never recorded.
    package struct TokenRecord: Hashable, Sendable {
        /// Whether a token that differs from the one before was found.
        package var renewed: Bool
        /// A renewal, or the lack of one.
        package init(renewed: Bool) { self.renewed = renewed }
    }

    /// `act`: the user wanted something done, or not any more.
    package struct ActionRecord: Hashable, Sendable {
        /// What the user did.
        package enum Act: String, Hashable, Sendable, CaseIterable {
            /// Asked for something; `what` is the action.
            case ask
            /// Took it back, or dropped what failed; `what` is the action's id.
            case drop
            /// Asked again for what failed; `what` is the action's id.
            case retry
            /// Cancelled what goes on under a tag; `what` is the tag.
            case cancel
            /// Nothing: what an earlier session left undone; `what` is the list of its entries.
            case restore
            /// Said something to the server; `what` is the emit.
            case emit
            /// Handed on a notification of a push service; `what` is its JSON.
            case push
        }
        /// What the user did.
        package var act: Act
        /// Opaque to this room.
        package var what: RawJSON
        /// A wish.
        package init(act: Act, what: RawJSON) {
            self.act = act
            self.what = what
        }
    }

    /// `mem`: rows of an earlier session that filled the model before the server spoke.
    package struct MemoryRecord: Hashable, Sendable {
        /// Whose rows they are: the server's id of the user; untrusted text.
        package var user: String
        /// The rows as JSON Lines; opaque to this room.
        package var rows: [UInt8]
        /// How many bytes the rows had before they were cut to what a line may hold; nil when they are whole.
        package var cutFrom: Int?
        /// A part of what was remembered.
        package init(user: String, rows: [UInt8], cutFrom: Int? = nil) {
            self.user = user
            self.rows = rows
            self.cutFrom = cutFrom
        }
    }

    /// `sub`: a wish about a room, or its fate.
    package struct SubscriptionRecord: Hashable, Sendable {
        /// What was wished, or what became of it.
        package enum Act: String, Hashable, Sendable, CaseIterable {
            case want, unwant, only, reset, withdraw, select, who, history, refetch, join, ack, deny, leave, left, lost
        }
        /// Which connection of the recording.
        package var connection: Int?
        /// What was wished, or what became of it.
        package var act: Act
        /// The room's name; of a wish a pattern, or patterns put together. Untrusted text.
        package var room: String
        /// Who wished it: `cli`, `list`, `ctl`, `pin`.
        package var source: String?
        /// The reason; untrusted text.
        package var why: String?
        /// How long the wish lasts; nil for ever.
        package var span: Duration?
        /// From which time on somebody wants to know, milliseconds since 1970; nil for what is told without going back.
        package var since: Int64?
        /// A wish or a fate.
        package init(
            act: Act, room: String, source: String? = nil, why: String? = nil, span: Duration? = nil,
            since: Int64? = nil, connection: Int? = nil
        ) {
            self.span = span
            self.since = since
            self.connection = connection
            self.act = act
            self.room = room
            self.source = source
            self.why = why
        }
    }

    /// `gap`: something was lost, or may have been.
    package struct GapRecord: Hashable, Sendable {
        /// Which connection of the recording.
        package var connection: Int?
        /// `reconnect`, `refetched`, `catch_up`, `malformed`, `overflow`, `torn`, `damage`, `unwritten`.
        package var why: String
        /// From when nothing can be told.
        package var from: Moment?
        /// Until when nothing can be told.
        package var to: Moment?
        /// How many events; nil when nobody can know.
        package var lost: Int?
        /// Whether the model was brought to the server's truth again, or will be by what `actions` names.
        package var recovered: Bool?
        /// What was done about it.
        package var actions: [String]
        /// A gap.
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
    /// The bytes a payload that came from the server had before it was cut to what a line may hold; nil when it is whole.
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

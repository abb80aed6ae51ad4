public import Events
public import JSONText
public import SectionedModel
public import Wire

/// What a session tells whoever watches it, in the order it happened. One reference, whatever it is: a report is handed on and kept many
/// times.
public enum Report: Sendable {
    /// The backend said something.
    case event(EventReport)
    /// The model changed.
    case diff(DiffReport)
    /// Something was lost, or may have been.
    indirect case gap(GapReport)
    /// The connection changed its state.
    indirect case connection(ConnectionReport)
    /// A room was wanted, joined, refused or left.
    indirect case room(RoomReport)
    /// What the user wants done was asked for, done or refused.
    indirect case action(ActionReport)
    /// What the user said to the server was sent, acknowledged or refused.
    indirect case emit(EmitReport)
    /// Something that was asked of the service was answered, or was not.
    indirect case refetch(RefetchReport)
    /// Somebody types, or types no more.
    indirect case typing(TypingReport)
    /// A frame or an answer could not be read; it is kept in the recording.
    indirect case undecodable(UndecodableReport)
    /// Anything else worth a line on stderr.
    indirect case notice(Notice)
}

/// One event.
public struct EventReport: Sendable {
    private final class Contents: Sendable {
        let event: Event
        let source: WireEvent

        init(event: Event, source: WireEvent) {
            self.event = event
            self.source = source
        }
    }
    private let contents: Contents

    /// The event.
    public var event: Event { contents.event }
    /// The event as it was received.
    public var source: WireEvent { contents.source }
    /// The name on the wire.
    public var wireName: String { contents.source.name }
    /// The namespace, or the channel, it came on.
    public var namespace: String { contents.source.namespace }
    /// The JSON text, as `WireEvent.payload`.
    public var payload: RawJSON { contents.source.payload }

    // What filters and views ask of every event is read where it is: to take the event out is to copy it.

    /// Calls `body` with the event.
    package func withEvent<Result>(_ body: (borrowing Event) -> Result) -> Result { body(contents.event) }
    /// The event's case, as `Event.kind`.
    public var kind: String { contents.event.kind }
    /// The room it came in, as `Event.room`. Untrusted text.
    public var room: String? { contents.event.room }
    /// Who did it, as `Event.actor`. Untrusted text.
    public var actor: String? { contents.event.actor }
    /// The id of who did it, as `Event.actorID`. Untrusted text.
    public var actorID: String? { contents.event.actorID }
    /// What the message in it addresses, as `Event.mentions`. Untrusted text.
    public var mentions: [Mention] { contents.event.mentions }
    /// Whether this version knows it.
    public var isKnown: Bool { contents.event.isKnown }
    /// The server's time of it, when it says.
    public var serverTime: Timestamp? { contents.event.serverTime }
    /// The number of the acknowledgement that is asked for.
    package var ackID: Int? { contents.source.ackID }

    /// A report of one event.
    init(event: Event, source: WireEvent) { contents = Contents(event: event, source: source) }

    /// A report of one event by Socket.IO.
    public init(event: Event, source: SocketIO.Event) { self.init(event: event, source: .socketIO(source)) }
}

/// One committed batch of the model.
public struct DiffReport: Sendable {
    private final class Contents: Sendable {
        let sequence: Int
        let cause: Int
        let batch: Batch<Item>
        let refetched: [String]
        let user: String?
        let isRecalled: Bool

        init(
            sequence: Int, cause: Int, batch: Batch<Item>, refetched: [String], user: String?, isRecalled: Bool
        ) {
            self.sequence = sequence
            self.cause = cause
            self.batch = batch
            self.refetched = refetched
            self.user = user
            self.isRecalled = isRecalled
        }
    }
    private let contents: Contents

    /// Number of the batch, counted from 1.
    public var sequence: Int { contents.sequence }
    /// Number of the record that caused it.
    public var cause: Int { contents.cause }
    /// What changed.
    public var batch: Batch<Item> { contents.batch }
    /// The resources whose answer this came of; empty when it came of something else.
    public var refetched: [String] { contents.refetched }
    /// The server's id of the user; nil while it is not known.
    public var user: String? { contents.user }
    /// Whether these are rows of an earlier session that the server has not confirmed.
    public var isRecalled: Bool { contents.isRecalled }
    /// A report of one batch.
    public init(
        sequence: Int, cause: Int, batch: Batch<Item>, refetched: [String] = [], user: String? = nil,
        isRecalled: Bool = false
    ) {
        contents = Contents(
            sequence: sequence, cause: cause, batch: batch, refetched: refetched, user: user, isRecalled: isRecalled)
    }
}

/// What became of one request for a resource. What the answer changed comes behind it.
public struct RefetchReport: Sendable {
    /// What became of it.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The answer was read, and the model is as it says.
        case fetched
        /// The answer was read, but something was said of the resource while it was on its way: it is asked for again.
        case outdated
        /// There is no such resource.
        case missing
        /// The token was refused, and another one is looked for.
        case refused
        /// The answer could not be read: it is asked for again.
        case unreadable
        /// There was no answer, or none of success: it is asked for again, later.
        case delayed
        /// The same, and it is given up.
        case failed
    }
    /// A short name of the resource for people. Untrusted text.
    public var resource: String
    /// What became of it.
    public var outcome: Outcome
    /// The status of the answer; nil without an answer.
    public var status: Int?
    /// Number of the record that made it be asked for.
    public var cause: Int
    /// From the request to its end.
    public var duration: Duration
}

/// A loss, known or possible.
public struct GapReport: Sendable {
    /// What lost it.
    public enum Cause: String, Sendable {
        /// The connection was down; nobody can say what was sent meanwhile.
        case reconnect
        /// Records of a replayed file are damaged or its tail is torn.
        case damage
        /// Whoever is told did not keep up with what was told.
        case overflow
        /// The view was paused for longer than what waits may be kept.
        case paused
        /// More was missed in a place than is caught up with: `hole` says what is left out.
        case catchUp = "catch_up"
        /// All that a gap of `reconnect` missed was fetched: `missed` says how many messages.
        case refetched
    }
    /// What lost it.
    public var cause: Cause
    /// The last moment nothing was missing.
    public var from: Moment
    /// The first moment nothing is missing again.
    public var to: Moment
    /// How many events; nil when nobody can know.
    public var lost: Int?
    /// Messages that came in the gap and are in the model now; nil but for that cause.
    public var missed: Int?
    /// What is fetched again to bring the model to the server's truth: short names for people, each once. Untrusted
    /// text.
    public var refetching: [String]
    /// Whether something was lost, or may have been; false for the count of what a gap missed.
    public var isLoss: Bool { cause != .refetched }
    /// What is missing in the model; nil where nothing is, once what is fetched again has come.
    public var hole: Hole?
    /// A report of a loss.
    public init(
        cause: Cause, from: Moment, to: Moment, lost: Int? = nil, missed: Int? = nil, refetching: [String] = [],
        hole: Hole? = nil
    ) {
        self.hole = hole
        self.missed = missed
        self.cause = cause
        self.from = from
        self.to = to
        self.lost = lost
        self.refetching = refetching
    }
}

/// The connection's state machine, as far as a user sees it.
public enum ConnectionReport: Sendable {
    /// An attempt begins; `target` is the path and query asked for.
    case connecting(attempt: Int, target: String)
    /// The namespace is joined, or the session stands (and, where the backend has authentication, the token accepted).
    case ready(RealtimeProtocol)
    /// The connection ended or did not come about; the next attempt comes after `retryIn`. Nil: no time is set for one,
    /// since another token is looked for first, or since the connections were captured, not made.
    case lost(why: String, retryIn: Duration?)
}

/// A room's fate.
public struct RoomReport: Sendable {
    /// What became of it.
    public enum Change: String, Sendable {
        case wanted, joining, joined, refused, leaving, left, lost
        /// The backend told of it, and nobody wants it.
        case found
    }
    /// What became of it.
    public var change: Change
    /// The room's name.
    public var room: String
    /// Who wanted it: `cli`, `list`, `ctl`, `pin`; empty when nobody wants it any more.
    public var source: String
    /// The server's reason for a refusal; untrusted text.
    public var why: String?
    /// A report of a room.
    public init(change: Change, room: String, source: String, why: String? = nil) {
        self.change = change
        self.room = room
        self.source = source
        self.why = why
    }
}

/// Something that could not be read.
public struct UndecodableReport: Sendable {
    /// Where on the way it was found.
    public enum Layer: String, Sendable {
        /// Not Engine.IO or Socket.IO.
        case frame
        /// An event of a known name and the wrong shape.
        case event
        /// A REST answer of the wrong shape.
        case response
    }
    /// Where on the way it was found.
    public var layer: Layer
    /// The wire name or the resource; untrusted text.
    public var subject: String
    /// What is wrong and where.
    public var message: String
    /// The start of the offending text, at most 200 bytes.
    public var excerpt: ArraySlice<UInt8>

    package init(layer: Layer, subject: String, message: String, excerpt: ArraySlice<UInt8>) {
        self.layer = layer
        self.subject = subject
        self.message = message
        self.excerpt = excerpt
    }
}

/// A line for people.
public struct Notice: Sendable {
    /// How much it matters.
    public enum Level: String, Sendable {
        case info, warning, error
    }
    /// How much it matters.
    public var level: Level
    /// May hold text from a peer: escape it before a terminal sees it.
    public var text: String
    /// The mark it tells of.
    public var mark: Mark?
    /// How long what it tells of lasts: who knows the time of day adds until when.
    public var wait: Duration?
    /// A line.
    public init(_ level: Level, _ text: String) {
        self.level = level
        self.text = text
    }
    /// That somebody marked the place where it stands.
    public init(_ mark: Mark) {
        self.init(.info, "marked: \(mark.label)")
        self.mark = mark
    }

    /// A place that somebody marked.
    public struct Mark: Hashable, Sendable {
        /// What they called it; their text.
        public var label: String
        /// Who did: `ctl`, `key`, or as a recording says.
        public var author: String
        /// A mark.
        public init(label: String, author: String) {
            self.label = label
            self.author = author
        }
    }
}

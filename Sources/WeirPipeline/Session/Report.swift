public import WeirEvents
public import WeirJSON
public import WeirModel
public import WeirWire

/// A report from a session to its observers. Reports arrive in the order of what happened.
///
/// The enum is the size of one reference, because observers pass reports on and store them many times.
public enum Report: Sendable {
    /// An event arrived from the server.
    case event(EventReport)
    /// The session committed a batch of changes to the model.
    case diff(DiffReport)
    /// Events were lost, or may have been lost.
    indirect case gap(GapReport)
    /// The state of the connection changed.
    indirect case connection(ConnectionReport)
    /// A room was wanted, joined, refused or left.
    indirect case room(RoomReport)
    /// The state of a user's action changed.
    indirect case action(ActionReport)
    /// A user's emit was sent, acknowledged or refused.
    indirect case emit(EmitReport)
    /// A request for a resource ended, with or without an answer.
    indirect case refetch(RefetchReport)
    /// A user started or stopped typing.
    indirect case typing(TypingReport)
    /// A frame or an answer could not be decoded. The recording keeps it.
    indirect case undecodable(UndecodableReport)
    /// Anything else that is worth a line on stderr.
    indirect case notice(Notice)
}

/// An event, both decoded and as it was received.
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

    /// The event as the backend decoded it.
    public var event: Event { contents.event }
    /// The event as it was received.
    package var source: WireEvent { contents.source }
    /// The event's name on the wire.
    public var wireName: String { contents.source.name }
    /// The namespace or channel on which the event arrived.
    public var namespace: String { contents.source.namespace }
    /// The JSON text of the event, as in `WireEvent.payload`.
    public var payload: RawJSON { contents.source.payload }

    // Filters and views read these properties of every event in place, because taking the event out would copy it.

    /// Calls `body` with the event, without copying it.
    package func withEvent<Result>(_ body: (borrowing Event) -> Result) -> Result { body(contents.event) }
    /// The kind of the event, as in `Event.kind`.
    public var kind: String { contents.event.kind }
    /// The room in which the event arrived, as in `Event.room`. Untrusted text.
    public var room: String? { contents.event.room }
    /// The user who caused the event, as in `Event.actor`. Untrusted text.
    public var actor: String? { contents.event.actor }
    /// The id of the user who caused the event, as in `Event.actorID`. Untrusted text.
    public var actorID: String? { contents.event.actorID }
    /// The users and groups that the event's message mentions, as in `Event.mentions`. Untrusted text.
    public var mentions: [Mention] { contents.event.mentions }
    /// Whether this version of Weir knows the event.
    public var isKnown: Bool { contents.event.isKnown }
    /// The server's time of the event, if the event contains it.
    public var serverTime: Timestamp? { contents.event.serverTime }
    /// The id of the acknowledgement that the event requests; `nil` if it requests none.
    package var ackID: Int? { contents.source.ackID }

    /// Creates a report of an event that any protocol delivered.
    init(event: Event, source: WireEvent) { contents = Contents(event: event, source: source) }

    /// Creates a report of an event that Socket.IO delivered.
    package init(event: Event, source: SocketIO.Event) { self.init(event: event, source: .socketIO(source)) }
}

/// A report of one committed batch of the model.
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

    /// The number of the batch, counted from 1.
    public var sequence: Int { contents.sequence }
    /// The number of the record that caused the batch.
    public var cause: Int { contents.cause }
    /// The changes to the model's sections and rows.
    public var batch: Batch<Item> { contents.batch }
    /// The resources whose answers caused this batch; empty if it has another cause.
    public var refetched: [String] { contents.refetched }
    /// The server's id of the user; `nil` while it is unknown.
    public var user: String? { contents.user }
    /// Whether the batch contains rows of an earlier session that the server has not confirmed.
    public var isRecalled: Bool { contents.isRecalled }
    /// Creates a report of one committed batch.
    public init(
        sequence: Int, cause: Int, batch: Batch<Item>, refetched: [String] = [], user: String? = nil,
        isRecalled: Bool = false
    ) {
        contents = Contents(
            sequence: sequence, cause: cause, batch: batch, refetched: refetched, user: user, isRecalled: isRecalled)
    }
}

/// A report on one request for a resource. The changes that its answer makes to the model are reported after it.
public struct RefetchReport: Sendable {
    /// The possible outcomes of a request.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The answer was read, and the model agrees with it.
        case fetched
        /// The answer was read, but an event about the resource arrived while the request was in flight. The session
        /// refetches it.
        case outdated
        /// The server has no such resource.
        case missing
        /// The server refused the token, and the session looks for another one.
        case refused
        /// The answer could not be decoded. The session retries the request.
        case unreadable
        /// No answer arrived, or none that reports success. The session retries the request later.
        case delayed
        /// No answer arrived, or none that reports success. The session gives up.
        case failed
    }
    /// A short name of the resource, for people. Untrusted text.
    public var resource: String
    /// The outcome of the request.
    public var outcome: Outcome
    /// The HTTP status of the answer; `nil` without an answer.
    public var status: Int?
    /// The number of the record that caused the request.
    public var cause: Int
    /// The time from sending the request to its end.
    public var duration: Duration
}

/// A report of a known or possible loss of events.
public struct GapReport: Sendable {
    /// The possible causes of a gap.
    public enum Cause: String, Sendable {
        /// The connection was down. It is impossible to know what the server sent meanwhile.
        case reconnect
        /// Records of a replayed file are damaged, or its tail is torn.
        case damage
        /// An observer did not keep up with the reports.
        case overflow
        /// The view was paused for so long that its backlog exceeded its limit.
        case paused
        /// A place missed more messages than the session catches up with. `hole` describes the messages left out.
        case catchUp = "catch_up"
        /// Everything that a gap of cause `reconnect` missed was refetched. `missed` is the number of messages.
        case refetched
        /// Rooms came from another member of the group, which seemed dead or gave them away. The session has fetched their resources.
        case handover
    }
    /// The cause of the gap.
    public var cause: Cause
    /// The last moment at which nothing was missing.
    public var from: Moment
    /// The first moment at which nothing is missing any more.
    public var to: Moment
    /// The number of lost events; `nil` when it is impossible to know.
    public var lost: Int?
    /// The number of messages that arrived during the gap and are now in the model; `nil` unless the cause is
    /// `refetched`.
    public var missed: Int?
    /// The resources that the session refetches to bring the model to the server's state: short names for people,
    /// without duplicates. Untrusted text.
    public var refetching: [String]
    /// Whether events were lost, or may have been lost; `false` for the count of what a gap missed.
    public var isLoss: Bool { cause != .refetched }
    /// The messages that are missing from the model; `nil` if nothing is missing once the refetch is complete.
    public var hole: Hole?
    /// Creates a report of a gap.
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

/// A change in the state of the connection, as far as it concerns users.
public enum ConnectionReport: Sendable {
    /// An attempt to connect starts. `target` is the path and query of its request.
    case connecting(attempt: Int, target: String)
    /// The connection is ready: the namespace is joined, or the session established, and the backend, if it
    /// authenticates, accepted the token.
    case ready(RealtimeProtocol)
    /// The connection ended or could not be opened. The next attempt starts after `retryIn`. It is `nil` if no time is
    /// set, because the session first looks for another token, or because the connections were captured.
    case lost(why: String, retryIn: Duration?)
}

/// A change in the state of a room.
public struct RoomReport: Sendable {
    /// The states that a room can enter.
    public enum Change: String, Sendable {
        case wanted, joining, joined, refused, leaving, left, lost
        /// The backend listed the room, and no wish includes it.
        case found
    }
    /// The state that the room entered.
    public var change: Change
    /// The room's name on the wire.
    public var room: String
    /// The origin of the wish: `cli`, `list`, `ctl` or `pin`; empty if the room is no longer wanted.
    public var source: String
    /// The server's reason for a refusal. Untrusted text.
    public var why: String?
    /// Creates a report of a room's new state.
    public init(change: Change, room: String, source: String, why: String? = nil) {
        self.change = change
        self.room = room
        self.source = source
        self.why = why
    }
}

/// A report of a frame, an event or an answer that could not be decoded.
public struct UndecodableReport: Sendable {
    /// The layers at which decoding can fail.
    public enum Layer: String, Sendable {
        /// The frame is not valid in its protocol, such as Engine.IO or Socket.IO.
        case frame
        /// An event of a known name has the wrong shape.
        case event
        /// A REST answer has the wrong shape.
        case response
    }
    /// The layer at which decoding failed.
    public var layer: Layer
    /// The event's name on the wire, or the resource. Untrusted text.
    public var subject: String
    /// A description of the problem and its position.
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

/// A line of text for people.
public struct Notice: Sendable {
    /// The severity of a notice.
    public enum Level: String, Sendable {
        case info, warning, error
    }
    /// The severity of this notice.
    public var level: Level
    /// The line of text. It may contain text from a peer: escape it before writing it to a terminal.
    public var text: String
    /// The mark that the notice announces; `nil` for any other notice.
    public var mark: Mark?
    /// How long the announced condition lasts. An observer that knows the time of day adds when it ends.
    public var wait: Duration?
    /// Creates a notice of one line.
    public init(_ level: Level, _ text: String) {
        self.level = level
        self.text = text
    }
    /// Creates a notice that announces a mark.
    public init(_ mark: Mark) {
        self.init(.info, "marked: \(mark.label)")
        self.mark = mark
    }

    /// A position in the stream that a user marked.
    public struct Mark: Hashable, Sendable {
        /// The label, in the user's own words.
        public var label: String
        /// The origin of the mark: `ctl`, `key`, or the author that a recording names.
        public var author: String
        /// Creates a mark with its label and author.
        public init(label: String, author: String) {
            self.label = label
            self.author = author
        }
    }
}

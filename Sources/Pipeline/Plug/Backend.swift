import Events
import JSONText
import SectionedModel
import Wire

/// A backend's side of the session. Pure, like everything here: it changes its own state, the model, and the plans of the transaction.
///
/// Only `decode` has to be written: an empty backend shows every event, has no rooms, asks for nothing and keeps no rows
/// (`UntypedBackend`). The topics, each a protocol of its own:
///
/// - `BackendConnection`: authenticate, say when the connection can be used, be woken.
/// - `BackendEvents`: decode an event and apply it.
/// - `BackendRooms`: join and leave rooms, and know what they are about.
/// - `BackendReads`: ask the REST service and apply its answers.
/// - `BackendActions`: do what the user wants done.
/// - `BackendMemory`: take in rows of an earlier session and confirm them.
protocol Backend: BackendConnection, BackendEvents, BackendRooms, BackendReads, BackendActions, BackendMemory {}

// MARK: - Connection

/// How a connection becomes ready.
protocol BackendConnection: Sendable {
    /// The CONNECT payload of Engine.IO 4, when the backend authenticates there. Usually none.
    func connectPayload(token: Secret?) -> RawJSON?

    /// The namespace is joined, or a session stands. Plan `.ready` now, or later when the backend has authenticated. Usually now.
    mutating func connected(token: Secret?, by spoken: RealtimeProtocol, into transaction: inout Transaction)

    /// The connection is ready again after it was lost: what happened since the last that the model holds may be missing.
    mutating func missed(_ model: SectionedCollection<Item>)

    /// It is time for a full look at what the server holds, though nothing is known to be missed: what a backend gave up for the time
    /// being, it tries again.
    mutating func lookAgain(into transaction: inout Transaction)

    /// When `advance` wants to be called next; nil when nothing is timed.
    var deadline: Moment? { get }

    /// Does what is due by then.
    mutating func advance(to due: Moment, into transaction: inout Transaction)
}

extension BackendConnection {
    func connectPayload(token: Secret?) -> RawJSON? { nil }
    mutating func connected(token: Secret?, by spoken: RealtimeProtocol, into transaction: inout Transaction) {
        transaction.plans.append(.ready)
    }
    mutating func missed(_ model: SectionedCollection<Item>) {}
    mutating func lookAgain(into transaction: inout Transaction) {}
    var deadline: Moment? { nil }
    mutating func advance(to due: Moment, into transaction: inout Transaction) {}
}

// MARK: - Events

/// What the server says over the connection.
protocol BackendEvents: Sendable {
    /// Decodes an event. Malformed ones of a known name throw.
    func decode(_ event: WireEvent) throws(DecodingFailure) -> Event

    /// Applies a decoded event: direct changes and refetch plans.
    mutating func handle(_ event: borrowing Event, ackID: Int?, rooms: RoomBook, into transaction: inout Transaction)

    /// What was asked by `Plan.ask` was answered: the arguments, a JSON array.
    mutating func acknowledged(_ arguments: RawJSON, into transaction: inout Transaction) throws(DecodingFailure)
}

extension BackendEvents {
    mutating func handle(_ event: borrowing Event, ackID: Int?, rooms: RoomBook, into transaction: inout Transaction) {}
    mutating func acknowledged(_ arguments: RawJSON, into transaction: inout Transaction) throws(DecodingFailure) {}
}

// MARK: - Rooms

/// What can be subscribed to.
protocol BackendRooms: Sendable {
    /// What joins or leaves a room; nil when the backend has no rooms a client can join.
    func join(_ room: String, token: Secret?) -> Transaction.RoomRequest?
    func leave(_ room: String, token: Secret?) -> Transaction.RoomRequest?

    /// Why an acknowledgement, a JSON array, of a room's join refuses it; nil when it does not.
    func refusal(_ answer: RawJSON, of room: String) -> String?

    /// What patterns can ask about a room.
    func facts(of room: String, in model: SectionedCollection<Item>) -> RoomFacts

    /// The rooms of channels that the user left, and may go back into: nothing comes from them.
    func formerRooms(in model: SectionedCollection<Item>) -> [RoomFacts]

    /// What has to be fetched once a room is joined, and again after a reconnect.
    func resources(of room: String, _ model: SectionedCollection<Item>) -> [ResourceKey]

    /// A room was joined without its having been followed.
    mutating func joined(_ room: String, into transaction: inout Transaction)

    /// Nobody wants the room any more: what only it kept true goes.
    mutating func abandon(_ room: String, _ rooms: RoomBook, into transaction: inout Transaction)

    /// What can be selected beside channels: the rooms of companies and workspaces.
    var places: [RoomFacts] { get }

    /// The user looks at a channel or a place, named by its room, or at a thread, named by the message that heads it.
    mutating func select(_ room: String, _ rooms: RoomBook, into transaction: inout Transaction)

    /// The user looks at a workspace that they made.
    mutating func select(workspace: EntityID, _ rooms: RoomBook, into transaction: inout Transaction)

    /// The section that holds a part of a room, and what fetches it; nil where the backend cannot say.
    func section(
        _ part: Session.RoomPart, of room: String, _ model: SectionedCollection<Item>
    ) -> (section: Item.Section, key: ResourceKey)?

    /// From when on the messages of a room are known without a hole, milliseconds since 1970; nil where nothing says it.
    func knownSince(_ room: String) -> Int64?

    /// The next time the messages of a room are read, older pages are followed back to that time, as far as a bound allows; without a
    /// time, to the beginning of the hole, where there is one.
    mutating func goBack(to time: Timestamp?, in room: String)

    /// Whether older pages of its messages are being followed.
    func isGoingBack(in room: String) -> Bool

    // MARK: Channels of Bayeux

    /// What goes with something that is published on a channel.
    func publishing(token: Secret?) -> RawJSON?

    /// The room that a channel is.
    func room(of channel: Bayeux.Channel) -> String

    /// Whether the backend itself wants the channel, whatever rooms the user wants.
    func isOwn(_ channel: Bayeux.Channel) -> Bool

    /// The server accepted, or refused, a subscription.
    mutating func subscribed(_ channel: Bayeux.Channel, into transaction: inout Transaction)
    mutating func refused(_ channel: Bayeux.Channel, why: String, into transaction: inout Transaction)
}

extension BackendRooms {
    func join(_ room: String, token: Secret?) -> Transaction.RoomRequest? { nil }
    func leave(_ room: String, token: Secret?) -> Transaction.RoomRequest? { nil }
    func refusal(_ answer: RawJSON, of room: String) -> String? { nil }
    func facts(of room: String, in model: SectionedCollection<Item>) -> RoomFacts { RoomFacts(name: room) }
    func formerRooms(in model: SectionedCollection<Item>) -> [RoomFacts] { [] }
    func resources(of room: String, _ model: SectionedCollection<Item>) -> [ResourceKey] { [] }
    mutating func joined(_ room: String, into transaction: inout Transaction) {}
    mutating func abandon(_ room: String, _ rooms: RoomBook, into transaction: inout Transaction) {}
    var places: [RoomFacts] { [] }
    mutating func select(_ room: String, _ rooms: RoomBook, into transaction: inout Transaction) {
        selectChannel(room, into: &transaction)
    }

    mutating func select(workspace: EntityID, _ rooms: RoomBook, into transaction: inout Transaction) {}

    /// The user looks at the channel whose room this is.
    func selectChannel(_ room: String, into transaction: inout Transaction) {
        guard let channel = section(.messages, of: room, transaction.model)?.section.parent else {
            return transaction.notice(.warning, "'\(room)' cannot be selected: it is no channel")
        }
        let isDirect = facts(of: room, in: transaction.model).kind == "direct"
        transaction.globals.select(channel: channel, in: isDirect ? .directs : .commons)
    }

    func section(
        _ part: Session.RoomPart, of room: String, _ model: SectionedCollection<Item>
    ) -> (section: Item.Section, key: ResourceKey)? { nil }
    func knownSince(_ room: String) -> Int64? { nil }
    mutating func goBack(to time: Timestamp?, in room: String) {}
    func isGoingBack(in room: String) -> Bool { false }

    func publishing(token: Secret?) -> RawJSON? { nil }
    func room(of channel: Bayeux.Channel) -> String { channel.name }
    func isOwn(_ channel: Bayeux.Channel) -> Bool { false }
    mutating func subscribed(_ channel: Bayeux.Channel, into transaction: inout Transaction) {
        transaction.plans.append(.joined(room: room(of: channel)))
    }
    mutating func refused(_ channel: Bayeux.Channel, why: String, into transaction: inout Transaction) {
        transaction.plans.append(.joinRefused(room: room(of: channel), why: why))
    }
}

// MARK: - Reads

/// What the REST service is asked for. A resource is fetched when a plan says `.fetch`, and when a room that is about it is joined.
protocol BackendReads: Sendable {
    /// The request that fetches a resource, or a page of it, as the answer before named the page; nil when there is none (then nothing is
    /// fetched).
    func request(for key: ResourceKey, page: String?) -> RESTCall?

    /// Reads the answer about a resource elsewhere; nil for one that is always small.
    func reader(for key: ResourceKey) -> AnswerReader?

    /// Applies a successful answer. `isCurrent` is false when an event about the resource came while it was in flight: then what the
    /// answer does not mention is not removed.
    mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into transaction: inout Transaction)
        throws(DecodingFailure)

    /// A resource was answered with 404 or 410. True when that is the service's word on it; false when something in between answered
    /// in its place, and the resource is asked for again.
    mutating func gone(_ key: ResourceKey, body: ArraySlice<UInt8>, into transaction: inout Transaction) -> Bool

    /// The resource could not be fetched; one that is persistent will be all the same, later. `answer` is the last one, where there was one.
    mutating func failed(_ key: ResourceKey, why: String, _ answer: Answer?, into transaction: inout Transaction)
}

extension BackendReads {
    func request(for key: ResourceKey, page: String?) -> RESTCall? { nil }
    func reader(for key: ResourceKey) -> AnswerReader? { nil }
    mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into transaction: inout Transaction
    ) throws(DecodingFailure) {}
    mutating func gone(_ key: ResourceKey, body: ArraySlice<UInt8>, into transaction: inout Transaction) -> Bool {
        true
    }
    mutating func failed(_ key: ResourceKey, why: String, _ answer: Answer?, into transaction: inout Transaction) {}
}

// MARK: - Memory

/// Rows of an earlier session, which fill the model until the server has spoken.
protocol BackendMemory: Sendable {
    /// Rows of an earlier session fill the model.
    mutating func recalled(_ items: [Item])

    /// A row of an earlier session that nothing confirmed goes, and with it what is nothing without it.
    mutating func forget(_ row: Item.ID, into transaction: inout Transaction)

    /// The sections of which a whole answer about a resource says everything.
    func sections(of key: ResourceKey, in model: SectionedCollection<Item>) -> [Item.Section]

    /// How it can be found out what the server says of a section.
    func confirmation(of section: Item.Section, in model: SectionedCollection<Item>) -> Confirmation
}

extension BackendMemory {
    mutating func recalled(_ items: [Item]) {}
    mutating func forget(_ row: Item.ID, into transaction: inout Transaction) { transaction.model.remove(row) }
    func sections(of key: ResourceKey, in model: SectionedCollection<Item>) -> [Item.Section] { [] }
    func confirmation(of section: Item.Section, in model: SectionedCollection<Item>) -> Confirmation { .never }
}

import Events
import JSONText
import SectionedModel
import Wire

/// The backend's side of a session. Like the session it is pure: it changes its own state, the model, and the plans of
/// the context.
///
/// Only `decode` is required. An empty backend shows every event, has no rooms, requests nothing and keeps no rows
/// (`UntypedBackend`). Each topic is a protocol of its own:
///
/// - `BackendConnection`: authenticates, declares the connection ready, and sets timers.
/// - `BackendEvents`: decodes an event and applies it.
/// - `BackendRooms`: joins and leaves rooms, and knows their contents.
/// - `BackendReads`: sends requests to the REST service and applies the answers.
/// - `BackendActions`: performs the user's actions.
/// - `BackendMemory`: takes in rows of an earlier session and confirms them.
protocol Backend: BackendConnection, BackendEvents, BackendRooms, BackendReads, BackendActions, BackendMemory {}

// MARK: - Connection

/// The part of a backend that makes a connection ready.
protocol BackendConnection: Sendable {
    /// Returns the CONNECT payload of Engine.IO 4 if the backend authenticates in it. By default there is none.
    func connectPayload(token: Secret?) -> RawJSON?

    /// Handles a connection whose namespace is joined or whose session is established. Plan `.ready` now, or later
    /// after authentication. By default it is planned now.
    mutating func connected(token: Secret?, by spoken: RealtimeProtocol, into context: inout HandlerContext)

    /// Handles a connection that is ready again after a loss. Everything newer than the last event in the model may be
    /// missing.
    mutating func missed(_ model: SectionedCollection<Item>)

    /// Prepares a full resync, which needs no known loss. The backend retries what it gave up for the time being.
    mutating func resync(into context: inout HandlerContext)

    /// The time of the next call to `advance`; `nil` if no timer is set.
    var deadline: Moment? { get }

    /// Runs the timers that are due.
    mutating func advance(to due: Moment, into context: inout HandlerContext)
}

extension BackendConnection {
    func connectPayload(token: Secret?) -> RawJSON? { nil }
    mutating func connected(token: Secret?, by spoken: RealtimeProtocol, into context: inout HandlerContext) {
        context.plans.append(.ready)
    }
    mutating func missed(_ model: SectionedCollection<Item>) {}
    mutating func resync(into context: inout HandlerContext) {}
    var deadline: Moment? { nil }
    mutating func advance(to due: Moment, into context: inout HandlerContext) {}
}

// MARK: - Events

/// The part of a backend that handles the server's events.
protocol BackendEvents: Sendable {
    /// Decodes an event. Throws if an event of a known name is malformed.
    func decode(_ event: WireEvent) throws(DecodingFailure) -> Event

    /// Applies a decoded event, by direct changes and by plans to refetch.
    mutating func handle(
        _ event: borrowing Event, ackID: Int?, rooms: RoomSubscriptions, into context: inout HandlerContext)

    /// Handles the answer to an event that `Plan.ask` sent. The arguments are a JSON array.
    mutating func acknowledged(_ arguments: RawJSON, into context: inout HandlerContext) throws(DecodingFailure)
}

extension BackendEvents {
    mutating func handle(
        _ event: borrowing Event, ackID: Int?, rooms: RoomSubscriptions, into context: inout HandlerContext
    ) {}
    mutating func acknowledged(_ arguments: RawJSON, into context: inout HandlerContext) throws(DecodingFailure) {}
}

// MARK: - Rooms

/// The part of a backend that subscribes to rooms.
protocol BackendRooms: Sendable {
    /// Return the request that joins or leaves a room; `nil` if the backend has no rooms that a client can join.
    func join(_ room: String, token: Secret?) -> HandlerContext.RoomRequest?
    func leave(_ room: String, token: Secret?) -> HandlerContext.RoomRequest?

    /// Returns the reason why an acknowledgement, a JSON array, refuses to join a room; `nil` if it does not.
    func refusal(_ answer: RawJSON, of room: String) -> String?

    /// Returns the properties of a room that patterns can test.
    func facts(of room: String, in model: SectionedCollection<Item>) -> RoomFacts

    /// Returns the rooms of channels that the user left and may rejoin. They send no events.
    func formerRooms(in model: SectionedCollection<Item>) -> [RoomFacts]

    /// Returns the resources to fetch once a room is joined, and again after a reconnect.
    func resources(of room: String, _ model: SectionedCollection<Item>) -> [ResourceKey]

    /// Handles the join of a room that was not followed before.
    mutating func joined(_ room: String, into context: inout HandlerContext)

    /// Handles a room that is no longer wanted, and removes the rows that only this room kept up to date.
    mutating func abandon(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext)

    /// The rooms of companies and workspaces, which can be selected like channels.
    var places: [RoomFacts] { get }

    /// Selects a channel or a place, named by its room, or a thread, named by its head message.
    mutating func select(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext)

    /// Selects a workspace that the user has created.
    mutating func select(workspace: EntityID, _ rooms: RoomSubscriptions, into context: inout HandlerContext)

    /// Returns the section that contains a part of a room, and the resource that fetches it; `nil` if the backend
    /// cannot name them.
    func section(
        _ part: Session.RoomPart, of room: String, _ model: SectionedCollection<Item>
    ) -> (section: Item.Section, key: ResourceKey)?

    /// Returns the time from which the messages of a room are known without a hole, in milliseconds since 1970; `nil`
    /// if it is unknown.
    func knownSince(_ room: String) -> Int64?

    /// Makes the next read of a room's messages follow older pages back to `time`, as far as a bound allows; without a
    /// time, to the start of the hole if there is one.
    mutating func goBack(to time: Timestamp?, in room: String)

    /// Returns whether older pages of the room's messages are being followed.
    func isGoingBack(in room: String) -> Bool

    // MARK: Channels of Bayeux

    /// Returns the extension to send with a message that is published on a channel.
    func publishing(token: Secret?) -> RawJSON?

    /// Returns the room of a channel.
    func room(of channel: Bayeux.Channel) -> String

    /// Returns whether the backend itself needs the channel, whatever rooms the user wants.
    func isOwn(_ channel: Bayeux.Channel) -> Bool

    /// Handle a subscription that the server accepted or refused.
    mutating func subscribed(_ channel: Bayeux.Channel, into context: inout HandlerContext)
    mutating func refused(_ channel: Bayeux.Channel, why: String, into context: inout HandlerContext)
}

extension BackendRooms {
    func join(_ room: String, token: Secret?) -> HandlerContext.RoomRequest? { nil }
    func leave(_ room: String, token: Secret?) -> HandlerContext.RoomRequest? { nil }
    func refusal(_ answer: RawJSON, of room: String) -> String? { nil }
    func facts(of room: String, in model: SectionedCollection<Item>) -> RoomFacts { RoomFacts(name: room) }
    func formerRooms(in model: SectionedCollection<Item>) -> [RoomFacts] { [] }
    func resources(of room: String, _ model: SectionedCollection<Item>) -> [ResourceKey] { [] }
    mutating func joined(_ room: String, into context: inout HandlerContext) {}
    mutating func abandon(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {}
    var places: [RoomFacts] { [] }
    mutating func select(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        selectChannel(room, into: &context)
    }

    mutating func select(workspace: EntityID, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {}

    /// Selects the channel of a room.
    func selectChannel(_ room: String, into context: inout HandlerContext) {
        guard let channel = section(.messages, of: room, context.model)?.section.parent else {
            return context.notice(.warning, "'\(room)' cannot be selected: not a channel")
        }
        let isDirect = facts(of: room, in: context.model).kind == "direct"
        context.globals.select(channel: channel, in: isDirect ? .directs : .commons)
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
    mutating func subscribed(_ channel: Bayeux.Channel, into context: inout HandlerContext) {
        context.plans.append(.joined(room: room(of: channel)))
    }
    mutating func refused(_ channel: Bayeux.Channel, why: String, into context: inout HandlerContext) {
        context.plans.append(.joinRefused(room: room(of: channel), why: why))
    }
}

// MARK: - Reads

/// The part of a backend that reads from the REST service. A resource is fetched when a plan contains `.fetch`, and
/// when a room that requires it is joined.
protocol BackendReads: Sendable {
    /// Returns the request that fetches a resource, or one page of it. `page` is the token from the previous answer.
    /// `nil` means that the resource cannot be fetched.
    func request(for key: ResourceKey, page: String?) -> RESTCall?

    /// Returns the decoder that reads an answer outside the session; `nil` for an answer that is always small.
    func reader(for key: ResourceKey) -> AnswerReader?

    /// Applies a successful answer. If `isCurrent` is `false`, an event about the resource arrived while the request
    /// was in flight, and rows that the answer does not mention must not be removed.
    mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into context: inout HandlerContext)
        throws(DecodingFailure)

    /// Handles a resource that was answered with 404 or 410.
    ///
    /// - Returns: `true` if the service itself gave the answer; `false` if something in between gave it, and the
    ///   resource must be fetched again.
    mutating func gone(_ key: ResourceKey, body: ArraySlice<UInt8>, into context: inout HandlerContext) -> Bool

    /// Handles a resource that could not be fetched. A persistent resource is retried later nevertheless. `answer` is
    /// the last answer, if there was one.
    mutating func failed(_ key: ResourceKey, why: String, _ answer: Answer?, into context: inout HandlerContext)
}

extension BackendReads {
    func request(for key: ResourceKey, page: String?) -> RESTCall? { nil }
    func reader(for key: ResourceKey) -> AnswerReader? { nil }
    mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into context: inout HandlerContext
    ) throws(DecodingFailure) {}
    mutating func gone(_ key: ResourceKey, body: ArraySlice<UInt8>, into context: inout HandlerContext) -> Bool {
        true
    }
    mutating func failed(_ key: ResourceKey, why: String, _ answer: Answer?, into context: inout HandlerContext) {}
}

// MARK: - Memory

/// The part of a backend that takes in rows of an earlier session, which fill the model until the server has answered.
protocol BackendMemory: Sendable {
    /// Handles rows of an earlier session that were put into the model.
    mutating func recalled(_ items: [Item])

    /// Removes a row of an earlier session that nothing confirmed, and the rows that depend on it.
    mutating func forget(_ row: Item.ID, into context: inout HandlerContext)

    /// Returns the sections that a complete answer about a resource describes completely.
    func sections(of key: ResourceKey, in model: SectionedCollection<Item>) -> [Item.Section]

    /// Returns the way to find out the server's state of a section.
    func confirmation(of section: Item.Section, in model: SectionedCollection<Item>) -> Confirmation
}

extension BackendMemory {
    mutating func recalled(_ items: [Item]) {}
    mutating func forget(_ row: Item.ID, into context: inout HandlerContext) { context.model.remove(row) }
    func sections(of key: ResourceKey, in model: SectionedCollection<Item>) -> [Item.Section] { [] }
    func confirmation(of section: Item.Section, in model: SectionedCollection<Item>) -> Confirmation { .never }
}

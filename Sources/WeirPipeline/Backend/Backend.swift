import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

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

/// The next step of an action.
enum ActionStep: Hashable, Sendable {
    /// Send this request, which performs the action. The operation contains ids that may have been resolved only now.
    case request(Action.Operation, RESTCall)
    /// Fetch these resources first, because the request needs names from them.
    case fetch([ResourceKey])
    /// Refuse the action, because it is impossible for this reason.
    case impossible(String)
    /// Continue without a request, because the step needs none.
    case follow(ActionFollowing)
}

/// The meaning of an answer for an action.
enum ActionVerdict: Hashable, Sendable {
    case done
    /// The server refuses the action with these words.
    case refused(why: String, status: Int?)
    /// The server no longer accepts the token.
    case tokenRefused(why: String)
    /// The action may succeed later. `after` is the wait that the server asks for, if any. `mayBeDone` is `true` if the
    /// action may have been done.
    case later(after: Duration?, why: String, mayBeDone: Bool)
}

extension Answer {
    /// Whether a failure of this kind happened before the request was sent.
    static func neverLeft(_ kind: String) -> Bool { ["resolve", "connect", "tls", "proxy"].contains(kind) }
}

/// The continuation of an action of several steps after one step.
enum ActionFollowing: Hashable, Sendable {
    /// The action continues with this operation.
    case next(Action.Operation)
    /// The action is done. The id is that of what its last step found or created.
    case finished(EntityID?)
    /// The next file is uploaded, and the server gave it this id.
    case uploaded(EntityID)
    /// The action cannot continue, for this reason.
    case refused(why: String)
}

/// The optimistic presentation of an action that is not done yet.
struct ActionView: Hashable, Sendable {
    var action: Action
    /// The position of the action in the outbox.
    var order: Int
    var delivery: Item.Delivery
}

/// The part of a backend that performs the user's actions. A backend without actions refuses each of them.
protocol BackendActions: Sendable {
    /// Returns the next step of an action. The resources in `fetched` were fetched for it already and must not be
    /// requested again.
    func step(
        for action: Action, fetched: [ResourceKey], in model: SectionedCollection<Item>
    ) -> ActionStep

    /// The company and workspace that the names in actions refer to by default.
    var place: Action.Place? { get }

    /// Returns whether an action belongs to another place than the session's. Such an action waits for a session that
    /// looks there.
    func isElsewhere(_ action: Action) -> Bool

    /// Returns the lane of an action (`Action.lane`), by the id of its channel; `nil` while it is unknown which channel
    /// the action's name refers to.
    func lane(of action: Action, in model: SectionedCollection<Item>) -> EntityID?

    /// Returns the time of the newest message known in the place where the action sends one; `nil` if it sends none.
    func baseline(of action: Action, in model: SectionedCollection<Item>) -> Timestamp?

    /// Returns the meaning of an answer for an action.
    func judge(_ answer: Answer, of action: Action, attempt: Int) -> ActionVerdict

    /// Returns the resource that shows whether an action was done; `nil` if none does. Its pages are followed back to
    /// `baseline`.
    mutating func evidence(
        of action: Action, since baseline: Timestamp?, in model: SectionedCollection<Item>
    ) -> ResourceKey?

    /// Returns how far back the evidence reaches, after the answer of one of its resources was applied.
    func reachOfEvidence(in key: ResourceKey, since baseline: Timestamp?, _ model: SectionedCollection<Item>)
        -> EvidenceReach

    /// Applies the answer to an action that was done; returns the id of what the action created or changed.
    mutating func settle(_ action: Action, body: ArraySlice<UInt8>, into context: inout HandlerContext) -> EntityID?

    /// Returns the continuation of an action of several steps after an answer that completed a step; `nil` for an
    /// action of a single step, which `settle` ends.
    mutating func follow(_ action: Action, _ answer: Answer, into context: inout HandlerContext) -> ActionFollowing?

    /// Returns the tag under which only one action runs at a time: a newer action with the same tag replaces an older
    /// one. `nil` if the action is independent of all others.
    func tag(of action: Action) -> String?

    /// The tags of running work that can be cancelled, apart from actions.
    var tags: [String] { get }

    /// Cancels the work, apart from actions, that runs under a tag.
    mutating func cancel(tag: String, into context: inout HandlerContext)

    /// Returns whether a message that arrived may be the one that the action sent.
    func isEcho(_ message: Item, of action: Action, since baseline: Timestamp?) -> Bool

    /// Returns a message in the model that the action may have sent after `baseline`; `nil` if there is none.
    func echo(of action: Action, after baseline: Timestamp?, in model: SectionedCollection<Item>) -> EntityID?

    /// Shows the action in the model by an optimistic row.
    func lay(_ view: ActionView, on overlay: inout Overlay, in model: inout SectionedCollection<Item>)
}

extension BackendActions {
    func step(for action: Action, fetched: [ResourceKey], in model: SectionedCollection<Item>) -> ActionStep {
        .impossible("a server without a schema has no actions")
    }
    var place: Action.Place? { nil }
    func isElsewhere(_ action: Action) -> Bool { false }
    func lane(of action: Action, in model: SectionedCollection<Item>) -> EntityID? { action.lane }
    func baseline(of action: Action, in model: SectionedCollection<Item>) -> Timestamp? { nil }
    func judge(_ answer: Answer, of action: Action, attempt: Int) -> ActionVerdict { .done }
    func evidence(
        of action: Action, since baseline: Timestamp?, in model: SectionedCollection<Item>
    ) -> ResourceKey? { nil }
    func reachOfEvidence(
        in key: ResourceKey, since baseline: Timestamp?, _ model: SectionedCollection<Item>
    ) -> EvidenceReach { .endsEarly }
    func settle(_ action: Action, body: ArraySlice<UInt8>, into context: inout HandlerContext) -> EntityID? { nil }
    mutating func follow(_ action: Action, _ answer: Answer, into context: inout HandlerContext) -> ActionFollowing? {
        nil
    }
    func tag(of action: Action) -> String? { nil }
    var tags: [String] { [] }
    mutating func cancel(tag: String, into context: inout HandlerContext) {}
    func isEcho(_ message: Item, of action: Action, since baseline: Timestamp?) -> Bool { false }
    func echo(of action: Action, after baseline: Timestamp?, in model: SectionedCollection<Item>) -> EntityID? { nil }
    func lay(_ view: ActionView, on overlay: inout Overlay, in model: inout SectionedCollection<Item>) {}
}

/// How far back the fetched evidence about an action reaches.
enum EvidenceReach: Hashable, Sendable {
    /// An older page is being fetched.
    case goesOn(ResourceKey)
    /// Everything since the baseline of the action was seen.
    case complete
    /// The pages end after the baseline. The evidence may be on a page that is not fetched.
    case endsEarly
}

/// A resource that a backend can fetch, with the parameters of its request.
protocol BackendResource: Hashable, Sendable {
    /// A short name of the resource, for people.
    var label: String { get }
    /// The companies, workspaces, channels and message lists that the resource belongs to.
    var tags: [RequestTag] { get }
    /// Whether the session depends on the resource, and retries it until it is answered.
    var isPersistent: Bool { get }
    /// Whether more than one room can require the resource.
    var isShared: Bool { get }
    /// Whether the resource describes a row that remains after the room is left.
    var outlivesRoom: Bool { get }
    /// Returns whether an answer with this status means that the resource does not exist.
    func isMissing(by status: Int) -> Bool
    /// Returns whether the body of an answer with this status must be read.
    func isSuccess(_ status: Int) -> Bool
}

extension BackendResource {
    var isShared: Bool { false }
    var outlivesRoom: Bool { false }
    func isMissing(by status: Int) -> Bool { status == 404 || status == 410 }
    func isSuccess(_ status: Int) -> Bool { 200..<300 ~= status }
}

/// A key for a resource of any backend. The refetcher uses it to tell resources apart and to merge refetches.
struct ResourceKey: Hashable, Sendable {
    let resource: any BackendResource

    init(_ resource: some BackendResource) { self.resource = resource }

    static func == (a: ResourceKey, b: ResourceKey) -> Bool { a.resource.equals(b.resource) }
    func hash(into hasher: inout Hasher) { resource.hash(into: &hasher) }
}

/// The owner of a group of requests. Leaving it cancels exactly the requests of this group.
enum RequestTag: Hashable, Sendable {
    case company(EntityID)
    /// A workspace of a company. `direct` is not a workspace of its own: it is left with its company.
    case workspace(EntityID, company: EntityID)
    case channel(EntityID)
    case messages(of: EntityID)
}

/// A Socket.IO server without a known schema. Every event is shown, and none is routed.
struct UntypedBackend: Backend {
    func connectPayload(token: Secret?) -> RawJSON? {
        token.map { token in .object { $0.member("token", token.reveal()) } }
    }

    func decode(_ event: WireEvent) throws(DecodingFailure) -> Event {
        if case .json(let message) = event {
            return .socketIO(UntypedEvent(name: message.name, arguments: [message.payload]))
        }
        guard case .socketIO(let event) = event else { throw .foreign(event.name) }
        return .socketIO(UntypedEvent(name: event.name, arguments: event.sized.arguments))
    }
}

extension BackendModule {
    /// The registration for any Socket.IO server.
    static let untyped = BackendModule(
        name: "socketio", usualPath: "/socket.io/", reversedDomain: "io.socket", makeBackend: { _ in UntypedBackend() },
        eventKinds: ["event"])
}

extension Configuration.BackendKind {
    /// A Socket.IO server without a known schema.
    public static let socketio = Self(.untyped)
}

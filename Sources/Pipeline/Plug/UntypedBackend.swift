import Events
import JSONText
import SectionedModel
import Wire

/// A Socket.IO server of which no schema is known: every event is shown, nothing is routed.
struct UntypedBackend: Backend {
    func connectPayload(token: Secret?) -> RawJSON? {
        token.map { token in .object { $0.member("token", token.reveal()) } }
    }

    mutating func connected(token: Secret?, by spoken: RealtimeProtocol, into transaction: inout Transaction) {
        transaction.plans.append(.ready)
    }

    func decode(_ event: WireEvent) throws(DecodingFailure) -> Event {
        guard case .socketIO(let event) = event else { throw .foreign(event.name) }
        return .socketIO(UntypedEvent(name: event.name, arguments: event.sized.arguments))
    }

    mutating func handle(_ event: borrowing Event, ackID: Int?, rooms: RoomBook, into transaction: inout Transaction) {}
    func request(for key: ResourceKey, page: String?) -> RESTCall? { nil }
    mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into transaction: inout Transaction
    ) {}
    mutating func gone(_ key: ResourceKey, body: ArraySlice<UInt8>, into transaction: inout Transaction) -> Bool {
        true
    }
    mutating func failed(_ key: ResourceKey, why: String, into transaction: inout Transaction) {}
    func join(_ room: String, token: Secret?) -> Transaction.RoomRequest? { nil }
    func leave(_ room: String, token: Secret?) -> Transaction.RoomRequest? { nil }
    func resources(of room: String, _ model: SectionedCollection<Item>) -> [ResourceKey] { [] }
    mutating func abandon(_ room: String, _ rooms: RoomBook, into transaction: inout Transaction) {}
    mutating func lookAgain(into transaction: inout Transaction) {}
    func step(for action: Action, fetched: [ResourceKey], in model: SectionedCollection<Item>) -> ActionStep {
        .impossible("a server without a schema has no actions")
    }
    func baseline(of action: Action, in model: SectionedCollection<Item>) -> Timestamp? { nil }
    func judge(_ answer: Answer, of action: Action, attempt: Int) -> ActionVerdict { .done }
    func evidence(of action: Action, since baseline: Timestamp?, in model: SectionedCollection<Item>) -> ResourceKey? {
        nil
    }
    func reachOfEvidence(in key: ResourceKey, since baseline: Timestamp?, _ model: SectionedCollection<Item>)
        -> EvidenceReach
    {
        .endsEarly
    }
    mutating func settle(
        _ action: Action, body: ArraySlice<UInt8>, into transaction: inout Transaction
    ) -> EntityID? { nil }
    func isEcho(_ message: Item, of action: Action, since baseline: Timestamp?) -> Bool { false }
    func echo(of action: Action, after baseline: Timestamp?, in model: SectionedCollection<Item>) -> EntityID? { nil }
    func lay(_ view: ActionView, on overlay: inout Overlay, in model: inout SectionedCollection<Item>) {}
}

extension BackendModule {
    /// Any Socket.IO server.
    static let untyped = BackendModule(
        name: "socketio", usualPath: "/socket.io/", reversedDomain: "io.socket", makeBackend: { _ in UntypedBackend() },
        eventKinds: ["event"])
}

extension Configuration.BackendKind {
    /// A Socket.IO server of which no schema is known.
    public static let socketio = Self(.untyped)
}

import Events
import SectionedModel

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

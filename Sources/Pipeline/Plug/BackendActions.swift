import Events
import SectionedModel

/// What an action needs next.
enum ActionStep: Hashable, Sendable {
    /// This request does it. What it is about may have got its id only now.
    case request(Action.Operation, RESTCall)
    /// These have to be fetched first, to know what the request names.
    case fetch([ResourceKey])
    /// It cannot be done; why.
    case impossible(String)
    /// Nothing has to be asked for its step.
    case follow(ActionFollowing)
}

/// What an answer means for an action.
enum ActionVerdict: Hashable, Sendable {
    case done
    /// The server will not do it; its words.
    case refused(why: String, status: Int?)
    /// The token is not good any more.
    case tokenRefused(why: String)
    /// It may go well later; the server asks for some time, perhaps. `mayBeDone` when it is not known whether it was done.
    case later(after: Duration?, why: String, mayBeDone: Bool)
}

/// What an action of several steps does after one.
enum ActionFollowing: Hashable, Sendable {
    /// It goes on.
    case next(Action.Operation)
    /// It is done; the id of what its last step found or made.
    case finished(EntityID?)
    /// Its next file is at the server, which calls it so.
    case uploaded(EntityID)
    /// It cannot go on; why.
    case refused(why: String)
}

/// How an action is shown before it is done.
struct ActionView: Hashable, Sendable {
    var action: Action
    /// Its place among those that wait.
    var order: Int
    var delivery: Item.Delivery
}

/// What the user wants done at the backend. A backend without actions refuses each of them.
protocol BackendActions: Sendable {
    /// What the action needs next; `fetched` was fetched for it already, and is not asked for again.
    func step(
        for action: Action, fetched: [ResourceKey], in model: SectionedCollection<Item>
    ) -> ActionStep

    /// Where the session looks, as far as names of actions are concerned.
    var place: Action.Place? { get }

    /// Whether an action is about another place than the session's: then it waits for a session that looks there.
    func isElsewhere(_ action: Action) -> Bool

    /// The lane of an action (`Action.lane`), by the id of its channel; nil while it is not known which channel its name means.
    func lane(of action: Action, in model: SectionedCollection<Item>) -> EntityID?

    /// The time of the newest message known where the action would put one; nil when it puts none.
    func baseline(of action: Action, in model: SectionedCollection<Item>) -> Timestamp?

    /// What an answer means.
    func judge(_ answer: Answer, of action: Action, attempt: Int) -> ActionVerdict

    /// The resource that shows whether an action was done; nil when nothing does. Its pages are followed back to `baseline`.
    mutating func evidence(
        of action: Action, since baseline: Timestamp?, in model: SectionedCollection<Item>
    ) -> ResourceKey?

    /// How far back the evidence goes, after the answer of one of its resources was applied.
    func reachOfEvidence(in key: ResourceKey, since baseline: Timestamp?, _ model: SectionedCollection<Item>)
        -> EvidenceReach

    /// Applies the answer to an action that was done; gives the id of what it made or changed.
    mutating func settle(_ action: Action, body: ArraySlice<UInt8>, into transaction: inout Transaction) -> EntityID?

    /// What an action of several steps does next, after an answer that did one; nil for an action of one step, which `settle` ends.
    mutating func follow(_ action: Action, _ answer: Answer, into transaction: inout Transaction) -> ActionFollowing?

    /// What there is one of at a time: a newer action of the same tag takes the place of an older one. Nil for an action beside others.
    func tag(of action: Action) -> String?

    /// The tags of what goes on by itself, beside actions, and can be cancelled.
    var tags: [String] { get }

    /// Cancels what goes on by itself under a tag.
    mutating func cancel(tag: String, into transaction: inout Transaction)

    /// Whether a message that came may be what the action sent.
    func isEcho(_ message: Item, of action: Action, since baseline: Timestamp?) -> Bool

    /// A message that is there and may be what the action sent after `baseline`; nil when there is none.
    func echo(of action: Action, after baseline: Timestamp?, in model: SectionedCollection<Item>) -> EntityID?

    /// Shows the action.
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
    func settle(_ action: Action, body: ArraySlice<UInt8>, into transaction: inout Transaction) -> EntityID? { nil }
    mutating func follow(_ action: Action, _ answer: Answer, into transaction: inout Transaction) -> ActionFollowing? {
        nil
    }
    func tag(of action: Action) -> String? { nil }
    var tags: [String] { [] }
    mutating func cancel(tag: String, into transaction: inout Transaction) {}
    func isEcho(_ message: Item, of action: Action, since baseline: Timestamp?) -> Bool { false }
    func echo(of action: Action, after baseline: Timestamp?, in model: SectionedCollection<Item>) -> EntityID? { nil }
    func lay(_ view: ActionView, on overlay: inout Overlay, in model: inout SectionedCollection<Item>) {}
}

/// How far back what was fetched shows whether an action was done.
enum EvidenceReach: Hashable, Sendable {
    /// An older page is being fetched.
    case goesOn(ResourceKey)
    /// Everything since the action's baseline was seen.
    case complete
    /// The pages ended after the baseline: what was done may be on one that nobody fetches.
    case endsEarly
}

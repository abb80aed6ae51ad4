import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

/// The consequences of one input, collected while a backend handles it: changes that are staged in the model and
/// committed together, and plans for the session.
struct HandlerContext: Sendable {
    /// An event that the session emits to the server.
    struct Emission: Sendable {
        var name: String
        /// The arguments, as comma-separated JSON values.
        var arguments: RawJSON?
        /// The message to send instead over a plain WebSocket of JSON messages.
        var message: RawJSON?
    }

    /// The way in which a server confirms a join.
    enum RoomAnswer: Sendable {
        /// An event. The backend turns it into a plan.
        case event
        /// The acknowledgement of the join request.
        case acknowledgement
        /// No confirmation. The room counts as joined once the request is sent.
        case none
    }

    /// A request that joins or leaves a room.
    enum RoomRequest: Sendable {
        /// Emit an event. `answer` is the way in which the server confirms it.
        case emit(Emission, answer: RoomAnswer = .event)
        /// Send nothing: the server pushes all events without a request.
        case unasked
        /// Subscribe to a channel. `ext` may contain the token.
        case subscribe(Bayeux.Channel, ext: RawJSON?)
        /// End the subscription to a channel.
        case unsubscribe(Bayeux.Channel)

        /// Whether the server reports the outcome of the request.
        var isAnswered: Bool {
            switch self {
            case .emit(_, answer: RoomAnswer.none), .unasked: false
            case .emit, .subscribe, .unsubscribe: true
            }
        }
    }

    /// A request of the backend to the session, apart from changes to the model. The session carries out plans in
    /// order.
    enum Plan: Sendable {
        /// Emit an event to the server.
        case emit(Emission)
        /// Emit an event that requests an acknowledgement, which the session passes back to the backend.
        case ask(Emission)
        /// Report that a user started or stopped typing.
        case typing(TypingReport)
        /// Subscribe to a channel that is not a room. `ext` may contain the token.
        case subscribe(Bayeux.Channel, ext: RawJSON?)
        /// Acknowledge an event that requested it.
        case acknowledge(Int)
        /// Declare the connection ready, so that rooms can be joined.
        case ready
        /// Declare that the server refused the token, with these words.
        case tokenRefused(String)
        /// Add a room to those that the backend lists. The wishes decide whether the session joins it.
        case want(room: String)
        /// Remove a room from those that the backend lists. A room that the user named stays wanted.
        case unwant(room: String)
        /// Declare the server's answer to a join or a leave.
        case joined(room: String)
        case joinRefused(room: String, why: String)
        case left(room: String)
        /// Fetch a resource, or refetch it: at once, or after a delay that merges repeated requests.
        case fetch(ResourceKey, after: Duration = .zero)
        /// Drop everything that is under way for a resource.
        case forget(ResourceKey)
        /// Drop everything that is under way for the resources with a tag.
        case cancel(RequestTag)
        /// Declare the server's id of the user.
        case account(EntityID)
        /// Report messages that were missed and are not fetched.
        case hole(Hole)
        /// Report a notice to the user.
        case notice(Notice)
    }

    /// The model, with the changes that are staged in it.
    var model = SectionedCollection<Item>()
    /// The state that a client displays outside the rows.
    var globals = Globals()
    /// The plans of the input, in order.
    var plans: [Plan] = []
    /// The number of the input's record.
    var cause = 0
    /// The time of the input.
    var now = Moment.zero
    /// Whether to collect new messages, because one of them may be the echo of a message that was sent.
    var watchesMessages = false
    /// Messages that arrived and were not in the model. Collected while `watchesMessages` is `true`.
    var newMessages: [Item] = []
    /// Whether to collect the senders of messages, because their accounts are shown.
    var notesSenders = false
    /// Senders of the messages that were handled, with duplicates. Collected while `notesSenders` is `true`.
    var senders: [EntityID] = []
    /// The frame being handled, which the report of a malformed frame quotes.
    var frame: ArraySlice<UInt8> = []
    /// The resources whose answers were applied, for the report of the batch.
    var refetched: [String] = []
    /// Rows of the model that the answer being handled lists.
    var confirmed: [Item] = []
    /// The rows of the answer being handled that could not be decoded.
    var leftOut = LeftOutRows()
    /// The maximum total size in bytes of the pages of one list.
    var largestList = Limits.standard
    /// The decoded answer being handled, if it was decoded outside the session.
    var reading: AnswerReading?
    /// The refetcher. Handlers use it only to mark requests in flight as outdated; they fetch through plans.
    var refetcher: Refetcher

    init(requestLimit: Int, perSecond: Int? = nil) {
        refetcher = Refetcher(limit: requestLimit, perSecond: perSecond)
    }

    /// Puts a message in the model, and collects it and its sender if they are watched.
    mutating func take(_ message: Item) {
        let message = notesSenders ? meetSender(of: message) : message
        if watchesMessages, model[message.id] == nil { newMessages.append(message) }
        model.put(message)
    }

    mutating func fetch(_ key: ResourceKey) { plans.append(.fetch(key)) }
    mutating func fetch(_ key: ResourceKey, after span: Duration) { plans.append(.fetch(key, after: span)) }
    mutating func want(_ room: String) { plans.append(.want(room: room)) }
    mutating func notice(_ level: Notice.Level, _ text: String) { plans.append(.notice(Notice(level, text))) }
}

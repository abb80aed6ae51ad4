import Events
import JSONText
import SectionedModel
import Wire

/// What one input leads to, gathered while a backend handles it: changes of the model (staged, committed together), and plans.
struct Transaction: Sendable {
    /// An event to emit.
    struct Emission: Sendable {
        var name: String
        /// Comma-separated JSON values.
        var arguments: RawJSON?
        /// What is sent where messages are plain JSON.
        var message: RawJSON?
    }

    /// What says that a server took a join.
    enum RoomAnswer: Sendable {
        /// An event, of which the backend makes a plan.
        case event
        /// The acknowledgement of the join.
        case acknowledgement
        /// Nothing: the room is joined once it was asked for.
        case none
    }

    /// What joins or leaves a room.
    enum RoomRequest: Sendable {
        /// An event, and what says that the server took it.
        case emit(Emission, answer: RoomAnswer = .event)
        /// Nothing: the server says everything unasked.
        case unasked
        /// A subscription to a channel; what goes with it may hold the token.
        case subscribe(Bayeux.Channel, ext: RawJSON?)
        /// Its end.
        case unsubscribe(Bayeux.Channel)

        /// Whether the server says what became of it.
        var isAnswered: Bool {
            switch self {
            case .emit(_, answer: RoomAnswer.none), .unasked: false
            case .emit, .subscribe, .unsubscribe: true
            }
        }
    }

    /// What a backend wants of the session besides changes of the model, in order.
    enum Plan: Sendable {
        /// Emit an event.
        case emit(Emission)
        /// Emit an event that is to be acknowledged; the answer comes back to the backend.
        case ask(Emission)
        /// Tell that somebody types, or types no more.
        case typing(TypingReport)
        /// Subscribe to a channel that is no room; what goes with it may hold the token.
        case subscribe(Bayeux.Channel, ext: RawJSON?)
        /// Acknowledge an event that asked for it.
        case acknowledge(Int)
        /// The connection can be used: rooms may be joined.
        case ready
        /// The server refused the token; its words.
        case tokenRefused(String)
        /// Want a room.
        case want(room: String)
        /// Do not want a room any more that the backend wanted; one that the user asked for stays.
        case unwant(room: String)
        /// The server's word on a room.
        case joined(room: String)
        case joinRefused(room: String, why: String)
        case left(room: String)
        /// Fetch a resource (again): at once, or after a while in which it may be asked for more than once.
        case fetch(ResourceKey, after: Duration = .zero)
        /// Drop whatever is under way for a resource.
        case forget(ResourceKey)
        /// Drop whatever is under way for all that carries the tag.
        case cancel(RequestTag)
        /// The server says who the user is.
        case account(EntityID)
        /// Tell that messages were missed and are not fetched.
        case hole(Hole)
        /// Tell the user.
        case notice(Notice)
    }

    /// The model; changes are staged in it.
    var model = SectionedCollection<Item>()
    /// What the user looks at.
    var globals = Globals()
    /// The plans, in order.
    var plans: [Plan] = []
    /// Number of the record of the input.
    var cause = 0
    /// The input's time.
    var now = Moment.zero
    /// Whether messages that come are noted, because one may be the echo of what was sent.
    var watchesMessages = false
    /// Messages that came and were not known, while they are noted.
    var newMessages: [Item] = []
    /// Whether senders of messages are noted, because their accounts are shown.
    var notesSenders = false
    /// Senders of what was handled, while they are noted, as often as they came.
    var senders: [EntityID] = []
    /// The frame being handled, for what is said of a malformed one.
    var frame: ArraySlice<UInt8> = []
    /// The resources of which an answer was taken over, for what is said of the batch.
    var refetched: [String] = []
    /// Rows that are held and that the answer being handled lists.
    var confirmed: [Item] = []
    /// What could not be read of the answer being handled.
    var leftOut = LeftOutRows()
    /// How many bytes the pages of one list may have together.
    var largestList = Limits.standard
    /// The answer being handled, where it was read already.
    var reading: AnswerReading?
    /// What is fetched. Handlers look at it only to mark what is in flight as overtaken; they plan fetches.
    var refetcher: Refetcher

    init(requestLimit: Int, perSecond: Int? = nil) {
        refetcher = Refetcher(limit: requestLimit, perSecond: perSecond)
    }

    /// Puts a message in the model, and notes it where it is new and noted.
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

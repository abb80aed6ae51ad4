import DemoServer
import Events
import JSONText
package import Pipeline
import SectionedModel
package import Wire

/// Runs a history: one session of the pure core against one server, with a network and a clock of its own between them.
///
/// Everything in it is a value that is given the time, and every choice is drawn from the history's seed, so that a run can be had again.
/// After the history's last step the network heals; `outcome` says what was wrong when quiet had come.
package struct Simulation {
    /// A check that cannot fail is worth nothing: what a test breaks on purpose.
    package enum Sabotage: Sendable {
        case none
        /// One message that tells of a change, from halfway on, is kept from the session.
        case swallowedMessage
        /// The list of directs is answered with an empty one.
        case emptiedList
        /// The last line of the diff log is lost.
        case lostLine
        /// Each request counts as ten, as if it were repeated for nothing.
        case tenfoldRequests
    }

    /// What is under way in the network.
    enum Happening {
        case step(Int)
        /// The client's SYN reaches the server, then its answer the client.
        case accept(Int)
        case opened(Int)
        case failed(Int)
        case toServer(Int, WebSocketMessage)
        case toClient(Int, WebSocketMessage)
        case closedAtServer(Int)
        case closedAtClient(Int, WebSocketClose)
        case publish(SimulatedPublication)
        case request(FetchRequest, bearer: String?, Spoil?)
        case answer(Int, Answer)
        case renewed(life: Int)
        /// The token will end soon: another one is had.
        case renewalDue
        case wake
        case serverUp
    }

    /// One socket.
    struct Socket {
        var isOpenAtServer = false
        var isOpenAtClient = false
        /// Whether the client will hear nothing more: it has been told of the end, or is not there yet.
        var isOverAtClient = false
        /// Whether everything sent is swallowed.
        var isCut = false
        /// When the last of either direction arrives: the next cannot arrive before.
        var toServer = Moment.zero
        var toClient = Moment.zero
        /// How many more messages of the server come through.
        var remaining = Int.max
    }

    package let history: History
    let sabotage: Sabotage
    /// Whether everything has to be shown at the end that the server has, however old.
    private(set) var showsAll: Bool
    var random: RandomSource
    package internal(set) var now = Moment.zero
    var queue = EventQueue<Happening>()
    package internal(set) var session: Session
    var server: any Side
    var effects: [Effect] = []
    var outputs: [SimulatedOutput] = []
    var inputs = 0

    // The network.
    var sockets: [Int: Socket] = [:]
    /// The connection the client uses.
    var current = 0
    var asleepUntil: Moment?
    /// What reaches the client's machine while it sleeps, in order.
    var slept: [Happening] = []
    var serverDownUntil: Moment?
    var stalledUntil = Moment.zero
    var isHealed = false
    var refusals = 0
    var stumble: Int?
    var losses = 0
    var twins = 0
    var mutes = 0
    var spoils: [Spoil] = []
    /// Until when what the server tells of a kind waits, and when the last of a path comes out.
    var holds: [Int: Moment] = [:]
    var paths: [String: Moment] = [:]
    /// Requests the session still waits for.
    var awaited: Set<Int> = []
    var token: Secret?
    /// The first process of the client is 0. Connections and requests of earlier ones have the numbers up to these.
    var life = 0
    var connectionsBefore = 0
    var requestsBefore = 0
    var lastRequest = 0
    var joinsBefore = 0
    /// The workspace that is looked at, and the one that a store would know of; nil where there are none.
    var place: EntityID?
    var keptGlobals = Globals()
    /// Whose rows a store would keep, and the model before the last two steps.
    var account: String?
    var memories: (early: SectionedCollection<Item>, late: SectionedCollection<Item>)
    var lastExpiry = Moment(microseconds: -60_000_000)

    /// What the user wanted done, and what the session said of it.
    var deeds: [Action] = []
    var fates: [EntityID: ActionReport.Change] = [:]
    /// Of which the session said that nobody knows whether they were done.
    var deedsInDoubt: Set<EntityID> = []
    /// Texts of our messages that somebody moved to another thread.
    var movedDeeds: Set<String> = []

    // What is found out.
    package internal(set) var figures = Figures()
    var log: [UInt8] = []
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    var ending: Ending?
    var faults: [String] = []
    var sabotaged = false
    /// How often the session has looked at everything again, if it does so from time to time.
    var looksAgain: Int { history.lookAgain.map { Int((now - .zero) / $0) } ?? 0 }

    /// Is told what happens, line by line, for whoever looks for the cause of a divergence.
    package var tell: ((String) -> Void)?

    /// Half of the time the history takes.
    var halfway: Moment { Moment(microseconds: Int64(history.steps.last?.at ?? 0) * 500) }

    /// Milliseconds since 1970 at the simulation's start.
    static let epoch: Int64 = 1_631_610_000_000

    package init(_ history: History, sabotage: Sabotage = .none, showsAll: Bool = false) {
        self.history = history
        self.sabotage = sabotage
        self.showsAll = showsAll
        random = RandomSource(seed: history.seed)
        server = history.server
        keptGlobals = server.firstLook
        place = keptGlobals.workspace.map { EntityID($0) }
        session = Session(Self.configuration(of: history, server, keptGlobals), seed: history.seed, keepsChecksum: true)
        memories = (session.model, session.model)
        for (index, step) in history.steps.enumerated() {
            queue.schedule(.step(index), at: Moment(microseconds: Int64(step.at) * 1_000 + 500))
        }
    }

    /// What a session is told: it looks where it looked last, whatever the places are called meanwhile.
    static func configuration(of history: History, _ server: any Side, _ globals: Globals) -> Configuration {
        var configuration = server.configuration(of: history)
        configuration.globals = globals
        return configuration
    }

    // MARK: - The loop

    /// Runs the history, lets the network heal, and waits for quiet.
    package mutating func run() {
        token = server.token(at: now)
        queue.schedule(.renewalDue, at: now + history.tokenLife * 4 / 5)
        feed(.start)
        advance(to: Moment(microseconds: Int64((history.steps.last?.at ?? 0) + 2_000) * 1_000))
        heal()
        let healed = now
        // What was lost without a sign is found by the next full look; who left, by the next question after it.
        let asks = history.watching.following.contains(.presence)
        advance(to: healed + .seconds(90) + (history.lookAgain ?? .zero) + (asks ? .seconds(310) : .zero))
        while !isQuiet, now - healed < .seconds(1_200), faults.isEmpty { advance(to: now + .seconds(30)) }
        conclude()
    }

    /// The rooms of which the model says that messages are missing: their channels' or conversations' ids.
    package var holes: [String] { session.model.elements(in: .holes).map(\.id.id.description) }

    /// What was said from a time on (milliseconds since the beginning), is not shown, and lies in no hole. Of places in which nothing was said
    /// before, nothing was known that a hole could begin with: of them the newest page is shown.
    package func untold(since time: Int64) -> [String] {
        let sections = session.model.sectionKeys.filter { $0.name == "messages" || $0.name == "thread" }
        let shown = Set(sections.flatMap { session.model.elements(in: $0) }.map(\.id.id))
        let holes = session.model.elements(in: .holes)
        let said = server.said(in: self).map { ($0.place, $0.message, at: $0.at.milliseconds - Self.epoch) }
        let known = Set(said.filter { $0.at < time }.map(\.0))
        return said.filter { place, message, at in
            at >= time && known.contains(place) && !shown.contains(message)
                && !holes.contains { row in
                    guard row.id.id == place, let hole = row.hole else { return false }
                    let (from, to) = (hole.from.milliseconds - Self.epoch, hole.to.milliseconds - Self.epoch)
                    return from <= at && at <= to
                }
        }.map { "message \($0.1) of \($0.0)" }
    }

    /// The user asks for all that was ever said in every room; gives what is wrong once quiet has come.
    package mutating func readHistory() -> [String] {
        showsAll = true
        for room in session.roomBook.entries {
            feed(.look(room: room.name, part: .messages, since: Timestamp(milliseconds: 0)))
        }
        advance(to: now + .seconds(120))
        return server.differences(from: self)
    }

    /// Whether the session waits for nothing.
    var isQuiet: Bool { session.pending.isEmpty && ending == nil }

    /// Does everything that happens until `end`.
    mutating func advance(to end: Moment) {
        while faults.isEmpty, let next = nextTime, next <= end {
            now = max(now, next)
            happen()
            figures.happenings += 1
            if figures.happenings > 200_000 { faults.append("there is no end to what happens") }
        }
        now = max(now, end)
    }

    private var nextTime: Moment? {
        var next = queue.next
        func take(_ moment: Moment?) {
            if let moment { next = next.map { min($0, moment) } ?? moment }
        }
        if asleepUntil == nil, ending == nil { take(session.deadline) }
        if serverDownUntil == nil { take(server.deadline) }
        return next
    }

    private mutating func happen() {
        if serverDownUntil == nil, let due = server.deadline, due <= now {
            let publications = server.advance(to: now, into: &outputs)
            tell(publications)
            perform(tellsOfChange: false)
        }
        if asleepUntil == nil, ending == nil, let due = session.deadline, due <= now {
            session.advance(to: now, into: &effects)
            performEffects()
        }
        guard let due = queue.next, due <= now, let happening = queue.removeFirst() else { return }
        if asleepUntil != nil, happening.isForClient { return slept.append(happening) }
        happen(happening)
    }

    /// Gives the session one input, as the driver does: first what is due by then.
    mutating func feed(_ input: Input) {
        guard ending == nil else { return }
        inputs += 1
        say(input)
        session.advance(to: now, into: &effects)
        performEffects()
        session.handle(input, n: inputs, at: now, into: &effects)
        performEffects()
    }

    /// A time between two, microseconds; short once the network has healed.
    mutating func latency(_ range: ClosedRange<Int64>) -> Duration {
        .microseconds(isHealed ? 5_000 : Int64.random(in: range, using: &random))
    }

    /// How long a message is on its way, microseconds.
    mutating func delay() -> Duration { latency(1_000...60_000) }
}

extension Simulation.Happening {
    /// Whether it happens on the client's machine, which may sleep.
    fileprivate var isForClient: Bool {
        switch self {
        case .opened, .failed, .toClient, .closedAtClient, .answer, .renewed, .renewalDue: true
        case .step, .accept, .toServer, .closedAtServer, .publish, .request, .wake, .serverUp: false
        }
    }
}

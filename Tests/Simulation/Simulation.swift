import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirModel
package import WeirPipeline
package import WeirWire

/// Runs a history: one session of the pure core against one server, with a simulated network and clock.
///
/// All parts are values that receive the time, and the history's seed decides every choice, so that a run can be
/// repeated exactly. After the last step of the history the network heals; `outcome` lists what was wrong once
/// everything was quiet.
package struct Simulation {
    /// A deliberate error, with which tests verify that the checks can fail.
    package enum Sabotage: Sendable {
        case none
        /// The session does not receive one message in the second half that reports a change.
        case swallowedMessage
        /// The list of directs is always answered as empty.
        case emptiedList
        /// The last line of the diff log is lost.
        case lostLine
        /// Each request counts as ten, as if it were repeated needlessly.
        case tenfoldRequests
    }

    /// An event that is scheduled to happen.
    enum Happening {
        case step(Int)
        /// The client's connection request reaches the server, which answers it.
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
        /// The token is about to expire and is renewed.
        case renewalDue
        case wake
        case serverUp
    }

    /// The state of one socket at both ends.
    struct Socket {
        var isOpenAtServer = false
        var isOpenAtClient = false
        /// Whether the client will receive nothing more: it was notified of the end, or it no longer exists.
        var isOverAtClient = false
        /// Whether everything sent is lost.
        var isCut = false
        /// When the last message in each direction arrives. The next one cannot arrive earlier.
        var toServer = Moment.zero
        var toClient = Moment.zero
        /// How many more messages from the server are delivered.
        var remaining = Int.max
    }

    package let history: History
    let sabotage: Sabotage
    /// Whether the model must show everything on the server at the end, however old.
    private(set) var showsAll: Bool
    var random: RandomSource
    package internal(set) var now = Moment.zero
    var queue = EventQueue<Happening>()
    package internal(set) var session: Session
    var server: any Side
    var effects: [Effect] = []
    var outputs: [SimulatedOutput] = []
    var inputs = 0

    // The state of the network.
    var sockets: [Int: Socket] = [:]
    /// The number of the connection that the client uses.
    var current = 0
    var asleepUntil: Moment?
    /// The events that reach the client's machine while it sleeps, in order.
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
    /// When the delay of each kind of publication ends, and when the last publication of each path is delivered.
    var holds: [Int: Moment] = [:]
    var paths: [String: Moment] = [:]
    /// The requests for which the session still waits.
    var awaited: Set<Int> = []
    var token: Secret?
    /// The number of the client's process, from 0. The connections and requests of earlier processes have numbers up to
    /// these.
    var life = 0
    var connectionsBefore = 0
    var requestsBefore = 0
    var lastRequest = 0
    var joinsBefore = 0
    /// The selected workspace, and the selection that a store would keep; `nil` without workspaces.
    var place: EntityID?
    var keptGlobals = Globals()
    /// The account whose rows a store would keep, and the models before each of the last two steps.
    var account: String?
    var memories: (early: SectionedCollection<Item>, late: SectionedCollection<Item>)
    var lastExpiry = Moment(microseconds: -60_000_000)

    /// The actions that the user requested, and their outcomes reported by the session.
    var deeds: [Action] = []
    var fates: [EntityID: ActionReport.Change] = [:]
    /// The ids of actions that may or may not have been done, according to the session.
    var deedsInDoubt: Set<EntityID> = []
    /// The texts of the session's messages that were moved to another thread.
    var movedDeeds: Set<String> = []

    // The results of the run.
    package internal(set) var figures = Figures()
    var log: [UInt8] = []
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    var ending: Ending?
    var faults: [String] = []
    var sabotaged = false
    /// How many full looks the session has repeated, if it repeats them at all.
    var resyncs: Int { history.resyncInterval.map { Int((now - .zero) / $0) } ?? 0 }

    /// Receives each event of the run as a line, for finding the cause of a divergence.
    package var tell: ((String) -> Void)?

    /// Half of the history's duration.
    var halfway: Moment { Moment(microseconds: Int64(history.steps.last?.at ?? 0) * 500) }

    /// The time at which the simulation starts, in milliseconds since 1970.
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

    /// Returns the configuration of a session that continues with the last selection, whatever the places are named
    /// meanwhile.
    static func configuration(of history: History, _ server: any Side, _ globals: Globals) -> Configuration {
        var configuration = server.configuration(of: history)
        configuration.globals = globals
        return configuration
    }

    // MARK: - The loop

    /// Runs the history, lets the network heal, and waits until everything is quiet.
    package mutating func run() {
        token = server.token(at: now)
        queue.schedule(.renewalDue, at: now + history.tokenLife * 4 / 5)
        feed(.start)
        advance(to: Moment(microseconds: Int64((history.steps.last?.at ?? 0) + 2_000) * 1_000))
        heal()
        let healed = now
        // The next full look finds what was lost silently, and the next presence request after it finds who went
        // offline.
        let asks = history.watching.following.contains(.presence)
        advance(to: healed + .seconds(90) + (history.resyncInterval ?? .zero) + (asks ? .seconds(310) : .zero))
        while !isQuiet, now - healed < .seconds(1_200), faults.isEmpty { advance(to: now + .seconds(30)) }
        conclude()
    }

    /// The ids of the channels or conversations for which the model has holes, that is, missing messages.
    package var holes: [String] { session.model.elements(in: .holes).map(\.id.id.description) }

    /// Returns the messages since a time (in milliseconds since the start) that are neither shown nor in a hole. Places
    /// without earlier messages are excluded: a hole could not begin at a known message there, so only their newest
    /// page is shown.
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

    /// Requests the whole history of every room. Returns the errors once everything is quiet.
    package mutating func readHistory() -> [String] {
        showsAll = true
        for room in session.subscriptions.entries {
            feed(.look(room: room.name, part: .messages, since: Timestamp(milliseconds: 0)))
        }
        advance(to: now + .seconds(120))
        return server.differences(from: self)
    }

    /// Whether the session has no pending work.
    var isQuiet: Bool { session.pending.isEmpty && ending == nil }

    /// Processes all events until `end`.
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

    /// Passes one input to the session, as the driver does, after the work that is due by then.
    mutating func feed(_ input: Input) {
        guard ending == nil else { return }
        inputs += 1
        say(input)
        session.advance(to: now, into: &effects)
        performEffects()
        session.handle(input, n: inputs, at: now, into: &effects)
        performEffects()
    }

    /// Returns a random duration in a range of microseconds; short once the network has healed.
    mutating func latency(_ range: ClosedRange<Int64>) -> Duration {
        .microseconds(isHealed ? 5_000 : Int64.random(in: range, using: &random))
    }

    /// Returns the random travel time of a message, 1 to 60 ms; short once the network has healed.
    mutating func delay() -> Duration { latency(1_000...60_000) }
}

extension Simulation.Happening {
    /// Whether the event happens on the client's machine, which may sleep.
    fileprivate var isForClient: Bool {
        switch self {
        case .opened, .failed, .toClient, .closedAtClient, .answer, .renewed, .renewalDue: true
        case .step, .accept, .toServer, .closedAtServer, .publish, .request, .wake, .serverUp: false
        }
    }
}

import DemoServer
import Events
import Pipeline
import Wire

/// What of a simulation is one backend's: its server, what its session is told, what its user can want, and what must be true at the end.
protocol Side: SimulatedService {
    /// Where the session looks first; nil where there are no places to look at.
    var firstLook: Globals { get }

    /// The `number`-th place to look at, and a room of it.
    func place(_ number: Int) -> (id: EntityID, room: String)?

    /// What the session is told.
    func configuration(of history: History) -> Configuration

    /// By which number of `Fault.hold` a publication waits.
    func holdNumber(of publication: SimulatedPublication) -> Int

    /// Sends a client the `number`-th stray frame.
    mutating func stray(_ number: Int, to client: Int, into outputs: inout [SimulatedOutput])

    /// Whether a request is not to be spoiled so; `isFresh` while the process has joined no room.
    func isSpared(_ request: FetchRequest, from spoil: Spoil, isFresh: Bool) -> Bool

    /// What is answered to a request without the server's having looked; nil when it looks.
    func fixedAnswer(to request: FetchRequest, _ spoil: Spoil?, in history: History) -> FixedAnswer?

    /// Whether a request is one for the list that `Sabotage.emptiedList` empties.
    func asksForDirects(_ request: FetchRequest) -> Bool

    /// What a deed is on a model; nil when there is nothing it could be done to.
    func operation(_ deed: Deed, _ a: Int, _ b: Int, text: String, on session: Session) -> Action.Operation?

    /// How the model differs from what is true, one line each.
    func differences(from simulation: Simulation) -> [String]

    /// What is said in the places that are looked at and not deleted, whatever the model shows of it.
    func said(in simulation: Simulation) -> [(place: EntityID, message: EntityID, at: Timestamp)]

    /// As many requests as what happened gives reason for, beside those that failed.
    func mostRequests(of simulation: Simulation) -> Int
}

/// An answer that needs no look at the world.
struct FixedAnswer {
    var status: Int
    var body: String
    var retryAfter: Int?
}

extension Side {
    var firstLook: Globals { Globals() }
    func place(_ number: Int) -> (id: EntityID, room: String)? { nil }
}

extension History {
    /// The server of its era, as it is before the first step.
    var server: any Side {
        switch era {
        case .a, .b, .c:
            SimulatedServer(
                seed: seed, epoch: Simulation.epoch, tokenLifetime: tokenLife, edition: era == .c ? .last : nil,
                revision: revision, mostRows: seed % 5 == 3 ? 2 : 1_000)
        case .groupMe:
            GroupMeSimulatedServer(quietSeed: seed, epoch: Simulation.epoch, timeout: .seconds(20))
        case .declared: DeclaredSimulatedServer(seed: seed)
        }
    }
}

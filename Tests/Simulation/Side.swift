import WeirDemoServer
import WeirEvents
import WeirPipeline
import WeirWire

/// The parts of a simulation that differ by backend: the server, the session's configuration, the actions of its user,
/// and the conditions at the end.
protocol Side: SimulatedService {
    /// The session's initial selection; empty when the backend has no workspaces.
    var firstLook: Globals { get }

    /// Returns the `number`-th workspace and one of its rooms; `nil` when the backend has none.
    func place(_ number: Int) -> (id: EntityID, room: String)?

    /// Returns the session's configuration for a history.
    func configuration(of history: History) -> Configuration

    /// Returns the number with which `Fault.hold` delays a publication.
    func holdNumber(of publication: SimulatedPublication) -> Int

    /// Sends the `number`-th stray frame to a client.
    mutating func stray(_ number: Int, to client: Int, into outputs: inout [SimulatedOutput])

    /// Returns whether a request must not be spoiled in this way. `isFresh` is true until the process has joined a
    /// room.
    func isSpared(_ request: FetchRequest, from spoil: Spoil, isFresh: Bool) -> Bool

    /// Returns an answer that does not depend on the server's state, or `nil` when the server must handle the request.
    func fixedAnswer(to request: FetchRequest, _ spoil: Spoil?, in history: History) -> FixedAnswer?

    /// Returns whether a request is for the list that `Sabotage.emptiedList` empties.
    func asksForDirects(_ request: FetchRequest) -> Bool

    /// Returns the operation for a deed in the current model, or `nil` when it has no possible object.
    func operation(_ deed: Deed, _ a: Int, _ b: Int, text: String, on session: Session) -> Action.Operation?

    /// Returns the differences between the model and the truth, one line each.
    func differences(from simulation: Simulation) -> [String]

    /// Returns all existing messages in the selected workspace or account, whether or not the model shows them.
    func said(in simulation: Simulation) -> [(place: EntityID, message: EntityID, at: Timestamp)]

    /// Returns the most requests that the events of the run justify, not counting failed ones.
    func mostRequests(of simulation: Simulation) -> Int
}

/// An answer that does not depend on the server's state.
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
    /// The server of the history's era, in its state before the first step.
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

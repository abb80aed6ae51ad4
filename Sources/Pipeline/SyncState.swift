import Wire

/// How far a session is with bringing the model to the server's truth: after a login, after a gap, after an event.
public struct SyncState: Hashable, Sendable {
    /// The phases.
    public enum Phase: String, Hashable, Sendable {
        /// The server has not accepted a connection yet.
        case initial
        /// The connection is being made again, or resources are being fetched.
        case inProgress = "in_progress"
        /// The model holds all that was fetched; nothing waits to be.
        case success
        /// Nothing is being fetched, and what failed is tried again later; or the server refused the session.
        case failure
    }

    /// What it does.
    public var phase: Phase
    /// How many resources are fetched, or wait to be.
    public var open: Int
    /// How many of them failed and are tried again.
    public var failing: Int

    /// Whether something is being fetched now.
    package var isFetching: Bool { open > failing }
}

extension Session {
    /// How far the synchronisation is.
    package var sync: SyncState {
        let entries = transaction.refetcher.entries
        let failing = entries.count { $1.failures > 0 && $1.state == .waiting }
        var phase = SyncState.Phase.success
        if !history.wasReady {
            phase = link.isOver ? .failure : .initial
        } else if link.isOver || (!entries.isEmpty && failing == entries.count) {
            phase = .failure
        } else if !link.isReady || rooms.isJoining || !entries.isEmpty {
            phase = .inProgress
        }
        return SyncState(phase: phase, open: entries.count, failing: failing)
    }
}

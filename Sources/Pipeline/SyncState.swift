import Wire

/// The progress of a session towards the server's state: after a login, after a gap and after an event.
public struct SyncState: Hashable, Sendable {
    /// The phases of the synchronisation.
    public enum Phase: String, Hashable, Sendable {
        /// The server has not accepted a connection yet.
        case initial
        /// The session is reconnecting or fetching resources.
        case inProgress = "in_progress"
        /// The model contains everything that was fetched, and no fetch is outstanding.
        case success
        /// All outstanding fetches have failed and will be retried later, or the session has ended.
        case failure
    }

    /// The current phase of the synchronisation.
    public var phase: Phase
    /// The number of resources that are being fetched or wait to be.
    public var open: Int
    /// The number of these resources that failed and will be retried.
    public var failing: Int

    /// Whether any resource is being fetched, apart from those that wait for a retry.
    package var isFetching: Bool { open > failing }
}

extension Session {
    /// The current progress of the synchronisation.
    package var sync: SyncState {
        let entries = context.refetcher.entries
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

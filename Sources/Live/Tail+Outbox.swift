import Network
import Pipeline
import Recording
import Store
import Wire

// The outbox: the actions stored for sending to the server. Only one process sends them, once the server has identified
// the session's user. Each step is stored before it is performed.
extension Tail {
    /// Restores stored actions at each connection, since other programs may have added some meanwhile.
    func takeUpOutbox() {
        guard let persistence, let scope = persistence.scope, persistence.store.takeOutbox() else { return }
        persistence.store.readOutbox(of: scope.account) { [weak self] waiting in
            guard let self, !waiting.isEmpty else { return }
            loop.run { self.assumeIsolated { $0.restore(waiting, of: scope.account) } }
        }
    }

    /// Restores the actions that were stored at the start.
    func recallOutbox(_ remembered: Remembered) {
        guard !remembered.outbox.isEmpty, let persistence, persistence.store.takeOutbox() else { return }
        self.persistence?.outboxOwner = remembered.scope.account
        let entries = self.persistence?.outbox.take(remembered.outbox) ?? []
        if !entries.isEmpty { feed(.restoreOutbox(entries)) }
    }

    private func restore(_ waiting: [(id: String, entry: [UInt8])], of account: StoreAccount) {
        guard persistence?.scope?.account == account else { return }
        let entries = persistence?.outbox.take(waiting) ?? []
        if !entries.isEmpty { feed(.restoreOutbox(entries)) }
    }

    /// Stores the progress of all actions. A writing request is sent only after that is stored. If the process ends in
    /// between, the action is in doubt: the session checks the server before it repeats the action.
    func keepOutbox(thenSend requests: [FetchRequest], _ stamp: Stamp) {
        guard let persistence, let scope = persistence.scope, let writes = self.persistence?.outbox.writes(of: session)
        else {
            for request in requests { send(request, stamp) }
            return
        }
        let now = milliseconds(at: stamp.time)
        persistence.store.commit(writes, of: scope, at: now) { [weak self] error in
            guard let self else { return }
            loop.run {
                self.assumeIsolated { tail in
                    if let error { tail.storeFailed(error) }
                    guard case .running = tail.phase else { return }
                    for request in requests { tail.send(request, tail.journal.unnumbered(at: tail.loop.now)) }
                }
            }
        }
        // After the commit, take up actions that others added after ours meanwhile, without waiting for the next
        // connection.
        if self.persistence?.outbox.isEmpty == true { takeUpOutbox() }
    }
}

import Network
import Pipeline
import Recording
import Store
import Wire

// What waits in the store to be written to the server: it is done by one process, once the server has said whose session this is, and
// what is done is kept before it is done.
extension Tail {
    /// Takes up what waits, at each connection: other programs may have left something meanwhile.
    func takeUpOutbox() {
        guard let keeper, let scope = keeper.scope, keeper.store.takeOutbox() else { return }
        keeper.store.readOutbox(of: scope.account) { [weak self] waiting in
            guard let self, !waiting.isEmpty else { return }
            loop.run { self.assumeIsolated { $0.restore(waiting, of: scope.account) } }
        }
    }

    /// Takes in what waited at the start.
    func recallOutbox(_ remembered: Remembered) {
        guard !remembered.outbox.isEmpty, let keeper, keeper.store.takeOutbox() else { return }
        self.keeper?.outboxOwner = remembered.scope.account
        let entries = self.keeper?.outbox.take(remembered.outbox) ?? []
        if !entries.isEmpty { feed(.restoreOutbox(entries)) }
    }

    private func restore(_ waiting: [(id: String, entry: [UInt8])], of account: StoreAccount) {
        guard keeper?.scope?.account == account else { return }
        let entries = keeper?.outbox.take(waiting) ?? []
        if !entries.isEmpty { feed(.restoreOutbox(entries)) }
    }

    /// Keeps how far everything is. A request that writes goes out once it is kept that it does: a process that ends in between leaves
    /// something in doubt, which is looked for before it is done again.
    func keepOutbox(thenSend requests: [FetchRequest], _ stamp: Stamp) {
        guard let keeper, let scope = keeper.scope, let writes = self.keeper?.outbox.writes(of: session) else {
            for request in requests { send(request, stamp) }
            return
        }
        let now = milliseconds(at: stamp.time)
        keeper.store.commit(writes, of: scope, at: now) { [weak self] error in
            guard let self else { return }
            loop.run {
                self.assumeIsolated { tail in
                    if let error { tail.storeFailed(error) }
                    guard case .running = tail.phase else { return }
                    for request in requests { tail.send(request, tail.journal.unnumbered(at: tail.loop.now)) }
                }
            }
        }
        // Behind the commit: what others left behind ours meanwhile is not to wait for the next connection.
        if self.keeper?.outbox.isEmpty == true { takeUpOutbox() }
    }
}

import Events
import JSONText
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

    private func restore(_ waiting: [(id: String, entry: [UInt8])], of account: StoreAccount) {
        guard keeper?.scope?.account == account else { return }
        var entries: [OutboxEntry] = []
        for (id, text) in waiting where keeper?.outbox[id] == nil {
            guard let value = try? JSONValue(parsing: text[...]), let entry = OutboxEntry(value) else { continue }
            keeper?.outbox[id] = text
            entries.append(entry)
        }
        if !entries.isEmpty { feed(.restoreOutbox(entries)) }
    }

    /// The writes that bring the store's outbox to the session's, nil when it is so already.
    private func outboxWrites() -> [StoreWrite]? {
        guard let keeper, keeper.scope != nil, keeper.outboxVersion != session.pendingActionsVersion else { return nil }
        self.keeper?.outboxVersion = session.pendingActionsVersion
        var writes: [StoreWrite] = []
        var present: [String: [UInt8]] = [:]
        for entry in session.pendingActions {
            var writer = JSONWriter()
            entry.encode(into: &writer)
            let id = entry.action.id.description
            present[id] = writer.bytes
            if keeper.outbox[id] != writer.bytes { writes.append(.enqueue(id: id, entry: writer.bytes)) }
        }
        for id in keeper.outbox.keys.sorted() where present[id] == nil { writes.append(.dequeue(id: id)) }
        self.keeper?.outbox = present
        return writes.isEmpty ? nil : writes
    }

    /// Keeps how far everything is. A request that writes goes out once it is kept that it does: a process that ends in between leaves
    /// something in doubt, which is looked for before it is done again.
    func keepOutbox(thenSend requests: [FetchRequest], _ stamp: Stamp) {
        guard let writes = outboxWrites(), let keeper, let scope = keeper.scope else {
            for request in requests { send(request, stamp) }
            return
        }
        let now = (journal.wallStart + stamp.time.microseconds) / 1000
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
    }
}

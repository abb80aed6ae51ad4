import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirWire

/// The state kept from an earlier process of the client.
enum Kept: CaseIterable {
    /// The rows and the outbox at the end of the process.
    case all
    /// The outbox, which is saved before anything is sent, and the rows of an earlier time.
    case early
    /// The outbox, and the rows without every third one.
    case holes
    /// Nothing, as without a store.
    case nothing
}

// The client's process ends and starts again in the middle of a history.
extension Simulation {
    mutating func crash(_ kept: Kept) {
        guard asleepUntil == nil, ending == nil else { return }
        figures.count(.crash)
        checkLog()
        for connection in sockets.keys.sorted() where sockets[connection]?.isOverAtClient == false {
            sockets[connection]?.isOverAtClient = true
            queue.schedule(.closedAtServer(connection), at: now + delay())
        }
        let memory = memory(kept)
        let outbox = kept == .nothing ? [] : session.pendingActions.compactMap { $0.reread }
        life += 1
        connectionsBefore = sockets.keys.max() ?? 0
        requestsBefore = lastRequest
        joinsBefore = figures.joins
        (awaited, account, log) = ([], nil, [])
        place = keptGlobals.workspace.map { EntityID($0) }
        let configuration = Self.configuration(of: history, server, keptGlobals)
        session = Session(configuration, seed: history.seed &+ UInt64(life), keepsChecksum: true)
        feed(.start)
        for part in memory { feed(.remembered(part)) }
        if !outbox.isEmpty { feed(.restoreOutbox(outbox)) }
    }

    /// Returns the rows that were kept, in several parts.
    private func memory(_ kept: Kept) -> [Memory] {
        guard let account else { return [] }
        let model: SectionedCollection<Item>
        switch kept {
        case .all, .holes: model = session.model
        case .early: model = memories.early
        case .nothing: return []
        }
        // Rows of unfinished actions are restored from the outbox instead.
        let rows = model.sectionKeys.flatMap { model.elements(in: $0) }.filter { $0.delivery == nil }
        var parts: [Memory] = []
        for (index, row) in rows.enumerated() {
            if index % 40 == 0 { parts.append(Memory(user: account)) }
            if kept == .holes, index % 3 == 0 { continue }
            var writer = JSONWriter()
            row.encode(into: &writer)
            parts[parts.count - 1].append(row: writer.bytes)
        }
        return parts
    }
}

extension OutboxEntry {
    /// This entry after being written to a store and read again.
    fileprivate var reread: OutboxEntry? {
        var writer = JSONWriter()
        encode(into: &writer)
        return (try? JSONValue(parsing: writer.bytes[...])).flatMap { OutboxEntry($0) }
    }
}

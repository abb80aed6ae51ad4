import Events
import JSONText
import Pipeline
import SectionedModel
import Wire

/// What is left of an earlier process of the client.
enum Kept: CaseIterable {
    /// Rows and outbox, as they were when it ended.
    case all
    /// The outbox, which is kept before anything is sent, and rows as they were a while before.
    case early
    /// The outbox, and rows of which every third is lost.
    case holes
    /// Nothing: there is no store.
    case nothing
}

// The client's process ends and starts again, in the middle of a history.
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

    /// The rows that were kept, some at a time.
    private func memory(_ kept: Kept) -> [Memory] {
        guard let account else { return [] }
        let model: SectionedCollection<Item>
        switch kept {
        case .all, .holes: model = session.model
        case .early: model = memories.early
        case .nothing: return []
        }
        // What the user wants to be so is in the outbox.
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
    /// This entry as a store gives it back.
    fileprivate var reread: OutboxEntry? {
        var writer = JSONWriter()
        encode(into: &writer)
        return (try? JSONValue(parsing: writer.bytes[...])).flatMap { OutboxEntry($0) }
    }
}

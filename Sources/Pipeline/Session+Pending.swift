import Wire

// The work under way, for tests and simulations.
extension Session {
    /// The session's open work and the events it waits for, one line each. Empty when only the heartbeat of a ready connection and the next
    /// full resync remain.
    package var pending: [String] {
        var lines: [String] = []
        if !link.isReady { lines.append("a connection") }
        lines += context.refetcher.pending
        lines += outbox.entries.filter { $0.failure == nil }.map { "\($0.action.operation.name) \($0.action.id)" }
        lines += outbox.entries.filter { $0.failure == nil }.map { "\($0.state) \($0.action.operation.name)" }
        for entry in rooms.entries {
            switch entry.state {
            case .joined: break
            case .wanted, .joining: lines.append("joining \(entry.name)")
            case .refused(let why): lines.append("joining \(entry.name), which was refused: \(why)")
            }
        }
        if history.nextResync == nil, deadline != machineDeadline { lines.append("a timer") }
        return lines
    }
}

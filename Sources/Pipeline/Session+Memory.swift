import Events
import SectionedModel

// Rows of an earlier session: shown at once, until the server has answered.
extension Session {
    mutating func recall(_ memory: Memory) {
        if let known = user ?? remembered.user, known != memory.user { return }
        var recalled: [Item] = []
        let unreadable = memory.forEachRow { item in
            // Presence of an earlier session is out of date, and that session reported its holes itself.
            guard item.id.kind != .presence, item.id.kind != .hole else { return }
            // A row that is already in the model is newer.
            guard item.delivery == nil, context.model[item.id] == nil else { return }
            context.model.put(item)
            recalled.append(item)
        }
        if unreadable > 0 {
            context.notice(.info, "\(unreadable) rows of the store are of no use any more and are fetched again")
        }
        self.recalled = (memory.user, recalled)
        backend.recalled(recalled)
    }

    /// Updates the remembered rows after a commit: adds the rows that the input recalled, or confirms the rows that the
    /// batch changed.
    mutating func noteRemembered(_ batch: Batch<Item>?) {
        if let recalled {
            remembered.add(recalled.items, of: recalled.user)
            self.recalled = nil
        } else if let batch {
            remembered.confirm(batch)
        }
    }

    /// Records the server's id of the user, and removes the remembered rows of any other user at once.
    mutating func learned(user: EntityID, into effects: inout [Effect]) {
        self.user = user.description
        effects.append(.remember(.account(user: user.description)))
        let unclaimed = unclaimed
        self.unclaimed = []
        guard let remembered = remembered.user, remembered != user.description else { return }
        // The actions remain in the store, for the user who owns them.
        for id in unclaimed { dropAction(id, into: &effects) }
        removeRemembered(self.remembered.takeAll())
        context.globals.clearChannel()
        context.notice(.info, "the stored rows belong to another user: \(remembered)")
    }

    /// Records that a complete answer about a resource was applied, and confirms the sections that it covers.
    mutating func fetched(_ key: ResourceKey, isCurrent: Bool, into effects: inout [Effect]) {
        if let call = backend.request(for: key, page: nil) {
            effects.append(.remember(.checkpoint(resource: "\(call.method.rawValue) \(call.target)")))
        }
        guard isCurrent, !remembered.isEmpty else { return }
        for section in backend.sections(of: key, in: context.model) { remembered.confirm(section) }
    }

    /// Requests confirmation for rows that nothing else will confirm, once no request is under way. Removes rows that
    /// cannot be confirmed.
    mutating func confirmRemembered() {
        guard link.isReady, context.refetcher.hasNothingToDo, !rooms.isJoining else { return }
        for section in remembered.sections {
            switch backend.confirmation(of: section, in: context.model) {
            case .later: continue
            case .by(let key):
                // A resource whose fetch failed waits for its next attempt.
                if context.refetcher.entries[key] != nil { continue }
                guard remembered.ask(about: section) else { break }
                context.refetcher.invalidate(key, cause: context.cause)
                continue
            case .never: break
            }
            removeRemembered(remembered.take(section))
        }
    }

    private mutating func removeRemembered(_ ids: [Item.ID]) {
        for id in ids.sorted() { backend.forget(id, into: &context) }
    }
}

extension RoomSubscriptions {
    /// Whether any join awaits the server's answer.
    var isJoining: Bool { entries.contains { if case .joining = $0.state { true } else { false } } }
}

extension Refetcher {
    /// Whether no request is in flight, queued or parked. Keys that wait for their time do not count.
    var hasNothingToDo: Bool { flights.isEmpty && queue.isEmpty && parked.isEmpty }
}

/// The way to find out the server's state of a section.
enum Confirmation: Hashable, Sendable {
    /// An answer about this resource confirms the section.
    case by(ResourceKey)
    /// The resource is not known yet, and what determines it is being fetched.
    case later
    /// The server cannot confirm the section.
    case never
}

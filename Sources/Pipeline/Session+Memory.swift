import Events
import SectionedModel

// What is remembered of an earlier session: shown at once, and until the server has spoken.
extension Session {
    mutating func recall(_ memory: Memory) {
        if let known = user ?? remembered.user, known != memory.user { return }
        var recalled: [Item] = []
        let unreadable = memory.forEachRow { item in
            // Who was there is no news, and what an earlier session missed it has told.
            guard item.id.kind != .presence, item.id.kind != .hole else { return }
            // What is there already is newer.
            guard item.delivery == nil, transaction.model[item.id] == nil else { return }
            transaction.model.put(item)
            recalled.append(item)
        }
        if unreadable > 0 {
            transaction.notice(.info, "\(unreadable) rows of the store are of no use any more and are fetched again")
        }
        self.recalled = (memory.user, recalled)
        backend.recalled(recalled)
    }

    /// The batch of the input was committed: if it filled the model, its rows are remembered ones from now on.
    mutating func noteRemembered(_ batch: Batch<Item>?) {
        if let recalled {
            remembered.add(recalled.items, of: recalled.user)
            self.recalled = nil
        } else if let batch {
            remembered.confirm(batch)
        }
    }

    /// The server says who the user is. What is remembered of another user goes at once.
    mutating func learned(user: EntityID, into effects: inout [Effect]) {
        self.user = user.description
        effects.append(.remember(.account(user: user.description)))
        let unclaimed = unclaimed
        self.unclaimed = []
        guard let remembered = remembered.user, remembered != user.description else { return }
        // It stays in the store for whose it is.
        for id in unclaimed { dropAction(id, into: &effects) }
        removeRemembered(self.remembered.takeAll())
        transaction.globals.clearChannel()
        transaction.notice(.info, "what is remembered is another user's: \(remembered)")
    }

    /// A whole answer about a resource was applied.
    mutating func fetched(_ key: ResourceKey, isCurrent: Bool, into effects: inout [Effect]) {
        if let call = backend.request(for: key, page: nil) {
            effects.append(.remember(.checkpoint(resource: "\(call.method.rawValue) \(call.target)")))
        }
        guard isCurrent, !remembered.isEmpty else { return }
        for section in backend.sections(of: key, in: transaction.model) { remembered.confirm(section) }
    }

    /// When nothing is under way any more, nothing will confirm what is still open by itself.
    mutating func confirmRemembered() {
        guard link.isReady, transaction.refetcher.hasNothingToDo, !rooms.isJoining else { return }
        for section in remembered.sections {
            switch backend.confirmation(of: section, in: transaction.model) {
            case .later: continue
            case .by(let key):
                // One that failed is waiting for its next chance.
                if transaction.refetcher.entries[key] != nil { continue }
                guard remembered.ask(about: section) else { break }
                transaction.refetcher.invalidate(key, cause: transaction.cause)
                continue
            case .never: break
            }
            removeRemembered(remembered.take(section))
        }
    }

    private mutating func removeRemembered(_ ids: [Item.ID]) {
        for id in ids.sorted() { backend.forget(id, into: &transaction) }
    }
}

extension RoomBook {
    /// Whether a room's answer is waited for.
    var isJoining: Bool { entries.contains { if case .joining = $0.state { true } else { false } } }
}

extension Refetcher {
    /// Whether nothing is in flight or on its way there; what waits for its time does not count.
    var hasNothingToDo: Bool { flights.isEmpty && queue.isEmpty && parked.isEmpty }
}

/// How it can be found out what the server says of a section.
enum Confirmation: Hashable, Sendable {
    /// By an answer about this resource.
    case by(ResourceKey)
    /// It is not known yet: what has to be known first is being found out.
    case later
    /// Not at all.
    case never
}

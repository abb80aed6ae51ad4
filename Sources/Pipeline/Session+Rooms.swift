import Wire

// Rooms: what is wanted against what is joined.
extension Session {
    mutating func want(_ names: [String], source: RoomSource, into effects: inout [Effect]) {
        for name in names where rooms.want(name, source: source) {
            reportRoom(.wanted, name, into: &effects)
        }
        if link.isReady { joinWantedRooms(into: &effects) }
    }

    mutating func unwant(_ names: [String], into effects: inout [Effect]) {
        for name in names {
            guard let entry = rooms.unwant(name) else { continue }
            history.followedRooms.remove(name)
            effects.append(.report(.room(RoomReport(change: .leaving, room: name, source: entry.source.rawValue))))
            forgetResources(of: name, into: &effects)
            switch entry.state {
            case .joining, .joined:
                if let emission = backend.leave(name, token: token) { send(emission, into: &effects) }
            case .wanted, .refused: break
            }
            backend.abandon(name, rooms, into: &transaction)
        }
    }

    /// Drops what is under way for a room, but for what another room needs too.
    private mutating func forgetResources(of name: String, into effects: inout [Effect]) {
        for key in backend.resources(of: name, transaction.model) {
            let isShared =
                key.isShared
                && rooms.entries.contains { backend.resources(of: $0.name, transaction.model).contains(key) }
            if !isShared, let request = transaction.refetcher.forget(key) { effects.append(.cancel(request: request)) }
        }
    }

    mutating func joinWantedRooms(into effects: inout [Effect]) {
        for name in rooms.takeWanted(at: transaction.now) {
            join(name, into: &effects)
        }
    }

    private mutating func join(_ name: String, into effects: inout [Effect]) {
        if let emission = backend.join(name, token: token) {
            reportRoom(.joining, name, into: &effects)
            send(emission, into: &effects)
        } else {
            let why = "this backend has no rooms a client can join"
            if rooms.refused(name, why: why) { reportRoom(.refused, name, why: why, into: &effects) }
        }
    }

    /// The server confirmed a room: what it is about is fetched now, since what happened before is unknown; but not when the room was
    /// followed without a gap.
    mutating func joined(_ name: String, into effects: inout [Effect]) {
        guard rooms.joined(name, at: transaction.now) else { return }
        reportRoom(.joined, name, into: &effects)
        if history.followedRooms.remove(name) != nil { return }
        backend.joined(name, into: &transaction)
        for key in backend.resources(of: name, transaction.model) {
            transaction.refetcher.invalidate(key, cause: transaction.cause)
        }
    }

    mutating func advanceRooms(to due: Moment, into effects: inout [Effect]) {
        let (again, refused) = rooms.advance(to: due)
        for name in again { join(name, into: &effects) }
        for name in refused where rooms.isNewRefusal(name, why: RoomBook.noAnswer) {
            reportRoom(.refused, name, why: "the server does not answer", into: &effects)
        }
    }

    func reportRoom(_ change: RoomReport.Change, _ name: String, why: String? = nil, into effects: inout [Effect]) {
        let source = rooms[name]?.source.rawValue ?? ""
        effects.append(.report(.room(RoomReport(change: change, room: name, source: source, why: why))))
    }
}

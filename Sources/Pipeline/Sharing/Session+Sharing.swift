import Wire

/// Rooms that this session takes over from others of its group, until all that they are about is fetched.
struct Takeover: Sendable {
    /// Since when nobody may have held them. Before the session began, that is before `Moment.zero`.
    var from: Moment
    /// How many were joined since.
    var rooms = 0
}

// A session that divides the rooms with others. Rooms in which the backend tells of new ones are joined by all; the events in them are told by
// the member whose share they are in.
extension Session {
    /// Which rooms it holds; nil where it holds all that are wanted.
    package var share: RoomShare? { rooms.share }

    /// Leaves what is no longer its own, and joins what is now. The rooms that come to it may have had no holder for the time that `missing`
    /// gives.
    mutating func share(_ share: RoomShare, missing: Duration?, into effects: inout [Effect]) {
        rooms.share = share
        if let missing {
            let from = transaction.now + (.zero - missing)
            history.takeover = Takeover(
                from: min(history.takeover?.from ?? from, from), rooms: history.takeover?.rooms ?? 0)
        }
        resolve(into: &effects)
    }

    /// Whether another member's rooms are held without it, and what they are about is fetched.
    package func hasTakenOver(from member: String) -> Bool {
        guard let share = rooms.share, !share.member.isEmpty else { return false }
        return !share.rivals.contains(member) && history.takeover == nil
    }

    /// Whether this session tells of an event: another one of the group tells of those in the rooms of others.
    func tells(_ event: EventReport) -> Bool {
        guard let share = rooms.share else { return true }
        return share.holds(event.room ?? "")
    }

    /// Reports the hole once nothing is under way any more.
    mutating func endTakeover(into effects: inout [Effect]) {
        guard link.isReady, isSettled, !rooms.isJoining else { return }
        reportTakeover(isWhole: true, into: &effects)
    }

    /// Reports the hole of rooms that were taken over, if there were any; whether what they are about was fetched.
    mutating func reportTakeover(isWhole: Bool, into effects: inout [Effect]) {
        guard let takeover = history.takeover.take(), takeover.rooms > 0 else { return }
        let gap = GapReport(
            cause: .handover, from: takeover.from, to: transaction.now,
            refetching: !isWhole ? [] : ["\(takeover.rooms) room\(takeover.rooms == 1 ? "" : "s")"])
        effects.append(.report(.gap(gap)))
    }
}

import Wire

/// The rooms that this session takes over from other members of its group, until their contents are fetched.
struct Takeover: Sendable {
    /// Since when the rooms may have had no holder. A time before the session began lies before `Moment.zero`.
    var from: Moment
    /// The number of rooms joined since then.
    var rooms = 0
}

// A session that divides the rooms with others. All members join the rooms in which the backend announces new rooms.
// Only the member whose share contains such a room reports its events.
extension Session {
    /// The rooms that this session holds; `nil` if it holds all wanted rooms.
    package var share: RoomShare? { rooms.share }

    /// Leaves the rooms outside the new share, and joins those in it. `missing` is how long the newly won rooms may
    /// have had no holder; `nil` if none was without one.
    mutating func share(_ share: RoomShare, missing: Duration?, into effects: inout [Effect]) {
        rooms.share = share
        if let missing {
            let from = context.now + (.zero - missing)
            history.takeover = Takeover(
                from: min(history.takeover?.from ?? from, from), rooms: history.takeover?.rooms ?? 0)
        }
        resolve(into: &effects)
    }

    /// Returns whether this session's share no longer counts `member` as a rival, and the contents of the rooms it
    /// took over are fetched.
    package func hasTakenOver(from member: String) -> Bool {
        guard let share = rooms.share, !share.member.isEmpty else { return false }
        return !share.rivals.contains(member) && history.takeover == nil
    }

    /// Returns whether this session reports an event. Other members report the events in the rooms that they hold.
    func tells(_ event: EventReport) -> Bool {
        guard let share = rooms.share else { return true }
        return share.holds(event.room ?? "")
    }

    /// Reports the gap of a takeover once no join or request is pending.
    mutating func endTakeover(into effects: inout [Effect]) {
        guard link.isReady, isSettled, !rooms.isJoining else { return }
        reportTakeover(isWhole: true, into: &effects)
    }

    /// Reports the gap of the rooms that were taken over, if any. `isWhole` is true if their contents were fetched.
    mutating func reportTakeover(isWhole: Bool, into effects: inout [Effect]) {
        guard let takeover = history.takeover.take(), takeover.rooms > 0 else { return }
        let gap = GapReport(
            cause: .handover, from: takeover.from, to: context.now,
            refetching: !isWhole ? [] : ["\(takeover.rooms) room\(takeover.rooms == 1 ? "" : "s")"])
        effects.append(.report(.gap(gap)))
    }
}

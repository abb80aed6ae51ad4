import WeirWire

/// The rooms that one tail of a group holds: those that it wins against every other member.
///
/// Each member draws a number for each room, computed from its id and the room's name. The highest number wins
/// (rendezvous hashing). The members need no list of rooms and compute the same result independently. When a member
/// leaves, only its rooms move.
///
/// The rooms that a member wins against one set of rivals *and* against another are the rooms that it wins against
/// the union of both. A member adds new members to its rivals at once, and drops departed ones when all others have
/// done the same. So it never holds a room that another member holds (`ShareLedger`).
///
/// The numbers are part of the recording format: a replay divides the rooms as the tail did.
package struct RoomShare: Hashable, Sendable {
    /// The maximum number of rivals of a member.
    package static let mostRivals = 255

    /// The member's id; empty for a share without rooms.
    package let member: String
    /// The ids of the other members, in ascending order.
    package let rivals: [String]
    private let own: UInt64
    private let others: [UInt64]

    /// The share of a member that holds no rooms.
    package static let nothing = RoomShare(of: "", against: [])

    /// Creates the share of a member against its rivals. Without rivals it contains every room.
    package init(of member: String, against rivals: [String]) {
        self.member = member
        self.rivals = Array(rivals.filter { $0 != member }.sorted().prefix(Self.mostRivals))
        own = Self.digest(member)
        others = self.rivals.map(Self.digest)
    }

    /// Returns whether the member holds the room.
    package func holds(_ room: String) -> Bool {
        guard !member.isEmpty else { return false }
        let place = Self.digest(room)
        let drawn = Self.number(own, place)
        for (rival, other) in zip(rivals, others) {
            let number = Self.number(other, place)
            if number > drawn || number == drawn && rival > member { return false }
        }
        return true
    }

    /// Returns the member that holds a room once all members are settled; `nil` if `members` is empty.
    package static func holder(of room: String, among members: [String]) -> String? {
        let place = digest(room)
        return members.map { (number(digest($0), place), $0) }.max { $0 < $1 }?.1
    }

    /// Returns the 64-bit FNV-1a hash of a text.
    private static func digest(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Returns the number that a member draws for a room: both digests, mixed by the last steps of SplitMix64.
    private static func number(_ member: UInt64, _ room: UInt64) -> UInt64 {
        var value = member ^ (room &* 0x9e37_79b9_7f4a_7c15)
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

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

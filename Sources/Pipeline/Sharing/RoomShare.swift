/// The rooms that one tail of a group holds: those in which it wins against every other member.
///
/// Each member draws a number for each room from its id and the room's name, and the highest number wins (rendezvous hashing). No list of rooms
/// is needed, all members come to the same result by themselves, and only the rooms of a member that is gone get another one.
///
/// The rooms that a member wins against one set of rivals *and* against another are those that it wins against both together. So a member
/// that adds the new members to its rivals, and drops those that are gone when all others have done the same, never holds a room that
/// another one holds (`ShareLedger`).
///
/// The numbers are part of the recording format: a replay divides as the tail did.
public struct RoomShare: Hashable, Sendable {
    /// Rivals are so many at most.
    public static let mostRivals = 255

    /// The member's id; empty for one that holds nothing yet.
    package let member: String
    /// The ids of the others, in order.
    package let rivals: [String]
    private let own: UInt64
    private let others: [UInt64]

    /// No room.
    package static let nothing = RoomShare(of: "", against: [])

    /// The share of a member. Without rivals it is everything.
    package init(of member: String, against rivals: [String]) {
        self.member = member
        self.rivals = Array(rivals.filter { $0 != member }.sorted().prefix(Self.mostRivals))
        own = Self.digest(member)
        others = self.rivals.map(Self.digest)
    }

    /// Whether the member holds the room.
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

    /// The member of a group that holds a room when all hold what is theirs; nil where there is no member.
    package static func holder(of room: String, among members: [String]) -> String? {
        let place = digest(room)
        return members.map { (number(digest($0), place), $0) }.max { $0 < $1 }?.1
    }

    /// FNV-1a of 64 bits.
    private static func digest(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The number that a member draws for a room: both digests through the last steps of SplitMix64.
    private static func number(_ member: UInt64, _ room: UInt64) -> UInt64 {
        var value = member ^ (room &* 0x9e37_79b9_7f4a_7c15)
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

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
public struct RoomShare: Hashable, Sendable {
    /// The maximum number of rivals of a member.
    public static let mostRivals = 255

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

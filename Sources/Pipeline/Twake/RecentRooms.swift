import Events

/// A room that events come to, taken apart and looked up. One reference: its name is large, and every event has it around itself.
final class TwakeRoom: Sendable {
    let text: String
    let name: Twake.RoomName
    /// Whether somebody wants it, as of `version` of the room book.
    let isWanted: Bool
    fileprivate let version: Int

    fileprivate init(_ text: String, _ name: Twake.RoomName, isWanted: Bool, version: Int) {
        self.text = text
        self.name = name
        self.isWanted = isWanted
        self.version = version
    }

    /// No room.
    fileprivate static let none = TwakeRoom("", Twake.RoomName(""), isWanted: false, version: -1)
}

/// The rooms that events come to, each taken apart and looked up once, until its place is another's or what is wanted changes.
struct RecentRooms {
    /// A room has one place, by its text; one that comes there later takes it. Empty until the first room is met.
    private var places: [TwakeRoom] = []
    /// The room of the last event.
    private var last = TwakeRoom.none
    /// The one before it that was another: where something is said and the list that shows it take turns.
    private var other = TwakeRoom.none

    /// The names of both.
    var likely: Twake.LikelyRooms { Twake.LikelyRooms(last: last.text, other: other.text) }

    /// An event came to a room, which is the last from now on.
    mutating func become(_ text: String, _ rooms: RoomBook) -> TwakeRoom {
        if text != last.text {
            swap(&last, &other)
            if text != last.text { last = meet(text, rooms) }
        }
        if last.version != rooms.version { last = meet(text, rooms) }
        return last
    }

    private mutating func meet(_ text: String, _ rooms: RoomBook) -> TwakeRoom {
        if places.isEmpty { places = Array(repeating: .none, count: 1 << Self.placeBits) }
        let place = Self.place(of: text)
        let known = places[place]
        let isKnown = known.text == text
        if isKnown, known.version == rooms.version { return known }
        let room = TwakeRoom(
            text, isKnown ? known.name : Twake.RoomName(text), isWanted: rooms.isWanted(text), version: rooms.version)
        // A stranger can name any number of rooms, of any length: those that nobody wants are not kept.
        places[place] = room.isWanted ? room : .none
        return room
    }

    /// As many places as a busy user has rooms, and as many again.
    private static let placeBits = 12

    /// The place of a room: rooms of one kind differ in their ids, the last of which stands among the last 40 bytes.
    private static func place(of text: String) -> Int {
        let hash = text.utf8.span.withUnsafeBytes { bytes in
            var hash = UInt64(bytes.count)
            for end in stride(from: bytes.count, to: max(7, bytes.count - 40), by: -8) {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self))
                hash = (hash ^ hash >> 32 ^ word) &* 0x9E37_79B9_7F4A_7C15
            }
            return hash
        }
        return Int(truncatingIfNeeded: hash >> UInt64(64 - placeBits))
    }
}

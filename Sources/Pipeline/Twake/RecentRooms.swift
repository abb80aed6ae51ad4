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

/// The rooms of the last events. Two that take turns, as one where something is said and the list that shows it, are taken apart and looked
/// up once, as is one that many events in a row come to.
struct RecentRooms {
    /// The room of the last event.
    private var last = TwakeRoom.none
    /// The one before it that was another.
    private var other = TwakeRoom.none

    /// Their names.
    var likely: Twake.LikelyRooms { Twake.LikelyRooms(last: last.text, other: other.text) }

    /// An event came to a room, which is the last from now on.
    mutating func become(_ text: String, _ rooms: RoomBook) -> TwakeRoom {
        if text != last.text { swap(&last, &other) }
        let isKnown = text == last.text
        if !isKnown || last.version != rooms.version {
            last = TwakeRoom(
                text, isKnown ? last.name : Twake.RoomName(text), isWanted: rooms.isWanted(text),
                version: rooms.version)
        }
        return last
    }
}

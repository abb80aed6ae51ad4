import SectionedModel
import Wire

// Information about rooms for clients, in addition to the contents of the book.
extension Session {
    /// A room and the result of the wishes for it.
    package struct RoomView: Sendable {
        /// The properties that patterns can test.
        package var facts: RoomFacts
        /// The entry of a wanted room; `nil` for any other room.
        package var entry: RoomSubscriptions.Entry?
        /// The pattern of the wish that decides, as written; `nil` if none does.
        package var rule: String?
        /// Whether that wish excludes the room.
        package var isExcluded: Bool
        /// Whether only the limit keeps the room from being wanted.
        package var isPassedOver: Bool
    }

    /// The wanted rooms, followed by the listed rooms that no wish includes.
    package var roomViews: [RoomView] {
        let matchers = rooms.wishes.matchers
        let passedOver = Set(rooms.passedOver)
        return (rooms.entries.map(\.name) + rooms.unwanted).map { name in
            let facts = backend.facts(of: name, in: context.model)
            let rule = rooms.verdict(on: facts, matchers).rule.map { rooms.rules[$0] }
            return RoomView(
                facts: facts, entry: rooms[name], rule: rule?.pattern.description,
                isExcluded: rule?.isExcluded ?? false, isPassedOver: passedOver.contains(name))
        }
    }

    /// The rooms of channels that the user left and may rejoin.
    package var formerRooms: [RoomFacts] { backend.formerRooms(in: context.model) }

    /// The rooms of companies and workspaces, which can be selected like channels.
    package var places: [RoomFacts] { backend.places }

    /// Returns the properties of a room that patterns can test, whether the room is known or not.
    package func roomFacts(of room: String) -> RoomFacts { backend.facts(of: room, in: context.model) }
}

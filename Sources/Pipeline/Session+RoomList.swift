import SectionedModel
import Wire

// What is told of rooms to whoever asks, beside what is in the book.
extension Session {
    /// A room and what the wishes say of it.
    package struct RoomView: Sendable {
        /// What patterns can ask about it.
        package var facts: RoomFacts
        /// The entry of a room that is wanted.
        package var entry: RoomBook.Entry?
        /// The wish that decides, as it is written; nil where none does.
        package var rule: String?
        /// Whether that is a wish that it be left out.
        package var isExcluded: Bool
        /// Whether only the limit keeps it from being wanted.
        package var isPassedOver: Bool
    }

    /// The rooms that are wanted, and behind them those that the backend told of and nobody wants.
    package var roomViews: [RoomView] {
        let matchers = rooms.wishes.matchers
        let passedOver = Set(rooms.passedOver)
        return (rooms.entries.map(\.name) + rooms.unwanted).map { name in
            let facts = backend.facts(of: name, in: transaction.model)
            let rule = rooms.verdict(on: facts, matchers).rule.map { rooms.rules[$0] }
            return RoomView(
                facts: facts, entry: rooms[name], rule: rule?.pattern.description,
                isExcluded: rule?.isExcluded ?? false, isPassedOver: passedOver.contains(name))
        }
    }

    /// The rooms of channels that the user left, and may go back into.
    package var formerRooms: [RoomFacts] { backend.formerRooms(in: transaction.model) }

    /// What can be selected beside channels: the rooms of companies and workspaces.
    package var places: [RoomFacts] { backend.places }

    /// What patterns can ask about a room, known or not.
    package func roomFacts(of room: String) -> RoomFacts { backend.facts(of: room, in: transaction.model) }
}

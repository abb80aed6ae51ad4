import Events
import JSONText

/// An event of a declared backend.
struct DeclaredEvent: BackendEvent, Hashable {
    /// The wire name. Untrusted text.
    var name: String
    /// Which of the profile's rules says what it means; nil where none does.
    var rule: Int?
    /// The event as it came: the name and the arguments, or one value.
    var payload: RawJSON

    var kind: String
    var room: String?
    var actor: String?
    var actorID: String?
    var text: String?
    var serverTime: Timestamp?
    /// The rows that it carries.
    var rows: [Profile.Entity.Reading] = []
    var isKnown: Bool { rule != nil }

    var summary: String {
        if let text { return text }
        return UntypedEvent(name: name, arguments: payload.arguments).summary
    }
}

extension Profile {
    /// The name of the room of what has this id.
    func room(of id: String) -> String { rooms?.name.filled { _ in id } ?? id }

    /// The id of what a room is of.
    func id(ofRoom room: String) -> String { rooms?.name.value(in: room) ?? room }
}

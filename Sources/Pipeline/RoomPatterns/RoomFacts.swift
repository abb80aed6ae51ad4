/// The properties of a room that patterns can test.
package struct RoomFacts: Sendable {
    /// The room's name on the wire.
    package var name: String
    /// The room's name for people, if the model contains it. Untrusted text.
    package var title: String?
    /// The contents of the room in one word: `public`, `private`, `group`, `topic` and `direct` for the messages of
    /// such a channel (`messages` while the kind is unknown), `thread`, `members`, `list`, `badges`, `places`,
    /// `people`, or `room`.
    package var kind: String
    /// The number of unread messages, as far as it is known: for a list those of the whole workspace, for places and
    /// badges those of the whole company. `nil` if there is no count.
    package var unread: Int? { countUnread?() }
    /// Counts the unread messages. The count is lazy because few callers need it.
    package var countUnread: (@Sendable () -> Int)?
    /// The id of the company to which the room belongs, if known.
    package var company: String?
    /// The id of the workspace to which the room belongs, if known.
    package var workspace: String?
    /// Whether the room announces new rooms. Such a room is joined even if no pattern matches it, unless a rule
    /// excludes it.
    package var tellsOfRooms = false

    /// Creates the facts of a room, by default of one that belongs nowhere.
    package init(
        name: String, title: String? = nil, kind: String = "room", unread: Int? = nil, company: String? = nil,
        workspace: String? = nil, tellsOfRooms: Bool = false
    ) {
        self.name = name
        self.title = title
        self.kind = kind
        if let unread { countUnread = { unread } }
        self.company = company
        self.workspace = workspace
        self.tellsOfRooms = tellsOfRooms
    }
}

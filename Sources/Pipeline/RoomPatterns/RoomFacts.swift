/// What a pattern can ask about a room.
package struct RoomFacts: Hashable, Sendable {
    /// The room's name on the wire.
    package var name: String
    /// What people call it, where the model says; untrusted text.
    package var title: String?
    /// What it carries, in one word: `public`, `private`, `group`, `topic` and `direct` for messages of such a channel (`messages` while
    /// that is not known), `thread`, `members`, `list`, `badges`, `places`, `people`, or `room`.
    package var kind: String
    /// How much in it is not read; nil where nobody counts.
    package var unread: Int?
    /// The company it belongs to, when it says.
    package var company: String?
    /// The workspace it belongs to, when it says.
    package var workspace: String?
    /// Whether new rooms are heard of in it: such a room is joined whatever the patterns say, unless it is left by name.
    package var tellsOfRooms = false

    /// Facts.
    package init(
        name: String, title: String? = nil, kind: String = "room", unread: Int? = nil, company: String? = nil,
        workspace: String? = nil, tellsOfRooms: Bool = false
    ) {
        self.name = name
        self.title = title
        self.kind = kind
        self.unread = unread
        self.company = company
        self.workspace = workspace
        self.tellsOfRooms = tellsOfRooms
    }
}

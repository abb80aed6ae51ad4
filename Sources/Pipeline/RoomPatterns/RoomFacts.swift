/// What a pattern can ask about a room.
package struct RoomFacts: Sendable {
    /// The room's name on the wire.
    package var name: String
    /// What people call it, where the model says; untrusted text.
    package var title: String?
    /// What it carries, in one word: `public`, `private`, `group`, `topic` and `direct` for messages of such a channel (`messages` while
    /// that is not known), `thread`, `members`, `list`, `badges`, `places`, `people`, or `room`.
    package var kind: String
    /// How many messages in it are not read, as far as is known: of a list all of the workspace's, of places and badges all of the
    /// company's. Nil where nothing counts them.
    package var unread: Int? { countUnread?() }
    /// Counts that: few ask for it.
    package var countUnread: (@Sendable () -> Int)?
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
        if let unread { countUnread = { unread } }
        self.company = company
        self.workspace = workspace
        self.tellsOfRooms = tellsOfRooms
    }
}

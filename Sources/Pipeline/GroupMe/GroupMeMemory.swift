import Events

/// What the handlers remember beside the model: how far conversations are known, lists that are being read, who types.
struct GroupMeMemory: Sendable {
    /// A list that comes in pages, while it is read. Only an empty page ends it: one that could not be had is not the last (section 6).
    struct Listing: Sendable {
        /// The page that is asked for.
        var page = 1
        /// What the pages held so far.
        var listed: Set<EntityID> = []
        /// Said by events meanwhile, so that their not being listed means nothing.
        var touched: Set<EntityID> = []
    }

    /// Going back through the messages of a conversation until everything that is held was seen again.
    struct Walk: Sendable {
        /// Pages asked for.
        var pages = 1
        /// Messages they held.
        var seen = 0
    }

    /// Pages a walk is long at most: what is older is not looked at again.
    static let mostWalkPages = 10
    /// And how long when somebody wants to see far back.
    static let mostPagesBack = 100
    /// Pages of a list at most, whatever a server sends.
    static let mostListPages = 1000

    var reaches: [GroupMe.ConversationID: GroupMeReach] = [:]
    var walks: [GroupMe.ConversationID: Walk] = [:]
    /// How far back somebody wants to see the messages of a conversation the next time they are read.
    var depths: [GroupMe.ConversationID: Timestamp] = [:]
    var groups: Listing?
    var chats: Listing?
    var typing = TypingBook()
    /// What the user was told of and need not be told again.
    private var told: Set<ResourceKey> = []

    /// Whether it is the first time that the user is told of it since it went well.
    mutating func isNews(_ key: ResourceKey) -> Bool { told.insert(key).inserted }

    /// It went well.
    mutating func wentWell(_ key: ResourceKey) {
        if !told.isEmpty { told.remove(key) }
    }

    /// The pages of lists that are being read.
    var listingPages: [GroupMeResource] {
        [groups.map { .groups(page: $0.page) }, chats.map { .chats(page: $0.page) }].compactMap { $0 }
    }

    /// A conversation is not looked at any more.
    mutating func forget(_ place: GroupMe.ConversationID) {
        reaches[place] = nil
        walks[place] = nil
        depths[place] = nil
    }
}

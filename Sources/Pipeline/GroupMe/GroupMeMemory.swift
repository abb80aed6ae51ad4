import Events

/// How far back the messages of a conversation are known.
typealias GroupMeReach = Reach<GroupMe.MessageID, GroupMe.Place>

extension GroupMeReach {
    /// Of a conversation no page came.
    static let nothing = GroupMeReach(beginning: GroupMe.Place(createdAt: nil, message: ""))
}

extension GroupMe.Place {
    /// Before every message of that second.
    static func beforeAll(at time: Timestamp) -> Self { Self(createdAt: time, message: "") }
}

/// What the handlers remember beside the model: how far conversations are known, lists that are being read, who types.
struct GroupMeMemory: Sendable {
    /// A list that comes in pages. Only an empty page ends it: one that could not be had is not the last (section 6).
    struct Listing: Sendable {
        /// The page that is asked for; nil while the list is not read.
        private(set) var page: Int?
        /// What the pages held so far.
        private var listed: Set<EntityID> = []
        /// What the last page held, and how many pages in a row held the same.
        private var last: [EntityID] = []
        /// Whether all rows of the pages could be read: else what is not listed may be there.
        private var isWhole = true
        private var repeats = 0
        /// Whether more than one page holds something: what left the list between two pages made the next one pass over an entry.
        private(set) var isLong = false
        /// Of which something was said since the last reading, which moves them between pages: their not being listed means nothing.
        private var touched: Set<EntityID> = []

        /// Something was said of it.
        mutating func touch(_ id: EntityID) { touched.insert(id) }

        func isTouched(_ id: EntityID) -> Bool { touched.contains(id) }

        /// A page came, the first of a new reading or the next one of this; false for a late page of an earlier reading.
        mutating func take(_ ids: [EntityID], leftOut: LeftOutRows, page number: Int) -> Bool {
            if number == 1 { (page, listed, last, repeats, isWhole, isLong) = (1, [], [], 0, true, false) }
            guard page == number else { return false }
            if number > 1, !ids.isEmpty { isLong = true }
            listed.formUnion(ids)
            if !leftOut.isHarmless { isWhole = false }
            repeats = ids == last && !(ids.isEmpty && leftOut.count == 0) ? repeats + 1 : 0
            last = ids
            return true
        }

        /// Why the list is read no further, though its end did not come: nothing is known then of what was not listed. The server gives the same
        /// page again and again, whichever is asked for (entries that move while a list is read make two pages equal, hardly ever three), or
        /// never an empty one.
        mutating func giveUp(after number: Int, of count: Int) -> String? {
            let isTooLong = count > 0 && number >= Transaction.mostListPages
            guard repeats >= 2 || isTooLong else { return nil }
            defer { (page, listed, last, repeats) = (nil, [], [], 0) }
            return repeats >= 2 ? "is the same as the two pages before" : "is not the last one"
        }

        /// The page that follows one of so many entries; nil when that was the last.
        mutating func next(after number: Int, of count: Int) -> Int? {
            page = count == 0 ? nil : number + 1
            return page
        }

        /// What was read to its end: which of these are not in it, and which of them are to be asked about.
        mutating func end(of ids: [EntityID]) -> (gone: [EntityID], doubtful: [EntityID]) {
            let missing = isWhole ? ids.filter { !listed.contains($0) } : []
            defer { (listed, touched) = ([], []) }
            return (missing.filter { !touched.contains($0) }, missing.filter { touched.contains($0) })
        }
    }

    var reaches: [GroupMe.ConversationID: GroupMeReach] = [:]
    var groups = Listing()
    var chats = Listing()
    /// The groups that the user left, as the last answer has them.
    var former: [GroupMe.GroupID] = []
    var typing = TypingBook()
    var told = ToldFailures()
    /// Of which pages the user was told that they repeat those before.
    var toldLoops = ToldFailures()

    /// The pages of lists that are being read.
    var listingPages: [GroupMeResource] {
        [groups.page.map { .groups(page: $0) }, chats.page.map { .chats(page: $0) }].compactMap { $0 }
    }

    /// A conversation is not looked at any more.
    mutating func forget(_ place: GroupMe.ConversationID) {
        reaches[place] = nil
    }
}

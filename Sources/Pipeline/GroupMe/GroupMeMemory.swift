import Events

/// The known range of a conversation's messages.
typealias GroupMeReach = Reach<GroupMe.MessageID, GroupMe.Place>

extension GroupMeReach {
    /// The state of a conversation before its first page.
    static let nothing = GroupMeReach(beginning: GroupMe.Place(createdAt: nil, message: ""))
}

extension GroupMe.Place {
    /// Returns a position before every message of that second.
    static func beforeAll(at time: Timestamp) -> Self { Self(createdAt: time, message: "") }
}

/// The state of the handlers outside the model: known ranges of messages, lists being read, and typing users.
struct GroupMeMemory: Sendable {
    /// The reading of a paged list. Only an empty page ends it; a failed page is not the last one (GroupMe GM-48).
    struct Listing: Sendable {
        /// The number of the requested page, or `nil` while the list is not being read.
        private(set) var page: Int?
        /// The ids on the pages so far.
        private var listed: Set<EntityID> = []
        /// The ids on the previous page. `repeats` counts how many pages in a row had the same ids.
        private var last: [EntityID] = []
        /// Whether every row could be decoded. Otherwise a row that is not listed may still exist.
        private var isWhole = true
        private var repeats = 0
        /// Whether more than one page has entries. When an entry leaves a longer list between two requests, the next
        /// page skips another entry.
        private(set) var isLong = false
        /// The ids that changed since the reading began. Changes move entries between pages, so their absence proves
        /// nothing.
        private var touched: Set<EntityID> = []

        /// Records a message or another change for an id.
        mutating func touch(_ id: EntityID) { touched.insert(id) }

        func isTouched(_ id: EntityID) -> Bool { touched.contains(id) }

        /// Takes a page: the first one begins a new reading, any other continues the current one.
        ///
        /// - Returns: `false` for a late page of an earlier reading.
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

        /// Returns the reason to stop reading before the end, or `nil`. After a stop, absence from the list proves
        /// nothing.
        ///
        /// The reading stops when the server sends the same page three times in a row, or exceeds the maximum number of
        /// pages. Entries that move during a reading can make two pages equal, but hardly ever three.
        mutating func giveUp(after number: Int, of count: Int) -> String? {
            let isTooLong = count > 0 && number >= HandlerContext.mostListPages
            guard repeats >= 2 || isTooLong else { return nil }
            defer { (page, listed, last, repeats) = (nil, [], [], 0) }
            return repeats >= 2 ? "is the same as the two pages before" : "is not the last one"
        }

        /// Returns the number of the page after one with `count` entries, or `nil` when that page was the last.
        mutating func next(after number: Int, of count: Int) -> Int? {
            page = count == 0 ? nil : number + 1
            return page
        }

        /// Ends the reading. Returns the ids among `ids` that left the list, and those that must be checked because
        /// they changed meanwhile.
        mutating func end(of ids: [EntityID]) -> (gone: [EntityID], doubtful: [EntityID]) {
            let missing = isWhole ? ids.filter { !listed.contains($0) } : []
            defer { (listed, touched) = ([], []) }
            return (missing.filter { !touched.contains($0) }, missing.filter { touched.contains($0) })
        }
    }

    var reaches: [GroupMe.ConversationID: GroupMeReach] = [:]
    var groups = Listing()
    var chats = Listing()
    /// The former groups according to the last answer.
    var former: [GroupMe.GroupID] = []
    var typing = TypingBook()
    var told = ReportedFailures()
    /// The list pages whose repetition the user was already warned about.
    var toldLoops = ReportedFailures()

    /// The requested pages of the lists being read.
    var listingPages: [GroupMeResource] {
        [groups.page.map { .groups(page: $0) }, chats.page.map { .chats(page: $0) }].compactMap { $0 }
    }

    /// Forgets the known range of a conversation that is no longer shown.
    mutating func forget(_ place: GroupMe.ConversationID) {
        reaches[place] = nil
    }
}

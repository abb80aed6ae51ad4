import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

/// The GroupMe backend over Bayeux (`GroupMeAndBayeux.md`): it finds out the user's id, subscribes to the user's
/// channel, lists groups and directs, and keeps the model equal to the server's state.
///
/// Messages of all conversations arrive on the user's channel. The channel of a conversation, which is its room,
/// carries typing, reactions, edits and deletions (GroupMe GM-4). An event is a hint, and the answer to the fetch it
/// causes is authoritative (GroupMe GM-47): a message causes a fetch of the messages around it; a change of a group or
/// of its members causes a fetch of the group with its members.
struct GroupMeBackend: Backend {
    var memory = GroupMeMemory()
    /// The user's id; `nil` until the service has sent it.
    var user: GroupMe.UserID?
    let following: Configuration.Following
    /// The number of messages to show for each conversation; 0 means one page.
    let historyLength: Int
    /// The maximum number of missed messages to catch up with, for each conversation.
    let catchUp: Int
    /// Whether the lists of groups and directs are fetched, because the user did not name every room.
    let discoversRooms: Bool
    /// Whether the session has a realtime connection.
    let connects: Bool
    private var token: Secret?

    init(_ configuration: Configuration) {
        following = configuration.connects ? configuration.following : []
        historyLength = configuration.history
        catchUp = configuration.catchUp
        discoversRooms = configuration.asksForRooms && configuration.connects
        connects = configuration.connects
    }

    // MARK: Connecting

    /// Fetches the user's id first, if it is unknown: the user's channel is named by it.
    mutating func connected(token: Secret?, by spoken: RealtimeProtocol, into context: inout HandlerContext) {
        self.token = token
        if user == nil { context.fetch(.groupMe(.me)) } else { subscribeToUser(into: &context) }
    }

    mutating func subscribeToUser(into context: inout HandlerContext) {
        guard let user, let channel = Bayeux.Channel(GroupMe.Channel.user(user).description) else { return }
        context.plans.append(.subscribe(channel, ext: publishing(token: token)))
    }

    func isOwn(_ channel: Bayeux.Channel) -> Bool { user.map { GroupMe.Channel(channel.name) == .user($0) } ?? false }

    /// Marks the connection as ready once the user's channel is subscribed. That subscription checks the token.
    mutating func subscribed(_ channel: Bayeux.Channel, into context: inout HandlerContext) {
        guard isOwn(channel) else { return context.plans.append(.joined(room: channel.name)) }
        context.plans.append(.ready)
        if discoversRooms { discover(into: &context) }
    }

    mutating func refused(_ channel: Bayeux.Channel, why: String, into context: inout HandlerContext) {
        context.plans.append(
            isOwn(channel) ? .tokenRefused(why) : .joinRefused(room: channel.name, why: why))
    }

    /// Returns the `ext` with the token. Only subscriptions and publications carry it (GroupMe GM-2).
    func publishing(token: Secret?) -> RawJSON? {
        token.map { token in .object { $0.member("access_token", token.reveal()) } }
    }

    // MARK: Rooms

    func join(_ room: String, token: Secret?) -> HandlerContext.RoomRequest? {
        channel(of: room).map { .subscribe($0, ext: publishing(token: token)) }
    }

    func leave(_ room: String, token: Secret?) -> HandlerContext.RoomRequest? {
        channel(of: room).map { .unsubscribe($0) }
    }

    /// Returns the channel in its canonical spelling. The server accepts other spellings of a direct but delivers
    /// nothing (GroupMe GM-5).
    private func channel(of room: String) -> Bayeux.Channel? { Bayeux.Channel(GroupMe.Channel(room).description) }

    func resources(of room: String, _ model: SectionedCollection<Item>) -> [ResourceKey] {
        guard let place = GroupMe.Channel(room).conversation else { return [] }
        let messages = [ResourceKey.groupMe(.window(place, before: nil))]
        guard let group = place.group else { return messages }
        // Without the list of groups, only this request describes the group.
        let needsGroup =
            following.contains(.members) || model.elementCount(in: .members(group.entity)) > 0
            || model.group(group) == nil || !discoversRooms
        return messages + (needsGroup ? [.groupMe(.group(group))] : [])
    }

    /// Marks requests for the room's messages as overtaken. Their answers may be older than the subscription, which
    /// starts the events.
    mutating func joined(_ room: String, into context: inout HandlerContext) {
        guard let place = GroupMe.Channel(room).conversation else { return }
        context.overtake { $0.conversation == place }
    }

    mutating func abandon(_ room: String, _ rooms: RoomSubscriptions, into context: inout HandlerContext) {
        guard let place = GroupMe.Channel(room).conversation else { return }
        memory.forget(place)
        context.plans.append(.cancel(.messages(of: place.entity)))
        context.removeMessages(of: place)
    }

    func section(
        _ part: Session.RoomPart, of room: String, _ model: SectionedCollection<Item>
    ) -> (section: Item.Section, key: ResourceKey)? {
        guard let place = GroupMe.Channel(room).conversation else { return nil }
        switch part {
        case .messages: return (.messages(place.entity), .groupMe(.window(place, before: nil)))
        case .people: return place.group.map { (.members($0.entity), .groupMe(.group($0))) }
        }
    }

    mutating func goBack(to time: Timestamp?, in room: String) {
        guard let place = GroupMe.Channel(room).conversation else { return }
        memory.reaches[place, default: GroupMeReach.nothing].goBack(to: time.map { .beforeAll(at: $0) })
    }

    func knownSince(_ room: String) -> Int64? {
        GroupMe.Channel(room).conversation.flatMap { memory.reaches[$0]?.start?.createdAt?.milliseconds }
    }

    mutating func recalled(_ items: [Item]) {
        var entries: [GroupMe.ConversationID: [GroupMeReach.Entry]] = [:]
        for message in items.compactMap(\.said) {
            entries[message.conversation, default: []].append(.init(id: message.id, position: message.place))
        }
        for (place, entries) in entries {
            memory.reaches[place, default: GroupMeReach.nothing].remember(entries, passesOver: false)
        }
    }

    func isGoingBack(in room: String) -> Bool {
        GroupMe.Channel(room).conversation.map { memory.reaches[$0]?.isWalking ?? false } ?? false
    }

    func facts(of room: String, in model: SectionedCollection<Item>) -> RoomFacts {
        guard let place = GroupMe.Channel(room).conversation else { return RoomFacts(name: room) }
        let row = model[.conversation(place)]
        if let group = row?.group {
            let kind = group.parent == nil ? "group" : "topic"
            return RoomFacts(name: room, title: group.name, kind: kind, unread: group.unreadCount)
        }
        if let chat = row?.chat { return RoomFacts(name: room, title: chat.partner.name, kind: "direct") }
        return RoomFacts(name: room, kind: place.group == nil ? "direct" : "group")
    }

    func formerRooms(in model: SectionedCollection<Item>) -> [RoomFacts] {
        model.rows(in: .formerGroups).compactMap(\.group).map { group in
            facts(of: GroupMe.ConversationID.group(group.id).room, in: model)
        }
    }

    // MARK: What is asked of the service

    func request(for key: ResourceKey, page: String?) -> RESTCall? { reader(for: key)?.call }

    func reader(for key: ResourceKey) -> AnswerReader? { key.groupMe?.reader(for: user) }

    mutating func resync(into context: inout HandlerContext) {
        if discoversRooms { discover(into: &context) }
    }

    /// Fetches the first pages of the lists of groups and directs, and the former groups.
    func discover(into context: inout HandlerContext) {
        context.fetch(.groupMe(.groups(page: 1)))
        context.fetch(.groupMe(.chats(page: 1)))
        context.fetch(.groupMe(.formerGroups))
    }

    // MARK: Time

    var deadline: Moment? { memory.typing.deadline }

    mutating func advance(to due: Moment, into context: inout HandlerContext) {
        for typist in memory.typing.expire(at: due) { context.tell(.expired, typist, memory.typing) }
    }
}

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

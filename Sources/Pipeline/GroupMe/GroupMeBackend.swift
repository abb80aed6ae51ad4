import Events
import JSONText
import SectionedModel
import Wire

/// GroupMe over Bayeux: find out who the user is, subscribe to the user's channel, list groups and directs, keep the model the server's
/// truth (`reference/groupme.md`).
///
/// Messages of all conversations come on the user's channel; the channel of a conversation, which is its room, brings typing, reactions,
/// edits and deletions (1.6). An event is a hint, and the answer to what it makes one ask for is the truth (section 7): a message makes
/// the messages around it be fetched, a change of who is in a group, or of the group, the group with its members.
struct GroupMeBackend: Backend {
    var memory = GroupMeMemory()
    /// The user; nil while the server has not said so.
    var user: GroupMe.UserID?
    let following: Configuration.Following
    /// How many messages of a conversation the user wants to see; 0 for one page.
    let historyLength: Int
    /// How many messages of a conversation are caught up with after some were missed.
    let catchUp: Int
    /// Whether the lists of groups and directs are asked for, because the user did not name every room.
    let discoversRooms: Bool
    /// Whether there is a realtime connection.
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

    /// The name of the user's channel is the user's id, which only the service knows: it is asked first.
    mutating func connected(token: Secret?, by spoken: RealtimeProtocol, into transaction: inout Transaction) {
        self.token = token
        if user == nil { transaction.fetch(.groupMe(.me)) } else { subscribeToUser(into: &transaction) }
    }

    mutating func subscribeToUser(into transaction: inout Transaction) {
        guard let user, let channel = Bayeux.Channel(GroupMe.Channel.user(user).description) else { return }
        transaction.plans.append(.subscribe(channel, ext: publishing(token: token)))
    }

    func isOwn(_ channel: Bayeux.Channel) -> Bool { user.map { GroupMe.Channel(channel.name) == .user($0) } ?? false }

    /// The user's channel is what the token opens: with it the connection can be used.
    mutating func subscribed(_ channel: Bayeux.Channel, into transaction: inout Transaction) {
        guard isOwn(channel) else { return transaction.plans.append(.joined(room: channel.name)) }
        transaction.plans.append(.ready)
        if discoversRooms { discover(into: &transaction) }
    }

    mutating func refused(_ channel: Bayeux.Channel, why: String, into transaction: inout Transaction) {
        transaction.plans.append(
            isOwn(channel) ? .tokenRefused(why) : .joinRefused(room: channel.name, why: why))
    }

    /// The token goes with what is subscribed to and published, and with nothing else (1.4).
    func publishing(token: Secret?) -> RawJSON? {
        token.map { token in .object { $0.member("access_token", token.reveal()) } }
    }

    // MARK: Rooms

    func join(_ room: String, token: Secret?) -> Transaction.RoomRequest? {
        channel(of: room).map { .subscribe($0, ext: publishing(token: token)) }
    }

    func leave(_ room: String, token: Secret?) -> Transaction.RoomRequest? {
        channel(of: room).map { .unsubscribe($0) }
    }

    /// As it is to be subscribed to: any other spelling of a direct is accepted and delivers nothing (1.6).
    private func channel(of room: String) -> Bayeux.Channel? { Bayeux.Channel(GroupMe.Channel(room).description) }

    func resources(of room: String, _ model: SectionedCollection<Item>) -> [ResourceKey] {
        guard let place = GroupMe.Channel(room).conversation else { return [] }
        let messages = [ResourceKey.groupMe(.window(place, before: nil))]
        guard let group = place.group else { return messages }
        // Without a list nothing else tells of the group.
        let needsGroup =
            following.contains(.members) || model.elementCount(in: .members(group.entity)) > 0
            || model.group(group) == nil || !discoversRooms
        return messages + (needsGroup ? [.groupMe(.group(group))] : [])
    }

    /// Until now nobody told what happens in it: what is in flight about its messages may be older than the page that is asked for next.
    mutating func joined(_ room: String, into transaction: inout Transaction) {
        guard let place = GroupMe.Channel(room).conversation else { return }
        transaction.overtake { $0.conversation == place }
    }

    mutating func abandon(_ room: String, _ rooms: RoomBook, into transaction: inout Transaction) {
        guard let place = GroupMe.Channel(room).conversation else { return }
        memory.forget(place)
        transaction.plans.append(.cancel(.messages(of: place.entity)))
        transaction.removeMessages(of: place)
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

    mutating func lookAgain(into transaction: inout Transaction) {
        if discoversRooms { discover(into: &transaction) }
    }

    /// Lists the user's groups and directs from their first pages on.
    func discover(into transaction: inout Transaction) {
        transaction.fetch(.groupMe(.groups(page: 1)))
        transaction.fetch(.groupMe(.chats(page: 1)))
        transaction.fetch(.groupMe(.formerGroups))
    }

    // MARK: Time

    var deadline: Moment? { memory.typing.deadline }

    mutating func advance(to due: Moment, into transaction: inout Transaction) {
        for typist in memory.typing.expire(at: due) { transaction.tell(.expired, typist, memory.typing) }
    }
}

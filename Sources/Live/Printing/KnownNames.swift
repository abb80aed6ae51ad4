import Events
import Pipeline
import SectionedModel
import Terminal

/// What people, channels and places are called, learnt from the rows that were printed.
///
/// Bounded as the rows of a session are, and again here, since rows may come from a file, and rooms from anybody.
struct KnownNames: Sendable {
    /// A channel as rooms name it.
    struct Channel: Hashable, Sendable {
        var id: EntityID
        var title: String
        var isDirect: Bool

        /// `#Engineering`, `@Ana Lima`. Untrusted text.
        var label: String { (isDirect ? "@" : "#") + title }
    }

    static let mostPeople = 1_000
    static let mostRooms = 10_000
    /// Longer names of rooms than this are not kept.
    static let longestKept = 512
    /// The ends of a channel's room that carries its messages: there its title says all.
    private static let ofMessages: Set<Substring> = ["feed", "messages", "updates"]

    /// The server's id of the user; nil while it is not known.
    var user: String?
    private var people: [String: String] = [:]
    /// The names by which texts address them.
    private var handles: [String: String] = [:]
    /// By the part of rooms' names that stands for the channel.
    private var channels: [String: Channel] = [:]
    /// Up to when the user has read channels, by their ids: milliseconds since 1970.
    private var readUntil: [EntityID: Int64] = [:]
    /// Companies and workspaces, by their ids.
    private var places: [String: String] = [:]
    /// What was found of the rooms asked about: the same few come again and again. Forgotten with each name that is learnt.
    private var rooms: [String: Room] = [:]
    /// Counts the names that came or changed.
    private(set) var revision = 0

    // MARK: - Asking

    /// What a user of that id is called. Untrusted text.
    func person(_ id: String) -> String? { people[id] }

    /// A room: its channel, if it is the room of one, and what people call it. Untrusted text.
    struct Room: Sendable {
        var channel: Channel?
        /// `#Engineering`, `@Ana Lima`, `#Engineering tabs`; else the room's name, with names in place of ids where they are known.
        var label: String
    }

    /// What is known of a room; what was found is kept.
    mutating func room(_ room: String) -> Room {
        if let known = rooms[room] { return known }
        let new = look(at: room)
        if rooms.count < Self.mostRooms, room.utf8.count <= Self.longestKept { rooms[room] = new }
        return new
    }

    /// The same, found anew.
    func look(at room: String) -> Room {
        let parts = room.split { "/?=&".contains($0) }
        guard let index = parts.lastIndex(where: { channels[String($0)] != nil }),
            let channel = channels[String(parts[index])]
        else { return Room(channel: nil, label: naming(room)) }
        // What a query says of a channel is said by its title, too.
        let path = room.prefix { $0 != "?" }.endIndex
        let rest = parts[(index + 1)...].filter { !Self.ofMessages.contains($0) && $0.endIndex <= path }
        return Room(channel: channel, label: ([channel.label] + rest.map { naming(String($0)) }).joined(separator: " "))
    }

    /// What the actor of an event is called: by the account, else as the event says. Untrusted text.
    func actor(of report: EventReport) -> String? {
        (report.actorID ?? report.actor).flatMap { people[$0] } ?? report.actor
    }

    /// What an id is called, whatever it is of.
    func name(_ id: String) -> String? { people[id] ?? places[id] ?? channels[id]?.label }

    /// `text` with each UUID in it as a name where one is known, else cut to its first eight digits.
    func naming(_ text: String) -> String { ShortName.replacingIDs(in: text) { name($0) } }

    /// The name of a resource, such as `messages of #General`.
    func naming(resource: String) -> String {
        resource.split(separator: " ").map { name(String($0)) ?? ShortName.shorteningIDs(String($0)) }.joined(
            separator: " ")
    }

    /// What a row is called, for people; nil where nothing says it. Untrusted text.
    func label(of item: Item, _ facts: @autoclosure () -> ItemFacts) -> String? {
        let id = item.id.id.description
        switch item.id.kind {
        case .channel: return item.channelName.map { Channel(item, $0).label }
        case .account, .member, .presence: return "@" + (people[id] ?? facts().label ?? ShortName.shorteningIDs(id))
        case .message:
            let (sender, label) = (sender(of: item), facts().label)
            return [sender, label == sender ? nil : label].compactMap(\.self).joined(separator: ": ")
        default: return facts().label ?? item.id.qualifier.flatMap { name($0.description) } ?? name(id)
        }
    }

    /// Who said a message, by name. Untrusted text; nil where nothing says it.
    func sender(of message: Item) -> String? {
        let entity = message.entity.value
        return entity.person.flatMap { people[$0.description] } ?? entity.sayer
    }

    /// Where a row stands: the messages of a channel by its label.
    func place(of item: Item) -> String {
        let section = item.sectionKey
        guard item.id.kind == .message, let parent = section.parent else { return label(of: section) }
        let channel = section.name == "thread" ? item.entity.value.saidIn : parent
        guard let name = channel.flatMap({ name($0.description) }) else { return label(of: section) }
        return section.name == "thread" ? name + " thread" : name
    }

    /// What a section is called.
    func label(of section: Item.Section) -> String {
        guard let parent = section.parent else { return section.name }
        let name = name(parent.description)
        guard let name else { return section.shortText }
        return section.name == "messages" ? name : "\(section.name) of \(name)"
    }

    /// Whether the user is among what a message addresses: by id, or by name where it has no more, or says the same for both. A group is
    /// not the user.
    func isUser(among mentions: @autoclosure () -> [Mention]) -> Bool {
        guard let user else { return false }
        return mentions().contains { mention in
            if mention.id == user { return true }
            guard let name = mention.name, mention.id == nil || mention.id == name else { return false }
            return name == handles[user]
        }
    }

    /// Whether the user has read a message: one of their own, or one that was there when they last looked into its channel. Nil for what
    /// is no message, and where nothing says it.
    func isRead(_ item: Item) -> Bool? {
        let entity = item.entity.value
        guard let said = item.saidAt else { return nil }
        if let user, entity.person?.description == user { return true }
        guard let channel = entity.saidIn ?? item.sectionKey.parent else { return nil }
        return readUntil[channel].map { said.milliseconds <= $0 }
    }

    /// The names of people, in order. Untrusted text.
    var allPeople: [String] { Set(people.values).sorted() }

    /// The titles of channels, in order. Untrusted text.
    var allTitles: [String] { Set(channels.values.map(\.title)).sorted() }

    // MARK: - Learning

    /// Learns from a change.
    mutating func learn(from diff: DiffReport) {
        user = diff.user ?? user
        if let sole = diff.batch.soleChange { return learn(sole.change.new) }
        for row in diff.batch.insertions { learn(row.element) }
        for row in diff.batch.updates { learn(row.new) }
        for row in diff.batch.moves { learn(row.new) }
    }

    /// Learns from a report.
    mutating func learn(from report: Report) {
        if case .diff(let diff) = report { learn(from: diff) }
    }

    /// Learns from all there is.
    mutating func learn(from model: SectionedCollection<Item>, of user: String? = nil) {
        self.user = user ?? self.user
        for section in model.sectionKeys { for item in model.elements(in: section) { learn(item) } }
    }

    private mutating func learn(_ item: Item) {
        let kind = item.id.kind
        // Most rows are messages.
        if kind == .message { return }
        switch kind {
        case .channel:
            if let read = item.entity.value.readUntil, readUntil.count < Self.mostRooms || readUntil[item.id.id] != nil
            {
                readUntil[item.id.id] = read.milliseconds
            }
            guard let title = item.channelName else { return }
            let (part, channel) = (item.roomPart, Channel(item, title))
            guard channels[part] != channel, channels.count < Self.mostRooms || channels[part] != nil else { return }
            channels[part] = channel
            noteChange()
        case .account:
            let id = item.id.text
            guard let name = ItemFacts(item).label, people.count < Self.mostPeople || people[id] != nil else { return }
            handles[id] = item.entity.value.handle
            guard people[id] != name else { return }
            people[id] = name
            noteChange()
        case .company, .workspace:
            let id = item.id.id.description
            guard let name = ItemFacts(item).label, places[id] != name, places.count < Self.mostPeople else { return }
            places[id] = name
            noteChange()
        default: break
        }
    }

    private mutating func noteChange() {
        revision += 1
        rooms = [:]
    }
}

extension KnownNames.Channel {
    fileprivate init(_ item: Item, _ title: String) {
        self.init(id: item.id.id, title: title, isDirect: item.sectionKey.name == "directs")
    }
}

import WeirEvents
import WeirJSON
package import WeirModel
package import WeirPipeline
import WeirTerminal

/// The names of people, channels and places, learnt from the rows of the model.
///
/// A session's rows are bounded, and the names are bounded here again, because rows may come from a file and room names
/// from the peer.
package struct KnownNames: Sendable {
    /// A channel as found in the names of rooms.
    struct Channel: Hashable, Sendable {
        var id: EntityID
        var title: String
        var isDirect: Bool

        /// The channel's label, such as `#Engineering` or `@Ana Lima`. Untrusted text.
        var label: String { (isDirect ? "@" : "#") + title }
    }

    static let mostPeople = 1_000
    static let mostRooms = 10_000
    /// The maximum length of a room name in the caches, in bytes.
    package static let longestKept = 512
    /// The last parts of room names that carry a channel's messages. For these rooms, the label is the channel's label
    /// alone.
    private static let ofMessages: Set<Substring> = ["feed", "messages", "updates"]

    /// The server's id of the user; `nil` while it is not known.
    var user: String?
    private var people: [String: String] = [:]
    /// The handles by which messages mention people, by user id.
    private var handles: [String: String] = [:]
    /// The channels, by the part of room names that identifies a channel.
    private var channels: [String: Channel] = [:]
    /// The time up to which the user has read a channel, in milliseconds since 1970, by channel id.
    private var readUntil: [EntityID: Int64] = [:]
    /// The names of companies and workspaces, by id.
    private var places: [String: String] = [:]
    /// A cache of room lookups. Most lookups concern a few rooms. Every new name clears it.
    private var rooms: [String: Room] = [:]
    /// The number of names that were added or changed.
    private(set) var revision = 0

    package init() {}

    // MARK: - Asking

    /// Returns the name of a user; `nil` when it is not known. Untrusted text.
    func person(_ id: String) -> String? { people[id] }

    /// The display form of a room. Untrusted text.
    struct Room: Sendable {
        var channel: Channel?
        /// A label such as `#Engineering`, `@Ana Lima` or `#Engineering tabs`. For a room without a known channel, the
        /// room's name, with names in place of known ids.
        var label: String
    }

    /// Returns the display form of a room, and caches it.
    mutating func room(_ room: String) -> Room {
        if let known = rooms[room] { return known }
        let new = look(at: room)
        if rooms.count < Self.mostRooms, room.utf8.count <= Self.longestKept { rooms[room] = new }
        return new
    }

    /// Returns the display form of a room without the cache.
    func look(at room: String) -> Room {
        let parts = room.split { "/?=&".contains($0) }
        guard let index = parts.lastIndex(where: { channels[String($0)] != nil }),
            let channel = channels[String(parts[index])]
        else { return Room(channel: nil, label: naming(room)) }
        // A query string adds nothing to the channel's title.
        let path = room.prefix { $0 != "?" }.endIndex
        let rest = parts[(index + 1)...].filter { !Self.ofMessages.contains($0) && $0.endIndex <= path }
        return Room(channel: channel, label: ([channel.label] + rest.map { naming(String($0)) }).joined(separator: " "))
    }

    /// Returns the name of an event's actor: the account's name, otherwise the actor in the event. Untrusted text.
    func actor(of report: EventReport) -> String? {
        (report.actorID ?? report.actor).flatMap { people[$0] } ?? report.actor
    }

    /// Returns the name of any person, place or channel; `nil` when it is not known.
    func name(_ id: String) -> String? { people[id] ?? places[id] ?? channels[id]?.label }

    /// Replaces each UUID in `text` by its name, or by its first eight digits when it has none.
    func naming(_ text: String) -> String { ShortName.replacingIDs(in: text) { name($0) } }

    /// Returns the display name of a resource, such as `messages of #General`.
    func naming(resource: String) -> String {
        resource.split(separator: " ").map { name(String($0)) ?? ShortName.shorteningIDs(String($0)) }.joined(
            separator: " ")
    }

    /// Returns the display name of a row; `nil` when it has none. Untrusted text.
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

    /// Returns the name of a message's sender; `nil` when it is not known. Untrusted text.
    func sender(of message: Item) -> String? {
        let entity = message.entity.value
        return entity.person.flatMap { people[$0.description] } ?? entity.sayer
    }

    /// Returns the display name of a row's place. For a message it is the label of its channel or thread.
    func place(of item: Item) -> String {
        let section = item.sectionKey
        guard item.id.kind == .message, let parent = section.parent else { return label(of: section) }
        let channel = section.name == "thread" ? item.entity.value.saidIn : parent
        guard let name = channel.flatMap({ name($0.description) }) else { return label(of: section) }
        return section.name == "thread" ? name + " thread" : name
    }

    /// Returns the display name of a section.
    func label(of section: Item.Section) -> String {
        guard let parent = section.parent else { return section.name }
        let name = name(parent.description)
        guard let name else { return section.shortText }
        return section.name == "messages" ? name : "\(section.name) of \(name)"
    }

    /// Returns whether the mentions include the user. A mention matches by id. It matches by name only when it has no
    /// id, or when its id and name are the same. A mention of a group does not match.
    func isUser(among mentions: @autoclosure () -> [Mention]) -> Bool {
        guard let user else { return false }
        return mentions().contains { mention in
            if mention.id == user { return true }
            guard let name = mention.name, mention.id == nil || mention.id == name else { return false }
            return name == handles[user]
        }
    }

    /// Returns whether the user has read a message. The user's own messages are read, and so are those from before
    /// their last visit to the channel. Returns `nil` for other rows, and when the read time is not known.
    func isRead(_ item: Item) -> Bool? {
        let entity = item.entity.value
        guard let said = item.saidAt else { return nil }
        if let user, entity.person?.description == user { return true }
        guard let channel = entity.saidIn ?? item.sectionKey.parent else { return nil }
        return readUntil[channel].map { said.milliseconds <= $0 }
    }

    /// The names of all known people, sorted. Untrusted text.
    var allPeople: [String] { Set(people.values).sorted() }

    /// The titles of all known channels, sorted. Untrusted text.
    var allTitles: [String] { Set(channels.values.map(\.title)).sorted() }

    // MARK: - Learning

    /// Learns the names in a change.
    mutating func learn(from diff: DiffReport) {
        user = diff.user ?? user
        if let sole = diff.batch.soleChange { return learn(sole.change.new) }
        for row in diff.batch.insertions { learn(row.element) }
        for row in diff.batch.updates { learn(row.new) }
        for row in diff.batch.moves { learn(row.new) }
    }

    /// Learns the names in a report.
    package mutating func learn(from report: Report) {
        if case .diff(let diff) = report { learn(from: diff) }
    }

    /// Learns all names in a model.
    package mutating func learn(from model: SectionedCollection<Item>, of user: String? = nil) {
        self.user = user ?? self.user
        for section in model.sectionKeys { for item in model.elements(in: section) { learn(item) } }
    }

    private mutating func learn(_ item: Item) {
        let kind = item.id.kind
        // Most rows are messages, which contain no names to learn.
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
            guard let name = ItemFacts(item).label, places[id] != name,
                places.count < Self.mostPeople || places[id] != nil
            else { return }
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

/// Shortens ids and room names for narrow lines.
enum ShortName {
    /// Returns an id as text, with a UUID cut to its first eight digits.
    static func id(_ id: EntityID) -> String {
        switch id {
        case .uuid(let high, _): firstDigits(of: high)
        case .text(let text): shorteningIDs(text)
        }
    }

    /// Returns `text` with every UUID cut to its first eight digits.
    static func shorteningIDs(_ text: String) -> String { replacingIDs(in: text) { _ in nil } }

    /// Replaces every UUID in `text` by its name, or by its first eight digits when `name` returns `nil`.
    static func replacingIDs(in text: String, by name: (String) -> String?) -> String {
        let bytes = text.utf8.span
        var result: [UInt8] = []
        // `taken` is the end of the copied text. `dash` is the first possible place of the next UUID's first dash.
        var (taken, dash) = (0, 8)
        while dash + 28 <= bytes.count {
            guard bytes[dash] == UInt8(ascii: "-"), isUUID(bytes, at: dash - 8) else {
                dash += 1
                continue
            }
            bytes.extracting(taken..<dash - 8).withUnsafeBufferPointer { result.append(contentsOf: $0) }
            let id = bytes.extracting(dash - 8..<dash + 28).withUnsafeBufferPointer {
                String(decoding: $0, as: UTF8.self)
            }
            result.append(contentsOf: (name(id) ?? String(id.prefix(8))).utf8)
            taken = dash + 28
            dash = taken + 8
        }
        guard taken > 0 else { return text }
        bytes.extracting(taken...).withUnsafeBufferPointer { result.append(contentsOf: $0) }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the first eight hexadecimal digits of a UUID from its upper half.
    private static func firstDigits(of high: UInt64) -> String {
        String(unsafeUninitializedCapacity: 8) { text in
            for place in 0..<8 {
                let nibble = UInt8(truncatingIfNeeded: high >> UInt64(60 - 4 * place)) & 15
                text.initializeElement(at: place, to: nibble + (nibble < 10 ? 0x30 : 0x57))
            }
            return 8
        }
    }

    /// Returns a room's label in at most `width` columns. The first components of a path are removed first.
    static func room(_ label: String, width: Int) -> String {
        let short = shorteningIDs(label)
        guard TerminalText.width(of: short) > width else { return short }
        if short.hasPrefix("#") || short.hasPrefix("@") { return TerminalText.truncated(short, to: width) }
        var rest = Substring(short)
        while let slash = rest.dropFirst().firstIndex(of: "/") {
            rest = rest[slash...]
            if TerminalText.width(of: String(rest)) < width { return "…" + rest }
        }
        // The parameters of a query are removed before the last component is cut.
        while let mark = rest.lastIndex(where: { $0 == "&" || $0 == "?" }), mark > rest.startIndex {
            rest = rest[..<mark]
            let cut = (rest.startIndex == short.startIndex ? "" : "…") + rest + "…"
            if TerminalText.width(of: cut) <= width { return cut }
        }
        if short.contains("/") { return TerminalText.truncated("…" + rest, to: width) }
        return TerminalText.keepingEnd(short, to: width)
    }

    private static func isUUID(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        guard bytes.count - start >= 36 else { return false }
        for offset in 0..<36 {
            let byte = bytes[start + offset]
            switch offset {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default: if byte.hexValue == nil { return false }
            }
        }
        return true
    }
}

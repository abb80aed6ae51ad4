package import WeirEvents
import WeirJSON
import WeirModel

/// The rows of an account from an earlier session, as many as fit into one record.
///
/// The rows are JSON Lines, one row a line, with the members of a diff log. They are decoded only when the session
/// takes them in, so that a live run and a replay read the same bytes.
package struct Memory: Hashable, Sendable {
    /// The server's id of the user who owns the rows.
    package var user: String
    /// The rows, each terminated by a line feed.
    package var rows: [UInt8]

    /// Creates a memory, without rows unless given.
    package init(user: String, rows: [UInt8] = []) {
        self.user = user
        self.rows = rows
    }

    /// Appends a row that `Item.encode` wrote.
    package mutating func append(row: [UInt8]) {
        rows += row
        rows.append(UInt8(ascii: "\n"))
    }

    /// Calls `body` with each row that can be decoded; returns the number of rows that cannot.
    func forEachRow(_ body: (Item) -> Void) -> Int {
        var unreadable = 0
        for line in rows.split(separator: UInt8(ascii: "\n")) {
            if let item = Item(decoding: line) { body(item) } else { unreadable += 1 }
        }
        return unreadable
    }
}

extension Item {
    /// Creates a row from the JSON that `encode` wrote, or returns `nil` for anything else.
    public init?(decoding text: ArraySlice<UInt8>) {
        var reader = JSONReader(text.span)
        guard let row = try? DiffLogRow(decoding: &reader), let item = row.item, (try? reader.end()) != nil else {
            return nil
        }
        self = item
    }
}

extension Memory {
    /// Returns the memory with the given channels read up to the given times. Messages that the user read meanwhile then do not appear as
    /// unread until the server answers.
    package func read(upTo marks: [(channel: EntityID, at: Timestamp)]) -> Memory {
        guard !marks.isEmpty else { return self }
        var memory = Memory(user: user)
        var activity: [EntityID: Timestamp] = [:]
        _ = forEachRow { item in
            if let channel = item.channel { activity[channel.id] = channel.lastActivity }
        }
        for line in rows.split(separator: UInt8(ascii: "\n")) {
            guard let item = Item(decoding: line) else {
                memory.append(row: Array(line))
                continue
            }
            let mark = marks.first { $0.channel == item.channel?.id ?? item.badge?.channel }?.at
            guard let row = item.read(upTo: mark, activity) else { continue }
            var writer = JSONWriter()
            row.encode(into: &writer)
            memory.append(row: writer.bytes)
        }
        return memory
    }
}

extension Item {
    /// Returns the row of a channel that was read up to `mark`; `nil` if the row then no longer exists.
    fileprivate func read(upTo mark: Timestamp?, _ activity: [EntityID: Timestamp]) -> Item? {
        guard let mark else { return self }
        if var channel = self.channel {
            channel.lastAccess = max(channel.lastAccess ?? mark, mark)
            return .channel(channel)
        }
        // A badge belongs to an unread thread. Activity after the mark leaves it unread.
        guard let channel = badge?.channel, let last = activity[channel] else { return self }
        return last <= mark ? nil : self
    }
}

/// Rows of an earlier session that the server has not confirmed.
///
/// A section is confirmed when a complete answer about it is applied; a row that the answer does not contain is then
/// gone. A row is confirmed when anything else changes it. The session asks once about whatever nothing confirms, and
/// removes it if that does not help. In the end the model equals the server's state, whatever was remembered.
struct RememberedRows: Sendable {
    /// The server's id of the user who owns the rows.
    private(set) var user: String?
    private var rows: [Item.Section: Set<Item.ID>] = [:]
    private var asked: Set<Item.Section> = []

    var isEmpty: Bool { rows.isEmpty }

    /// Adds the rows of a user that were put into the model.
    mutating func add(_ items: [Item], of user: String) {
        self.user = user
        for item in items { rows[item.sectionKey, default: []].insert(item.id) }
    }

    /// Confirms the rows that another batch changed or deleted.
    mutating func confirm(_ batch: Batch<Item>) {
        if rows.isEmpty { return }
        for deletion in batch.deletions { confirm(deletion.element) }
        for change in batch.moves { confirm(change) }
        for change in batch.updates { confirm(change) }
    }

    /// Confirms a row that changed. An optimistic change does not come from the server, and a new name of the sender
    /// tells nothing about the message: neither confirms a row.
    private mutating func confirm(_ change: Batch<Item>.Change) {
        guard change.old.delivery == nil, change.new.delivery == nil, !change.onlyNamesSender else { return }
        confirm(change.old)
    }

    /// Confirms a row that the server's answer lists.
    mutating func confirm(_ item: Item) {
        rows[item.sectionKey]?.remove(item.id)
        if rows[item.sectionKey]?.isEmpty == true { rows[item.sectionKey] = nil }
    }

    /// Confirms a section about which the server's answer was applied.
    mutating func confirm(_ section: Item.Section) { rows[section] = nil }

    /// The sections that contain unconfirmed rows, in order.
    var sections: [Item.Section] { rows.keys.sorted() }

    /// Returns whether to ask the server about a section: `true` only once.
    mutating func ask(about section: Item.Section) -> Bool { asked.insert(section).inserted }

    /// Removes and returns all unconfirmed rows, in any order. The caller removes them from the model.
    mutating func takeAll() -> [Item.ID] {
        defer { rows = [:] }
        return rows.values.flatMap { $0 }
    }

    /// Removes and returns the unconfirmed rows of a section, in any order.
    mutating func take(_ section: Item.Section) -> [Item.ID] { (rows.removeValue(forKey: section) ?? []).map { $0 } }
}

extension Batch<Item>.Change {
    /// Whether only the name of a message's sender differs.
    fileprivate var onlyNamesSender: Bool {
        guard var before = old.message, let after = new.message, before.senderName != after.senderName else {
            return false
        }
        before.senderName = after.senderName
        return before == after
    }
}

// Rows of an earlier session: shown at once, until the server has answered.
extension Session {
    mutating func recall(_ memory: Memory) {
        if let known = user ?? remembered.user, known != memory.user { return }
        var recalled: [Item] = []
        let unreadable = memory.forEachRow { item in
            // Presence of an earlier session is out of date, and that session reported its holes itself.
            guard item.id.kind != .presence, item.id.kind != .hole else { return }
            // A row that is already in the model is newer.
            guard item.delivery == nil, context.model[item.id] == nil else { return }
            context.model.put(item)
            recalled.append(item)
        }
        if unreadable > 0 {
            context.notice(.info, "\(unreadable) rows of the store are of no use any more and are fetched again")
        }
        self.recalled = (memory.user, recalled)
        backend.recalled(recalled)
    }

    /// Updates the remembered rows after a commit: adds the rows that the input recalled, or confirms the rows that the
    /// batch changed.
    mutating func noteRemembered(_ batch: Batch<Item>?) {
        if let recalled {
            remembered.add(recalled.items, of: recalled.user)
            self.recalled = nil
        } else if let batch {
            remembered.confirm(batch)
        }
    }

    /// Records the server's id of the user, and removes the remembered rows of any other user at once.
    mutating func learned(user: EntityID, into effects: inout [Effect]) {
        self.user = user.description
        effects.append(.remember(.account(user: user.description)))
        let unclaimed = unclaimed
        self.unclaimed = []
        guard let remembered = remembered.user, remembered != user.description else { return }
        // The actions remain in the store, for the user who owns them.
        for id in unclaimed { dropAction(id, into: &effects) }
        removeRemembered(self.remembered.takeAll())
        context.globals.clearChannel()
        context.notice(.info, "the stored rows belong to another user: \(remembered)")
    }

    /// Records that a complete answer about a resource was applied, and confirms the sections that it covers.
    mutating func fetched(_ key: ResourceKey, isCurrent: Bool, into effects: inout [Effect]) {
        if let call = backend.request(for: key, page: nil) {
            effects.append(.remember(.checkpoint(resource: "\(call.method.rawValue) \(call.target)")))
        }
        guard isCurrent, !remembered.isEmpty else { return }
        for section in backend.sections(of: key, in: context.model) { remembered.confirm(section) }
    }

    /// Requests confirmation for rows that nothing else will confirm, once no request is under way. Removes rows that
    /// cannot be confirmed.
    mutating func confirmRemembered() {
        guard link.isReady, context.refetcher.hasNothingToDo, !rooms.isJoining else { return }
        for section in remembered.sections {
            switch backend.confirmation(of: section, in: context.model) {
            case .later: continue
            case .by(let key):
                // A resource whose fetch failed waits for its next attempt.
                if context.refetcher.entries[key] != nil { continue }
                guard remembered.ask(about: section) else { break }
                context.refetcher.invalidate(key, cause: context.cause)
                continue
            case .never: break
            }
            removeRemembered(remembered.take(section))
        }
    }

    private mutating func removeRemembered(_ ids: [Item.ID]) {
        for id in ids.sorted() { backend.forget(id, into: &context) }
    }
}

extension RoomSubscriptions {
    /// Whether any join awaits the server's answer.
    var isJoining: Bool { entries.contains { if case .joining = $0.state { true } else { false } } }
}

extension Refetcher {
    /// Whether no request is in flight, queued or parked. Keys that wait for their time do not count.
    var hasNothingToDo: Bool { flights.isEmpty && queue.isEmpty && parked.isEmpty }
}

/// The way to find out the server's state of a section.
enum Confirmation: Hashable, Sendable {
    /// An answer about this resource confirms the section.
    case by(ResourceKey)
    /// The resource is not known yet, and what determines it is being fetched.
    case later
    /// The server cannot confirm the section.
    case never
}

import WeirModel
package import WeirWire

/// The rooms that are wanted and the rooms that are joined: two facts that can differ.
///
/// The wanted rooms follow from wishes (`SubscriptionRules`), which are patterns, and from the rooms that the backend lists.
/// Once wanted, a room stays wanted until a wish excludes it or the backend no longer lists it, whatever its title
/// becomes.
///
/// Rooms belong to one connection. When it is lost, every joined room is lost, and joined again on the next connection.
/// A refused room stays refused until the credentials change, a client asks for it again, or the
/// backend lists it again after it was gone.
package struct RoomSubscriptions: Sendable {
    /// The state of a wanted room on the current connection.
    package enum State: Hashable, Sendable {
        /// The session has not requested the room yet, for lack of a connection or of authentication.
        case wanted
        /// The session requested the room, and the server has not answered. `attempts` counts the requests.
        case joining(since: Moment, attempts: Int)
        /// The server confirmed the room.
        case joined(since: Moment)
        /// The server refused the room with these words, or never answered. Untrusted text.
        case refused(why: String)
    }

    /// A wanted room and its state.
    package struct Entry: Hashable, Sendable {
        /// The room's name on the wire. It is opaque to the book.
        package var name: String
        /// The origin of the wish for the room.
        package var source: RoomSource
        /// The state of the room on the current connection.
        package var state: State
        /// The pattern that matches this room alone.
        package var pattern: RoomPattern { .exact(name) }
    }

    /// How long a join may stay unanswered before it is repeated.
    static let joinTimeout: Duration = .seconds(10)
    /// The maximum number of requests to join a room.
    static let maximumJoins = 3
    /// The reason for the refusal of a room that the server never answered about.
    static let noAnswer = "no answer to \(maximumJoins) joins"
    /// The maximum number of joins that await an answer at once, so that the server is not flooded.
    static let mostJoining = 64

    /// The wanted rooms, in the order they were first wanted.
    package private(set) var entries: [Entry] = []
    private var indices: [String: Int] = [:]
    /// The number of entries in the state `joining`.
    private var joining = 0
    /// An index before which no entry is in the state `wanted`.
    private var firstWanted = 0

    /// The wishes that decide which rooms are wanted.
    var wishes: SubscriptionRules
    /// The number of wanted rooms at which patterns and the backend's list add no more; `nil` for no limit. Rooms
    /// that are wished for by name are always joined.
    package let limit: Int?
    /// The share of the wanted rooms that this session holds; `nil` if it holds all of them.
    package internal(set) var share: RoomShare?
    /// The rooms that the backend listed, in order.
    private(set) var listed: [String] = []
    private var isListed: Set<String> = []
    /// Whether rooms that the backend lists from now on come too late to be adopted.
    var isClosed = false
    /// The listed rooms that came too late.
    private var late: Set<String> = []
    /// The rooms that only the limit keeps from being wanted, in order.
    package internal(set) var passedOver: [String] = []
    /// When the wishes that depend on titles and other facts are evaluated again.
    var nextResolution: Moment?
    /// When to report next that rooms exceed the limit.
    var nextNoticeOfLimit: Moment?

    /// The refusals reported since the room was last retried or confirmed, so that a repeated join reports only a new reason.
    private var toldRefusals: [String: String] = [:]

    /// The time at which the oldest unanswered join times out.
    private(set) var deadline: Moment?
    /// The requests to join, oldest first, which gives the oldest without a search through all rooms. A join that was
    /// answered or repeated meanwhile is skipped when it reaches the front.
    private var asked: ArraySlice<Asked> = []

    private struct Asked {
        var since: Moment
        var name: String
    }

    /// Returns whether the room is wanted.
    func isWanted(_ name: String) -> Bool { indices[name] != nil }

    /// The entry of a wanted room; `nil` for any other room.
    package subscript(name: String) -> Entry? { indices[name].map { entries[$0] } }

    /// Creates a book that contains no rooms.
    init(_ wishes: SubscriptionRules = SubscriptionRules([], adoption: nil), limit: Int? = nil) {
        self.wishes = wishes
        self.limit = limit
    }

    /// The wishes in order. The last one that matches a room decides.
    package var rules: [SubscriptionRules.Rule] { wishes.rules }

    /// Whether only the rules decide which rooms are wanted, and not the backend's list.
    package var isNarrowed: Bool { wishes.isNarrowed }

    /// The listed rooms that are not wanted, in order.
    package var unwanted: [String] { listed.filter { indices[$0] == nil } }

    /// Adds a room that the backend lists; returns `false` if it was listed already.
    mutating func list(_ name: String) -> Bool {
        guard isListed.insert(name).inserted else { return false }
        listed.append(name)
        if isClosed { late.insert(name) }
        return true
    }

    /// Removes a room that the backend no longer lists.
    mutating func unlist(_ name: String) {
        guard isListed.remove(name) != nil else { return }
        listed.removeAll { $0 == name }
        late.remove(name)
        passedOver.removeAll { $0 == name }
    }

    /// Returns the verdict of the wishes on a room.
    func verdict(on room: RoomFacts, _ matchers: [RoomMatcher]) -> SubscriptionRules.Verdict {
        var verdict = wishes.verdict(
            on: room, matchers, isListed: isListed.contains(room.name), isLate: late.contains(room.name))
        if let share, !room.tellsOfRooms, !share.holds(room.name) { verdict.isWanted = false }
        return verdict
    }

    /// Whether the limit allows another room that is not wished for by name.
    var hasPlace: Bool { limit.map { entries.count < $0 } ?? true }

    /// Makes a room wanted; returns `false` if it already was.
    mutating func want(_ name: String, source: RoomSource) -> Bool {
        if let index = indices[name] {
            entries[index].source = source
            return false
        }
        indices[name] = entries.count
        entries.append(Entry(name: name, source: source, state: .wanted))
        passedOver.removeAll { $0 == name }
        return true
    }

    /// Removes a wanted room; returns its entry, or `nil` if it was not wanted.
    mutating func unwant(_ name: String) -> Entry? {
        guard let index = indices.removeValue(forKey: name) else { return nil }
        toldRefusals[name] = nil
        let entry = entries.remove(at: index)
        if case .joining = entry.state { joining -= 1 }
        if index < firstWanted { firstWanted -= 1 }
        for later in index..<entries.count { indices[entries[later].name] = later }
        renewDeadline()
        return entry
    }

    /// Takes the rooms to join now, as many as may await an answer at once. Their state becomes `joining`.
    mutating func takeWanted(at now: Moment) -> [String] {
        var names: [String] = []
        while firstWanted < entries.count, joining < Self.mostJoining {
            if entries[firstWanted].state == .wanted {
                setState(.joining(since: now, attempts: 1), at: firstWanted)
                noteAsked(entries[firstWanted].name, since: now)
                names.append(entries[firstWanted].name)
            }
            firstWanted += 1
        }
        if !names.isEmpty { renewDeadline() }
        return names
    }

    private mutating func setState(_ state: State, at index: Int) {
        if case .joining = entries[index].state { joining -= 1 }
        if case .joining = state { joining += 1 }
        if case .wanted = state { firstWanted = min(firstWanted, index) }
        entries[index].state = state
    }

    /// Records that the server confirmed a room, however late; returns `false` if no join was requested (the room is
    /// not wanted, or already joined).
    mutating func joined(_ name: String, at now: Moment) -> Bool {
        guard let index = indices[name] else { return false }
        switch entries[index].state {
        case .joining, .refused(Self.noAnswer): break
        case .wanted, .joined, .refused: return false
        }
        setState(.joined(since: now), at: index)
        if !toldRefusals.isEmpty { toldRefusals[name] = nil }
        renewDeadline()
        return true
    }

    /// Records that the server refused a room; returns `false` if it is not wanted.
    mutating func refused(_ name: String, why: String) -> Bool {
        guard let index = indices[name] else { return false }
        setState(.refused(why: why), at: index)
        renewDeadline()
        return true
    }

    /// Makes a refused room ready to join again, at a client's request; returns `false` if it was not refused.
    mutating func askAgain(_ name: String) -> Bool {
        guard let index = indices[name], case .refused = entries[index].state else { return false }
        toldRefusals[name] = nil
        setState(.wanted, at: index)
        return true
    }

    /// Makes rooms that the server never answered about ready to join again. With other credentials (`all`), the same
    /// applies to rooms that it refused.
    mutating func forgetRefusals(all: Bool) {
        if all { toldRefusals = [:] }
        for index in entries.indices {
            guard case .refused(let why) = entries[index].state, all || why == Self.noAnswer else { continue }
            setState(.wanted, at: index)
        }
    }

    /// Records a refusal; returns whether its reason differs from the last one that was reported.
    mutating func isNewRefusal(_ name: String, why: String) -> Bool {
        toldRefusals.updateValue(why, forKey: name) != why
    }

    /// Resets all rooms, because the connection was lost; returns the rooms that were joined.
    mutating func connectionLost() -> [String] {
        var lost: [String] = []
        for index in entries.indices {
            switch entries[index].state {
            case .joined:
                lost.append(entries[index].name)
                setState(.wanted, at: index)
            case .wanted, .joining, .refused(Self.noAnswer): setState(.wanted, at: index)
            case .refused: break
            }
        }
        asked = []
        toldRefusals = toldRefusals.filter { $0.value != Self.noAnswer }
        deadline = nil
        return lost
    }

    /// Ends the wait for overdue joins; returns the rooms to ask for again, and the rooms that are given up as refused.
    mutating func advance(to now: Moment) -> (again: [String], refused: [String]) {
        var again: [String] = []
        var refused: [String] = []
        for index in entries.indices {
            guard case .joining(let since, let attempts) = entries[index].state, since + Self.joinTimeout <= now else {
                continue
            }
            if attempts < Self.maximumJoins {
                setState(.joining(since: since + Self.joinTimeout, attempts: attempts + 1), at: index)
                noteAsked(entries[index].name, since: since + Self.joinTimeout)
                again.append(entries[index].name)
            } else {
                setState(.refused(why: Self.noAnswer), at: index)
                refused.append(entries[index].name)
            }
        }
        renewDeadline()
        return (again, refused)
    }

    /// Extends the deadlines of all unanswered joins by `span`.
    mutating func postpone(by span: Duration) {
        for index in entries.indices {
            guard case .joining(let since, let attempts) = entries[index].state else { continue }
            entries[index].state = .joining(since: since + span, attempts: attempts)
        }
        for index in asked.indices { asked[index].since = asked[index].since + span }
        renewDeadline()
    }

    private mutating func noteAsked(_ name: String, since: Moment) {
        let place = asked.lastIndex { $0.since <= since }.map { $0 + 1 } ?? asked.startIndex
        asked.insert(Asked(since: since, name: name), at: place)
    }

    private mutating func renewDeadline() {
        while let oldest = asked.first, !isUnanswered(oldest) { asked.removeFirst() }
        if asked.isEmpty { asked = [] }
        deadline = asked.first.map { $0.since + Self.joinTimeout }
    }

    private func isUnanswered(_ join: Asked) -> Bool {
        guard case .joining(join.since, _) = self[join.name]?.state else { return false }
        return true
    }
}

// Rooms that no wish names: which of them are considered, and when.
extension RoomSubscriptions {
    /// The rooms that are not wanted and that a wish may include: those that the backend listed, and those that a rule
    /// names.
    var candidates: [String] {
        var names = unwanted
        for rule in rules where !rule.isExcluded {
            if let name = rule.pattern.exactName, !isWanted(name), !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The time at which wishes next expire, are evaluated, or are reported.
    var wishesDeadline: Moment? {
        [wishes.deadline, nextResolution, nextNoticeOfLimit].compactMap(\.self).min()
    }

    /// Whether rooms that appear later will not be adopted, and the first list is not complete yet.
    var isAdopting: Bool { wishes.adoption == .off && !isClosed && !listed.isEmpty }

    /// Records that the backend has listed its rooms.
    mutating func noteListing() { isClosed = true }

    /// Whether new facts about rooms in the model can make another room wanted.
    var looksAtFacts: Bool { !wishes.isEmpty && wishes.dependsOnFacts && entries.count < listed.count }
}

extension Batch<Item> {
    /// Whether the batch inserts, updates or moves a channel.
    var isAboutChannels: Bool {
        insertions.contains { $0.element.id.kind == .channel } || updates.contains { $0.new.id.kind == .channel }
            || moves.contains { $0.new.id.kind == .channel }
    }
}

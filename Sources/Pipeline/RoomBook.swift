package import Wire

/// Which rooms are wanted, and which are joined: two facts that differ, side by side.
///
/// What is wanted follows from wishes (`RoomWishes`), which are patterns, and from the rooms that the backend tells of. A room that was
/// wanted once stays wanted until a wish says otherwise or the backend has no more of it, whatever its title becomes.
///
/// Rooms belong to one connection: when it is lost, every joined room is lost and joined again on the next one. What the server refused
/// stays refused until the credentials change or somebody asks for it again.
package struct RoomBook: Sendable {
    /// What is known of a wanted room on this connection.
    package enum State: Hashable, Sendable {
        /// Not asked for yet (no connection, or not authenticated).
        case wanted
        /// Asked for; the server has not answered. `attempts` counts the asking.
        case joining(since: Moment, attempts: Int)
        /// The server said yes.
        case joined(since: Moment)
        /// The server said no, or nothing; its words, untrusted.
        case refused(why: String)
    }

    /// A wanted room.
    package struct Entry: Hashable, Sendable {
        /// The room's name; opaque.
        package var name: String
        /// Who asked for it.
        package var source: RoomSource
        /// What is known of it.
        package var state: State
        /// The pattern that means this room alone.
        package var pattern: RoomPattern { .exact(name) }
    }

    /// How long a join may stay unanswered before it is asked again, and how often it is asked.
    static let joinTimeout: Duration = .seconds(10)
    static let maximumJoins = 3
    /// Why a room is refused that the server never answered about.
    static let noAnswer = "no answer to \(maximumJoins) joins"
    /// Joins that wait for an answer at once: a server is not flooded with more.
    static let mostJoining = 64

    /// The wanted rooms, in the order they were first wanted.
    package private(set) var entries: [Entry] = []
    private var indices: [String: Int] = [:]
    /// How many of them are `joining`.
    private var joining = 0
    /// No entry before this one is `wanted`.
    private var firstWanted = 0

    /// What is wished.
    var wishes: RoomWishes
    /// More rooms than these are not joined because of a pattern or the backend's list; those named one by one always are.
    package let limit: Int?
    /// The rooms that the backend told of, in order.
    private(set) var listed: [String] = []
    private var isListed: Set<String> = []
    /// Whether rooms that the backend tells of from now on come too late to be adopted.
    var isClosed = false
    /// Listed rooms that came too late.
    private var late: Set<String> = []
    /// Rooms that would be wanted but for the limit, in order.
    package internal(set) var passedOver: [String] = []
    /// When wishes that depend on titles and the like are looked at again.
    var nextResolution: Moment?
    /// When the rooms beyond the limit are reported.
    var nextNoticeOfLimit: Moment?

    /// Refusals of this connection that were told, so that asking again tells no more than what is new.
    private var toldRefusals: [String: String] = [:]

    /// When the oldest unanswered join times out.
    private(set) var deadline: Moment?
    /// Joins asked for, oldest first, so that the oldest is known without a look at every room. One that was answered
    /// meanwhile, or asked for again, is passed over when it comes to the front.
    private var asked: ArraySlice<Asked> = []

    private struct Asked {
        var since: Moment
        var name: String
    }

    /// Whether anybody wants the room.
    func isWanted(_ name: String) -> Bool { indices[name] != nil }

    /// The entry of a wanted room.
    package subscript(name: String) -> Entry? { indices[name].map { entries[$0] } }

    /// A book of nothing yet.
    init(_ wishes: RoomWishes = RoomWishes([], adoption: nil), limit: Int? = nil) {
        self.wishes = wishes
        self.limit = limit
    }

    /// The wishes of whoever wants rooms, in order; the last one that matches a room decides.
    package var rules: [RoomWishes.Rule] { wishes.rules }

    /// Whether only the rules say what is wanted, and the backend's list does not.
    package var isNarrowed: Bool { wishes.isNarrowed }

    /// The rooms that the backend told of and that nobody wants, in order.
    package var unwanted: [String] { listed.filter { indices[$0] == nil } }

    /// The backend tells of a room; false when it did before.
    mutating func list(_ name: String) -> Bool {
        guard isListed.insert(name).inserted else { return false }
        listed.append(name)
        if isClosed { late.insert(name) }
        return true
    }

    /// The backend has no more of a room.
    mutating func unlist(_ name: String) {
        guard isListed.remove(name) != nil else { return }
        listed.removeAll { $0 == name }
        late.remove(name)
        passedOver.removeAll { $0 == name }
    }

    /// What the wishes say of a room.
    func verdict(on room: RoomFacts, _ matchers: [RoomMatcher]) -> RoomWishes.Verdict {
        wishes.verdict(on: room, matchers, isListed: isListed.contains(room.name), isLate: late.contains(room.name))
    }

    /// Whether one room more may be wanted that nobody named.
    var hasPlace: Bool { limit.map { entries.count < $0 } ?? true }

    /// Wants a room; false when it was wanted already.
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

    /// Takes a wish back; gives the entry as it was, nil when it was not wanted.
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

    /// The rooms to be asked for now, as many as may wait for an answer at once; they are `joining` from now on.
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

    /// The server said yes, however late; false when the room is not one that was asked for (not wanted, or joined already).
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

    /// The server said no; false when the room is not wanted.
    mutating func refused(_ name: String, why: String) -> Bool {
        guard let index = indices[name] else { return false }
        setState(.refused(why: why), at: index)
        renewDeadline()
        return true
    }

    /// Somebody asks again for a room that was refused; false when it was not.
    mutating func askAgain(_ name: String) -> Bool {
        guard let index = indices[name], case .refused = entries[index].state else { return false }
        toldRefusals[name] = nil
        setState(.wanted, at: index)
        return true
    }

    /// Rooms of which the server said nothing may be asked for again; with other credentials those that it refused, too.
    mutating func forgetRefusals(all: Bool) {
        if all { toldRefusals = [:] }
        for index in entries.indices {
            guard case .refused(let why) = entries[index].state, all || why == Self.noAnswer else { continue }
            setState(.wanted, at: index)
        }
    }

    /// Whether the refusal, which is noted, is another one than the last of the same connection.
    mutating func isNewRefusal(_ name: String, why: String) -> Bool {
        toldRefusals.updateValue(why, forKey: name) != why
    }

    /// The connection is gone; gives the rooms that were joined.
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

    /// Joins unanswered for too long: those to ask again, and those given up as refused.
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

    /// The server has so much longer for its answers.
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

public import Wire

/// Which rooms are wanted, and which are joined: two facts that differ, side by side.
///
/// Rooms belong to one connection: when it is lost, every joined room is lost and joined again on the next one.
public struct RoomBook: Sendable {
    /// What is known of a wanted room on this connection.
    public enum State: Hashable, Sendable {
        /// Not asked for yet (no connection, or not authenticated).
        case wanted
        /// Asked for; the server has not answered. `attempts` counts the asking.
        case joining(since: Moment, attempts: Int)
        /// The server said yes.
        case joined(since: Moment)
        /// The server said no; its words, untrusted. Sticky until the connection changes.
        case refused(why: String)
    }

    /// A wanted room.
    public struct Entry: Hashable, Sendable {
        /// The room's name; opaque.
        public var name: String
        /// Who asked for it first.
        public var source: RoomSource
        /// What is known of it.
        public var state: State
    }

    /// How long a join may stay unanswered before it is asked again, and how often it is asked.
    static let joinTimeout: Duration = .seconds(10)
    static let maximumJoins = 3
    /// Why a room is refused that the server never answered about.
    static let noAnswer = "no answer to \(maximumJoins) joins"

    /// The wanted rooms, in the order they were first wanted.
    public private(set) var entries: [Entry] = []
    private var indices: [String: Int] = [:]
    /// Changes whenever the set of wanted rooms does.
    private(set) var version = 0

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
    public func isWanted(_ name: String) -> Bool { indices[name] != nil }

    /// The entry of a wanted room.
    public subscript(name: String) -> Entry? { indices[name].map { entries[$0] } }

    /// Adds a wish; false when it was wanted already.
    mutating func want(_ name: String, source: RoomSource) -> Bool {
        guard indices[name] == nil else { return false }
        version += 1
        indices[name] = entries.count
        entries.append(Entry(name: name, source: source, state: .wanted))
        return true
    }

    /// Takes a wish back; gives the entry as it was, nil when it was not wanted.
    mutating func unwant(_ name: String) -> Entry? {
        guard let index = indices.removeValue(forKey: name) else { return nil }
        version += 1
        toldRefusals[name] = nil
        let entry = entries.remove(at: index)
        for later in index..<entries.count { indices[entries[later].name] = later }
        renewDeadline()
        return entry
    }

    /// The rooms to be asked for now; they are `joining` from now on.
    mutating func takeWanted(at now: Moment) -> [String] {
        var names: [String] = []
        for index in entries.indices where entries[index].state == .wanted {
            entries[index].state = .joining(since: now, attempts: 1)
            noteAsked(entries[index].name, since: now)
            names.append(entries[index].name)
        }
        if !names.isEmpty { renewDeadline() }
        return names
    }

    /// The server said yes, however late; false when the room is not one that was asked for (not wanted, or joined already).
    mutating func joined(_ name: String, at now: Moment) -> Bool {
        guard let index = indices[name] else { return false }
        switch entries[index].state {
        case .joining, .refused(Self.noAnswer): break
        case .wanted, .joined, .refused: return false
        }
        entries[index].state = .joined(since: now)
        if !toldRefusals.isEmpty { toldRefusals[name] = nil }
        renewDeadline()
        return true
    }

    /// The server said no; false when the room is not wanted.
    mutating func refused(_ name: String, why: String) -> Bool {
        guard let index = indices[name] else { return false }
        entries[index].state = .refused(why: why)
        renewDeadline()
        return true
    }

    /// Rooms that were refused may be asked for again.
    mutating func forgetRefusals() {
        for index in entries.indices {
            if case .refused = entries[index].state { entries[index].state = .wanted }
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
            if case .joined = entries[index].state { lost.append(entries[index].name) }
            entries[index].state = .wanted
        }
        asked = []
        toldRefusals = [:]
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
                entries[index].state = .joining(since: since + Self.joinTimeout, attempts: attempts + 1)
                noteAsked(entries[index].name, since: since + Self.joinTimeout)
                again.append(entries[index].name)
            } else {
                entries[index].state = .refused(why: Self.noAnswer)
                refused.append(entries[index].name)
            }
        }
        renewDeadline()
        return (again, refused)
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

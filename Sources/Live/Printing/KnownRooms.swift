import Events
import Pipeline
import SectionedModel

/// What rooms are called, learnt from the channels among the rows that were printed: a room is named by
/// what stands for its channel.
///
/// Bounded, since rows may come from a file, and rooms from anybody.
struct KnownRooms: Sendable {
    private static let maximum = 10_000
    /// Longer names of rooms than this are not kept.
    static let longestKept = 512
    private var titles: [String: String] = [:]
    /// What was found of the rooms asked about, nil for one without a title: the same few come again and again. Forgotten when a
    /// channel gets a name, or another.
    private var rooms: [String: String?] = [:]

    /// What the channel of a room is called; untrusted text. Nil when nobody said.
    mutating func title(of room: String) -> String? {
        if let known = rooms[room] { return known }
        let parts = room.utf8.split(separator: UInt8(ascii: "/"))
        let named = parts.last { titles[String(Substring($0))] != nil }
        let title = named.flatMap { titles[String(Substring($0))] }
        if rooms.count < Self.maximum, room.utf8.count <= Self.longestKept { rooms[room] = .some(title) }
        return title
    }

    /// Learns from a report.
    mutating func learn(from report: Report) {
        guard case .diff(let diff) = report else { return }
        if let sole = diff.batch.soleChange { return learn(sole.change.new) }
        for row in diff.batch.insertions { learn(row.element) }
        for row in diff.batch.updates { learn(row.new) }
        for row in diff.batch.moves { learn(row.new) }
    }

    private mutating func learn(_ item: Item) {
        guard item.id.kind == .channel, let name = item.channelName else { return }
        let id = item.roomPart
        guard titles[id] != name, titles.count < Self.maximum || titles[id] != nil else { return }
        titles[id] = name
        rooms = [:]
    }
}

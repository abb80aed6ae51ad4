import Events
import Pipeline
import SectionedModel

/// What rooms are called, learnt from the channels among the rows that were printed: a room is named by
/// what stands for its channel.
///
/// Bounded, since rows may come from a file.
struct KnownRooms: Sendable {
    private static let maximum = 10_000
    private var titles: [String: String] = [:]
    /// The titles of the rooms asked about: the same few come again and again. Forgotten when a channel is named anew.
    private var rooms: [String: String] = [:]

    /// What the channel of a room is called; untrusted text. Nil when nobody said.
    mutating func title(of room: String) -> String? {
        if let known = rooms[room] { return known }
        for part in room.split(separator: "/").reversed() {
            guard let title = titles[String(part)] else { continue }
            if rooms.count < Self.maximum { rooms[room] = title }
            return title
        }
        return nil
    }

    /// Learns from a report.
    mutating func learn(from report: Report) {
        guard case .diff(let diff) = report else { return }
        for row in diff.batch.insertions { learn(row.element) }
        for row in diff.batch.updates { learn(row.new) }
        for row in diff.batch.moves { learn(row.new) }
    }

    private mutating func learn(_ item: Item) {
        guard item.id.kind == .channel, let name = item.channelName else { return }
        let id = item.roomPart
        guard titles[id] != name, titles.count < Self.maximum || titles[id] != nil else { return }
        if titles.updateValue(name, forKey: id) != nil { rooms = [:] }
    }
}

import SectionedModel
import Wire

// Rooms that nobody named: which of them are looked at, and when.
extension RoomBook {
    /// The rooms that a wish may be about and that are not wanted: those the backend told of, and those that are named.
    var candidates: [String] {
        var names = unwanted
        for rule in rules where !rule.isExcluded {
            if let name = rule.pattern.exactName, !isWanted(name), !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// When wishes end, are looked at again, or are reported.
    var wishesDeadline: Moment? {
        [wishes.deadline, nextResolution, nextNoticeOfLimit].compactMap(\.self).min()
    }

    /// Whether rooms that appear later are not adopted, and none has been told of as late yet.
    var isAdopting: Bool { wishes.adoption == .off && !isClosed && !listed.isEmpty }

    /// The backend has told of its rooms.
    mutating func noteListing() { isClosed = true }

    /// Whether what the model says of rooms may bring one more.
    var looksAtFacts: Bool { !wishes.isEmpty && wishes.dependsOnFacts && entries.count < listed.count }
}

extension Batch<Item> {
    /// Whether it says anything of a channel.
    var isAboutChannels: Bool {
        insertions.contains { $0.element.id.kind == .channel } || updates.contains { $0.new.id.kind == .channel }
            || moves.contains { $0.new.id.kind == .channel }
    }
}

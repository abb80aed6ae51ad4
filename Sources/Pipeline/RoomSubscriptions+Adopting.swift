import SectionedModel
import Wire

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

public import Events
public import JSONText
import SectionedModel

/// Messages of one section that were missed and not fetched, because there are more than the session catches up with.
///
/// A row of the section `holes` shows this until the messages are fetched.
public struct Hole: ItemEntity, Hashable, Sendable {
    package static let typeName = "hole"

    /// The section that lacks the messages.
    public var section: Item.Section
    /// The time of the last message before the hole. For a thread that is ordered by its last activity, the time of
    /// that activity.
    public var from: Timestamp
    /// The time of the first message after the hole, by the same rule.
    public var to: Timestamp
    /// The number of missing messages; `nil` if the server does not report it.
    public var count: Int?
    init(of section: Item.Section, from: Timestamp, to: Timestamp, count: Int? = nil) {
        self.section = section
        self.from = from
        self.to = to
        self.count = count
    }

    /// Writes `{"section":["messages","id"],"from":…,"to":…,"count":…}`. Times are in milliseconds since 1970. The
    /// count is left out if it is unknown.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("section")
        section.encode(into: &writer)
        writer.member("from", integer: from.milliseconds)
        writer.member("to", integer: to.milliseconds)
        writer.member("count", count)
        writer.endObject()
    }

    /// Creates a hole from the JSON that `encode(into:)` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        var section: Item.Section?
        var (from, to, count): (Int64?, Int64?, Int?)
        do {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.matches(key, "section") {
                    section = try Item.Section(decoding: &reader)
                } else if reader.matches(key, "from") {
                    from = try reader.int64()
                } else if reader.matches(key, "to") {
                    to = try reader.int64()
                } else if reader.matches(key, "count") {
                    count = Int(clamping: try reader.int64())
                } else {
                    try reader.skip()
                }
            }
        } catch let error as DecodingFailure {
            throw error
        } catch {
            throw DecodingFailure(subject: "hole", message: "\(error)", offset: reader.offset)
        }
        guard let section, let from, let to else {
            throw DecodingFailure(subject: "hole", message: "section, from or to is missing", offset: reader.offset)
        }
        self.init(of: section, from: Timestamp(milliseconds: from), to: Timestamp(milliseconds: to), count: count)
    }
}

extension Item {
    /// Returns the row for the hole in the messages of a place. The rows of the section start with the oldest hole.
    static func hole(_ hole: Hole, of place: EntityID) -> Item {
        Item(id: .hole(place), section: .holes, sortKey: hole.to.milliseconds, entity: Entity(hole))
    }

    /// The hole that the row describes; `nil` for any other row.
    public var hole: Hole? { entity.as(Hole.self) }
}

extension Item.ID {
    /// Returns the id of the row for the hole in a place.
    static func hole(_ place: EntityID) -> Item.ID { Item.ID(.hole, place) }
}

extension Item.Section {
    /// The section of the holes in all other sections.
    public static let holes = Item.Section("holes")
}

extension HandlerContext {
    /// Shows the hole in the messages of a place, or removes its row. A new hole is also reported as a gap.
    mutating func show(_ hole: Hole?, of place: EntityID, isNew: Bool) {
        guard let hole else { return model.remove(.hole(place)) }
        model.put(.hole(hole, of: place))
        if isNew { plans.append(.hole(hole)) }
    }
}

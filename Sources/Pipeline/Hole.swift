public import Events
public import JSONText
import SectionedModel

/// Messages of one section that were missed and not fetched, because there are more than is caught up with. A row of the section `holes` says
/// so until they are fetched.
public struct Hole: ItemEntity, Hashable, Sendable {
    package static let typeName = "hole"

    /// The section that they are missing in.
    public var section: Item.Section
    /// When the last message before them was written, or, where a thread stands by its last activity, when that was.
    public var from: Timestamp
    /// The same of the first message after them.
    public var to: Timestamp
    /// How many; nil when the server does not say.
    public var count: Int?
    /// A hole.
    init(of section: Item.Section, from: Timestamp, to: Timestamp, count: Int? = nil) {
        self.section = section
        self.from = from
        self.to = to
        self.count = count
    }

    /// Writes `{"section":["messages","id"],"from":…,"to":…,"count":…}`: milliseconds since 1970; the count where it is known.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("section")
        section.encode(into: &writer)
        writer.member("from", integer: from.milliseconds)
        writer.member("to", integer: to.milliseconds)
        writer.member("count", count)
        writer.endObject()
    }

    /// Reads what `encode` wrote.
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
    /// The hole in the messages of a place: the oldest first.
    static func hole(_ hole: Hole, of place: EntityID) -> Item {
        Item(id: .hole(place), section: .holes, sortKey: hole.to.milliseconds, entity: Entity(hole))
    }

    /// What is missing, in a row that says so.
    public var hole: Hole? { entity.as(Hole.self) }
}

extension Item.ID {
    /// The hole in the messages of a place.
    static func hole(_ place: EntityID) -> Item.ID { Item.ID(.hole, place) }
}

extension Item.Section {
    /// What was missed, over all sections.
    public static let holes = Item.Section("holes")
}

extension Transaction {
    /// Shows or removes the hole in the messages of a place; a new hole is reported as a gap.
    mutating func show(_ hole: Hole?, of place: EntityID, isNew: Bool) {
        guard let hole else { return model.remove(.hole(place)) }
        model.put(.hole(hole, of: place))
        if isNew { plans.append(.hole(hole)) }
    }
}

import Events
import JSONText
import SectionedModel

/// One element of a list in a diff log line, with whatever members it contains.
struct DiffLogRow {
    /// The contents of a row apart from its id.
    struct Contents {
        var section: Item.Section
        var sortKey: Int64
        var entity: Item.Entity
        var delivery: Item.Delivery?
    }

    /// The byte offset in the line, for errors.
    var offset: Int
    var at: SectionPath?
    var from: SectionPath?
    var to: SectionPath?
    var id: Item.ID?
    /// The row before the batch, in a reversible log.
    var old: Contents?
    private var index: Int?
    private var indices: (from: Int?, to: Int?)
    private var section: Item.Section?
    private var rank: Int64 = 0
    private var oldRank: Int64 = 0
    private var sortKey: Int64?
    private var typeName = ""
    private var entity: Item.Entity?
    private var delivery: Item.Delivery?

    var incomplete: DiffLogError {
        .unreadable(message: "a change lacks a member or names a row that is not there", offset: offset)
    }

    /// The row after the batch.
    var item: Item? {
        guard let id, let contents else { return nil }
        return Item(id: id, contents)
    }

    private var contents: Contents? {
        guard let section, let sortKey, let entity else { return nil }
        return Contents(section: section, sortKey: sortKey, entity: entity, delivery: delivery)
    }

    var sectionChange: Batch<Item>.SectionChange {
        get throws(DiffLogError) {
            guard let index, let section else { throw incomplete }
            return Batch.SectionChange(index: index, key: section, rank: rank)
        }
    }

    var sectionMove: Batch<Item>.SectionMove {
        get throws(DiffLogError) {
            guard let from = indices.from, let to = indices.to, let section else { throw incomplete }
            return Batch.SectionMove(from: from, to: to, key: section, oldRank: oldRank, newRank: rank)
        }
    }

    init(decoding reader: inout JSONReader) throws {
        offset = reader.offset
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if try !takePlace(key, from: &reader), try !takeContents(key, from: &reader) { try reader.skip() }
        }
    }

    private mutating func takePlace(_ key: JSONKey, from reader: inout JSONReader) throws -> Bool {
        if reader.matches(key, "to") {
            (to, indices.to) = try Self.place(&reader)
        } else if reader.matches(key, "from") {
            (from, indices.from) = try Self.place(&reader)
        } else if reader.matches(key, "at") {
            (at, index) = try Self.place(&reader)
        } else if reader.matches(key, "id") {
            id = try Item.ID(decoding: &reader)
        } else if reader.matches(key, "rank") {
            rank = try reader.int64()
        } else if reader.matches(key, "old_rank") {
            oldRank = try reader.int64()
        } else {
            return false
        }
        return true
    }

    private mutating func takeContents(_ key: JSONKey, from reader: inout JSONReader) throws -> Bool {
        if reader.matches(key, "section") {
            section = try Item.Section(decoding: &reader)
        } else if reader.matches(key, "sort") {
            sortKey = try reader.int64()
        } else if reader.matches(key, "type") {
            typeName = try reader.string()
        } else if reader.matches(key, "entity") {
            entity = try Item.Entity(typeName: typeName, decoding: &reader)
            if entity == nil { throw incomplete }
        } else if reader.matches(key, "delivery") {
            delivery = Item.Delivery(rawValue: try reader.string())
            if delivery == nil { throw incomplete }
        } else if reader.matches(key, "old") {
            guard let contents = try DiffLogRow(decoding: &reader).contents else { throw incomplete }
            old = contents
        } else {
            return false
        }
        return true
    }

    /// Reads a path, or the index of a section.
    private static func place(_ reader: inout JSONReader) throws(JSONError) -> (SectionPath?, Int?) {
        if try reader.peek() == .number { return (nil, Int(clamping: try reader.int64())) }
        try reader.beginArray()
        guard try reader.nextElement() else { throw JSONError(.unexpectedEnd, at: reader.offset) }
        let section = try reader.int64()
        guard try reader.nextElement() else { throw JSONError(.unexpectedEnd, at: reader.offset) }
        let item = try reader.int64()
        guard try !reader.nextElement() else { throw JSONError(.trailingBytes, at: reader.offset) }
        return (SectionPath(section: Int(clamping: section), item: Int(clamping: item)), nil)
    }
}

extension Item {
    init(id: ID, _ contents: DiffLogRow.Contents) {
        self.init(
            id: id, section: contents.section, sortKey: contents.sortKey, entity: contents.entity,
            delivery: contents.delivery)
    }
}

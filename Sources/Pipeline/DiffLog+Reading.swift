import Events
import JSONText
public import SectionedModel

/// Why a line of a diff log cannot be applied.
public enum DiffLogError: Error, Hashable, Sendable {
    /// The line is not one of a diff log; what is wrong and at which byte of the line.
    case unreadable(message: String, offset: Int)
    /// The line has another sequence number than the one that is due.
    case outOfOrder(expected: Int, found: Int)
    /// The batch does not fit the model it is applied to.
    case doesNotFit(sequence: Int, message: String)
}

extension DiffLog {
    /// Applies a line (without its line feed) to the model that the lines before it made; gives its sequence number,
    /// which is `sequence` of the next call (0 for the first). When it throws, the model stays as it was.
    public static func apply(
        _ line: ArraySlice<UInt8>, after sequence: Int, to model: inout SectionedCollection<Item>
    ) throws(DiffLogError) -> Int {
        let (found, batch) = try read(line, over: model)
        guard found == sequence + 1 else { throw .outOfOrder(expected: sequence + 1, found: found) }
        do {
            try model.apply(batch)
        } catch {
            throw .doesNotFit(sequence: found, message: error.description)
        }
        return found
    }

    private static func read(
        _ line: ArraySlice<UInt8>, over model: SectionedCollection<Item>
    ) throws(DiffLogError) -> (Int, Batch<Item>) {
        var reader = JSONReader(line.span)
        do {
            var batch = Batch<Item>()
            var sequence = 0
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.matches(key, "seq") {
                    sequence = Int(clamping: try reader.int64())
                } else if reader.matches(key, "section_delete") {
                    batch.sectionDeletions = try readSections(&reader)
                } else if reader.matches(key, "section_insert") {
                    batch.sectionInsertions = try readSections(&reader)
                } else if reader.matches(key, "delete") {
                    batch.deletions = try readRows(&reader) { row throws(DiffLogError) in
                        guard let element = row.id.flatMap({ model[$0] }), let path = row.at else {
                            throw row.incomplete
                        }
                        return Batch.Deletion(path: path, element: element)
                    }
                } else if reader.matches(key, "insert") {
                    batch.insertions = try readRows(&reader) { row throws(DiffLogError) in
                        guard let element = row.item, let path = row.to else { throw row.incomplete }
                        return Batch.Insertion(path: path, element: element)
                    }
                } else if reader.matches(key, "move") {
                    batch.moves = try readRows(&reader) { row throws(DiffLogError) in try change(row, over: model) }
                } else if reader.matches(key, "update") {
                    batch.updates = try readRows(&reader) { row throws(DiffLogError) in try change(row, over: model) }
                } else {
                    try reader.skip()
                }
            }
            try reader.end()
            return (sequence, batch)
        } catch let error as JSONError {
            throw .unreadable(message: error.description, offset: error.offset)
        } catch let error as DecodingFailure {
            throw .unreadable(message: error.message, offset: error.offset)
        } catch let error as DiffLogError {
            throw error
        } catch {
            throw .unreadable(message: "\(error)", offset: reader.offset)
        }
    }

    private static func change(_ row: Row, over model: SectionedCollection<Item>) throws(DiffLogError)
        -> Batch<Item>.Change
    {
        guard let new = row.item, let old = model[new.id], let from = row.from, let to = row.to else {
            throw row.incomplete
        }
        return Batch.Change(from: from, to: to, old: old, new: new)
    }

    private static func readSections(_ reader: inout JSONReader) throws -> [Batch<Item>.SectionChange] {
        var changes: [Batch<Item>.SectionChange] = []
        try reader.beginArray()
        while try reader.nextElement() {
            let row = try Row(decoding: &reader)
            guard let index = row.index, let section = row.section else { throw row.incomplete }
            changes.append(Batch.SectionChange(index: index, key: section))
        }
        return changes
    }

    private static func readRows<Change>(
        _ reader: inout JSONReader, _ make: (Row) throws(DiffLogError) -> Change
    ) throws -> [Change] {
        var changes: [Change] = []
        try reader.beginArray()
        while try reader.nextElement() { changes.append(try make(try Row(decoding: &reader))) }
        return changes
    }
}

/// One element of a list of a diff line: whatever members it has.
private struct Row {
    var offset: Int
    var index: Int?
    var at: SectionPath?
    var from: SectionPath?
    var to: SectionPath?
    var id: Item.ID?
    var section: Item.Section?
    var sortKey: Int64?
    var entity: Item.Entity?

    var incomplete: DiffLogError {
        .unreadable(message: "a change lacks a member or names a row that is not there", offset: offset)
    }

    var item: Item? {
        guard let id, let section, let sortKey, let entity else { return nil }
        return Item(id: id, section: section, sortKey: sortKey, entity: entity)
    }

    init(decoding reader: inout JSONReader) throws {
        offset = reader.offset
        var typeName = ""
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, "at") {
                if try reader.peek() == .number {
                    index = Int(clamping: try reader.int64())
                } else {
                    at = try Self.path(&reader)
                }
            } else if reader.matches(key, "from") {
                from = try Self.path(&reader)
            } else if reader.matches(key, "to") {
                to = try Self.path(&reader)
            } else if reader.matches(key, "id") {
                id = try Item.ID(decoding: &reader)
            } else if reader.matches(key, "section") {
                section = try Item.Section(decoding: &reader)
            } else if reader.matches(key, "sort") {
                sortKey = try reader.int64()
            } else if reader.matches(key, "type") {
                typeName = try reader.string()
            } else if reader.matches(key, "entity") {
                entity = try Item.Entity(typeName: typeName, decoding: &reader)
                if entity == nil { throw incomplete }
            } else {
                try reader.skip()
            }
        }
    }

    private static func path(_ reader: inout JSONReader) throws(JSONError) -> SectionPath {
        try reader.beginArray()
        guard try reader.nextElement() else { throw JSONError(.unexpectedEnd, at: reader.offset) }
        let section = try reader.int64()
        guard try reader.nextElement() else { throw JSONError(.unexpectedEnd, at: reader.offset) }
        let item = try reader.int64()
        guard try !reader.nextElement() else { throw JSONError(.trailingBytes, at: reader.offset) }
        return SectionPath(section: Int(clamping: section), item: Int(clamping: item))
    }
}

import WeirEvents
import WeirJSON
import WeirModel

/// A line of a diff log as it was read. It may lack what the model to which it applies contains.
struct DiffLogLine {
    var sequence = 0
    var checksums: Batch<Item>.Checksums?
    var sectionDeletions: [Batch<Item>.SectionChange] = []
    var sectionInsertions: [Batch<Item>.SectionChange] = []
    var sectionMoves: [Batch<Item>.SectionMove] = []
    var deletions: [DiffLogRow] = []
    var insertions: [DiffLogRow] = []
    var moves: [DiffLogRow] = []
    var updates: [DiffLogRow] = []

    /// Reads a line without its line feed.
    init(_ line: ArraySlice<UInt8>) throws(DiffLogError) {
        var reader = JSONReader(line.span)
        do {
            try read(from: &reader)
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

    private mutating func read(from reader: inout JSONReader) throws {
        var head = Head()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if try !head.take(key, from: &reader), try !takeList(key, from: &reader) { try reader.skip() }
        }
        try reader.end()
        (sequence, checksums) = try head.checked(at: reader.offset)
    }

    private mutating func takeList(_ key: JSONKey, from reader: inout JSONReader) throws -> Bool {
        if reader.matches(key, "delete") {
            deletions = try Self.list(&reader) { $0 }
        } else if reader.matches(key, "insert") {
            insertions = try Self.list(&reader) { $0 }
        } else if reader.matches(key, "move") {
            moves = try Self.list(&reader) { $0 }
        } else if reader.matches(key, "update") {
            updates = try Self.list(&reader) { $0 }
        } else if reader.matches(key, "section_delete") {
            sectionDeletions = try Self.list(&reader) { row throws(DiffLogError) in try row.sectionChange }
        } else if reader.matches(key, "section_insert") {
            sectionInsertions = try Self.list(&reader) { row throws(DiffLogError) in try row.sectionChange }
        } else if reader.matches(key, "section_move") {
            sectionMoves = try Self.list(&reader) { row throws(DiffLogError) in try row.sectionMove }
        } else {
            return false
        }
        return true
    }

    private static func list<Change>(
        _ reader: inout JSONReader, _ make: (DiffLogRow) throws(DiffLogError) -> Change
    ) throws -> [Change] {
        var changes: [Change] = []
        try reader.beginArray()
        while try reader.nextElement() { changes.append(try make(try DiffLogRow(decoding: &reader))) }
        return changes
    }

    /// Returns the batch. Rows that existed before the batch are looked up unless the line contains them, as a
    /// reversible line does.
    ///
    /// The parameter is a closure instead of the model, because the model would be copied here.
    func batch(lookup: (Item.ID) throws(DiffLogError) -> Item?) throws(DiffLogError) -> Batch<Item> {
        let gone = try deletions.map { (row) throws(DiffLogError) in
            guard let path = row.at else { throw row.incomplete }
            return Batch.Deletion(path: path, element: try old(of: row, lookup))
        }
        let come = try insertions.map { (row) throws(DiffLogError) in
            guard let element = row.item, let path = row.to else { throw row.incomplete }
            return Batch.Insertion(path: path, element: element)
        }
        return Batch(
            sectionDeletions: sectionDeletions, sectionInsertions: sectionInsertions, sectionMoves: sectionMoves,
            deletions: gone, insertions: come,
            moves: try moves.map { (row) throws(DiffLogError) in try change(row, lookup) },
            updates: try updates.map { (row) throws(DiffLogError) in try change(row, lookup) }, checksums: checksums)
    }

    private func change(
        _ row: DiffLogRow, _ lookup: (Item.ID) throws(DiffLogError) -> Item?
    ) throws(DiffLogError) -> Batch<Item>.Change {
        guard let new = row.item, let from = row.from, let to = row.to else { throw row.incomplete }
        return Batch.Change(from: from, to: to, old: try old(of: row, lookup), new: new)
    }

    private func old(
        of row: DiffLogRow, _ lookup: (Item.ID) throws(DiffLogError) -> Item?
    ) throws(DiffLogError) -> Item {
        guard let id = row.id else { throw row.incomplete }
        if let old = row.old { return Item(id: id, old) }
        guard let element = try lookup(id) else { throw row.incomplete }
        return element
    }
}

extension DiffLogLine {
    /// The members that every line contains, and the checksums.
    private struct Head {
        private var version: Int64?
        private var sequence: Int64?
        private var base = Checksum.absent
        private var sum = Checksum.absent
        private var hasNumber = false
        private var hasTime = false

        mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws -> Bool {
            if reader.matches(key, "v") {
                version = try reader.int64()
            } else if reader.matches(key, "seq") {
                sequence = try reader.int64()
            } else if reader.matches(key, "n") {
                _ = try reader.int64()
                hasNumber = true
            } else if reader.matches(key, "t") {
                _ = try reader.int64()
                hasTime = true
            } else if reader.matches(key, "base") {
                base = try Checksum(&reader)
            } else if reader.matches(key, "sum") {
                sum = try Checksum(&reader)
            } else {
                return false
            }
            return true
        }

        /// Returns the sequence number and the checksums. Every line contains the first four members, and both
        /// checksums or neither, so that a damaged line does not pass for an older one.
        func checked(at offset: Int) throws(DiffLogError) -> (Int, Batch<Item>.Checksums?) {
            guard version == Int64(DiffLog.version) else {
                throw .unreadable(message: "not version \(DiffLog.version) of the format", offset: offset)
            }
            guard let sequence, hasNumber, hasTime else {
                throw .unreadable(message: "a member that every line has is missing", offset: offset)
            }
            // No log has more lines, and sums of such numbers do not overflow.
            guard (1...Int64(1) << 53).contains(sequence) else {
                throw .unreadable(message: "seq is not the number of a line", offset: offset)
            }
            switch (base, sum) {
            case (.absent, .absent): return (Int(clamping: sequence), nil)
            case (.value(let before, let version), .value(let after, let other)) where version == other:
                let isComparable = version == Item.checksumVersion
                return (Int(clamping: sequence), isComparable ? Batch.Checksums(before: before, after: after) : nil)
            case (.absent, _), (.malformed, _), (.value, _):
                throw .unreadable(message: "base and sum are not two checksums", offset: offset)
            }
        }
    }

    /// A checksum in the format of a line: 16 lower-case hexadecimal digits, preceded by the version and a colon if the
    /// version is not 1.
    private enum Checksum {
        case absent, malformed
        case value(UInt64, version: Int)

        init(_ reader: inout JSONReader) throws(JSONError) {
            let contents = try reader.stringRange()
            let text = reader.span(at: contents)
            self = .malformed
            var version = 1
            if text.count == 18, text[1] == UInt8(ascii: ":") {
                guard case UInt8(ascii: "2")...UInt8(ascii: "9") = text[0] else { return }
                version = Int(text[0] - UInt8(ascii: "0"))
            } else if text.count != 16 {
                return
            }
            var value: UInt64 = 0
            for index in text.count - 16..<text.count {
                switch text[index] {
                case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"):
                    value = value << 4 | UInt64(byte - UInt8(ascii: "0"))
                case let byte where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"):
                    value = value << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
                default: return
                }
            }
            self = .value(value, version: version)
        }
    }
}

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

import JSONText

extension LineDecoder {
    mutating func mark() throws(JSONError) -> Record? {
        var label: String?
        var author: String?
        var colour: String?
        while let key = try reader.nextKey() {
            if reader.matches(key, "label") {
                label = try text()
            } else if reader.matches(key, "by") {
                author = try text()
            } else if reader.matches(key, "color") {
                colour = try text()
            } else {
                try other(key)
            }
        }
        guard let label = require(label, "label") else { return nil }
        return .mark(Record.MarkRecord(label: label, author: author, colour: colour))
    }

    mutating func state() throws(JSONError) -> Record? {
        var after: Int?
        var checksum: String?
        var sections: Int?
        var items: Int?
        while let key = try reader.nextKey() {
            if reader.matches(key, "at") {
                after = try count()
            } else if reader.matches(key, "h") {
                checksum = try text()
            } else if reader.matches(key, "sections") {
                sections = try count()
            } else if reader.matches(key, "items") {
                items = try count()
            } else {
                try other(key)
            }
        }
        guard let after = require(after, "at"), let checksum = require(checksum, "h") else { return nil }
        // A hash of another shape is a later version's.
        guard let (checksum, version) = Self.versioned(checksum) else { return asUnknown("st") }
        return .state(
            Record.StateRecord(
                after: after, checksum: checksum, checksumVersion: version, sections: sections ?? 0, items: items ?? 0))
    }

    /// A checksum and its version, a digit and a colon before it; the first version had the checksum alone.
    private static func versioned(_ text: String) -> (checksum: UInt64, version: Int)? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let digits = parts.last, let checksum = Hexadecimal.value(of: String(digits)) else { return nil }
        if parts.count == 1 { return (checksum, 1) }
        guard parts[0].count == 1, let version = Int(parts[0]), version > 1 else { return nil }
        return (checksum, version)
    }

    mutating func clock() throws(JSONError) -> Record? {
        var record = Record.ClockRecord()
        while let key = try reader.nextKey() {
            if reader.matches(key, "step_us") {
                record.step = try integer().map { Int64($0) }
            } else if reader.matches(key, "off_us") {
                record.serverOffset = try integer().map { Int64($0) }
            } else {
                try other(key)
            }
        }
        return .clock(record)
    }

    mutating func note() throws(JSONError) -> Record? {
        var level: String?
        var message: String?
        while let key = try reader.nextKey() {
            if reader.matches(key, "lvl") {
                level = try text()
            } else if reader.matches(key, "msg") {
                message = try text()
            } else {
                try other(key)
            }
        }
        guard let message = require(message, "msg") else { return nil }
        return .note(Record.NoteRecord(level: level ?? "info", message: message))
    }
}

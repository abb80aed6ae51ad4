import JSONText
import Wire

extension LineDecoder {
    mutating func sync() throws(JSONError) -> Record? {
        var offset: Int?
        var bytes: Int?
        var records: Int?
        var first: Moment?
        var last: Moment?
        var crc: Int?
        while let key = try reader.nextKey() {
            if reader.matches(key, "off") {
                offset = try count()
            } else if reader.matches(key, "bytes") {
                bytes = try count()
            } else if reader.matches(key, "recs") {
                records = try count()
            } else if reader.matches(key, "t0") {
                first = try moment()
            } else if reader.matches(key, "t1") {
                last = try moment()
            } else if reader.matches(key, "crc") {
                crc = try count()
            } else {
                try other(key)
            }
        }
        guard let offset = require(offset, "off"), let bytes = require(bytes, "bytes"),
            let records = require(records, "recs"), let first = require(first, "t0"), let last = require(last, "t1"),
            let crc = require(crc.flatMap { UInt32(exactly: $0) }, "crc")
        else { return nil }
        return .sync(
            Record.SyncRecord(
                offset: offset, bytes: bytes, records: records, firstTime: first, lastTime: last, crc: crc))
    }

    mutating func end() throws(JSONError) -> Record? {
        var why: String?
        while let key = try reader.nextKey() {
            if reader.matches(key, "why") { why = try text() } else { try other(key) }
        }
        guard let why = require(why, "why") else { return nil }
        guard let why = Record.EndRecord.Why(rawValue: why) else { return asUnknown("end") }
        return .end(Record.EndRecord(why: why))
    }
}

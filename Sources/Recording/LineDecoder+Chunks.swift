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
        var connections: [Int] = []
        var kinds: [Record.Count] = []
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
            } else if reader.matches(key, "conns") {
                connections = try texts().compactMap { Int($0) }
            } else if reader.matches(key, "kinds") {
                kinds = try counts()
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
                offset: offset, bytes: bytes, records: records, firstTime: first, lastTime: last, crc: crc,
                connections: connections, kinds: kinds))
    }

    mutating func index() throws(JSONError) -> Record? {
        var chunks: [Record.IndexRecord.Chunk]?
        var kinds: [Record.Count] = []
        var rooms: [Record.Count] = []
        while let key = try reader.nextKey() {
            if reader.matches(key, "chunks") {
                chunks = try self.chunks()
            } else if reader.matches(key, "kinds") {
                kinds = try counts()
            } else if reader.matches(key, "rooms") {
                rooms = try counts()
            } else {
                try other(key)
            }
        }
        guard let chunks = require(chunks, "chunks") else { return nil }
        return .index(Record.IndexRecord(chunks: chunks, kinds: kinds, rooms: rooms))
    }

    /// The chunks of an index; nil when one of them makes no sense: half an index is none.
    private mutating func chunks() throws(JSONError) -> [Record.IndexRecord.Chunk]? {
        var chunks: [Record.IndexRecord.Chunk] = []
        var isWhole = true
        try reader.beginArray()
        while try reader.nextElement() {
            var numbers: [Int] = []
            try reader.beginArray()
            while try reader.nextElement() {
                if let number = try count() { numbers.append(number) }
            }
            guard numbers.count >= 5 else {
                isWhole = false
                continue
            }
            chunks.append(
                Record.IndexRecord.Chunk(
                    offset: numbers[0], firstTime: Moment(microseconds: Int64(numbers[1])),
                    lastTime: Moment(microseconds: Int64(numbers[2])), firstNumber: numbers[3], records: numbers[4]))
        }
        return isWhole ? chunks : nil
    }

    private mutating func counts() throws(JSONError) -> [Record.Count] {
        var counts: [Record.Count] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = reader.string(key)
            if let count = try count() { counts.append(Record.Count(name: name, count: count)) }
        }
        return counts
    }

    mutating func end() throws(JSONError) -> Record? {
        var why: String?
        var index: Int?
        while let key = try reader.nextKey() {
            if reader.matches(key, "why") {
                why = try text()
            } else if reader.matches(key, "ix") {
                index = try count()
            } else {
                try other(key)
            }
        }
        guard let why = require(why, "why") else { return nil }
        guard let why = Record.EndRecord.Why(rawValue: why) else { return asUnknown("end") }
        return .end(Record.EndRecord(why: why, index: index))
    }
}

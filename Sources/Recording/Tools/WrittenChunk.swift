import Wire

/// The contents of the next `sync` record, collected line by line.
struct WrittenChunk {
    private(set) var records = 0
    private(set) var firstNumber: Int?
    private(set) var connections: [Int]
    private let offset: Int
    private var bytes = 0
    private var firstTime: Moment?
    private var crc = CRC32C()
    private var kinds: [Record.Count] = []

    init(offset: Int, connections: [Int] = []) {
        self.offset = offset
        self.connections = connections
    }

    mutating func add(_ line: [UInt8], kind: String, time: Moment?, number: Int) {
        bytes += line.count
        records += 1
        crc.update(line.span)
        kinds.count(kind)
        if let time { firstTime = firstTime ?? time }
        if number > 0 { firstNumber = firstNumber ?? number }
    }

    /// Updates the list of open connections.
    mutating func note(_ record: Record) {
        guard case .connection(let change) = record else { return }
        switch change.state {
        case .open: if !connections.contains(change.connection) { connections.append(change.connection) }
        case .closed, .failed: connections.removeAll { $0 == change.connection }
        case .connecting, .upgraded, .closing, .paused, .stalled, .resumed: break
        }
    }

    func isFull(at time: Moment) -> Bool {
        guard let firstTime else { return false }
        return bytes >= RecordFormat.chunkBytes
            || time.microseconds - firstTime.microseconds >= RecordFormat.chunkSpan
    }

    func sync(lastTime: Moment) -> Record.SyncRecord {
        Record.SyncRecord(
            offset: offset, bytes: bytes, records: records, firstTime: firstTime ?? .zero, lastTime: lastTime,
            crc: crc.value, connections: Array(connections.prefix(1000)), kinds: kinds)
    }
}

/// The contents of the `idx` record. Memory is bounded: a file with more chunks than fit into a line has no index.
struct IndexBuilder {
    private static let mostChunks = 300_000
    private static let mostRooms = 65_536
    private var chunks: [Record.IndexRecord.Chunk] = []
    private var kinds: [Record.Count] = []
    private var rooms: [String: Int] = [:]

    mutating func add(_ sync: Record.SyncRecord, firstNumber: Int) {
        guard chunks.count < Self.mostChunks else { return }
        chunks.append(
            Record.IndexRecord.Chunk(
                offset: sync.offset, firstTime: sync.firstTime, lastTime: sync.lastTime, firstNumber: firstNumber,
                records: sync.records))
    }

    mutating func count(_ kind: String) { kinds.count(kind) }

    mutating func count(_ frame: Record.FrameRecord) {
        guard frame.direction == .in else { return }
        for room in FrameContents(frame.message).events.compactMap(\.room) {
            if rooms[room] == nil, rooms.count >= Self.mostRooms { continue }
            rooms[room, default: 0] += 1
        }
    }

    var record: Record.IndexRecord {
        let busiest = rooms.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(1000)
        return Record.IndexRecord(
            chunks: chunks.count < Self.mostChunks ? chunks : [], kinds: kinds,
            rooms: busiest.map { Record.Count(name: $0.key, count: $0.value) })
    }
}

extension [Record.Count] {
    /// Adds one to the count of `name`. Names keep the order of their first occurrence.
    mutating func count(_ name: String, most: Int = 1000) {
        if let place = firstIndex(where: { $0.name == name }) {
            self[place].count += 1
        } else if count < most {
            append(Record.Count(name: name, count: 1))
        }
    }
}

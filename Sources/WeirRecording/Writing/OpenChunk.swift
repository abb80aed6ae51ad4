import WeirWire

/// The contents of the next `sync` record, collected line by line.
struct OpenChunk {
    private let offset: Int
    private var bytes = 0
    private(set) var records = 0
    private var firstTime: Moment?
    private(set) var firstNumber: Int?
    private var crc = CRC32C()
    private var kinds: [Record.Count] = []
    /// The most kinds counted. Kinds unknown to this version are counted only while they are few.
    static let mostKinds = 64

    init(offset: Int) { self.offset = offset }

    /// Adds a line.
    ///
    /// - Parameters:
    ///   - time: The record's time; `nil` for a head.
    ///   - number: The record's number, or the next one if the record draws none.
    mutating func add(_ line: [UInt8], kind: String, time: Moment?, number: Int) {
        bytes += line.count
        records += 1
        crc.update(line.span)
        kinds.count(kind, most: Self.mostKinds)
        if firstTime == nil, let time { (firstTime, firstNumber) = (time, number) }
    }

    /// Whether the chunk is large or old enough to end.
    func isFull(at time: Moment) -> Bool { bytes >= RecordFormat.chunkBytes || isOld(at: time) }

    func isOld(at time: Moment) -> Bool {
        firstTime.map { time.microseconds - $0.microseconds >= RecordFormat.chunkSpan } ?? false
    }

    /// Returns the record that ends the chunk.
    func sync(lastTime: Moment, connections: [Int]) -> Record.SyncRecord {
        Record.SyncRecord(
            offset: offset, bytes: bytes, records: records, firstTime: firstTime ?? .zero,
            lastTime: max(lastTime, firstTime ?? .zero), crc: crc.value, connections: connections, kinds: kinds)
    }
}

extension [Record.Count] {
    /// Adds to the count of `name`. Names keep the order of their first occurrence; beyond `most` further names are not
    /// counted.
    mutating func count(_ name: String, _ count: Int = 1, most: Int = 1000) {
        if let place = firstIndex(where: { $0.name == name }) {
            self[place].count += count
        } else if self.count < most {
            append(Record.Count(name: name, count: count))
        }
    }
}

/// A summary of all chunks so far: the contents of `idx`, and the open connections.
struct ChunkSummary {
    /// The most chunks in an index; the line would be too long with more. Readers then build the index from the `sync`
    /// lines.
    private static let mostChunks = 200_000
    /// The most connections tracked as open at once, whatever a tool writes.
    private static let mostConnections = 1_000
    /// The most rooms whose messages are counted.
    private static let mostRooms = 65_536

    private var chunks: [Record.IndexRecord.Chunk] = []
    private var kinds: [Record.Count] = []
    private var rooms: [String: Int] = [:]
    private(set) var openConnections: [Int] = []

    /// The index; `nil` when there are no chunks or too many.
    var index: Record.IndexRecord? {
        guard !chunks.isEmpty, chunks.count <= Self.mostChunks else { return nil }
        let busiest = rooms.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(1000)
        return Record.IndexRecord(
            chunks: chunks, kinds: kinds, rooms: busiest.map { Record.Count(name: $0.key, count: $0.value) })
    }

    mutating func add(_ sync: Record.SyncRecord, firstNumber: Int) {
        for kind in sync.kinds { kinds.count(kind.name, kind.count, most: OpenChunk.mostKinds) }
        guard chunks.count <= Self.mostChunks else { return }
        chunks.append(
            Record.IndexRecord.Chunk(
                offset: sync.offset, firstTime: sync.firstTime, lastTime: sync.lastTime, firstNumber: firstNumber,
                records: sync.records))
    }

    /// Counts the rooms of a received frame.
    mutating func countRooms(of frame: Record.FrameRecord) {
        guard frame.direction == .in else { return }
        for room in FrameContents(frame.message).events.compactMap(\.room)
        where rooms.count < Self.mostRooms || rooms[room] != nil {
            rooms[room, default: 0] += 1
        }
    }

    /// Updates the list of open connections.
    mutating func note(_ record: Record) {
        guard case .connection(let connection) = record else { return }
        switch connection.state {
        case .open, .upgraded:
            guard openConnections.count < Self.mostConnections, !openConnections.contains(connection.connection)
            else { return }
            openConnections.append(connection.connection)
        case .closed, .failed: openConnections.removeAll { $0 == connection.connection }
        case .connecting, .closing, .paused, .stalled, .resumed: break
        }
    }
}

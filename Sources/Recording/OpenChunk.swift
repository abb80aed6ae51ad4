import Wire

/// The contents of the next `sync` record, collected line by line.
struct OpenChunk {
    let offset: Int
    private(set) var bytes = 0
    private(set) var records = 0
    private(set) var firstTime: Moment?
    private(set) var firstNumber: Int?
    private(set) var crc = CRC32C()
    private(set) var kinds = KindCounts()

    mutating func add(_ line: [UInt8], of record: Record, _ stamp: Stamp) {
        bytes += line.count
        records += 1
        crc.update(line.span)
        kinds.add(record.kind, 1)
        if firstTime == nil {
            // A head has no time.
            if case .head = record { return }
            firstTime = stamp.time
            firstNumber = record.isAside || stamp.isRestated ? stamp.n + 1 : stamp.n
        }
    }
}

/// The number of records by kind, ordered by first occurrence.
struct KindCounts: Hashable {
    /// The most kinds counted. Kinds unknown to this version are counted only while they are few.
    private static let most = 64

    private(set) var all: [Record.Count] = []

    mutating func add(_ kind: String, _ count: Int) {
        for place in all.indices where all[place].name == kind {
            all[place].count += count
            return
        }
        if all.count < Self.most { all.append(Record.Count(name: kind, count: count)) }
    }

    mutating func add(_ other: KindCounts) {
        for entry in other.all { add(entry.name, entry.count) }
    }
}

/// A summary of all chunks so far: the contents of `idx`, and the open connections.
struct ChunkSummary {
    /// The most chunks in an index; the line would be too long with more. Readers then build the index from the `sync`
    /// lines.
    private static let mostChunks = 200_000
    /// The most connections tracked as open at once, whatever a tool writes.
    private static let mostConnections = 1_000

    private var chunks: [Record.IndexRecord.Chunk] = []
    private var kinds = KindCounts()
    private(set) var openConnections: [Int] = []

    /// The index; `nil` when there are no chunks or too many.
    var index: Record.IndexRecord? {
        guard !chunks.isEmpty, chunks.count <= Self.mostChunks else { return nil }
        return Record.IndexRecord(chunks: chunks, kinds: kinds.all)
    }

    mutating func add(_ sync: Record.SyncRecord, firstNumber: Int, kinds: KindCounts) {
        self.kinds.add(kinds)
        guard chunks.count <= Self.mostChunks else { return }
        chunks.append(
            Record.IndexRecord.Chunk(
                offset: sync.offset, firstTime: sync.firstTime, lastTime: sync.lastTime, firstNumber: firstNumber,
                records: sync.records))
    }

    mutating func note(_ connection: Record.ConnectionRecord) {
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

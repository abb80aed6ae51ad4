import Glibc
package import WeirWire

/// Statistics of an event file. Memory is bounded: only the first ten thousand names of each set are counted.
package struct RecordingOverview: Sendable {
    /// The head of the file.
    package let head: Record.Head
    /// The size of the file on disk in bytes; `nil` when it is unknown.
    package private(set) var storedBytes: Int?
    /// The length of all lines in bytes.
    package private(set) var bytes = 0
    /// The number of lines, including the head.
    package private(set) var lines = 1
    /// The time of the first record.
    package private(set) var firstTime: Moment?
    /// The time of the last record.
    package private(set) var lastTime: Moment = .zero
    /// The wall clock of the first record, in microseconds since 1970.
    package private(set) var firstWall: Int64
    /// The wall clock of the last record, in microseconds since 1970.
    package private(set) var lastWall: Int64
    /// The number of the first numbered record.
    package private(set) var firstNumber: Int?
    /// The number of the last numbered record.
    package private(set) var lastNumber = 0
    /// The number of records by kind.
    package private(set) var kinds: [Record.Count] = []
    /// The number of messages received.
    package private(set) var received = 0
    /// The number of messages sent.
    package private(set) var sent = 0
    /// The length of all message payloads in bytes.
    package private(set) var payloadBytes = 0
    /// The number of received events by name, most frequent first.
    package private(set) var events: [Record.Count] = []
    /// The number of received events by room, most frequent first.
    package private(set) var rooms: [Record.Count] = []
    /// The number of connections that were opened.
    package private(set) var connections = 0
    /// The number of gaps by cause.
    package private(set) var gaps: [Record.Count] = []
    /// The number of events lost in these gaps.
    package private(set) var lost = 0
    /// The labels and times of the marks, in order, including those in the file of marks. At most a thousand from each
    /// file.
    package private(set) var marks: [(label: String, time: Moment)] = []
    /// The number of chunks, counted by their `sync` records.
    package private(set) var chunks = 0
    /// Whether the file has an index.
    package private(set) var isIndexed = false
    /// Why the file ends; `nil` when it has no `end` record.
    package private(set) var end: Record.EndRecord.Why?
    /// The number of problems in the file.
    package private(set) var problems = 0

    private static let mostNames = 10_000

    /// Reads the file at `path` (`-` is standard input). Calls `hear` with each problem.
    package init(
        reading path: String, hearing hear: ProblemListener = { _, _ in }
    ) throws(RecordingError) {
        var reader = try LineReader(opening: path)
        head = reader.head
        firstWall = head.wallStart
        lastWall = head.wallStart
        bytes = reader.headText.count + 1
        kinds.count("head")
        var status = stat()
        if path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            storedBytes = Int(status.st_size)
        }
        var byName: [String: Int] = [:]
        var byRoom: [String: Int] = [:]
        while let item = try reader.next() {
            switch item {
            case .problem(let problem):
                problems += 1
                hear(path, problem)
                if let lost = problem.bytes {
                    bytes += lost
                    lines += 1
                }
            case .line(let line):
                add(line)
                if case .frame(let frame) = line.record, frame.direction == .in {
                    for event in FrameContents(frame.message).events {
                        Self.count(event.name, in: &byName)
                        Self.count(event.room, in: &byRoom)
                    }
                }
            }
        }
        for mark in try MarkFile(beside: path).marks().prefix(1000) {
            let place = marks.firstIndex { $0.time > mark.time } ?? marks.endIndex
            marks.insert((mark.label, mark.time), at: place)
        }
        events = Self.ordered(byName)
        rooms = Self.ordered(byRoom)
    }

    /// The average number of received events per second; `nil` when the recording has no duration.
    package var rate: Double? {
        let span = lastTime.microseconds - (firstTime ?? lastTime).microseconds
        let total = events.reduce(0) { $0 + $1.count }
        return span > 0 ? Double(total) / (Double(span) / 1e6) : nil
    }

    private mutating func add(_ line: RecordLine) {
        lines += 1
        bytes += line.text.count + 1
        kinds.count(line.record.kind)
        if !line.record.isWritersOwn {
            if firstTime == nil {
                firstTime = line.stamp.time
                firstWall = line.stamp.wall
            }
            lastWall = line.stamp.wall
            if !line.isUnnumbered {
                firstNumber = firstNumber ?? line.stamp.n
                lastNumber = line.stamp.n
            }
        }
        lastTime = max(lastTime, line.stamp.time)
        switch line.record {
        case .frame(let frame):
            if frame.direction == .in { received += 1 } else { sent += 1 }
            payloadBytes += frame.cutFrom ?? frame.message.bytes.count
        case .connection(let change): if change.state == .open { connections += 1 }
        case .gap(let gap):
            // `refetched` reports the outcome of a gap that was counted before.
            if gap.why != "refetched" { gaps.count(gap.why) }
            lost += max(0, min(gap.lost ?? 0, 1 << 40))
        case .mark(let mark): if marks.count < 1000 { marks.append((mark.label, line.stamp.time)) }
        case .sync: chunks += 1
        case .index: isIndexed = true
        case .end(let end): self.end = end.why
        case .head, .http, .subscription, .token, .action, .memory, .state, .clock, .note, .unknown: break
        }
    }

    private static func count(_ name: String?, in counts: inout [String: Int]) {
        guard let name, counts[name] != nil || counts.count < mostNames else { return }
        counts[name, default: 0] += 1
    }

    private static func ordered(_ counts: [String: Int]) -> [Record.Count] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { Record.Count(name: $0.key, count: $0.value) }
    }
}

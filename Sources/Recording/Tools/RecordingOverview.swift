import Glibc
package import Wire

/// What is in an event file, in numbers. Bounded memory: of names that are without end, the first ten thousand are counted.
package struct RecordingOverview: Sendable {
    /// The head.
    package let head: Record.Head
    /// Bytes of the file as it is stored; nil when that cannot be known.
    package private(set) var storedBytes: Int?
    /// Bytes of its lines.
    package private(set) var bytes = 0
    /// How many lines, the head among them.
    package private(set) var lines = 1
    /// Time of the first record.
    package private(set) var firstTime: Moment?
    /// Time of the last record.
    package private(set) var lastTime: Moment = .zero
    /// Wall clock of the first record; microseconds since 1970.
    package private(set) var firstWall: Int64
    /// Wall clock of the last record.
    package private(set) var lastWall: Int64
    /// Number of the first record that has one.
    package private(set) var firstNumber: Int?
    /// Number of the last record that has one.
    package private(set) var lastNumber = 0
    /// Records by kind.
    package private(set) var kinds: [Record.Count] = []
    /// Messages received.
    package private(set) var received = 0
    /// Messages sent.
    package private(set) var sent = 0
    /// Bytes of their payloads.
    package private(set) var payloadBytes = 0
    /// Events received by name, the most frequent first.
    package private(set) var events: [Record.Count] = []
    /// Messages received by room, the most frequent first.
    package private(set) var rooms: [Record.Count] = []
    /// Connections that were opened.
    package private(set) var connections = 0
    /// Gaps by their reason.
    package private(set) var gaps: [Record.Count] = []
    /// How many events they say were lost.
    package private(set) var lost = 0
    /// The marks, in order, those kept beside the file among them: what they are called and when they were set; a thousand of each at most.
    package private(set) var marks: [(label: String, time: Moment)] = []
    /// Chunks: `sync` records that were read.
    package private(set) var chunks = 0
    /// Whether there is an index.
    package private(set) var isIndexed = false
    /// How the file ends; nil when it has no end.
    package private(set) var end: Record.EndRecord.Why?
    /// How many things are wrong with the file.
    package private(set) var problems = 0

    private static let mostNames = 10_000

    /// Reads the file at `path` (`-` is standard input).
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

    /// Events received by second, over the whole recording; nil when it has no length.
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
            if !line.isAside {
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
            // It says what became of one that was counted.
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

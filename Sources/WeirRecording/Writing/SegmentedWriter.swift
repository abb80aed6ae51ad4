import Glibc
package import WeirWire

/// How a recording is split into files, and which of them are kept.
public struct SegmentPlan: Hashable, Sendable {
    /// The conditions that end a segment.
    public struct Rotation: Hashable, Sendable {
        /// The size in bytes at which a segment ends, not counting the state it begins with. Doubled when that state is
        /// larger.
        public var size: Int?
        /// The age at which a segment ends.
        public var age: Duration?
        /// Creates a rotation by size, age or both. With neither, a segment ends only on request.
        public init(size: Int? = nil, age: Duration? = nil) {
            self.size = size
            self.age = age
        }
    }

    /// How much of a recording is kept. Beyond the limit the oldest segments are removed. The segment being written
    /// always stays.
    public enum Keep: Hashable, Sendable {
        /// At most this many segments, including the one being written.
        case segments(Int)
        /// At most this many bytes of closed segments.
        case bytes(Int)
        /// Segments no older than this.
        case age(Duration)
    }

    /// The recording's path, from which segments take their names: `mon.weir.jsonl` becomes `mon.0001.weir.jsonl`,
    /// `mon.0002.weir.jsonl`…
    package var path: String
    /// When a segment ends; `nil` for a single file at `path`.
    package var rotation: Rotation?
    /// The limit on what is kept; `nil` keeps everything.
    package var keep: Keep?
    /// The options of each file. A path that ends in `.zst` turns on compression.
    package var options: RecordingWriter.Options
    /// Whether segments are compressed once closed, unless they are already. `.zst` is appended to their names.
    package var compressesClosed: Bool

    package init(
        path: String, rotation: Rotation? = nil, keep: Keep? = nil,
        options: RecordingWriter.Options = RecordingWriter.Options(), compressesClosed: Bool = false
    ) {
        self.path = path
        self.rotation = rotation
        self.keep = keep
        self.options = options
        if path.hasSuffix(RecordFormat.compressedEnding) { self.options.isCompressed = true }
        self.compressesClosed = compressesClosed
    }

    /// Doubles a size that is smaller than the state at the start of a segment, until at least half of each segment is
    /// new data. Returns the new size with a warning that names the option, or `nil` when the size is large enough.
    static func enlarged(_ asked: Int, beside state: Int, _ option: String) -> (size: Int, warning: String)? {
        guard asked < state else { return nil }
        var size = max(asked, 1)
        while size < state { size *= 2 }
        let warning =
            "\(option) requests segments of \(asked) bytes, but each begins with \(state) bytes of state: segments get \(size) bytes "
            + "in addition to their state, and more if the state grows"
        return (size, warning)
    }

    /// Returns the path of the segment after `path`; `nil` if the path has no segment number.
    package static func successor(of path: String) -> String? {
        if var address = try? StreamAddress(parsing: path) {
            guard let segment = address.segment else { return nil }
            address.segment = segment + 1
            return address.description
        }
        let ending = endings.first { path.hasSuffix($0) } ?? ""
        let name = path.dropLast(ending.count)
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        guard digits >= 4, let number = Int(name.suffix(digits)), name.dropLast(digits).hasSuffix(".") else {
            return nil
        }
        let plan = SegmentPlan(path: name.dropLast(digits + 1) + ending, rotation: Rotation())
        return plan.path(ofSegment: number + 1)
    }

    private static let endings = [".weir.jsonl.zst", ".weir.jsonl", ".jsonl.zst", ".jsonl"]

    /// Returns the path of a segment, counted from 1.
    package func path(ofSegment number: Int) -> String {
        guard rotation != nil else { return path }
        if var address = try? StreamAddress(parsing: path) {
            address.segment = number
            return address.description
        }
        let folder = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let ending = Self.endings.first { path[folder...].hasSuffix($0) } ?? ""
        let digits = String(number)
        let padding = String(repeating: "0", count: max(0, 4 - digits.count))
        return "\(path.dropLast(ending.count)).\(padding)\(digits)\(ending)"
    }
}

/// Writes a recording as one file, or as segments that can each be played alone. A segment begins by restating the
/// earlier state that a session needs (`Stamp.isRestated`). Numbers and times continue across segments.
///
/// Not thread-safe, and blocks, as `RecordingWriter` does.
package struct SegmentedWriter: ~Copyable {
    /// A segment that was written and closed.
    private struct Closed {
        var path: String
        var bytes: Int
        var end: Moment
    }

    /// Warnings for the user: why a closed segment could not be compressed or removed. The caller empties the list
    /// after reading it.
    package var warnings: [String] = []
    /// The path of the file being written.
    package private(set) var path: String

    private var plan: SegmentPlan
    /// The bytes of restated state at the start of the segment. They do not count towards its size limit.
    private var restated = 0
    private var toldOfSize = false
    private var head: Record.Head
    private var writer: RecordingWriter?
    private var started = Moment.zero
    private var closed: [Closed] = []
    /// The number of the next record, while no file is open.
    private var number = 1
    private var encoder: RecordEncoder

    /// Begins the recording. The writer redacts `secrets` from the head on.
    package init(_ plan: SegmentPlan, head: Record.Head, secrets: [Secret] = []) throws(RecordingError) {
        var plan = plan
        plan.options.isDigested = plan.rotation != nil
        self.plan = plan
        self.head = head
        path = plan.path(ofSegment: head.segment)
        encoder = RecordEncoder(plan.options)
        for secret in secrets { encoder.redactor.add(secret) }
        writer = try RecordingWriter(
            creating: path, head: head, encoder: encoder.copy(), options: plan.options, nextNumber: 1)
    }

    /// Begins recording a running session, after the record with the number of `stamp`. The first file has the form of
    /// a later segment whose predecessors are missing, and begins with `records`.
    package init(
        _ plan: SegmentPlan, head: Record.Head, secrets: [Secret], at stamp: Stamp,
        restating records: some Sequence<Record>
    ) throws(RecordingError) {
        var plan = plan
        plan.options.isDigested = plan.rotation != nil
        self.plan = plan
        self.head = head
        self.head.segment = 2
        path = plan.path(ofSegment: 2)
        started = stamp.time
        encoder = RecordEncoder(plan.options)
        for secret in secrets { encoder.redactor.add(secret) }
        number = stamp.n + 1
        writer = try RecordingWriter(
            creating: path, head: self.head, encoder: encoder.copy(), options: plan.options, nextNumber: number)
        try restate(records, Stamp(n: stamp.n, time: stamp.time, wall: stamp.wall, isRestated: true))
    }

    /// Whether records can still be appended, that is, `close` was not called.
    package var isOpen: Bool { mutating get { writer != nil } }

    /// The number of the next record.
    package var nextNumber: Int { mutating get { writer?.nextNumber ?? number } }

    /// Whether the segment is large or old enough to end.
    package var isRotationDue: Bool {
        mutating get {
            guard let rotation = plan.rotation, let length = writer?.length, let now = writer?.lastTime, !isAway else {
                return false
            }
            if let size = rotation.size, length - restated >= size { return true }
            if let age = rotation.age, length > restated, now - started >= age { return true }
            return false
        }
    }

    /// Whether the cluster with the recording is away. A segment does not end then: its end would have to wait.
    private var isAway: Bool { mutating get { writer?.isAway ?? false } }

    /// Adds a secret that must never reach a file.
    package mutating func redact(_ secret: Secret) {
        encoder.redactor.add(secret)
        writer?.redact(secret)
    }

    /// Appends a record, with the rules of `RecordingWriter.append`.
    package mutating func append(_ record: Record, _ stamp: Stamp) throws(RecordingError) {
        guard writer != nil else { throw .system(operation: "write", path: path, code: EBADF) }
        try writer?.append(record, stamp)
    }

    /// Writes the gathered lines to the file.
    package mutating func flush() throws(RecordingError) {
        try writer?.flush()
        warnings += writer?.takeWarnings() ?? []
    }

    /// Writes the gathered lines, and ends the chunk if it is a second old.
    package mutating func flush(at time: Moment) throws(RecordingError) {
        try writer?.flush(at: time)
        warnings += writer?.takeWarnings() ?? []
    }

    /// Ends the segment and begins the next one with `records`, the state that a session needs in order to begin there.
    /// Does nothing if the plan has no rotation. If the next file cannot be created, the current segment continues.
    package mutating func rotate(
        at stamp: Stamp, restating records: some Sequence<Record>
    ) throws(RecordingError) {
        guard plan.rotation != nil, writer != nil, !isAway else { return }
        try writer?.flush()
        let next = plan.path(ofSegment: head.segment + 1)
        let file = try AppendFile(
            creating: next, overwrites: plan.options.overwrites, recording: head.recording)
        guard let old = writer.take() else { return }
        number = old.nextNumber
        encoder = old.encoder.copy()
        let (last, length) = (old.lastTime, old.length)
        var trouble: RecordingError?
        do throws(RecordingError) {
            head.previous = try old.close(why: .rotated, at: stamp)
        } catch {
            head.previous = nil
            trouble = error
        }
        retire(path, of: length, at: last)
        head.segment += 1
        path = next
        started = max(stamp.time, last)
        writer = try RecordingWriter(
            file: file, head: head, encoder: encoder.copy(), options: plan.options, nextNumber: number)
        try restate(records, Stamp(n: number - 1, time: started, wall: stamp.wall, isRestated: true))
        if let trouble { throw trouble }
    }

    /// Writes the state that a session needs in order to begin with this segment.
    private mutating func restate(_ records: some Sequence<Record>, _ stamp: Stamp) throws(RecordingError) {
        for record in records { try writer?.append(record, stamp) }
        try writer?.flush()
        restated = writer?.length ?? 0
        guard let asked = plan.rotation?.size,
            let (size, warning) = SegmentPlan.enlarged(asked, beside: restated, "--rotate")
        else { return }
        plan.rotation?.size = size
        if !toldOfSize { warnings.append(warning) }
        toldOfSize = true
    }

    /// Ends the recording. Compresses and removes segments as planned.
    package mutating func close(why: Record.EndRecord.Why, at stamp: Stamp) throws(RecordingError) {
        guard let old = writer.take() else { return }
        let (last, length) = (old.lastTime, old.length)
        try old.close(why: why, at: stamp)
        if plan.rotation != nil || plan.compressesClosed { retire(path, of: length, at: last, isLast: true) }
    }

    /// Compresses a closed segment if the plan asks for it, and removes the oldest segments beyond the limit.
    private mutating func retire(_ path: String, of length: Int, at time: Moment, isLast: Bool = false) {
        var path = path
        if plan.compressesClosed, !plan.options.isCompressed {
            do throws(RecordingError) {
                let target = path + RecordFormat.compressedEnding
                _ = try RecordingCopy.compress(
                    path, to: ToolDestination(path: target, replaces: plan.options.overwrites))
                unlink(path)
                path = target
            } catch {
                warnings.append("\(path) stays as it is: \(error)")
            }
        }
        var facts = stat()
        closed.append(Closed(path: path, bytes: stat(path, &facts) == 0 ? Int(facts.st_size) : length, end: time))
        while let oldest = closed.first, isTooMuch(beside: isLast ? 0 : 1, at: time) {
            do throws(RecordingError) { try Self.remove(oldest.path) } catch { warnings.append("\(error)") }
            closed.removeFirst()
        }
    }

    private static func remove(_ path: String) throws(RecordingError) {
        if RemoteRecordings.isOne(path) { return try RemoteRecordings.remove(path) }
        guard unlink(path) == 0 else { throw .system(operation: "remove", path: path, code: errno) }
    }

    private func isTooMuch(beside others: Int, at time: Moment) -> Bool {
        switch plan.keep {
        case nil: false
        // The segment being written counts too.
        case .segments(let most): closed.count + others > most
        case .bytes(let most): closed.count + others > 1 && closed.reduce(0) { $0 + $1.bytes } > most
        case .age(let most): closed.first.map { time - $0.end > most } ?? false
        }
    }
}

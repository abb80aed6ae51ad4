import Glibc
package import Wire

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

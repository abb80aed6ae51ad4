import Glibc

/// Which records are wanted.
///
/// A criterion judges the records that have what it asks for: one for events judges messages that are events, one for rooms what
/// names a room. What has nothing of it is kept, so that what makes and keeps a connection stays in the file and it can be replayed;
/// `kinds` alone judges every record. A message of several events is kept for one of them.
package struct RecordSelection: Hashable, Sendable {
    /// Patterns of which one must match, and patterns of which none may: `*`, `?` and `[…]` as in a shell.
    package struct Criterion: Hashable, Sendable {
        /// One of these must match, when there are any.
        package var included: [String]
        /// None of these may match.
        package var excluded: [String]
        /// A criterion.
        package init(included: [String] = [], excluded: [String] = []) {
            self.included = included
            self.excluded = excluded
        }

        func accepts(_ value: String?) -> Bool {
            guard let value else { return true }
            if excluded.contains(where: { Self.matches(value, $0) }) { return false }
            return included.isEmpty || included.contains { Self.matches(value, $0) }
        }

        private static func matches(_ value: String, _ pattern: String) -> Bool { fnmatch(pattern, value, 0) == 0 }
    }

    /// By kind: `f`, `http`, `sub`, ….
    package var kinds = Criterion()
    /// By the name of the event, as it is on the wire.
    package var events = Criterion()
    /// By room.
    package var rooms = Criterion()
    /// By connection.
    package var connections = Criterion()
    /// Messages of one direction alone.
    package var direction: Record.FrameRecord.Direction?
    /// By place.
    package var span = RecordingSpan()

    /// Everything.
    package init() {}

    /// Whether a record is wanted, whatever its place.
    func contains(_ line: RecordLine) -> Bool {
        guard kinds.accepts(line.record.kind), connections.accepts(line.record.connection.map { String($0) }) else {
            return false
        }
        if case .frame(let frame) = line.record {
            if let direction, frame.direction != direction { return false }
            let brought = FrameContents(frame.message).events
            return brought.isEmpty || brought.contains { events.accepts($0.name) && rooms.accepts($0.room) }
        }
        return rooms.accepts(line.record.room)
    }
}

extension RecordingCopy {
    /// Writes the records that are wanted. Connections get new numbers where one of them is left out.
    package static func filter(
        _ path: String, _ selection: RecordSelection, to destination: ToolDestination,
        hearing problem: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        var cursor = SpanCursor(selection.span)
        let numbering = selection.connections == .init() && selection.span.start == nil
        return try copy(path, to: destination, renumbersConnections: !numbering, hearing: problem) { line in
            cursor.move(to: line) == .inside && selection.contains(line)
        }
    }
}

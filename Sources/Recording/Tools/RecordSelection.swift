import Glibc

/// A selection of records.
///
/// A criterion applies only to records that have its property: the one for events to messages with events, the one for
/// rooms to records that name a room. Other records are kept, so that connection management stays in the file and it
/// can be replayed. Only `kinds` applies to every record. A message with several events is kept if one of them is
/// selected.
package struct RecordSelection: Hashable, Sendable {
    /// Shell patterns (`*`, `?` and `[…]`): at least one of `included` and none of `excluded` must match.
    package struct Criterion: Hashable, Sendable {
        /// The patterns of which one must match; empty accepts all values.
        package var included: [String]
        /// The patterns that must not match.
        package var excluded: [String]
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

    /// The criterion for the record's kind: `f`, `http`, `sub`, ….
    package var kinds = Criterion()
    /// The criterion for the event's name on the wire.
    package var events = Criterion()
    /// The criterion for the room's name.
    package var rooms = Criterion()
    /// The criterion for the connection's number.
    package var connections = Criterion()
    /// The direction of the selected messages; `nil` selects both.
    package var direction: Record.FrameRecord.Direction?
    /// The part of the recording to select from.
    package var span = RecordingSpan()

    /// Creates a selection of all records.
    package init() {}

    /// Returns whether a record is selected, ignoring its position.
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
    /// Writes the selected records. Connections are renumbered if some may be left out.
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

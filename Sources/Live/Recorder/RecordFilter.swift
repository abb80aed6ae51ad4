import Pipeline
import Recording
import Wire

/// Decides which messages a filtered recording stores whole. It must see every report, in order. Not for use by several
/// threads at once.
///
/// Connection records, answers and undecodable messages are always recorded, so that the file can be played. If neither
/// an event nor anything it caused matches the filter, its record keeps its number and time but loses its text.
struct RecordFilter {
    private var judge: FilterJudge
    private var hasEvent = false
    private var isWanted = false

    init(_ filter: Filter) { judge = FilterJudge(filter) }

    /// The parts of the filter that no event had, one line each.
    var absent: [String] { judge.tally.absent.map { "--record-filter:" + $0.dropFirst() } }

    /// Begins a new message, which is unwanted until a report matches.
    mutating func begin() { (hasEvent, isWanted) = (false, false) }

    /// Takes the next report about the current message.
    mutating func note(_ stamped: StampedReport) {
        // Judge every report: the filter must know names and causes.
        let holds = judge.matches(stamped)
        switch stamped.report {
        case .event: (hasEvent, isWanted) = (true, isWanted || holds)
        case .diff, .typing: isWanted = isWanted || holds
        case .undecodable, .gap: isWanted = true
        case .connection, .room, .action, .emit, .refetch, .notice: break
        }
    }

    /// Returns the shortened record of an unwanted message; `nil` if the message is recorded whole. A part of a larger
    /// message is always recorded whole, since the parts after it could not be decoded without it.
    func remainder(of record: Record) -> Record? {
        guard hasEvent, !isWanted, case .frame(var frame) = record, case .text = frame.message else { return nil }
        frame.message = .text([])
        frame.isDropped = true
        return .frame(frame)
    }
}

extension Record.Head {
    /// Returns the head for a recording with a filter.
    func recording(_ filter: Filter?) -> Record.Head {
        var head = self
        head.filter = filter?.text
        return head
    }
}

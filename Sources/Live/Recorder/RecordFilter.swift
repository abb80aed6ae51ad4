import Pipeline
import Recording
import Wire

/// Asks which of the messages that come are recorded whole, where a recording is to be of some events only. It is told every report, in
/// their order; a value, not for several threads at once.
///
/// What makes and keeps a connection, answers, and what cannot be read are always recorded, so that the file can be played. Of an event
/// that the filter does not hold of, nor of anything it caused, the record stays with its number and time, without its text.
struct RecordFilter {
    private var judge: FilterJudge
    private var hasEvent = false
    private var isWanted = false

    init(_ filter: Filter) { judge = FilterJudge(filter) }

    /// What the filter names and no event had, a line for each.
    var absent: [String] { judge.tally.absent.map { "--record-filter:" + $0.dropFirst() } }

    /// A message comes.
    mutating func begin() { (hasEvent, isWanted) = (false, false) }

    /// What is told of it next.
    mutating func note(_ stamped: StampedReport) {
        // Asked of everything: it must know who is called how, and what caused what.
        let holds = judge.matches(stamped)
        switch stamped.report {
        case .event: (hasEvent, isWanted) = (true, isWanted || holds)
        case .diff, .typing: isWanted = isWanted || holds
        case .undecodable, .gap: isWanted = true
        case .connection, .room, .action, .emit, .refetch, .notice: break
        }
    }

    /// The record of the message as far as it is wanted; nil when it is wanted whole. One that is part of a larger message is: what comes
    /// behind it could not be read without it.
    func remainder(of record: Record) -> Record? {
        guard hasEvent, !isWanted, case .frame(var frame) = record, case .text = frame.message else { return nil }
        frame.message = .text([])
        frame.isDropped = true
        return .frame(frame)
    }
}

extension Record.Head {
    /// The head of a recording of what a filter holds of.
    func recording(_ filter: Filter?) -> Record.Head {
        var head = self
        head.filter = filter?.text
        return head
    }
}

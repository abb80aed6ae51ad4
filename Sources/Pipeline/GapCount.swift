import SectionedModel
import Wire

/// The number of messages that a gap missed, counted while the resources of joined rooms are refetched.
struct GapCount: Sendable {
    let from: Moment
    let to: Moment
    /// The sort key of the newest message before the gap. A fetched message that is newer was sent during the gap; an
    /// older one is history.
    let newest: UInt64
    var missed = 0

    mutating func count(_ batch: borrowing Batch<Item>) {
        for insertion in batch.insertions {
            let row = insertion.element
            if row.id.kind == .message, row.delivery == nil, row.sortKey.magnitude > newest { missed += 1 }
        }
    }
}

extension Session {
    /// Starts to count, because the connection is ready again. A gap that is not caught up with yet is extended.
    mutating func beginCount(since lostAt: Moment) {
        let before = history.missing
        history.missing = GapCount(
            from: before?.from ?? lostAt, to: context.now, newest: before?.newest ?? newestMessage,
            missed: before?.missed ?? 0)
    }

    /// Reports the count once no work is under way any more.
    mutating func endCount(into effects: inout [Effect]) {
        guard let gap = history.missing, link.isReady, isSettled, !rooms.isJoining else { return }
        history.missing = nil
        effects.append(
            .report(.gap(GapReport(cause: .refetched, from: gap.from, to: gap.to, lost: 0, missed: gap.missed))))
    }

    private var newestMessage: UInt64 {
        let model = context.model
        return model.sectionKeys.reduce(0) { newest, section in
            let rows = model.elements(in: section)
            guard rows.first?.id.kind == .message else { return newest }
            // Lists grow at either end. Rows that the server does not have yet do not count.
            let ends = [rows.first { $0.delivery == nil }, rows.last { $0.delivery == nil }]
            return ends.reduce(newest) { max($0, $1?.sortKey.magnitude ?? 0) }
        }
    }
}

import WeirJSON
import WeirModel
import WeirPipeline
import WeirWire

/// The latest reports, in a ring that is bounded by entries and by bytes. A filter and the muted rooms hide some
/// entries.
///
/// Entries are numbered in order. A kept entry's serial number never changes. Pure.
package struct WatchLog {
    /// A report with its display state.
    struct Entry {
        /// The position of the entry, counted from 0 over all reports.
        var serial: Int
        var stamped: StampedReport
        /// The change reduced to the rows that pass the filter; `nil` when all rows are shown.
        var part: StampedReport?
        /// The room of the report; `nil` without one.
        var room: String?
        /// The filter's decision. `isMuted` is whether the room is muted.
        var view: ViewMark
        var isMuted: Bool
        /// The label of a mark on this entry; `nil` without a mark.
        var mark: String?
        /// Whether the event requested an acknowledgement and received it.
        var isAnswered = false
        /// The approximate memory use, in bytes.
        var cost: Int

        /// The report to draw, reduced to the rows that pass the filter.
        var drawn: StampedReport { part ?? stamped }
        var isShown: Bool { view.isShown && !isMuted }
    }

    /// The maximum number of entries. `mostBytes` is the maximum sum of their costs.
    static let mostEntries = 10_000
    static let mostBytes = 16 << 20

    private var entries: [Entry] = []
    /// The index of the first kept entry in `entries`. The entries before it are evicted; they are removed in bulk.
    private var start = 0
    private var next = 0
    private var bytes = 0
    /// The number of evicted entries.
    private(set) var forgotten = 0
    /// The filter setting in force, which may still be edited.
    private(set) var setting = FilterSetting()
    private var judge = FilterJudge(FilterSetting())
    /// Whether only chat messages and gaps are shown.
    private(set) var isChat = false

    /// The serial numbers of the kept entries.
    var serials: Range<Int> { next - count..<next }
    var count: Int { entries.count - start }

    /// Returns the entry with a serial number; `nil` when it is not kept.
    subscript(serial: Int) -> Entry? {
        serials.contains(serial) ? entries[start + serial - serials.lowerBound] : nil
    }

    /// Appends a report, and evicts the oldest entries over the limits.
    mutating func append(_ stamped: StampedReport, room: String?, isMuted: Bool) {
        let (view, part) = mark(stamped)
        let entry = Entry(
            serial: next, stamped: stamped, part: part, room: room, view: view, isMuted: isMuted,
            cost: Self.cost(of: stamped.report))
        entries.append(entry)
        next += 1
        bytes += entry.cost
        while count > Self.mostEntries || bytes > Self.mostBytes && count > 1 {
            bytes -= entries[start].cost
            start += 1
            forgotten += 1
        }
        if start > Self.mostEntries || start > count { cut() }
    }

    /// Removes the entries after a record number and a time, because a replay seeks. Reports that time caused have record
    /// number 0 and are compared by time.
    mutating func removeAll(behind number: Int, _ time: Moment, knowing names: KnownNames) {
        var kept = serials.upperBound
        while kept > serials.lowerBound, let stamp = self[kept - 1]?.stamped.stamp {
            // A seek to record 0 repeats everything.
            guard number == 0 || stamp.n > number || stamp.n == 0 && stamp.time > time else { break }
            kept -= 1
        }
        for entry in entries[(start + kept - serials.lowerBound)...] { bytes -= entry.cost }
        entries.removeSubrange((start + kept - serials.lowerBound)...)
        next = kept
        judgeAgain(names)
    }

    private mutating func cut() {
        entries.removeSubrange(..<start)
        start = 0
    }

    // MARK: - What is shown

    /// Changes the filter and judges all entries again.
    mutating func show(_ setting: FilterSetting, chatOnly: Bool, knowing names: KnownNames) {
        (self.setting, isChat) = (setting, chatOnly)
        judgeAgain(names)
    }

    /// Judges all entries again.
    ///
    /// - Parameter names: The names learnt so far. A filter may need names from entries that are no longer kept.
    private mutating func judgeAgain(_ names: KnownNames) {
        judge = FilterJudge(setting, knowing: names)
        for index in start..<entries.count {
            (entries[index].view, entries[index].part) = mark(entries[index].stamped)
        }
        countAnew()
    }

    private mutating func mark(_ stamped: StampedReport) -> (mark: ViewMark, part: StampedReport?) {
        var mark = judge.mark(stamped)
        let part = mark.isShown ? judge.part(of: stamped) : nil
        if isChat, !ChatLines.tells((part ?? stamped).report) { mark.isShown = false }
        return (mark, part)
    }

    /// The counts of filtered reports since the last `countAnew()`.
    package var tally: FilterTally { judge.tally }

    /// Restarts the count, because earlier reports are already counted or must not be.
    package mutating func countAnew() {
        judge.countAnew(setting)
        counts += 1
    }

    /// The number of times that the count was restarted.
    package private(set) var counts = 0

    /// Updates which entries belong to muted rooms.
    mutating func mute(_ isMuted: (String) -> Bool) {
        for index in start..<entries.count {
            if let room = entries[index].room { entries[index].isMuted = isMuted(room) }
        }
    }

    mutating func setMark(_ label: String, at serial: Int) {
        guard serials.contains(serial) else { return }
        entries[start + serial - serials.lowerBound].mark = label
    }

    /// Marks the newest event with the acknowledgement id of the report as answered.
    mutating func noteAnswer(_ report: EmitReport) {
        let answered = entries[start...].lastIndex { entry in
            guard case .event(let event) = entry.stamped.report else { return false }
            return event.ackID == report.ackID && event.namespace == report.namespace
        }
        if let answered { entries[answered].isAnswered = true }
    }

    /// Returns the newest shown entry before a serial number that satisfies `isWanted`.
    func last(before serial: Int, where isWanted: (Entry) -> Bool = { _ in true }) -> Int? {
        var serial = min(serial, serials.upperBound) - 1
        while let entry = self[serial] {
            if entry.isShown, isWanted(entry) { return serial }
            serial -= 1
        }
        return nil
    }

    /// Returns the oldest shown entry at or after a serial number that satisfies `isWanted`.
    func first(from serial: Int, where isWanted: (Entry) -> Bool = { _ in true }) -> Int? {
        var serial = max(serial, serials.lowerBound)
        while let entry = self[serial] {
            if entry.isShown, isWanted(entry) { return serial }
            serial += 1
        }
        return nil
    }

    /// Returns the number of shown entries at or after a serial number.
    func shownCount(from serial: Int) -> Int {
        let first = max(serial, serials.lowerBound)
        guard first < serials.upperBound else { return 0 }
        return entries[(start + first - serials.lowerBound)...].reduce(0) { $0 + ($1.isShown ? 1 : 0) }
    }

    /// The number of shown entries and the number of kept entries.
    var shares: (shown: Int, all: Int) { (shownCount(from: serials.lowerBound), count) }

    private static func cost(of report: Report) -> Int {
        switch report {
        case .event: 1000 + report.heldBytes
        case .diff(let diff): 500 + 500 * diff.batch.rowCount
        case .gap, .connection, .room, .action, .emit, .refetch, .typing, .undecodable, .notice: 500 + report.heldBytes
        }
    }
}

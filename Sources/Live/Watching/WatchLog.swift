import JSONText
import SectionedModel
import Wire
import Recording
import Pipeline

/// What was told last: a ring, bounded by entries and by bytes, of which a filter and the muted rooms hide a part.
///
/// Entries have serial numbers that never change. Pure.
struct WatchLog {
    /// One thing that was told.
    struct Entry {
        /// Counts what was ever told.
        var serial: Int
        var stamped: StampedReport
        /// The change with the rows alone that pass the filter; nil where all of it is shown.
        var part: StampedReport?
        /// The room of it, where it has one.
        var room: String?
        /// What the filter says of it, and whether its room is muted.
        var view: ViewMark
        var isMuted: Bool
        /// A mark that was set at it.
        var mark: String?
        /// Whether it is an event that asked for an acknowledgement, and has it.
        var isAnswered = false
        /// Bytes it takes, about.
        var cost: Int

        /// What is drawn of it.
        var drawn: StampedReport { part ?? stamped }
        var isShown: Bool { view.isShown && !isMuted }
    }

    /// What is kept at most.
    static let mostEntries = 10_000
    static let mostBytes = 16 << 20

    private var entries: [Entry] = []
    /// Where the first entry is in `entries`; what stands before is forgotten and cut off from time to time.
    private var start = 0
    private var next = 0
    private var bytes = 0
    /// How many were forgotten.
    private(set) var forgotten = 0
    /// How many were added that are shown.
    private(set) var shown = 0
    /// What is shown of what is told.
    private(set) var setting = ViewFilter.Setting()
    private var judge = FilterJudge(ViewFilter.Setting())
    /// Whether only what a chat tells is shown.
    private(set) var isChat = false

    /// The serial numbers that are kept.
    var serials: Range<Int> { next - count..<next }
    var count: Int { entries.count - start }

    /// The entry with a serial number; nil when it is not kept.
    subscript(serial: Int) -> Entry? {
        serials.contains(serial) ? entries[start + serial - serials.lowerBound] : nil
    }

    /// Adds what was told.
    mutating func append(_ stamped: StampedReport, room: String?, isMuted: Bool) {
        let (view, part) = mark(stamped)
        let entry = Entry(
            serial: next, stamped: stamped, part: part, room: room, view: view, isMuted: isMuted,
            cost: Self.cost(of: stamped.report))
        entries.append(entry)
        next += 1
        bytes += entry.cost
        if entry.isShown { shown += 1 }
        while count > Self.mostEntries || bytes > Self.mostBytes && count > 1 {
            bytes -= entries[start].cost
            start += 1
            forgotten += 1
        }
        if start > Self.mostEntries || start > count { cut() }
    }

    /// Forgets what stands behind a record and a time: a replay went back. What time caused has no number.
    mutating func removeAll(behind number: Int, _ time: Moment, knowing names: KnownNames) {
        var kept = serials.upperBound
        while kept > serials.lowerBound, let stamp = self[kept - 1]?.stamped.stamp {
            // At the beginning all is told anew.
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

    /// Something else is shown: all is asked again.
    mutating func show(_ setting: ViewFilter.Setting, chatOnly: Bool, knowing names: KnownNames) {
        (self.setting, isChat) = (setting, chatOnly)
        judgeAgain(names)
    }

    /// `names` are those that were learnt so far: a filter may ask for what came with entries that are not kept any more.
    private mutating func judgeAgain(_ names: KnownNames) {
        judge = FilterJudge(setting, knowing: names)
        shown = 0
        for index in start..<entries.count {
            (entries[index].view, entries[index].part) = mark(entries[index].stamped)
            if entries[index].isShown { shown += 1 }
        }
        countAnew()
    }

    private mutating func mark(_ stamped: StampedReport) -> (mark: ViewMark, part: StampedReport?) {
        var mark = judge.mark(stamped)
        let part = mark.isShown ? judge.part(of: stamped) : nil
        if isChat, !ChatLines.tells((part ?? stamped).report) { mark.isShown = false }
        return (mark, part)
    }

    /// What was left out of what came since it was last counted anew.
    var tally: FilterTally { judge.tally }

    /// What came before was counted already, or is not to be.
    mutating func countAnew() {
        judge.countAnew(setting)
        counts += 1
    }

    /// How often it was counted anew.
    private(set) var counts = 0

    /// Rooms were muted, or are heard again.
    mutating func mute(_ isMuted: (String) -> Bool) {
        for index in start..<entries.count {
            if let room = entries[index].room { entries[index].isMuted = isMuted(room) }
        }
    }

    mutating func setMark(_ label: String, at serial: Int) {
        guard serials.contains(serial) else { return }
        entries[start + serial - serials.lowerBound].mark = label
    }

    /// An event was answered: the newest one that asked for that.
    mutating func noteAnswer(_ report: EmitReport) {
        let answered = entries[start...].lastIndex { entry in
            guard case .event(let event) = entry.stamped.report else { return false }
            return event.ackID == report.ackID && event.namespace == report.namespace
        }
        if let answered { entries[answered].isAnswered = true }
    }

    /// The newest entry before a serial number that is shown and wanted.
    func last(before serial: Int, where isWanted: (Entry) -> Bool = { _ in true }) -> Int? {
        var serial = min(serial, serials.upperBound) - 1
        while let entry = self[serial] {
            if entry.isShown, isWanted(entry) { return serial }
            serial -= 1
        }
        return nil
    }

    /// The oldest entry from a serial number on that is shown and wanted.
    func first(from serial: Int, where isWanted: (Entry) -> Bool = { _ in true }) -> Int? {
        var serial = max(serial, serials.lowerBound)
        while let entry = self[serial] {
            if entry.isShown, isWanted(entry) { return serial }
            serial += 1
        }
        return nil
    }

    /// How many are shown from a serial number on.
    func shownCount(from serial: Int) -> Int {
        let first = max(serial, serials.lowerBound)
        guard first < serials.upperBound else { return 0 }
        return entries[(start + first - serials.lowerBound)...].reduce(0) { $0 + ($1.isShown ? 1 : 0) }
    }

    /// Of the entries that are kept, how many are shown, how many are not.
    var shares: (shown: Int, all: Int) { (shownCount(from: serials.lowerBound), count) }

    private static func cost(of report: Report) -> Int {
        switch report {
        case .event: 1000 + report.heldBytes
        case .diff(let diff): 500 + 500 * diff.batch.rowCount
        case .gap, .connection, .room, .action, .emit, .refetch, .typing, .undecodable, .notice: 500 + report.heldBytes
        }
    }
}

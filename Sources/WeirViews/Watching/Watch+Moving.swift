import WeirPipeline
import WeirTerminal
import WeirWire

// Navigation in the log.
extension Watch {
    /// The number of shown entries below the view.
    package var waiting: Int { cursor.anchor.map { log.shownCount(from: $0 + 1) } ?? 0 }

    /// Whether the view is paused, so that new entries stay out of view.
    package var isHeld: Bool { cursor.anchor != nil }

    /// The serial number of the selected entry; without a selection, the newest entry in view.
    var current: Int? {
        cursor.entry ?? cursor.anchor.flatMap { log.last(before: $0 + 1) } ?? log.last(before: log.serials.upperBound)
    }

    /// Pauses the view, or resumes it.
    mutating func togglePause() {
        if isHeld {
            follow()
        } else {
            cursor.anchor = log.serials.upperBound - 1
        }
    }

    /// Clears the selection and follows the newest entry.
    mutating func follow() {
        cursor.anchor = nil
        cursor.entry = nil
    }

    /// Selects an entry and scrolls it into view.
    mutating func select(_ serial: Int) {
        if cursor.anchor == nil { cursor.anchor = log.serials.upperBound - 1 }
        cursor.entry = serial
        keepSelectionInView()
    }

    /// Moves the selection by `count` entries, backward when negative.
    mutating func move(by count: Int) {
        guard var serial = current else { return }
        if cursor.entry == nil, count != 0 {
            // The first step selects the newest entry.
            return select(log.last(before: serial + 1) ?? serial)
        }
        for _ in 0..<abs(count) {
            let next = count > 0 ? log.first(from: serial + 1) : log.last(before: serial)
            guard let next else { break }
            serial = next
        }
        select(serial)
    }

    /// Scrolls by `count` entries. The selection moves only when it would leave the view.
    mutating func scroll(by count: Int) {
        guard var bottom = cursor.anchor ?? log.last(before: log.serials.upperBound) else { return }
        for _ in 0..<abs(count) {
            let next = count > 0 ? log.first(from: bottom + 1) : log.last(before: bottom)
            guard let next else { break }
            bottom = next
        }
        if count > 0, log.first(from: bottom + 1) == nil { return follow() }
        cursor.anchor = bottom
        if let entry = cursor.entry, let view = visible().first?.serial {
            cursor.entry = log.last(before: min(max(entry, view), bottom) + 1) ?? entry
        }
    }

    mutating func goToFirst() {
        if let first = log.first(from: log.serials.lowerBound) { select(first) }
    }

    /// Goes to the next or the previous entry that satisfies `isWanted`. Shows `missing` when there is none.
    mutating func go(
        _ isForward: Bool, missing: String, where isWanted: (WatchLog.Entry) -> Bool
    ) {
        guard let here = current else { return say(missing) }
        // Without a selection, the search includes the newest entry.
        let start = cursor.entry == nil ? here + 1 : here
        let found = isForward ? log.first(from: here + 1, where: isWanted) : log.last(before: start, where: isWanted)
        if let found { select(found) } else { say(missing) }
    }

    /// Goes to the next match of the search text, wrapping around. Returns whether there is a match.
    mutating func find(_ isForward: Bool) -> Bool {
        let text = filtering.search
        guard !text.isEmpty else { return false }
        func isFound(_ entry: WatchLog.Entry) -> Bool { self.isFound(text, in: entry) }
        let here = current ?? log.serials.upperBound
        let start = cursor.entry == nil ? here + 1 : here
        let next = isForward ? log.first(from: here + 1, where: isFound) : log.last(before: start, where: isFound)
        if let next {
            select(next)
            return true
        }
        let around =
            isForward
            ? log.first(from: log.serials.lowerBound, where: isFound)
            : log.last(before: log.serials.upperBound, where: isFound)
        guard let around else { return false }
        select(around)
        say("the search wrapped around")
        return true
    }

    mutating func goToSilence(isForward: Bool) {
        let times = silences
        guard let here = current else { return }
        let found = isForward ? times.first { $0 > here } : times.last { $0 < here }
        if let found { select(found) } else { say("no silence of \(Self.silence / 1_000_000) s") }
    }

    /// The serial numbers of the first entry after each silence.
    private var silences: [Int] {
        var found: [Int] = []
        var last: Moment?
        for serial in log.serials {
            guard let entry = log[serial], entry.isShown else { continue }
            if let last, (entry.stamped.stamp.time - last).microseconds >= Self.silence { found.append(serial) }
            last = entry.stamped.stamp.time
        }
        return found
    }

    // MARK: - What is in view

    /// Returns the entries in view, oldest first, with the lines of each. The first entry may be cut at its top.
    func visible() -> [(serial: Int, lines: [TerminalLine])] {
        let area = WatchLayout(self).log
        return visible(rows: area.rows.count, width: area.columns.count)
    }

    func visible(rows: Int, width: Int) -> [(serial: Int, lines: [TerminalLine])] {
        guard rows > 0, width > 0 else { return [] }
        var shown: [(serial: Int, lines: [TerminalLine])] = []
        var left = rows
        var serial = log.last(before: (cursor.anchor ?? log.serials.upperBound - 1) + 1)
        while left > 0, let here = serial, let entry = log[here] {
            let lines = self.lines(of: entry, width: width)
            shown.append((here, Array(lines.suffix(left))))
            left -= lines.count
            serial = log.last(before: here)
        }
        return shown.reversed()
    }

    /// Clamps the view to the log and scrolls the selected entry into view.
    mutating func keepSelectionInView() {
        if let kept = cursor.anchor, kept < log.serials.lowerBound { cursor.anchor = max(log.serials.lowerBound, 0) }
        if let kept = cursor.anchor, kept >= log.serials.upperBound { cursor.anchor = log.serials.upperBound - 1 }
        if let anchor = cursor.anchor, anchor < log.serials.lowerBound { cursor.anchor = nil }
        guard let wanted = cursor.entry else { return }
        guard let serial = log.last(before: wanted + 1) ?? log.first(from: wanted) else { return cursor.entry = nil }
        cursor.entry = serial
        guard let bottom = cursor.anchor else { return }
        if serial > bottom {
            cursor.anchor = serial
        } else if let top = visible().first?.serial, serial < top {
            cursor.anchor = bottomOfView(from: serial)
        }
    }

    /// Returns the last entry in view when `serial` is the first one.
    private func bottomOfView(from serial: Int) -> Int {
        let area = WatchLayout(self).log
        var left = area.rows.count
        var (here, bottom) = (serial, serial)
        while let entry = log[here] {
            left -= lines(of: entry, width: area.columns.count).count
            if left < 0 { break }
            bottom = here
            guard let next = log.first(from: here + 1) else { break }
            here = next
        }
        return bottom
    }
}

// Navigation in a recording, by keys and by the progress bar.
extension Watch {
    /// Returns the player command for a key; `nil` for a key that is not a player command.
    mutating func command(of key: TerminalKey) -> ReplayKeys.Command? {
        switch key {
        case .character(" "): return .togglePause
        case .character("."): return .step
        case .character(","): return .stepBack
        case .character("["): return .previousMark
        case .character("]"): return .nextMark
        case .character("+"): return cursor.focus == .rooms ? nil : .faster
        case .character("-"): return cursor.focus == .rooms ? nil : .slower
        case .left(let isShifted): return .move(.seconds(isShifted ? -60 : -5))
        case .right(let isShifted): return .move(.seconds(isShifted ? 60 : 5))
        case .character(":"):
            ask(.place)
            return nil
        default: return nil
        }
    }

    /// Goes to the time under a column of the progress bar.
    func scrub(to column: Int, _ layout: WatchLayout, into effects: inout [Effect]) {
        guard let length = place.length, layout.scrubber.columns.count > 1 else { return }
        let bar = scrubberBar(layout.scrubber)
        guard bar.count > 1 else { return }
        let part = Double(min(max(column, bar.lowerBound), bar.upperBound - 1) - bar.lowerBound) / Double(bar.count - 1)
        let milliseconds = Int64(part * Double(length.microseconds) / 1000)
        effects.append(.play(.goTo("+\(milliseconds)ms")))
    }
}

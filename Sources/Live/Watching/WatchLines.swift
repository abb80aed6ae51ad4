import Events
import Wire
import Recording
import Pipeline
import Terminal

extension LineSettings.Time {
    /// The next format, in a cycle.
    var next: Self {
        switch self {
        case .abs: .rel
        case .rel: .delta
        case .delta: .none
        case .none: .abs
        }
    }

    /// A description of the format for a notice.
    var words: String {
        switch self {
        case .abs: "wall clock"
        case .rel: "since the start"
        case .delta: "since the previous line"
        case .none: "not shown"
        }
    }
}

// The log lines of an entry.
extension Watch {
    /// Returns the lines of an entry, at least one. They are wrapped to `width` columns when wrapping is on.
    func lines(of entry: WatchLog.Entry, width: Int) -> [TerminalLine] {
        var lines: [TerminalLine] = []
        var view = entry.view
        view.isAnswered = entry.isAnswered
        let columns = EventColumns(settings.lines, width: width)
        for (index, body) in bodies(of: entry.drawn, view, width: width).enumerated() {
            var line = TerminalLine()
            appendGutter(of: entry, isFirst: index == 0, columns.time, to: &line)
            line.append(body)
            if wraps { lines += line.wrapped(to: width) } else { lines.append(line) }
        }
        for text in [highlight, search] where !text.isEmpty {
            for index in lines.indices { lines[index].pointOut(text) }
        }
        return lines
    }

    /// Appends the gutter of a line: a symbol for a mark or a problem, and the time.
    private func appendGutter(of entry: WatchLog.Entry, isFirst: Bool, _ columns: Int, to line: inout TerminalLine) {
        if entry.mark != nil, isFirst {
            line.append("⚑", settings.theme[.caution])
        } else if entry.stamped.report.isProblem, isFirst {
            line.append("!", settings.theme[.bad])
        } else {
            line.append(" ")
        }
        guard columns > 0 else { return }
        let time = isFirst ? String(self.time(of: entry, columns).prefix(columns)) : ""
        line.append(String(repeating: " ", count: columns - time.utf8.count) + time + " ", settings.theme[.time])
    }

    private func time(of entry: WatchLog.Entry, _ columns: Int) -> String {
        let stamp = entry.stamped.stamp
        switch settings.lines.time {
        case .abs:
            var clock = clock
            // For an entry on another day than the newest one, the date matters more than the time.
            let newest = log[log.serials.upperBound - 1]?.stamped.stamp.wall ?? stamp.wall
            _ = clock.newDate(newest)
            let time = clock.time(stamp.wall, columns: columns)
            guard let date = clock.newDate(stamp.wall) else { return time }
            return columns < 12 ? String(date.suffix(5)) : date.suffix(5) + " " + time.prefix(5)
        case .rel: return TimeText.elapsed(milliseconds: stamp.time.microseconds / 1000)
        case .delta:
            let before = log.last(before: entry.serial).flatMap { log[$0] }?.stamped.stamp.time ?? stamp.time
            return TimeText.elapsed(milliseconds: (stamp.time - before).microseconds / 1000)
        case .none: return ""
        }
    }

    /// Returns the printed lines of a report without times, at least one. Ignores whether the filter hides the report.
    func bodies(
        of stamped: StampedReport, _ mark: ViewMark = ViewMark(), width: Int? = nil
    ) -> [TerminalLine] {
        var mark = mark
        mark.isShown = true
        var buffer = TerminalBuffer(settings.theme)
        if log.isChat {
            var settings = settings.lines
            settings.time = .none
            var lines = ChatLines(settings, width: nil)
            lines.names = printer.names
            lines.append(stamped, mark, to: &buffer)
            let made = TerminalLine.lines(of: buffer.bytes)
            if !made.isEmpty { return made }
        }
        var events = printer
        events.columns = EventColumns(events.settings, width: width)
        events.append(stamped, mark, to: &buffer)
        var dropped = 0
        if buffer.bytes.isEmpty {
            var lines = StatusLines(quiet: false, showsGaps: true, printer.names)
            lines.append(stamped, to: &buffer)
            // The gutter already shows the time.
            dropped = StatusLines.timeWidth + 2
        }
        let lines = TerminalLine.lines(of: buffer.bytes).map { $0.dropping(dropped) }
        return lines.isEmpty ? [TerminalLine("…")] : lines
    }

    /// Returns whether an entry's mark or its printed lines contain `text`.
    func isFound(_ text: String, in entry: WatchLog.Entry) -> Bool {
        if entry.mark?.contains(text) == true { return true }
        return bodies(of: entry.drawn).contains { $0.range(of: text, from: 0) != nil }
    }
}

extension TerminalLine {
    /// Highlights every occurrence of a text.
    fileprivate mutating func pointOut(_ text: String) {
        var start = 0
        while let range = range(of: text, from: start) {
            add([.bold, .underlined], in: range)
            start = range.upperBound
        }
    }
}

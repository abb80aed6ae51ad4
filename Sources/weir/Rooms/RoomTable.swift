import WeirEvents
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirTerminal
import WeirThreads

/// Rooms as a table or as JSON.
enum RoomTable {
    /// The width for long reasons if the output has no width, in columns.
    private static let usualWidth = 120

    private struct Column: Sendable {
        var title: String
        var isNumber = false
        /// The minimum width of the column; `nil` if the column is never cut.
        var least: Int?
        var keepsEnd = false
        var value: @Sendable (RoomRow) -> String
    }

    private static let columns: [Column] = [
        Column(title: "ROOM", least: 20, keepsEnd: true) { $0.room },
        Column(title: "MEMBER", least: 12) { $0.member ?? "" },
        Column(title: "TITLE", least: 8) { $0.title ?? "" },
        Column(title: "KIND") { $0.kind },
        Column(title: "SOURCE") { $0.source },
        Column(title: "WANT") { $0.want },
        Column(title: "STATE") { $0.state + ($0.isMuted ? ",muted" : "") },
        Column(title: "SINCE") { $0.since.map(TimeOfDay.text) ?? "" },
        Column(title: "UNREAD", isNumber: true) { $0.unread.map { String($0) } ?? "" },
        Column(title: "EVENTS", isNumber: true) { String($0.events) },
        Column(title: "RATE", isNumber: true) { $0.rate == 0 ? "0" : tenths($0.rate) + "/s" },
        Column(title: "LAST") { $0.last.map(TimeOfDay.text) ?? "" },
        Column(title: "LAG", isNumber: true) { $0.lag.map { "\($0)ms" } ?? "" },
        Column(title: "GAPS", isNumber: true) { String($0.gaps) },
    ]

    /// Prints rooms as a table or as JSON lines; prints nothing if there are none.
    static func print(_ rows: [RoomRow], asJSON: Bool) -> ExitCode {
        if asJSON {
            var text = ""
            for row in rows {
                var writer = JSONWriter()
                row.encode(into: &writer)
                text += String(decoding: writer.bytes, as: UTF8.self) + "\n"
            }
            return text.isEmpty ? .done : Console.print(text)
        }
        guard !rows.isEmpty else { return .done }
        return Console.print(text(of: rows, width: TerminalDevice.width(of: 1)))
    }

    /// Returns the table, cut to a width; `nil` for no limit.
    static func text(of rows: [RoomRow], width: Int?) -> String {
        // Only the rooms of a group have a member that holds them.
        let columns = columns.filter { $0.title != "MEMBER" || rows.contains { $0.member != nil } }
        var cells = rows.map { row in columns.map { $0.value(row) } }
        cells.insert(columns.map(\.title), at: 0)
        var widths = columns.indices.map { index in cells.map { TerminalText.width(of: $0[index]) }.max() ?? 0 }
        if let width { fit(&widths, of: columns, in: width) }
        var text = ""
        for (number, line) in cells.enumerated() {
            var shown = ""
            for (index, cell) in line.enumerated() {
                let column = columns[index]
                let cut = column.keepsEnd ? TerminalText.keepingEnd(cell, to: widths[index]) : cell
                let escaped = TerminalText.truncated(cut, to: widths[index])
                let pad = String(repeating: " ", count: max(0, widths[index] - TerminalText.width(of: escaped)))
                shown += (index > 0 ? "  " : "") + (column.isNumber ? pad + escaped : escaped + pad)
            }
            while shown.last == " " { shown.removeLast() }
            text += shown + "\n"
            if number > 0, let why = rows[number - 1].why {
                text += "    " + TerminalText.truncated(why, to: max(20, (width ?? usualWidth) - 4)) + "\n"
            }
        }
        return text
    }

    /// Narrows the columns that can be cut, in the order of the columns.
    private static func fit(_ widths: inout [Int], of columns: [Column], in width: Int) {
        let gaps = 2 * (widths.count - 1)
        var surplus = widths.reduce(0, +) + gaps - width
        for index in columns.indices {
            guard surplus > 0, let least = columns[index].least, widths[index] > least else { continue }
            let cut = min(surplus, widths[index] - least)
            widths[index] -= cut
            surplus -= cut
        }
    }

    private static func tenths(_ number: Double) -> String {
        let tenths = Int((min(number, 1e9) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Prints the rooms that patterns match.
    static func print(_ resolution: RoomResolution) -> ExitCode {
        var text = ""
        for found in resolution.found {
            let title = found.row.title.map { "  " + TerminalText.truncated($0, to: 40) } ?? ""
            let sign = found.effect == "join" ? "+" : "="
            text += "\(sign) \(TerminalText.escaped(found.row.room))\(title)  by \(TerminalText.escaped(found.pattern))"
            text += found.effect == "join" ? "\n" : "  (\(TerminalText.escaped(found.row.state)))\n"
        }
        return text.isEmpty ? .done : Console.print(text)
    }

    /// Prints the members of a room, or its messages.
    static func printItems(_ answer: JSONValue, _ options: RoomsOptions) throws(CommandError) -> ExitCode {
        guard case .array(let items)? = answer["items"] else { throw CommandError("the tail's answer cannot be read") }
        if answer["fresh"] != .bool(true) {
            Console.note("no answer from the server: this was known before")
        }
        var text = ""
        for item in items {
            if options.json {
                text += item.raw.description + "\n"
            } else {
                text += TerminalText.escaped(ItemLine.text(of: item)) + "\n"
            }
        }
        if text.isEmpty {
            let what = options.command == .roomsWho ? "member is known" : "message is known"
            Console.note("no \(what)" + (options.since == nil ? "" : " since then"))
        }
        return text.isEmpty ? .done : Console.print(text)
    }
}

/// Rows of a model as one line each. Control characters are not escaped.
enum ItemLine {
    static func text(of item: JSONValue) -> String {
        guard let entity = item["entity"] else { return "" }
        func text(_ key: String) -> String? {
            if case .string(let text)? = entity[key], !text.isEmpty { text } else { nil }
        }
        let id = text("user_id") ?? text("user") ?? text("sender_id")
        let isUser = item["is_user"] == .bool(true)
        // GroupMe's messages are sorted by their ids.
        if case .integer(let time)? = entity["created_at"] ?? item["sort"], time > 0,
            let words = said(in: entity, text("text"))
        {
            let who = (text("sender_name") ?? text("name") ?? id ?? "") + (isUser ? " (you)" : "")
            return TimeOfDay.text(wall: time.multipliedReportingOverflow(by: 1000).partialValue) + "  " + who + "  "
                + words
        }
        return [id, text("nickname") ?? text("name"), text("type"), isUser ? "(you)" : nil]
            .compactMap(\.self).joined(separator: "  ")
    }

    /// Returns the text of a message with its attached files; `nil` if it has neither.
    private static func said(in entity: JSONValue, _ text: String?) -> String? {
        guard let files = entity["files"].flatMap({ FilePreview.text(of: $0) }) else { return text }
        return [text, files].compactMap(\.self).joined(separator: " ")
    }
}

/// The time of day of a wall clock.
enum TimeOfDay {
    /// Returns the UTC time of day as `HH:MM:SS`. `wall` is in microseconds since 1970.
    static func text(wall: Int64) -> String {
        let day: Int64 = 86_400
        let seconds = ((wall / 1_000_000) % day + day) % day
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { ($0 < 10 ? "0" : "") + String($0) }
            .joined(separator: ":")
    }
}

/// The wall clock in milliseconds.
enum WallTime {
    /// The current time, in milliseconds since 1970.
    static var milliseconds: Int64 { MachineClock.wall / 1000 }
}

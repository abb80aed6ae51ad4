import Events
import SectionedModel
import Pipeline
import Terminal
import Wire

// The panes of sections and rooms.
extension Watch {
    /// The contents of a row in the side pane.
    enum SideLine: Hashable {
        case heading
        /// A group of rows in the model, by index.
        case group(Int)
        /// A room, by its index in the list.
        case room(Int)
    }

    /// The number of rooms in the side pane. Each one has a digit key.
    private static let keyedRooms = 9

    /// Returns how the rows of the side pane are divided: rows for sections, rows for rooms, and the index of the first
    /// section shown.
    private func shares(rows: Int) -> (sections: Int, rooms: Int, first: Int) {
        let rooms = min(Self.keyedRooms, self.rooms.list.count, max(rows / 3 - 1, 0))
        let sections = max(rows - 1 - (rooms > 0 ? rooms + 1 : 0), 0)
        let count = model?.groupCount ?? 0
        let first = min(max(sectionIndex - sections + 1, 0), max(count - sections, 0))
        return (sections, rooms, first)
    }

    func sideLine(at row: Int, rows: Int) -> SideLine? {
        let shares = shares(rows: rows)
        if row == 0 { return .heading }
        if row <= shares.sections {
            let index = shares.first + row - 1
            return index < model?.groupCount ?? 0 ? .group(index) : nil
        }
        if shares.rooms == 0 { return nil }
        let room = row - shares.sections - 2
        return room < 0 ? .heading : room < shares.rooms ? .room(room) : nil
    }

    func drawSide(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty else { return }
        let column = area.columns.lowerBound
        for (offset, row) in area.rows.enumerated() {
            switch sideLine(at: offset, rows: area.rows.count) {
            case .heading?:
                let look = model == nil ? " (not known)" : modelLook == .init() ? "" : " " + modelLook.words
                let text = offset == 0 ? " model" + look : " rooms"
                grid.write(text, row: row, column: column, settings.theme[.heading], in: area)
            case .group(let index)?: drawGroup(index, row, area, &grid)
            case .room(let index)?: drawKeyedRoom(index, row, area, &grid)
            case nil: break
            }
        }
    }

    private func drawGroup(_ index: Int, _ row: Int, _ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard let model, let group = model.group(at: index) else { return }
        let change = if case .section(let section) = group { flashes[section] } else { WatchFlashes.Change?.none }
        var count = TerminalLine()
        if let change {
            for (sign, number, style) in [
                ("+", change.inserted, TerminalStyle.good), ("-", change.deleted, .bad),
                ("~", change.changed, .caution),
            ] where number > 0 {
                count.append("\(sign)\(number) ", settings.theme[style])
            }
        }
        count.append("\(model.rowCount(at: index)) ", settings.theme[.heading])
        var left = area
        left.rows = row..<row + 1
        left.columns =
            area.columns.lowerBound..<max(area.columns.upperBound - count.columns - 1, area.columns.lowerBound)
        let appearance = change == nil ? TerminalAppearance.plain : settings.theme[.caution].adding(.bold)
        grid.write(" " + name(of: group), row: row, column: area.columns.lowerBound, appearance, in: left)
        grid.write(count, row: row, column: area.columns.upperBound - count.columns, in: area)
        if focus == .sections, index == sectionIndex {
            left.columns = area.columns
            grid.add(.reversed, in: left)
        }
    }

    private func drawKeyedRoom(_ index: Int, _ row: Int, _ area: TerminalArea, _ grid: inout TerminalGrid) {
        let room = rooms.list[index]
        var line = TerminalLine(" \(index + 1) ", settings.theme[.faint])
        line.append(room.sign + " ", settings.theme[room.style])
        let unread = unread(in: room).flatMap { $0 > 0 ? " \($0)" : nil } ?? ""
        let width = max(area.columns.count - line.columns - unread.utf8.count - 1, 1)
        line.append(
            label(ofRoom: room.name, width: width),
            room.isMuted ? settings.theme[.faint] : settings.theme[.room(printer.names.look(at: room.name).label)])
        line.append(unread, settings.theme[.heading])
        grid.write(line, row: row, column: area.columns.lowerBound, in: area)
    }

    /// Returns the number of unread messages in a room, according to its channel's row and the model. Returns `nil` for
    /// a room without a channel.
    private func unread(in room: WatchRooms.Room) -> Int? {
        guard let model = model?.base, let id = printer.names.look(at: room.name).channel?.id else { return nil }
        return model[Item.ID(.channel, id)]?.entity.value.unread(by: printer.names.user, in: model)
    }

    /// Returns the display name of a room, cut to `width` columns.
    func label(ofRoom room: String, width: Int) -> String {
        ShortName.room(settings.lines.showsIDs ? room : printer.names.look(at: room).label, width: width)
    }

    // MARK: - All rooms

    /// Returns the index of the first room in the pane, so that the selected room is visible.
    func firstRoomShown(_ rows: Int) -> Int {
        min(max(roomIndex - rows + 1, 0), max(rooms.list.count - rows, 0))
    }

    func drawRooms(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty else { return }
        var rest = area
        let heading = rest.takeTop(1)
        grid.write(
            " WANTED STATE    SOURCE EVENTS RATE LAST     UNREAD ROOM", row: heading.rows.lowerBound,
            column: area.columns.lowerBound, settings.theme[.heading], in: heading)
        let first = firstRoomShown(rest.rows.count)
        for (row, index) in zip(rest.rows, first..<max(rooms.list.count, first)) {
            var line = self.line(of: rooms.list[index], width: area.columns.count)
            if index < Self.keyedRooms { line.append("  [\(index + 1)]", settings.theme[.faint]) }
            grid.write(line, row: row, column: area.columns.lowerBound, in: area)
            if index == roomIndex, focus == .rooms {
                var whole = area
                whole.rows = row..<row + 1
                grid.add(.reversed, in: whole)
            }
        }
        if rooms.list.isEmpty {
            grid.write(
                "no rooms yet", row: min(heading.rows.upperBound, area.rows.upperBound - 1),
                column: area.columns.lowerBound + 1, settings.theme[.faint], in: area)
        }
    }

    private func line(of room: WatchRooms.Room, width: Int) -> TerminalLine {
        var line = TerminalLine(room.isWanted ? " yes    " : " no     ")
        func add(_ text: String, _ width: Int, _ style: TerminalStyle = .plain) {
            let shown = TerminalText.truncated(text, to: width)
            line.append(
                shown + String(repeating: " ", count: max(width - TerminalText.width(of: shown), 0) + 1),
                settings.theme[style])
        }
        add(room.isMuted ? "hidden" : room.state?.rawValue ?? "-", 8, room.style)
        add(room.source.isEmpty ? "-" : room.source, 6)
        add(String(room.events), 6)
        add("\(room.rate.advanced(to: now).perSecond)/s", 4)
        add(room.lastWall.map { String(TimeText.clock(wall: $0).prefix(8)) } ?? "-", 8)
        let unread = unread(in: room)
        add(unread.map { String($0) } ?? "-", 6, (unread ?? 0) > 0 ? .heading : .plain)
        let left = max(width - line.columns - (room.why == nil ? 5 : 25), 10)
        line.append(
            label(ofRoom: room.name, width: left), settings.theme[.room(printer.names.look(at: room.name).label)])
        if let why = room.why { line.append("  (\(why))", settings.theme[.bad]) }
        return line
    }
}

extension WatchRooms.Room {
    /// The symbol for the room's state.
    var sign: String {
        if isMuted { return "∅" }
        switch state {
        case .joined?: return "●"
        case .wanted?, .joining?: return "…"
        case .refused?, .lost?: return "✗"
        case .leaving?, .left?, .found?, nil: return "○"
        }
    }

    var style: TerminalStyle {
        switch state {
        case .joined?: .good
        case .refused?, .lost?: .bad
        case .wanted?, .joining?: .caution
        case .leaving?, .left?, .found?, nil: .faint
        }
    }
}

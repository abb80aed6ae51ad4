import WeirEvents
import WeirModel
import WeirPipeline
import WeirTerminal
import WeirWire

// Keyboard control of the panes next to and below the log.
extension Watch {
    mutating func openDetail() {
        if case .entry(let tab)? = detail?.subject {
            detail = WatchDetail(subject: .entry(tab.next))
        } else {
            detail = WatchDetail(subject: .entry(.fields))
            keepSelectionInView()
        }
    }

    mutating func close() {
        if detail != nil {
            detail = nil
            if cursor.focus == .detail { cursor.focus = .log }
        } else if showsRooms {
            toggleRooms()
        } else if cursor.focus != .log {
            cursor.focus = .log
        } else {
            filtering.search = ""
            follow()
        }
    }

    mutating func toggleRooms() {
        showsRooms.toggle()
        cursor.focus = showsRooms ? .rooms : .log
        keepSelectionInView()
    }

    mutating func changeFocus(isForward: Bool) {
        let layout = WatchLayout(self)
        var order: [Focus] = []
        if width >= 40 { order.append(.sections) }
        if !layout.rooms.isEmpty { order.append(.rooms) }
        if !layout.log.isEmpty { order.append(.log) }
        if !layout.detail.isEmpty { order.append(.detail) }
        guard let place = order.firstIndex(of: cursor.focus), !order.isEmpty else { return cursor.focus = .log }
        cursor.focus = order[(place + (isForward ? 1 : order.count - 1)) % order.count]
    }

    mutating func pressInDetail(_ key: TerminalKey) -> Bool {
        let rows = WatchLayout(self).detail.rows.count
        switch key {
        case .down, .character("j"): scrollDetail(by: 1)
        case .up, .character("k"): scrollDetail(by: -1)
        case .pageDown: scrollDetail(by: rows)
        case .pageUp: scrollDetail(by: -rows)
        case .home, .character("g"): detail?.offset = 0
        default: return false
        }
        return true
    }

    mutating func scrollDetail(by count: Int) {
        let area = WatchLayout(self).detail
        let most = max(detailLines(width: area.columns.count).count - area.rows.count, 0)
        let offset = detail?.offset ?? 0
        detail?.offset = min(max(offset + count, 0), most)
    }

    mutating func pressInSections(_ key: TerminalKey) -> Bool {
        let count = modelPane.model?.groupCount ?? 0
        switch key {
        case .down, .character("j"): cursor.section = min(cursor.section + 1, max(count - 1, 0))
        case .up, .character("k"): cursor.section = max(cursor.section - 1, 0)
        case .enter: openGroup(cursor.section)
        case .character("b"): show { $0.grouping.advance() }
        case .character("o"): show { $0.order.advance() }
        case .character("/"): ask(.rows, modelPane.look.filter)
        case .character("'"): ask(.group)
        default: return false
        }
        return true
    }

    mutating func openGroup(_ index: Int) {
        guard let group = modelPane.model?.group(at: index) else { return }
        cursor.section = index
        detail = WatchDetail(subject: .group(group))
        keepSelectionInView()
    }

    /// Changes the grouping, the order or the row filter of the model pane.
    mutating func show(_ change: (inout WatchModel.Look) -> Void) {
        change(&modelPane.look)
        cursor.section = 0
        say("model: " + modelPane.look.words)
    }

    /// Selects the first group whose name starts with `text`, ignoring case.
    mutating func goToGroup(_ text: String) {
        guard let model = modelPane.model else { return }
        let wanted = text.lowercased()
        let found = (0..<model.groupCount).first { index in
            model.group(at: index).map { name(of: $0).lowercased().hasPrefix(wanted) } ?? false
        }
        if let found { cursor.section = found }
    }

    mutating func pressInRooms(_ key: TerminalKey, into effects: inout [Effect]) -> Bool {
        let room = rooms.list.indices.contains(cursor.room) ? rooms.list[cursor.room] : nil
        switch key {
        case .down, .character("j"): cursor.room = min(cursor.room + 1, max(rooms.list.count - 1, 0))
        case .up, .character("k"): cursor.room = max(cursor.room - 1, 0)
        case .character("x"), .character("M"): if room != nil { toggleRoom(cursor.room, into: &effects) }
        case .character("a"), .character("+"), .character("-"), .character("d"), .enter:
            guard settings.steersRooms else {
                say("rooms cannot be joined or left here")
                return true
            }
            if key == .character("a") {
                ask(.join)
            } else if let room {
                let leaves = key == .character("-") || key == .character("d") || key == .enter && room.isWanted
                effects.append(leaves ? .leave(room.name) : .join(room.name))
            }
        default: return false
        }
        return true
    }

    /// Hides a room, or shows it again. `index` is the room's place in the list, from 0.
    mutating func toggleRoom(_ index: Int, into effects: inout [Effect]) {
        guard rooms.list.indices.contains(index) else { return say("no room \(index + 1)") }
        let name = rooms.list[index].name
        let isMuted = rooms.toggleMute(name)
        hideMuted()
        effects.append(.mute(name, isMuted))
        say((isMuted ? "hidden: " : "shown: ") + label(ofRoom: name, width: 60))
    }

    /// Applies the set of muted rooms, which was changed outside the view.
    mutating func take(muted names: Set<String>) {
        rooms.take(muted: names)
        hideMuted()
    }

    private mutating func hideMuted() {
        log.mute { [rooms] in rooms.isMuted($0) }
        keepSelectionInView()
    }
}

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
        let count = modelPane.model?.groupCount ?? 0
        let first = min(max(cursor.section - sections + 1, 0), max(count - sections, 0))
        return (sections, rooms, first)
    }

    func sideLine(at row: Int, rows: Int) -> SideLine? {
        let shares = shares(rows: rows)
        if row == 0 { return .heading }
        if row <= shares.sections {
            let index = shares.first + row - 1
            return index < modelPane.model?.groupCount ?? 0 ? .group(index) : nil
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
                let look =
                    modelPane.model == nil
                    ? " (not known)" : modelPane.look == .init() ? "" : " " + modelPane.look.words
                let text = offset == 0 ? " model" + look : " rooms"
                grid.write(text, row: row, column: column, settings.theme[.heading], in: area)
            case .group(let index)?: drawGroup(index, row, area, &grid)
            case .room(let index)?: drawKeyedRoom(index, row, area, &grid)
            case nil: break
            }
        }
    }

    private func drawGroup(_ index: Int, _ row: Int, _ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard let model = modelPane.model, let group = model.group(at: index) else { return }
        let change =
            if case .section(let section) = group { modelPane.flashes[section] } else { WatchFlashes.Change?.none }
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
        if cursor.focus == .sections, index == cursor.section {
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
        guard let model = modelPane.model?.base, let id = printer.names.look(at: room.name).channel?.id else {
            return nil
        }
        return model[Item.ID(.channel, id)]?.entity.value.unread(by: printer.names.user, in: model)
    }

    /// Returns the display name of a room, cut to `width` columns.
    func label(ofRoom room: String, width: Int) -> String {
        ShortName.room(settings.lines.showsIDs ? room : printer.names.look(at: room).label, width: width)
    }

    // MARK: - All rooms

    /// Returns the index of the first room in the pane, so that the selected room is visible.
    func firstRoomShown(_ rows: Int) -> Int {
        min(max(cursor.room - rows + 1, 0), max(rooms.list.count - rows, 0))
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
            if index == cursor.room, cursor.focus == .rooms {
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

// The charts of the last minute's rate and lag, above the log.
extension Watch {
    /// The number of rows of the charts, if the screen is high enough.
    static let chartRows = 11

    mutating func toggleChart() {
        showsChart.toggle()
        if showsChart, WatchLayout(self).chart.isEmpty { say("there is no room for rate and lag") }
        keepSelectionInView()
    }

    func drawChart(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty else { return }
        for (row, line) in zip(area.rows, load.rows(area.rows.count, width: area.columns.count, at: now)) {
            var text = TerminalLine()
            for part in line.parts { text.append(part.text, settings.theme[part.style]) }
            grid.write(text, row: row, column: area.columns.lowerBound, in: area)
        }
    }
}

import SectionedModel
import Pipeline
import Terminal
import Wire

// Mouse input.
extension Watch {
    /// The number of entries that one step of the wheel scrolls.
    private static let wheelStep = 3

    mutating func take(_ mouse: TerminalMouse, into effects: inout [Effect]) {
        guard mode == .browsing else {
            if mouse.action == .pressed, mode == .help { mode = .browsing }
            return
        }
        let layout = WatchLayout(self)
        switch mouse.action {
        case .wheelUp: turn(by: -Self.wheelStep, at: mouse.place, layout)
        case .wheelDown: turn(by: Self.wheelStep, at: mouse.place, layout)
        case .pressed: click(mouse.place, layout, into: &effects)
        case .dragged:
            if layout.scrubber.contains(mouse.place) { scrub(to: mouse.place.column, layout, into: &effects) }
        }
    }

    private mutating func turn(by count: Int, at place: TerminalPlace, _ layout: WatchLayout) {
        if layout.detail.contains(place) {
            scrollDetail(by: count)
        } else if layout.rooms.contains(place) {
            roomIndex = min(max(roomIndex + count, 0), max(rooms.list.count - 1, 0))
        } else if layout.side.contains(place) {
            sectionIndex = min(max(sectionIndex + count, 0), max((model?.groupCount ?? 0) - 1, 0))
        } else {
            scroll(by: count)
        }
    }

    private mutating func click(_ place: TerminalPlace, _ layout: WatchLayout, into effects: inout [Effect]) {
        if layout.log.contains(place) {
            focus = .log
            guard let serial = entry(at: place.row, layout) else { return }
            if selection == serial, detail == nil { detail = WatchDetail(subject: .entry(.fields)) }
            select(serial)
        } else if layout.tabs.contains(place) {
            for (tab, columns) in tabColumns(layout.tabs) where columns.contains(place.column) {
                detail = WatchDetail(subject: .entry(tab))
            }
        } else if layout.scrubber.contains(place) {
            scrub(to: place.column, layout, into: &effects)
        } else if layout.rooms.contains(place) {
            focus = .rooms
            let index = place.row - layout.rooms.rows.lowerBound - 1 + firstRoomShown(layout.rooms.rows.count - 1)
            if rooms.list.indices.contains(index) { roomIndex = index }
        } else if layout.detail.contains(place) {
            focus = .detail
        } else if layout.side.contains(place) {
            switch sideLine(at: place.row - layout.side.rows.lowerBound, rows: layout.side.rows.count) {
            case .group(let index)?: openGroup(index)
            case .room(let index)?: toggleRoom(index, into: &effects)
            case .heading?, nil: focus = .sections
            }
        }
    }

    /// Returns the serial number of the entry on a screen row.
    private func entry(at row: Int, _ layout: WatchLayout) -> Int? {
        let shown = visible()
        var here = layout.log.rows.lowerBound + logOffset(shown, layout.log)
        for entry in shown {
            here += entry.lines.count
            if row < here { return row >= layout.log.rows.lowerBound ? entry.serial : nil }
        }
        return nil
    }
}

import Pipeline
import SectionedModel
import Terminal

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
            if focus == .detail { focus = .log }
        } else if showsRooms {
            toggleRooms()
        } else if focus != .log {
            focus = .log
        } else {
            search = ""
            follow()
        }
    }

    mutating func toggleRooms() {
        showsRooms.toggle()
        focus = showsRooms ? .rooms : .log
        keepSelectionInView()
    }

    mutating func changeFocus(isForward: Bool) {
        let layout = WatchLayout(self)
        var order: [Focus] = []
        if width >= 40 { order.append(.sections) }
        if !layout.rooms.isEmpty { order.append(.rooms) }
        if !layout.log.isEmpty { order.append(.log) }
        if !layout.detail.isEmpty { order.append(.detail) }
        guard let place = order.firstIndex(of: focus), !order.isEmpty else { return focus = .log }
        focus = order[(place + (isForward ? 1 : order.count - 1)) % order.count]
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
        let count = model?.groupCount ?? 0
        switch key {
        case .down, .character("j"): sectionIndex = min(sectionIndex + 1, max(count - 1, 0))
        case .up, .character("k"): sectionIndex = max(sectionIndex - 1, 0)
        case .enter: openGroup(sectionIndex)
        case .character("b"): show { $0.grouping.advance() }
        case .character("o"): show { $0.order.advance() }
        case .character("/"): ask(.rows, modelLook.filter)
        case .character("'"): ask(.group)
        default: return false
        }
        return true
    }

    mutating func openGroup(_ index: Int) {
        guard let group = model?.group(at: index) else { return }
        sectionIndex = index
        detail = WatchDetail(subject: .group(group))
        keepSelectionInView()
    }

    /// Changes the grouping, the order or the row filter of the model pane.
    mutating func show(_ change: (inout WatchModel.Look) -> Void) {
        change(&modelLook)
        sectionIndex = 0
        say("model: " + modelLook.words)
    }

    /// Selects the first group whose name starts with `text`, ignoring case.
    mutating func goToGroup(_ text: String) {
        guard let model else { return }
        let wanted = text.lowercased()
        let found = (0..<model.groupCount).first { index in
            model.group(at: index).map { name(of: $0).lowercased().hasPrefix(wanted) } ?? false
        }
        if let found { sectionIndex = found }
    }

    mutating func pressInRooms(_ key: TerminalKey, into effects: inout [Effect]) -> Bool {
        let room = rooms.list.indices.contains(roomIndex) ? rooms.list[roomIndex] : nil
        switch key {
        case .down, .character("j"): roomIndex = min(roomIndex + 1, max(rooms.list.count - 1, 0))
        case .up, .character("k"): roomIndex = max(roomIndex - 1, 0)
        case .character("x"), .character("M"): if room != nil { toggleRoom(roomIndex, into: &effects) }
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

import Recording
import SectionedModel
import Pipeline
import Terminal
import Wire

// What keys do.
extension Watch {
    mutating func take(_ input: TerminalInput, into effects: inout [Effect]) {
        switch input {
        case .key(let key): press(key, into: &effects)
        case .mouse(let mouse): take(mouse, into: &effects)
        case .pasted(let text):
            guard case .asking(let question, var editor) = mode else { return }
            let change = editor.paste(text)
            mode = .asking(question, editor)
            if change == .edited { edited(question, editor.text) }
        }
    }

    private mutating func press(_ key: TerminalKey, into effects: inout [Effect]) {
        switch mode {
        case .help: mode = .browsing
        case .asking(let question, var editor):
            let change = editor.press(key)
            mode = .asking(question, editor)
            switch change {
            case .edited: edited(question, editor.text)
            case .submitted:
                mode = .browsing
                submit(question, editor.text, into: &effects)
            case .cancelled:
                mode = .browsing
                cancel(question)
            case .nothing: break
            }
        case .browsing: browse(key, into: &effects)
        }
    }

    private mutating func browse(_ key: TerminalKey, into effects: inout [Effect]) {
        if settings.isReplay, let command = command(of: key) { return effects.append(.play(command)) }
        switch focus {
        case .log: break
        case .detail: if pressInDetail(key) { return }
        case .sections: if pressInSections(key) { return }
        case .rooms: if pressInRooms(key, into: &effects) { return }
        }
        switch key {
        case .character(let letter): type(letter, into: &effects)
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: scroll(by: -page)
        case .pageDown: scroll(by: page)
        case .home: goToFirst()
        case .end: follow()
        case .enter: openDetail()
        case .tab: changeFocus(isForward: true)
        case .backTab: changeFocus(isForward: false)
        case .escape: close()
        case .control("l"), .control, .left, .right, .backspace, .delete: break
        }
    }

    private var page: Int { max(WatchLayout(self).log.rows.count - 1, 1) }

    private mutating func type(_ letter: Unicode.Scalar, into effects: inout [Effect]) {
        switch letter {
        case " ": togglePause()
        case "j": move(by: 1)
        case "k": move(by: -1)
        case "g": goToFirst()
        case "G": follow()
        case "/": ask(.search)
        case "n": find(isForward: true, into: &effects)
        case "N": find(isForward: false, into: &effects)
        case "f":
            filterBefore = log.filter
            ask(.filter, log.filter.text)
        case "h": ask(.highlight, highlight)
        case "m": ask(.mark)
        case "t":
            settings.lines.time = settings.lines.time.next
            say("times: " + settings.lines.time.words)
        case "w":
            wraps.toggle()
            keepSelectionInView()
        case "y": copy(into: &effects)
        case "r": toggleRooms()
        case "e": go(true, missing: "no problem behind this") { $0.stamped.report.isProblem }
        case "E": go(false, missing: "no problem before this") { $0.stamped.report.isProblem }
        case "s": goToSilence(isForward: true)
        case "S": goToSilence(isForward: false)
        case "1"..."9": toggleRoom(Int(letter.value) - 0x31)
        case "?": mode = .help
        case "q": effects.append(.quit)
        default: break
        }
    }

    // MARK: - Lines that are typed

    private mutating func ask(_ question: Question, _ text: String = "") {
        mode = .asking(question, TerminalEditor(text))
        filterError = nil
    }

    private mutating func edited(_ question: Question, _ text: String) {
        switch question {
        case .filter: setFilter(text)
        case .highlight: highlight = text
        case .search, .mark, .join, .place: break
        }
    }

    /// What is typed is applied at once; what is wrong is said, and changes nothing.
    mutating func setFilter(_ text: String) {
        do throws(LinePattern.Malformed) {
            log.filter = try WatchFilter(text)
            filterError = nil
        } catch {
            filterError = error.message
            return
        }
        log.refilter()
        keepSelectionInView()
    }

    private mutating func submit(_ question: Question, _ text: String, into effects: inout [Effect]) {
        switch question {
        case .search:
            if !text.isEmpty { search = text }
            find(isForward: selection != nil, into: &effects)
        case .filter:
            if let filterError { say("the filter stays as it was: " + filterError) }
            filterError = nil
        case .highlight: break
        case .mark: mark(text.isEmpty ? "mark" : text, into: &effects)
        case .join: if !text.isEmpty { effects.append(.join(text)) }
        case .place: if !text.isEmpty { effects.append(.play(.goTo(text))) }
        }
    }

    private mutating func cancel(_ question: Question) {
        switch question {
        case .filter:
            log.filter = filterBefore
            log.refilter()
            filterError = nil
            keepSelectionInView()
        case .highlight: highlight = ""
        case .search, .mark, .join, .place: break
        }
    }

    private mutating func find(isForward: Bool, into effects: inout [Effect]) {
        if search.isEmpty { return say("nothing was searched for: / searches") }
        if find(isForward) { return }
        if settings.isReplay {
            // It may stand in what was not played yet.
            effects.append(.play(.search(search)))
        } else {
            say("nothing that is kept has “\(search)” in it")
        }
    }

    private mutating func mark(_ label: String, into effects: inout [Effect]) {
        if let serial = current { log.setMark(label, at: serial) }
        effects.append(settings.isReplay ? .play(.mark(label)) : .mark(label))
    }

    private mutating func copy(into effects: inout [Effect]) {
        guard let text = textToCopy else { return say("there is nothing to copy") }
        effects.append(.copy(text))
        say("copied \(text.utf8.count) bytes")
    }

    // MARK: - Panes

    private mutating func openDetail() {
        if case .entry(let tab)? = detail?.subject {
            detail = WatchDetail(subject: .entry(tab.next))
        } else {
            detail = WatchDetail(subject: .entry(.fields))
            keepSelectionInView()
        }
    }

    private mutating func close() {
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

    private mutating func changeFocus(isForward: Bool) {
        let layout = WatchLayout(self)
        var order: [Focus] = []
        if !layout.side.isEmpty { order.append(.sections) }
        if !layout.rooms.isEmpty { order.append(.rooms) }
        if !layout.log.isEmpty { order.append(.log) }
        if !layout.detail.isEmpty { order.append(.detail) }
        guard let place = order.firstIndex(of: focus), !order.isEmpty else { return focus = .log }
        focus = order[(place + (isForward ? 1 : order.count - 1)) % order.count]
    }

    private mutating func pressInDetail(_ key: TerminalKey) -> Bool {
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

    private mutating func pressInSections(_ key: TerminalKey) -> Bool {
        let count = model?.sectionCount ?? 0
        switch key {
        case .down, .character("j"): sectionIndex = min(sectionIndex + 1, max(count - 1, 0))
        case .up, .character("k"): sectionIndex = max(sectionIndex - 1, 0)
        case .enter: openSection(sectionIndex)
        default: return false
        }
        return true
    }

    mutating func openSection(_ index: Int) {
        guard let section = model?.sectionKey(at: index) else { return }
        sectionIndex = index
        detail = WatchDetail(subject: .section(section))
        keepSelectionInView()
    }

    private mutating func pressInRooms(_ key: TerminalKey, into effects: inout [Effect]) -> Bool {
        let room = rooms.list.indices.contains(roomIndex) ? rooms.list[roomIndex] : nil
        switch key {
        case .down, .character("j"): roomIndex = min(roomIndex + 1, max(rooms.list.count - 1, 0))
        case .up, .character("k"): roomIndex = max(roomIndex - 1, 0)
        case .character("x"), .character("M"): if room != nil { toggleRoom(roomIndex) }
        case .character("a"), .character("+"), .character("-"), .character("d"), .enter:
            guard settings.steersRooms else {
                say("the rooms of this cannot be joined or left")
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

    /// Hides a room, or shows it again.
    mutating func toggleRoom(_ index: Int) {
        guard rooms.list.indices.contains(index) else { return say("there is no room \(index + 1)") }
        let name = rooms.list[index].name
        let isMuted = rooms.toggleMute(name)
        log.setMuted(isMuted, name)
        say((isMuted ? "hidden: " : "shown: ") + ShortName.room(name, width: 60))
        keepSelectionInView()
    }

    private mutating func goToSilence(isForward: Bool) {
        let times = silences
        guard let here = current else { return }
        let found = isForward ? times.first { $0 > here } : times.last { $0 < here }
        if let found { select(found) } else { say("no silence of \(Self.silence / 1_000_000) s") }
    }

    /// The first entries behind silences.
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

    // MARK: - A replay

    /// What a key means to the player.
    private mutating func command(of key: TerminalKey) -> PlayControl.Command? {
        switch key {
        case .character(" "): return .togglePause
        case .character("."): return .step
        case .character(","): return .stepBack
        case .character("["): return .previousMark
        case .character("]"): return .nextMark
        case .character("+"): return focus == .rooms ? nil : .faster
        case .character("-"): return focus == .rooms ? nil : .slower
        case .left(let isShifted): return .move(.seconds(isShifted ? -60 : -5))
        case .right(let isShifted): return .move(.seconds(isShifted ? 60 : 5))
        case .character(":"):
            ask(.place)
            return nil
        default: return nil
        }
    }
}

import WeirModel
import WeirPipeline
import WeirTerminal
import WeirWire

// Key bindings.
extension Watch {
    mutating func take(_ input: TerminalInput, into effects: inout [Effect]) {
        switch input {
        case .key(let key): press(key, into: &effects)
        case .mouse(let mouse): take(mouse, into: &effects)
        case .pasted(let text):
            guard case .asking(let question, var editor) = mode else { return }
            let change = editor.paste(text)
            mode = .asking(question, editor)
            take(change, of: question, editor.text, into: &effects)
        }
    }

    private mutating func press(_ key: TerminalKey, into effects: inout [Effect]) {
        switch mode {
        case .help: mode = .browsing
        case .asking(let question, var editor):
            filtering.choices = []
            let change = key == .tab && question == .filter ? complete(&editor) : editor.press(key)
            mode = .asking(question, editor)
            take(change, of: question, editor.text, into: &effects)
        case .browsing: browse(key, into: &effects)
        }
    }

    private mutating func browse(_ key: TerminalKey, into effects: inout [Effect]) {
        if settings.isReplay, let command = command(of: key) { return effects.append(.play(command)) }
        switch cursor.focus {
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
        case "f": ask(.filter, filtering.setting.filter.text)
        case "h": ask(.highlight, filtering.highlight)
        case "m": ask(.mark)
        case ">": askToEmit(answer: false)
        case "a": askToEmit(answer: true)
        case "c": askToWrite(.send, into: &effects)
        case "C": askToWrite(.reply, into: &effects)
        case "u": askToWrite(.edit, into: &effects)
        case "+": askToWrite(.react, into: &effects)
        case "D": askToWrite(.delete, into: &effects)
        case "t":
            settings.lines.time = settings.lines.time.next
            say("times: " + settings.lines.time.words)
        case "w":
            wraps.toggle()
            keepSelectionInView()
        case "M":
            log.show(log.setting, chatOnly: !log.isChat, knowing: printer.names)
            keepSelectionInView()
            say(log.isChat ? "messages only" : "everything")
        case "y": copy(into: &effects)
        case "r": toggleRooms()
        case "e": go(true, missing: "no later problem") { $0.stamped.report.isProblem }
        case "E": go(false, missing: "no earlier problem") { $0.stamped.report.isProblem }
        case "s": goToSilence(isForward: true)
        case "S": goToSilence(isForward: false)
        case "1"..."9": toggleRoom(Int(letter.value) - 0x31, into: &effects)
        case "v": toggleChart()
        case "?": mode = .help
        case "q": effects.append(.quit)
        default: break
        }
    }

    private mutating func copy(into effects: inout [Effect]) {
        guard let text = textToCopy else { return say("nothing to copy") }
        effects.append(.copy(text))
        say("copied \(text.utf8.count) bytes")
    }
}

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
            cursor.room = min(max(cursor.room + count, 0), max(rooms.list.count - 1, 0))
        } else if layout.side.contains(place) {
            cursor.section = min(max(cursor.section + count, 0), max((modelPane.model?.groupCount ?? 0) - 1, 0))
        } else {
            scroll(by: count)
        }
    }

    private mutating func click(_ place: TerminalPlace, _ layout: WatchLayout, into effects: inout [Effect]) {
        if layout.log.contains(place) {
            cursor.focus = .log
            guard let serial = entry(at: place.row, layout) else { return }
            if cursor.entry == serial, detail == nil { detail = WatchDetail(subject: .entry(.fields)) }
            select(serial)
        } else if layout.tabs.contains(place) {
            for (tab, columns) in tabColumns(layout.tabs) where columns.contains(place.column) {
                detail = WatchDetail(subject: .entry(tab))
            }
        } else if layout.scrubber.contains(place) {
            scrub(to: place.column, layout, into: &effects)
        } else if layout.rooms.contains(place) {
            cursor.focus = .rooms
            let index = place.row - layout.rooms.rows.lowerBound - 1 + firstRoomShown(layout.rooms.rows.count - 1)
            if rooms.list.indices.contains(index) { cursor.room = index }
        } else if layout.detail.contains(place) {
            cursor.focus = .detail
        } else if layout.side.contains(place) {
            switch sideLine(at: place.row - layout.side.rows.lowerBound, rows: layout.side.rows.count) {
            case .group(let index)?: openGroup(index)
            case .room(let index)?: toggleRoom(index, into: &effects)
            case .heading?, nil: cursor.focus = .sections
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

// Typed input: asking a question and acting on the answer.
extension Watch {
    mutating func ask(_ question: Question, _ text: String = "") {
        mode = .asking(question, TerminalEditor(text))
        filtering.error = nil
    }

    /// Handles a change of the input line.
    mutating func take(
        _ change: TerminalEditor.Change, of question: Question, _ text: String, into effects: inout [Effect]
    ) {
        switch change {
        case .edited: edited(question, text)
        case .submitted:
            // The error stays visible, so that the user can correct it.
            if question == .filter, filtering.error != nil { return }
            mode = .browsing
            submit(question, text, into: &effects)
        case .cancelled:
            mode = .browsing
            cancel(question, text, into: &effects)
        case .nothing: break
        }
    }

    private mutating func edited(_ question: Question, _ text: String) {
        switch question {
        case .filter: filterEdited(text)
        case .highlight: filtering.highlight = text
        case .rows: show { $0.filter = text }
        case .group: goToGroup(text)
        case .write(let writing): noteTyped(text, for: writing)
        case .search, .mark, .join, .place, .emit, .answer: break
        }
    }

    private mutating func submit(_ question: Question, _ text: String, into effects: inout [Effect]) {
        switch question {
        case .search:
            if !text.isEmpty { filtering.search = text }
            find(isForward: cursor.entry != nil, into: &effects)
        case .filter: keepFilter()
        case .highlight, .rows, .group: break
        case .mark: mark(text.isEmpty ? "mark" : text, into: &effects)
        case .join: if !text.isEmpty { effects.append(.join(text)) }
        case .emit: if !text.isEmpty { effects.append(.emit(text)) }
        case .answer(let id, let namespace): effects.append(.answer(id, namespace: namespace, text))
        case .place: if !text.isEmpty { effects.append(.play(.goTo(text))) }
        case .write(let writing): write(text, writing, into: &effects)
        }
    }

    private mutating func cancel(_ question: Question, _ text: String, into effects: inout [Effect]) {
        switch question {
        case .filter: dropFilter()
        case .highlight: filtering.highlight = ""
        case .rows: show { $0.filter = "" }
        case .write(let writing): keep(text, for: writing, into: &effects)
        case .search, .mark, .join, .place, .emit, .answer, .group: break
        }
    }

    /// Asks for an event to send, or for the answer to the selected event when `answer` is true.
    mutating func askToEmit(answer: Bool) {
        guard canSpeak() else { return }
        guard answer else { return ask(.emit) }
        guard let serial = current, let entry = log[serial], case .event(let event) = entry.stamped.report,
            let id = event.ackID
        else { return say("the selected line requests no acknowledgement") }
        if entry.isAnswered { return say("it is already answered") }
        ask(.answer(id, namespace: event.namespace))
    }

    /// Returns whether the view can send to the server. Shows the reason when it cannot.
    mutating func canSpeak() -> Bool {
        let why = settings.isReplay ? "a recording accepts no input" : settings.silence
        if let why { say(why) }
        return why == nil
    }

    mutating func find(isForward: Bool, into effects: inout [Effect]) {
        if filtering.search.isEmpty { return say("no search yet: press / to search") }
        if find(isForward) { return }
        if settings.isReplay {
            // The match may be in a part of the recording that has not been played yet.
            effects.append(.play(.search(filtering.search)))
        } else {
            say("no line contains “\(filtering.search)”")
        }
    }

    private mutating func mark(_ label: String, into effects: inout [Effect]) {
        if let serial = current { log.setMark(label, at: serial) }
        effects.append(settings.isReplay ? .play(.mark(label)) : .mark(label))
    }
}

// The filter. It comes from options, from clients of the control socket, and from the user's input.
extension Watch {
    /// Whether the user is editing the filter. Until the edit ends, the filter applies to this view only.
    package var editsFilter: Bool { if case .asking(.filter, _) = mode { true } else { false } }

    /// Applies the typed filter at once. An invalid filter is reported and changes nothing.
    mutating func filterEdited(_ text: String) {
        var setting = filtering.setting
        // Unchanged text keeps the parsed filter, which knows the origin of each clause.
        if text != filtering.setting.filter.text {
            do throws(FilterError) {
                setting.filter = try Filter(parsing: text, origin: "f", kinds: filtering.setting.filter.kinds)
            } catch {
                filtering.error = error
                return
            }
        }
        filtering.error = nil
        show(setting)
    }

    /// Makes the typed filter permanent.
    mutating func keepFilter() {
        filtering.setting = log.setting
        log.countAnew()
    }

    /// Discards the typed filter and restores the one in force.
    mutating func dropFilter() {
        filtering.error = nil
        if log.setting != filtering.setting { show(filtering.setting) }
    }

    /// Applies a setting that was changed outside the view.
    mutating func take(_ setting: FilterSetting) {
        guard setting != filtering.setting else { return }
        filtering.setting = setting
        if !editsFilter { show(setting) }
    }

    private mutating func show(_ setting: FilterSetting) {
        log.show(setting, chatOnly: log.isChat, knowing: printer.names)
        keepSelectionInView()
    }

    /// Completes the last word. Shows the candidates when there are several.
    mutating func complete(_ editor: inout TerminalEditor) -> TerminalEditor.Change {
        let completion = FilterCompletion(of: editor.text, kinds: filtering.setting.filter.kinds) { field in
            switch field {
            case .title: printer.names.allTitles
            case .room: rooms.list.map { printer.names.look(at: $0.name).label }
            case .actor, .actorName, .mentions: printer.names.allPeople
            case .namespace: ["/"]
            default: []
            }
        }
        filtering.choices = completion.words
        if completion.words.count < 2 { filtering.choices = [] }
        guard !completion.words.isEmpty, completion.completed != editor.text else { return .nothing }
        editor = TerminalEditor(completion.completed)
        return .edited
    }

    /// The hint above the input line while the user edits the filter.
    var filterHint: (text: String, style: TerminalStyle) {
        if !filtering.choices.isEmpty { return (filtering.choices.joined(separator: "  "), .plain) }
        if let error = filtering.error { return ("✗ " + error.message, .bad) }
        let shares = log.shares
        return ("\(shares.shown) of \(shares.all) lines shown", .good)
    }
}

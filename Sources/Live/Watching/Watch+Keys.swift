import Pipeline
import Terminal

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
            filterChoices = []
            let change = key == .tab && question == .filter ? complete(&editor) : editor.press(key)
            mode = .asking(question, editor)
            take(change, of: question, editor.text, into: &effects)
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
        case "f": ask(.filter, filters.filter.text)
        case "h": ask(.highlight, highlight)
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

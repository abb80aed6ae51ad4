import Pipeline
import Terminal

// Typed input: asking a question and acting on the answer.
extension Watch {
    mutating func ask(_ question: Question, _ text: String = "") {
        mode = .asking(question, TerminalEditor(text))
        filterError = nil
    }

    /// Handles a change of the input line.
    mutating func take(
        _ change: TerminalEditor.Change, of question: Question, _ text: String, into effects: inout [Effect]
    ) {
        switch change {
        case .edited: edited(question, text)
        case .submitted:
            // The error stays visible, so that the user can correct it.
            if question == .filter, filterError != nil { return }
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
        case .highlight: highlight = text
        case .rows: show { $0.filter = text }
        case .group: goToGroup(text)
        case .write(let writing): noteTyped(text, for: writing)
        case .search, .mark, .join, .place, .emit, .answer: break
        }
    }

    private mutating func submit(_ question: Question, _ text: String, into effects: inout [Effect]) {
        switch question {
        case .search:
            if !text.isEmpty { search = text }
            find(isForward: selection != nil, into: &effects)
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
        case .highlight: highlight = ""
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
        if search.isEmpty { return say("no search yet: press / to search") }
        if find(isForward) { return }
        if settings.isReplay {
            // The match may be in a part of the recording that has not been played yet.
            effects.append(.play(.search(search)))
        } else {
            say("no line contains “\(search)”")
        }
    }

    private mutating func mark(_ label: String, into effects: inout [Effect]) {
        if let serial = current { log.setMark(label, at: serial) }
        effects.append(settings.isReplay ? .play(.mark(label)) : .mark(label))
    }
}

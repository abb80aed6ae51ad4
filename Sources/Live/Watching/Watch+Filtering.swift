import Pipeline
import Terminal

// The filter: what options and clients of the control socket asked for, and what somebody types.
extension Watch {
    /// Whether somebody types a filter now: until it is done it holds for the view alone.
    var editsFilter: Bool { if case .asking(.filter, _) = mode { true } else { false } }

    /// What is typed is applied at once; what is wrong is said, and changes nothing.
    mutating func filterEdited(_ text: String) {
        var setting = filters
        // What was not changed keeps what is known of it: who asked for which clause.
        if text != filters.filter.text {
            do throws(FilterError) {
                setting.filter = try Filter(parsing: text, origin: "f", kinds: filters.filter.kinds)
            } catch {
                filterError = error
                return
            }
        }
        filterError = nil
        show(setting)
    }

    /// What was typed is what is shown from now on.
    mutating func keepFilter() {
        filters = log.setting
        log.countAnew()
    }

    /// What was typed is taken back.
    mutating func dropFilter() {
        filterError = nil
        if log.setting != filters { show(filters) }
    }

    /// Somebody else changed what is shown.
    mutating func take(_ setting: ViewFilter.Setting) {
        guard setting != filters else { return }
        filters = setting
        if !editsFilter { show(setting) }
    }

    private mutating func show(_ setting: ViewFilter.Setting) {
        log.show(setting, chatOnly: log.isChat, knowing: printer.names)
        keepSelectionInView()
    }

    /// Completes the last word; several that fit are shown.
    mutating func complete(_ editor: inout TerminalEditor) -> TerminalEditor.Change {
        let completion = FilterCompletion(of: editor.text, kinds: filters.filter.kinds) { field in
            switch field {
            case .title: printer.names.allTitles
            case .room: rooms.list.map { printer.names.look(at: $0.name).label }
            case .actor, .actorName, .mentions: printer.names.allPeople
            case .namespace: ["/"]
            default: []
            }
        }
        filterChoices = completion.words
        if completion.words.count < 2 { filterChoices = [] }
        guard !completion.words.isEmpty, completion.completed != editor.text else { return .nothing }
        editor = TerminalEditor(completion.completed)
        return .edited
    }

    /// What is said of the filter while it is typed.
    var filterHint: (text: String, style: TerminalStyle) {
        if !filterChoices.isEmpty { return (filterChoices.joined(separator: "  "), .plain) }
        if let filterError { return ("✗ " + filterError.message, .bad) }
        let shares = log.shares
        return ("\(shares.shown) of \(shares.all) lines that are kept are shown", .good)
    }
}

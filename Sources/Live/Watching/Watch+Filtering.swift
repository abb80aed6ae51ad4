import Pipeline
import Terminal

// The filter. It comes from options, from clients of the control socket, and from the user's input.
extension Watch {
    /// Whether the user is editing the filter. Until the edit ends, the filter applies to this view only.
    var editsFilter: Bool { if case .asking(.filter, _) = mode { true } else { false } }

    /// Applies the typed filter at once. An invalid filter is reported and changes nothing.
    mutating func filterEdited(_ text: String) {
        var setting = filters
        // Unchanged text keeps the parsed filter, which knows the origin of each clause.
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

    /// Makes the typed filter permanent.
    mutating func keepFilter() {
        filters = log.setting
        log.countAnew()
    }

    /// Discards the typed filter and restores the one in force.
    mutating func dropFilter() {
        filterError = nil
        if log.setting != filters { show(filters) }
    }

    /// Applies a setting that was changed outside the view.
    mutating func take(_ setting: ViewFilter.Setting) {
        guard setting != filters else { return }
        filters = setting
        if !editsFilter { show(setting) }
    }

    private mutating func show(_ setting: ViewFilter.Setting) {
        log.show(setting, chatOnly: log.isChat, knowing: printer.names)
        keepSelectionInView()
    }

    /// Completes the last word. Shows the candidates when there are several.
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

    /// The hint above the input line while the user edits the filter.
    var filterHint: (text: String, style: TerminalStyle) {
        if !filterChoices.isEmpty { return (filterChoices.joined(separator: "  "), .plain) }
        if let filterError { return ("✗ " + filterError.message, .bad) }
        let shares = log.shares
        return ("\(shares.shown) of \(shares.all) lines shown", .good)
    }
}

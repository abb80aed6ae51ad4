import Live
import Network
import Pipeline

extension Arguments {
    /// Returns the hooks that run for matching reports.
    func hooks() throws(UsageError) -> [ReportHook] {
        var hooks: [ReportHook] = []
        // A profile file may declare the kinds.
        let kinds = all(.hook).isEmpty && all(.hookSh).isEmpty ? [] : try declaredKinds
        for text in all(.hook) { hooks.append(try hook(text, of: .hook, kinds)) }
        for text in all(.hookSh) { hooks.append(try hook(text, of: .hookSh, kinds)) }
        if let text = self[.forward] {
            let url = try url(text)
            guard url.scheme == "http" || url.scheme == "https" else {
                throw error("--forward requires an http or https URL")
            }
            hooks.append(ReportHook(nil, .forward(url)))
        }
        return hooks
    }

    /// Returns the notification rules and their program; `nil` without rules.
    func notifications() throws(UsageError) -> NotificationPlan? {
        let texts = all(.notify)
        guard !texts.isEmpty else {
            if self[.notifyBy] != nil, isTyped(.notifyBy) { throw error("--notify-by needs --notify RULE") }
            return nil
        }
        let kinds = texts.contains { NotificationRule(word: $0) == nil } ? try declaredKinds : []
        var rules: [NotificationRule] = []
        for text in texts {
            if let rule = NotificationRule(word: text) {
                rules.append(rule)
                continue
            }
            guard !text.hasPrefix("keyword:") else {
                throw error("--notify keyword: has no word; write it like keyword:deploy")
            }
            try filtering(.notify) { () throws(FilterError) in
                rules.append(.filter(try Filter(parsing: text, origin: Option.notify.flag, kinds: kinds)))
            }
        }
        switch self[.notifyBy] {
        case nil, "terminal": return NotificationPlan(rules)
        case "desktop": return NotificationPlan(rules, by: .desktop)
        case .some(let text):
            let words = text.split(separator: " ").map(String.init)
            guard !words.isEmpty else { throw error("--notify-by must be terminal, desktop or a COMMAND") }
            return NotificationPlan(rules, by: .command(words))
        }
    }

    /// Parses `EXPR=COMMAND`. An expression may contain equals signs, so the first one after a complete expression
    /// separates the two.
    private func hook(_ text: String, of option: Option, _ kinds: [String]) throws(UsageError) -> ReportHook {
        var complaint: FilterError?
        for index in text.indices where text[index] == "=" {
            do throws(FilterError) {
                let filter = try Filter(parsing: String(text[..<index]), origin: option.flag, kinds: kinds)
                let command = String(text[text.index(after: index)...])
                let typed = command.split(separator: " ").map(String.init)
                let words = option == .hookSh && !typed.isEmpty ? ["/bin/sh", "-c", command] : typed
                if !filter.isEmpty, !words.isEmpty { return ReportHook(filter, .command(words)) }
            } catch {
                complaint = error
            }
        }
        throw error(
            "\(option.flag): invalid EXPR=COMMAND \(UsageError.quoted(text))"
                + (complaint.map { ": \($0.message)" } ?? "")
        )
    }
}

import Live
import Network
import Pipeline

extension Arguments {
    /// What is done for certain reports.
    func hooks() throws(UsageError) -> [ReportHook] {
        var hooks: [ReportHook] = []
        // The kinds may be in a file.
        let kinds = all(.hook).isEmpty && all(.notify).isEmpty ? [] : try declaredKinds
        for text in all(.hook) { hooks.append(try hook(text, kinds)) }
        for text in all(.notify) {
            try filtering(.notify) { () throws(FilterError) in
                hooks.append(
                    ReportHook(try Filter(parsing: text, origin: Option.notify.flag, kinds: kinds), .notification))
            }
        }
        if let text = self[.forward] {
            let url = try url(text)
            guard url.scheme == "http" || url.scheme == "https" else {
                throw error("--forward: an http or https URL is wanted")
            }
            hooks.append(ReportHook(nil, .forward(url)))
        }
        return hooks
    }

    /// `EXPR=COMMAND`: an expression may have an equals sign itself, so the first one is meant that stands behind a whole expression.
    private func hook(_ text: String, _ kinds: [String]) throws(UsageError) -> ReportHook {
        var complaint: FilterError?
        for index in text.indices where text[index] == "=" {
            do throws(FilterError) {
                let filter = try Filter(parsing: String(text[..<index]), origin: Option.hook.flag, kinds: kinds)
                let words = text[text.index(after: index)...].split(separator: " ").map(String.init)
                if !filter.isEmpty, !words.isEmpty { return ReportHook(filter, .command(words)) }
            } catch {
                complaint = error
            }
        }
        throw error(
            "--hook \(UsageError.quoted(text)) is no EXPR=COMMAND" + (complaint.map { ": \($0.message)" } ?? ""))
    }
}

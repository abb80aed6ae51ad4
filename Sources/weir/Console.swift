import Live

/// What the commands themselves say: help on standard output, everything else on standard error.
enum Console {
    /// Prints on standard output. A reader that is gone is a normal end.
    static func print(_ text: String) -> ExitCode {
        do {
            try DescriptorWriter(descriptor: 1, name: "standard output").write(Array(text.utf8))
            return .done
        } catch {
            return error == .closedByReader ? .done : fail(error)
        }
    }

    /// Prints one line on standard error, escaped.
    static func note(_ text: String) {
        try? StatusPrinter(colour: TerminalDevice.showsColour(2)).write(lines: [text])
    }

    /// Prints one line with what it is about in front; `isGrave` where a mistake would be seen by others.
    static func note(_ text: String, badge: String?, isGrave: Bool) {
        guard let badge else { return note(text) }
        try? StatusPrinter(colour: TerminalDevice.showsColour(2)).write(badge: badge, isGrave: isGrave, line: text)
    }

    /// Says what went wrong, which stands out on a terminal.
    static func complain(_ text: String) { note(text, badge: "weir:", isGrave: true) }

    /// Says why a command cannot go on.
    static func fail(_ error: any Error) -> ExitCode {
        let trouble = Trouble(error)
        complain(trouble.sentence)
        return trouble.code
    }

    /// Says what is wrong with the arguments, and where to read how it is done.
    static func refuse(_ error: UsageError) -> ExitCode {
        complain(error.message)
        for line in error.details { note("  " + line) }
        note("Try 'weir help\(error.command.map { " " + $0.name } ?? "")'.")
        return .usage
    }
}

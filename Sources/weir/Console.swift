import Live

/// The output of the commands themselves: help on standard output, everything else on standard error.
enum Console {
    /// Prints on standard output. A reader that has closed it is a normal end.
    static func print(_ text: String) -> ExitCode {
        do {
            try DescriptorWriter(descriptor: 1, name: "standard output").write(Array(text.utf8))
            return .done
        } catch {
            return error == .closedByReader ? .done : fail(error)
        }
    }

    /// Prints one line on standard error, with control characters escaped.
    static func note(_ text: String) {
        Progress.clear()
        try? StatusPrinter(colour: TerminalDevice.showsColour(2)).write(lines: [text])
    }

    /// Prints one line after a badge. `isGrave` is true if others would see a mistake.
    static func note(_ text: String, badge: String?, isGrave: Bool) {
        guard let badge else { return note(text) }
        try? StatusPrinter(colour: TerminalDevice.showsColour(2)).write(badge: badge, isGrave: isGrave, line: text)
    }

    /// Prints an error, which stands out on a terminal.
    static func complain(_ text: String) { note(text, badge: "weir:", isGrave: true) }

    /// Prints the error that ends a command, and returns its exit code.
    static func fail(_ error: any Error) -> ExitCode {
        let trouble = CommandError(error)
        complain(trouble.sentence)
        return trouble.code
    }

    /// Prints an error about the arguments, with a pointer to the help.
    static func refuse(_ error: UsageError) -> ExitCode {
        complain(error.message)
        for line in error.details { note("  " + line) }
        note("Try 'weir help\(error.command.map { " " + $0.name } ?? "")'.")
        return .usage
    }
}

import Network
import Wire

extension Arguments {
    /// Whether a word is a server's address, not a channel's name or a text.
    static func isURL(_ word: String) -> Bool {
        ["http://", "https://", "ws://", "wss://"].contains { word.lowercased().hasPrefix($0) }
    }

    /// The URL among the words; `nil` if none was typed.
    var typedURL: String? {
        guard let index = command.urlIndex(in: positionals), positionals.indices.contains(index) else { return nil }
        return Arguments.isURL(positionals[index]) ? positionals[index] : nil
    }

    /// Whether a running tail performs the command. The tail knows its server.
    var speaksToRunning: Bool {
        has(.on) && typedURL == nil && (Command.actions.contains(command) || command == .watch || command == .emit)
    }

    /// Returns the context that applies to these arguments.
    ///
    /// A token belongs to its server, so a context for another server than the typed URL does not apply. Such a context
    /// is an error if it was typed as well.
    func chosenContext(for command: Command) throws(UsageError) -> Context? {
        // A running tail has its own server.
        if speaksToRunning { return nil }
        if command == .watch, typedURL == nil, !positionals.isEmpty { return nil }
        guard command.takesContext, let choice = ContextChoice.current(self[.ctx]) else { return nil }
        let context: Context
        do throws(ContextFolder.Problem) {
            context = try ContextFolder.context(choice.name, choice: choice)
        } catch {
            throw self.error("\(choice.label): \(error.message)")
        }
        guard let typed = typedURL else { return context }
        let isSame = context.url.map { Arguments.isSameServer($0, typed) } ?? true
        if isSame { return context }
        guard choice.origin == .flag else { return nil }
        throw error("--ctx: the context '\(context.name)' is for another server; omit the URL or --ctx")
    }

    private static func isSameServer(_ first: String, _ second: String) -> Bool {
        guard let first = try? URLParts(parsing: first), let second = try? URLParts(parsing: second) else {
            return false
        }
        return first.isSecure == second.isSecure && first.host.lowercased() == second.host.lowercased()
            && first.port == second.port
    }

    /// Refuses actions that others would see if the context is guarded.
    func checkGuard() throws(UsageError) {
        guard command.isSeenByOthers(self), !has(.yes) else { return }
        let context = speaksToRunning ? self[.on].flatMap { RunningProcess(name: $0).context } : context
        guard let context, context.isGuarded else { return }
        throw error(
            "the context '\(context.name)' is guarded, and others can see the effect of 'weir \(command.name)';"
                + " add --yes to confirm")
    }
}

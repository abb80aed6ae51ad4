import Network
import Wire

extension Arguments {
    /// A word that is a server's address, and not a channel's name or a text.
    static func isURL(_ word: String) -> Bool {
        ["http://", "https://", "ws://", "wss://"].contains { word.lowercased().hasPrefix($0) }
    }

    /// The URL among the words, when it was typed.
    var typedURL: String? {
        guard let index = command.urlIndex(in: positionals), positionals.indices.contains(index) else { return nil }
        return Arguments.isURL(positionals[index]) ? positionals[index] : nil
    }

    /// Whether a running tail does it, which knows its server.
    var speaksToRunning: Bool {
        has(.on) && typedURL == nil && (Command.actions.contains(command) || command == .watch || command == .emit)
    }

    /// The context that applies to these arguments.
    ///
    /// A token belongs to its server: a context that is not about the URL typed does not apply, and is refused when it was typed, too.
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
        throw error("--ctx: the context '\(context.name)' is about another server; leave out the URL, or --ctx")
    }

    private static func isSameServer(_ first: String, _ second: String) -> Bool {
        guard let first = try? URLParts(parsing: first), let second = try? URLParts(parsing: second) else {
            return false
        }
        return first.isSecure == second.isSecure && first.host.lowercased() == second.host.lowercased()
            && first.port == second.port
    }

    /// Refuses what others would see, where the context guards against it.
    func checkGuard() throws(UsageError) {
        guard command.isSeenByOthers(self), !has(.yes) else { return }
        let context = speaksToRunning ? self[.on].flatMap { RunningProcess(name: $0).context } : context
        guard let context, context.isGuarded else { return }
        throw error(
            "the context '\(context.name)' is guarded, and others would see what 'weir \(command.name)' does;"
                + " say --yes to do it")
    }
}

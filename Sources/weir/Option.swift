extension Option {
    /// A row of the table.
    struct Row {
        /// As typed, without its dashes.
        var name: String
        var value: Value
        /// The line of the help.
        var meaning: String
        /// Who knows it.
        var scope: Scope
        var traits: Traits
        /// The short form, where there is one that people know from other programs.
        var letter: Character?
        /// Where it may stand besides the command line.
        var settings: Places
        /// What it is of no use without, where the command has that.
        var needs: Option?
        /// What cannot be had along with it.
        var excludes: Option?
        /// What is different for some commands.
        var variants: [Variant]

        init(
            _ name: String, _ value: Value, _ meaning: String, _ scope: Scope, _ traits: Traits = [],
            letter: Character? = nil, settings: Places? = nil, needs: Option? = nil, excludes: Option? = nil,
            otherwise variants: [Variant] = []
        ) {
            self.name = name
            self.value = value
            self.meaning = meaning
            self.scope = scope
            self.traits = traits
            self.letter = letter
            // What a context says is how a server is listened to.
            let isContextual = scope.commands.contains(.tail) || scope.commands.contains(.record)
            self.settings = settings ?? (isContextual ? .all : [.environment, .config])
            self.needs = needs
            self.excludes = excludes
            self.variants = variants
        }
    }

    /// What follows an option.
    struct Value: ExpressibleByStringLiteral {
        /// Whose words complete it, besides those of a closed list.
        enum Kind {
            case text, context, tail, room, event, position, reference, option
        }

        /// What stands for it in a usage line; nil when nothing follows.
        var placeholder: String?
        var kind: Kind

        init(_ placeholder: String?, _ kind: Kind = .text) {
            self.placeholder = placeholder
            self.kind = kind
        }

        init(stringLiteral text: String) { self.init(text) }

        static let flag = Self(nil)
        static let context = Self("NAME|none", .context)
        static let tail = Self("NAME", .tail)
        static let room = Self("ROOM", .room)
        static let pattern = Self("PATTERN", .room)
        static let kind = Self("KIND", .event)
        static let position = Self("POSITION", .position)
        static let reference = Self("env:NAME|file:PATH|cmd:COMMAND", .reference)
        static let password = Self("env:NAME|file:PATH|cmd:COMMAND|stdin|prompt", .reference)
        static let option = Self("OPTION", .option)
    }

    struct Traits: OptionSet {
        let rawValue: Int
        /// It may be given more than once.
        static let repeatable = Self(rawValue: 1)
        /// Its value may hold a secret. That of a reference says where one is.
        static let secret = Self(rawValue: 2)
    }

    /// Where options stand besides the command line.
    struct Places: OptionSet {
        let rawValue: Int
        static let environment = Self(rawValue: 1)
        static let config = Self(rawValue: 2)
        static let context = Self(rawValue: 4)
        static let all: Self = [.environment, .config, .context]
    }

    /// The commands that know an option, in the order in which an error names them.
    struct Scope: ExpressibleByArrayLiteral {
        /// What `watch` can look at. It has the options of `tail` and `replay` that are not about printing, each for some of these.
        struct Watched: OptionSet {
            let rawValue: Int
            static let server = Self(rawValue: 1)
            static let recording = Self(rawValue: 2)
            static let running = Self(rawValue: 4)
            static let all: Self = [.server, .recording, .running]
        }

        private(set) var commands: [Command]
        private(set) var watched: Watched

        init(_ commands: [Command], _ watched: Watched = []) {
            self.commands = commands
            self.watched = watched
        }

        init(arrayLiteral commands: Command...) { self.init(commands) }

        func and(_ more: Self) -> Self { Self(commands + more.commands, watched.union(more.watched)) }

        func watching(_ watched: Watched) -> Self { Self(commands, watched) }
    }

    /// What an option is to some commands, where that is not what it is to the others.
    struct Variant {
        var commands: [Command]
        var meaning: String?
        var placeholder: String?
        var isRepeatable: Bool?
        /// Whether a value that was not typed is for them, too.
        var isInherited: Bool

        init(
            _ scope: Scope, _ meaning: String? = nil, _ placeholder: String? = nil, isRepeatable: Bool? = nil,
            isInherited: Bool = true
        ) {
            commands = scope.commands
            self.meaning = meaning
            self.placeholder = placeholder
            self.isRepeatable = isRepeatable
            self.isInherited = isInherited
        }
    }

    /// As typed, without its dashes.
    var name: String { row.name }

    /// As typed.
    var flag: String { "--" + name }

    var letter: Character? { row.letter }

    /// What follows the option in a usage line; nil when nothing does.
    var placeholder: String? { row.value.placeholder }

    /// Whether it may be given more than once.
    var isRepeatable: Bool { row.traits.contains(.repeatable) }

    /// Whether its value is where a secret is, or may hold one.
    var isSecret: Bool { row.traits.contains(.secret) || row.value.kind == .reference }

    /// The words of a closed list, as the usage line has them; empty when the value is free.
    var choices: [String] {
        guard let placeholder else { return [] }
        let words = placeholder.split(separator: "|").map(String.init)
        let isWord = { (word: String) in word.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } }
        return words.count > 1 && words.allSatisfy(isWord) ? words : []
    }

    /// What all variables begin with.
    static let prefix = "WEIR_"

    /// The environment variable that sets it: `WEIR_MAX_ATTEMPTS` for `--max-attempts`.
    var variable: String { Self.prefix + String(name.map { $0 == "-" ? "_" : $0 }).uppercased() }

    /// Whether the environment may set it: help is for who types.
    var isVariable: Bool { row.settings.contains(.environment) }

    /// Whether such a file may set it. Where the files are is not said in them, and what somebody is to be asked for each time is not
    /// answered in advance.
    func isSetting(in kind: SettingsFile.Kind) -> Bool { row.settings.contains(kind == .config ? .config : .context) }
}

extension Option {
    private func variant(for command: Command) -> Variant? {
        row.variants.first { $0.commands.contains(command) }
    }

    /// The line of the help of `command`.
    func meaning(for command: Command) -> String { variant(for: command)?.meaning ?? row.meaning }

    /// What follows the option in a usage line of that command.
    func placeholder(for command: Command) -> String? { variant(for: command)?.placeholder ?? placeholder }

    /// Whether the name of a file may follow the option.
    func takesFile(for command: Command) -> Bool {
        placeholder(for: command)?.split(separator: "|").contains("FILE") ?? false
    }

    /// Whether it may be given more than once to `command`.
    func isRepeatable(for command: Command) -> Bool { variant(for: command)?.isRepeatable ?? isRepeatable }

    /// Whether a value that was not typed is for this command, too. `weir rooms --store` looks into a file instead of asking a running
    /// tail: where the store is does not say that. Nor does the tail that is spoken to say when a tail emits.
    func isInherited(by command: Command) -> Bool { variant(for: command)?.isInherited ?? true }

    /// What the option is of no use without.
    func needs(for command: Command) -> Option? { row.needs.flatMap { $0.isKnown(to: command) ? $0 : nil } }

    /// The options of a command, in the order of the table.
    static func of(_ command: Command) -> [Option] { allCases.filter { $0.isKnown(to: command) } }

    /// Those that its help tells: of a context's, only what no other command has.
    static func shown(for command: Command) -> [Option] {
        of(command).filter { !command.writesContext || $0.row.scope.commands.contains(command) }
    }

    /// Whether a command knows the option.
    func isKnown(to command: Command) -> Bool {
        let scope = row.scope
        return scope.commands.contains(command) || (command == .watch && !scope.watched.isEmpty)
            || (command.writesContext && row.settings.contains(.context))
    }
}

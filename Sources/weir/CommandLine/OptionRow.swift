extension Option {
    /// A row of the option table.
    struct Row {
        /// The name as typed, without its dashes.
        var name: String
        var value: Value
        /// The line in the help.
        var meaning: String
        /// The commands that take the option.
        var scope: Scope
        var traits: Traits
        /// A short form, if the option has one in other programs.
        var letter: Character?
        /// The places other than the command line that may set the option.
        var settings: Places
        /// The option without which this one has no effect, if the command takes that option.
        var needs: Option?
        /// The option that cannot be combined with this one.
        var excludes: Option?
        /// The differences for some commands.
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
            // A context contains settings for following a server.
            let isContextual = scope.commands.contains(.tail) || scope.commands.contains(.record)
            self.settings = settings ?? (isContextual ? .all : [.environment, .config])
            self.needs = needs
            self.excludes = excludes
            self.variants = variants
        }
    }

    /// The value that follows an option.
    struct Value: ExpressibleByStringLiteral {
        /// The source of completions in addition to the words of a closed list.
        enum Kind {
            case text, context, tail, room, event, position, reference, option
        }

        /// The placeholder in a usage line; `nil` for an option without a value.
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
        /// The option may be repeated.
        static let repeatable = Self(rawValue: 1)
        /// The value may contain a secret. The value of a reference only contains its source.
        static let secret = Self(rawValue: 2)
    }

    /// The places other than the command line that may set options.
    struct Places: OptionSet {
        let rawValue: Int
        static let environment = Self(rawValue: 1)
        static let config = Self(rawValue: 2)
        static let context = Self(rawValue: 4)
        static let all: Self = [.environment, .config, .context]
    }

    /// The commands that take an option, in the order in which an error lists them.
    struct Scope: ExpressibleByArrayLiteral {
        /// The sources that `watch` can display. It takes the options of `tail` and `replay` that are not about
        /// printing, each for some of these sources.
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

    /// The differences of an option for some commands.
    struct Variant {
        var commands: [Command]
        var meaning: String?
        var placeholder: String?
        var isRepeatable: Bool?
        /// Whether inherited values apply to these commands as well.
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

    /// The name as typed, without its dashes.
    var name: String { row.name }

    /// The name as typed, with its dashes.
    var flag: String { "--" + name }

    var letter: Character? { row.letter }

    /// The placeholder of the value in a usage line; `nil` for an option without a value.
    var placeholder: String? { row.value.placeholder }

    /// Whether the option may be repeated.
    var isRepeatable: Bool { row.traits.contains(.repeatable) }

    /// Whether the value is a reference to a secret, or may contain one.
    var isSecret: Bool { row.traits.contains(.secret) || row.value.kind == .reference }

    /// The words of a closed list, in the order of the usage line; empty if the value is free.
    var choices: [String] {
        guard let placeholder else { return [] }
        let words = placeholder.split(separator: "|").map(String.init)
        let isWord = { (word: String) in word.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } }
        return words.count > 1 && words.allSatisfy(isWord) ? words : []
    }

    /// The prefix of all variables.
    static let prefix = "WEIR_"

    /// The environment variable that sets the option: `WEIR_MAX_ATTEMPTS` for `--max-attempts`.
    var variable: String { Self.prefix + String(name.map { $0 == "-" ? "_" : $0 }).uppercased() }

    /// Whether an environment variable may set the option. `--help`, for example, can only be typed.
    var isVariable: Bool { row.settings.contains(.environment) }

    /// Whether a file of this kind may set the option. The files cannot set their own location, or confirm what needs a
    /// confirmation each time.
    func isSetting(in kind: SettingsFile.Kind) -> Bool { row.settings.contains(kind == .config ? .config : .context) }
}

extension Option {
    private func variant(for command: Command) -> Variant? {
        row.variants.first { $0.commands.contains(command) }
    }

    /// Returns the line in the help of `command`.
    func meaning(for command: Command) -> String { variant(for: command)?.meaning ?? row.meaning }

    /// Returns the placeholder of the value in a usage line of `command`.
    func placeholder(for command: Command) -> String? { variant(for: command)?.placeholder ?? placeholder }

    /// Returns whether a file name may follow the option.
    func takesFile(for command: Command) -> Bool {
        placeholder(for: command)?.split(separator: "|").contains("FILE") ?? false
    }

    /// Returns whether `command` accepts the option repeatedly.
    func isRepeatable(for command: Command) -> Bool { variant(for: command)?.isRepeatable ?? isRepeatable }

    /// Returns whether an inherited value applies to `command`. For example, `weir rooms --store` reads a file instead
    /// of asking a running tail, which the setting for the store's path must not cause. Nor must the setting for the
    /// tail to speak to decide when a tail emits.
    func isInherited(by command: Command) -> Bool { variant(for: command)?.isInherited ?? true }

    /// Returns the option without which this one has no effect.
    func needs(for command: Command) -> Option? { row.needs.flatMap { $0.isKnown(to: command) ? $0 : nil } }

    /// Returns the options of a command, in the order of the table.
    static func of(_ command: Command) -> [Option] { allCases.filter { $0.isKnown(to: command) } }

    /// Returns the options in a command's help. The help of `ctx add` and `ctx edit` omits the options of other
    /// commands.
    static func shown(for command: Command) -> [Option] {
        of(command).filter { !command.writesContext || $0.row.scope.commands.contains(command) }
    }

    /// Whether a command takes the option.
    func isKnown(to command: Command) -> Bool {
        let scope = row.scope
        return scope.commands.contains(command) || (command == .watch && !scope.watched.isEmpty)
            || (command.writesContext && row.settings.contains(.context))
    }
}

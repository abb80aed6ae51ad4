import Glibc
import WeirEvents
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirStore
import WeirTerminal

/// The candidates for the last word of a command line: words from the tables, and names known on this machine. It never
/// uses the network or another process.
struct Completion {
    /// A candidate word and its meaning.
    struct Candidate {
        var word: String
        var meaning = ""
    }

    private(set) var candidates: [Candidate] = []
    /// Whether a file name may complete the word.
    private(set) var takesFiles = false
    private let known: KnownNames

    /// Creates the candidates for the last of the words after `weir`.
    init(of words: [String], knowing known: KnownNames) {
        self.known = known
        let current = words.last ?? ""
        guard words.count > 1 else {
            add(Command.topLevel.map { Candidate(word: $0.name, meaning: $0.summary) }, to: current)
            add(["--help", "--version"].map { Candidate(word: $0) }, to: current)
            return
        }
        guard var command = Command.topLevel.first(where: { $0.name == words[0] }) else { return }
        var rest = words[1...]
        if !command.verbs.isEmpty {
            guard rest.count > 1 else {
                add(command.verbs.map { Candidate(word: $0.verb, meaning: $0.summary) }, to: current)
                return
            }
            guard let verb = command.verbs.first(where: { $0.verb == rest.first }) else { return }
            command = verb
            rest.removeFirst()
        }
        complete(command, Array(rest.dropLast()), current)
    }

    private mutating func complete(_ command: Command, _ before: [String], _ current: String) {
        let (given, positionals, open) = Completion.read(before, command)
        if let open { return addValues(of: open, command, to: current, positionals) }
        if current.hasPrefix("--"), let equals = current.firstIndex(of: "=") {
            let flag = String(current[..<equals])
            guard let option = Option.of(command).first(where: { $0.flag == flag }) else { return }
            let rest = String(current[current.index(after: equals)...])
            return addValues(of: option, command, to: rest, positionals, prefix: flag + "=")
        }
        if current.hasPrefix("-") {
            let options = Option.of(command).filter { $0.isRepeatable || given[$0] == nil }
            return add(options.map { Candidate(word: $0.flag, meaning: $0.meaning(for: command)) }, to: current)
        }
        addPositional(command, positionals, given, to: current)
    }

    /// Splits words into options with their values and other words. `open` is the option whose value comes next.
    private static func read(
        _ words: [String], _ command: Command
    ) -> (given: [Option: String], positionals: [String], open: Option?) {
        var (given, positionals, open): ([Option: String], [String], Option?) = ([:], [], nil)
        for word in words {
            if let option = open {
                given[option] = word
                open = nil
                continue
            }
            let flag = word.prefix { $0 != "=" }
            let option = Option.of(command).first { $0.flag == flag || $0.letter.map { word == "-\($0)" } ?? false }
            guard let option else {
                positionals.append(word)
                continue
            }
            given[option] = String(word.dropFirst(flag.count + 1))
            if option.placeholder != nil, flag.count == word.count { open = option }
        }
        return (given, positionals, open)
    }

    private mutating func add(_ more: [Candidate], to current: String, prefix: String = "") {
        for candidate in more where candidate.word.hasPrefix(current) {
            candidates.append(Candidate(word: prefix + candidate.word, meaning: candidate.meaning))
        }
    }

    private mutating func add(_ words: [String], to current: String, prefix: String = "") {
        add(words.map { Candidate(word: $0) }, to: current, prefix: prefix)
    }

    private mutating func addValues(
        of option: Option, _ command: Command, to current: String, _ positionals: [String], prefix: String = ""
    ) {
        let fixed = (option.placeholder(for: command) ?? "").split(separator: "|").map(String.init).filter(
            Completion.isWord)
        add(fixed, to: current, prefix: prefix)
        switch option {
        case .rule: add(RedactionTarget.names + ["path:", "regex:"], to: current, prefix: prefix)
        case .scenario: add(EmbeddedService.scenarios, to: current, prefix: prefix)
        case .from, .notFrom: if command.family != "file" { add(known.people, to: current, prefix: prefix) }
        case .fields: addPart(of: current, after: ",", EnvelopeFields.memberNames + known.payloadFields, prefix)
        case .template:
            addPart(of: current, after: "{", (LineTemplate.fieldNames + known.payloadFields).map { $0 + "}" }, prefix)
        case .filter, .highlight, .untilMatch, .hook, .hookSh: addExpression(current, prefix)
        default: break
        }
        switch option.row.value.kind {
        case .text: break
        case .context: add(known.contexts, to: current, prefix: prefix)
        case .tail: add(known.tails, to: current, prefix: prefix)
        case .room: add(known.channels + known.rooms, to: current, prefix: prefix)
        case .event:
            add(command.family == "file" ? KnownNames.recordKinds : KnownNames.eventKinds, to: current, prefix: prefix)
        case .position:
            add(known.marks(of: positionals).map { "mark:" + $0 }, to: current, prefix: prefix)
        case .reference:
            add(
                current.hasPrefix("env:") ? known.variables.map { "env:" + $0 } : ["env:", "file:", "cmd:"],
                to: current, prefix: prefix)
        case .option:
            add(Option.allCases.filter { $0.isSetting(in: .context) }.map(\.name), to: current, prefix: prefix)
        }
        if option.takesFile(for: command) { takesFiles = true }
    }

    /// Adds candidates for the part of a word after the last occurrence of a sign.
    private mutating func addPart(of current: String, after sign: Character, _ words: [String], _ prefix: String) {
        let rest = current.lastIndex(of: sign).map { current.index(after: $0) } ?? current.startIndex
        let words = rest == current.startIndex && sign == "{" ? words.map { "{" + $0 } : words
        add(words, to: String(current[rest...]), prefix: prefix + current[..<rest])
    }

    /// Adds the words that can continue a filter expression.
    private mutating func addExpression(_ current: String, _ prefix: String) {
        let completion = FilterCompletion(of: current, paths: known.payloadFields) { field in
            switch field {
            case .title, .room: known.channels
            case .actor, .actorName: known.people
            default: []
            }
        }
        candidates += completion.words.map { Candidate(word: prefix + completion.head + $0) }
    }

    /// Whether a text is a literal word such as `json` or `none`. Placeholders contain capital letters or several
    /// parts.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }
    }

    private mutating func addPositional(
        _ command: Command, _ before: [String], _ given: [Option: String], to current: String
    ) {
        // If a context provides the URL, the other words begin at its place.
        let skipped =
            command.urlIndex(in: before).map { index in
                known.hasContext && before.count >= index
                    && !(before.indices.contains(index) && Arguments.isURL(before[index]))
            } ?? false
        let index = before.count + (skipped && command != .tail && command != .record ? 1 : 0)
        guard let positional = command.positional(at: index) else { return }
        let words = positional.name.split(separator: "|").map(String.init)
        if words.count > 1 { return add(words.filter(Completion.isWord), to: current) }
        switch positional.name {
        case _ where positional.isFile: takesFiles = true
        case "URL": add(known.urls, to: current)
        case "ROOM": add(known.channels + known.rooms, to: current)
        case "PATTERN" where command.family == "rooms": add(known.channels + known.rooms, to: current)
        case "CHANNEL": add(known.channels, to: current)
        case "NAME" where command.family == "ctx" && command != .ctxAdd: add(known.contexts, to: current)
        case "[NAME" where command == .roomsSet, "NAME" where command == .roomsSet:
            if before != ["save"] && before != ["ls"] { add(known.roomSets, to: current) }
        case "NAME" where command == .attach: add(known.tails, to: current)
        case "NAME", "METHOD", "KEY=VALUE":
            guard command == .ctl else { return }
            let method = before.lazy.compactMap(ControlMethod.init(rawValue:)).first
            if let method { return add(method.row.parameters.map { $0.name + "=" }, to: current) }
            add((before.isEmpty ? known.tails : []) + ControlMethod.allCases.map(\.rawValue), to: current)
        case "COMMAND":
            add(Command.topLevel.map { Candidate(word: $0.name, meaning: $0.summary) }, to: current)
        case "VERB":
            let command = Command.topLevel.first { $0.name == before.first }
            add((command?.verbs ?? []).map { Candidate(word: $0.verb, meaning: $0.summary) }, to: current)
        case "TOPIC": add(CheatSheet.all.map { Candidate(word: $0.topic, meaning: $0.title) }, to: current)
        case "ACTION": add(known.actions(given[.profile]).map(\.name), to: current)
        case "NAME=VALUE":
            add(
                known.actions(given[.profile]).first { before.contains($0.name) }?.allParameters.map { $0 + "=" } ?? [],
                to: current)
        case "EVENT": add(known.explainedEvents(given[.profile]), to: current)
        default: break
        }
    }
}

/// The commands `weir completion SHELL` and `weir complete WORD…`; the scripts of the former call the latter.
enum CompletionCommand {
    /// The shells with a completion script.
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        switch try arguments.choice(of: arguments.positionals[0]) as Shell {
        case .bash: return Console.print(CompletionScripts.bash)
        case .zsh: return Console.print(CompletionScripts.zsh)
        case .fish: return Console.print(CompletionScripts.fish)
        }
    }

    /// The hidden command that the scripts call. It prints one candidate a line, followed by a tab and its meaning, and
    /// `:files` if a file name may follow. Names from peers are omitted if a terminal or a shell could read them as
    /// more than a word.
    static func complete(_ words: [String]) -> ExitCode {
        var words = words
        // The shell handles a quote that is still open.
        if let last = words.last, last.hasPrefix("'") || last.hasPrefix("\"") {
            words[words.count - 1] = String(last.dropFirst())
        }
        let completion = Completion(of: words, knowing: KnownNames())
        var lines = completion.candidates.compactMap { candidate -> String? in
            guard candidate.word.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { return nil }
            guard TerminalText.escaped(candidate.word) == candidate.word else { return nil }
            return candidate.word + "\t" + candidate.meaning
        }
        if completion.takesFiles { lines.append(":files") }
        return Console.print(lines.map { $0 + "\n" }.joined())
    }
}

/// The completion scripts. Each one asks `weir complete` for candidates.
enum CompletionScripts {
    static let bash = #"""
        # Completion of weir for bash: eval "$(weir completion bash)"
        _weir() {
            local line=${COMP_LINE:0:COMP_POINT} prefix="" candidate files="" words current
            read -ra words <<<"$line"
            [[ $line == *[[:space:]] ]] && words+=("")
            current=${words[-1]}
            # The shell handles quotes.
            words=("${words[@]//[\"\'\\]/}")
            # Readline replaces only the text after its last word break.
            [[ $current == *[:=]* ]] && prefix=${current%"${current##*[:=]}"}
            COMPREPLY=()
            while IFS=$'\t' read -r candidate _; do
                if [[ $candidate == :files ]]; then files=1; continue; fi
                candidate=${candidate#"$prefix"}
                [[ $current == [\'\"]* ]] || printf -v candidate %q "$candidate"
                COMPREPLY+=("$candidate")
            done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
            if [[ -n $files ]]; then
                compopt -o filenames 2>/dev/null
                while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "${current#"$prefix"}")
            fi
            # A flag that ends with = or a reference that ends with : gets no space.
            [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace 2>/dev/null
            return 0
        }
        complete -o nosort -F _weir weir 2>/dev/null || complete -F _weir weir

        """#

    static let zsh = #"""
        #compdef weir
        # Completion of weir for zsh: weir completion zsh > a folder of $fpath/_weir, or eval "$(weir completion zsh)"
        _weir() {
            local -a values
            local line word
            local -i files=0
            for line in "${(@f)$("${(Q)words[1]}" complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
                if [[ $line == :files ]]; then
                    files=1
                elif [[ -n $line ]]; then
                    word=${line%%$'\t'*}
                    values+=("${word//:/\\:}:${line#*$'\t'}")
                fi
            done
            (( $#values )) && _describe -V -t words weir values
            (( files )) && _files
            return 0
        }
        if [[ ${funcstack[1]} == _weir ]]; then _weir "$@"; else compdef _weir weir; fi

        """#

    static let fish = #"""
        # Completion of weir for fish: weir completion fish > ~/.config/fish/completions/weir.fish
        function __weir_words
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            command $words[1] complete $words[2..-1] "$current" 2>/dev/null
        end
        complete -c weir -k -f -a '(__weir_words | string match -v ":files")'
        complete -c weir -n '__weir_words | string match -q ":files"' -F

        """#
}

/// The names that completions offer, read from files of this machine on demand.
struct KnownNames {
    /// The kinds of a recording's records.
    static let recordKinds = [
        "head", "conn", "f", "http", "sub", "gap", "token", "act", "mem", "mark", "st", "clock", "note", "sync", "idx",
        "end",
    ]

    /// The kinds of events, as printed and as used in filters.
    static let eventKinds =
        Set(KnownBackend.allCases.flatMap { $0.kinds.map(\.kind) }).sorted() + ["event"]

    /// Returns the names of the events that can be explained for the given backends.
    static func explainedEvents(of backends: [KnownBackend]) -> [String] {
        var known: Set<String> = []
        return (backends.flatMap { $0.kinds.map(\.kind) }.sorted() + backends.flatMap(\.names))
            .filter { known.insert($0).inserted }
    }

    /// Returns the events of the typed profile, otherwise of the profile in the settings, otherwise of all known
    /// backends.
    func explainedEvents(_ profile: String?) -> [String] {
        guard let path = Self.path(profile, for: .explain) else {
            return Self.explainedEvents(of: KnownBackend.allCases)
        }
        guard let profile = Self.profile(at: path), let backend = KnownBackend(.declared(profile)) else { return [] }
        return Self.explainedEvents(of: [backend])
    }

    /// Returns the actions of the typed profile, or of the profile in the settings.
    func actions(_ profile: String?) -> [Profile.Procedure] {
        Self.path(profile, for: .perform).flatMap { Self.profile(at: $0) }?.procedures ?? []
    }

    private static func path(_ typed: String?, for command: Command) -> String? {
        typed ?? (try? Settings.read(for: Arguments(for: command)))?.find(.profile, for: command)?.values.last
    }

    private static func profile(at path: String) -> Profile? {
        (try? TextFile.bytes(path, limit: TextFile.limit)).flatMap { try? Profile(parsing: $0) }
    }

    var contexts: [String] { ContextFolder.names }

    /// Whether a context applies, which may provide the URL.
    var hasContext: Bool { ContextChoice.current(nil) != nil }

    /// The URLs of the contexts.
    var urls: [String] {
        contexts.compactMap { name in
            guard let context = try? ContextFolder.context(name) else { return nil }
            return context.url
        }
    }

    var tails: [String] { ControlSocket.names }

    var variables: [String] { Environment.names(startingWith: "") }

    /// Returns the marks stored next to the recordings.
    func marks(of paths: [String]) -> [String] {
        paths.flatMap { path in ((try? MarkFile(beside: path).marks()) ?? []).map(\.label) }
    }

    /// The members of known events' payloads, in the notation of filters.
    var payloadFields: [String] {
        Set(KnownBackend.allCases.flatMap(\.kinds).flatMap(\.fields).map(\.path)).sorted()
    }

    /// The room sets of the last used account.
    var roomSets: [String] {
        guard let path = storePath else { return [] }
        return (try? RoomStore(path: path).sets().keys.sorted()) ?? []
    }

    /// The names by which messages address the remembered people.
    var people: [String] { Set(items.compactMap(\.entity.value.handle)).sorted() }

    /// The rooms of the account that was tailed last.
    var rooms: [String] { remembered?.rooms.map(\.name).sorted() ?? [] }

    /// The names of its channels, groups and direct conversations.
    var channels: [String] {
        Set(items.filter { !$0.isFormerChannel }.compactMap(\.channelName)).sorted().map { "#" + $0 }
    }

    private var items: [Item] {
        (remembered?.memories ?? []).flatMap { memory in
            memory.rows.split(separator: UInt8(ascii: "\n")).compactMap { Item(decoding: $0) }
        }
    }

    /// The path of the store, if it exists.
    private var storePath: String? {
        let path = Environment.value(Option.store.variable) ?? StateFolder.storePath
        return path.flatMap { $0 != "none" && access($0, R_OK) == 0 ? $0 : nil }
    }

    /// The stored rows of the last used account. No store is created.
    private var remembered: Remembered? {
        guard let path = storePath else { return nil }
        let found = try? RoomStore(path: path).use { store, account in
            try RoomStore.remembered(in: store, of: account)
        }
        return found ?? nil
    }
}

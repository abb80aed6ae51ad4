import Glibc
import Live
import Pipeline
import Recording

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

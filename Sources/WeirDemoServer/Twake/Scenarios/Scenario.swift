import Glibc
import WeirJSON
import WeirNetwork

/// A script for the server's world: its users, its history, and future actions with their times.
///
/// A scenario is pure data and arithmetic. With the same seed it is the same on every machine.
package struct Scenario: Sendable {
    /// The users and workspaces, known before anything happens.
    struct Cast: Hashable, Sendable {
        struct Place: Hashable, Sendable {
            var label: String
            var name: String
        }
        struct Person: Hashable, Sendable {
            var label: String
            var username: String
            var firstName: String
            var lastName: String
            /// Whether the user has a picture.
            var hasPicture = false
        }
        var company: String
        var workspaces: [Place]
        var people: [Person]
        /// The label of the user of the server's tokens, unless a caller names another.
        var me: String
    }

    /// One user's action at one time.
    struct Step: Hashable, Sendable {
        /// The time in milliseconds since the script began; negative for events before it.
        var at: Int64
        var by: String
        var action: UserAction<String>
        /// The name by which later steps refer to the message or channel that this step creates.
        var label: String?
    }

    /// The source of the steps after the start.
    enum Steps: Sendable {
        /// A finite list of steps, ordered by time.
        case list([Step])
        /// The endless script of the team in `workspace`.
        case team(TeamScript)
    }

    var cast: Cast
    /// The steps before the start, with negative times, in order.
    var history: [Step]
    var steps: Steps
}

extension Scenario {
    /// Creates a company whose users performed one action per minute until now. The first user is the one whose view is
    /// followed. User names equal the labels.
    package init(
        places: KeyValuePairs<String, String>, people: KeyValuePairs<String, (first: String, last: String)>,
        history: [(by: String, action: UserAction<String>, label: String?)]
    ) {
        let cast = Cast(
            company: "Company", workspaces: places.map { Cast.Place(label: $0.key, name: $0.value) },
            people: people.map {
                Cast.Person(label: $0.key, username: $0.key, firstName: $0.value.first, lastName: $0.value.last)
            }, me: people[0].key)
        let steps = history.enumerated().map { index, step in
            Step(at: Int64(index - history.count) * 60_000, by: step.by, action: step.action, label: step.label)
        }
        self.init(cast: cast, history: steps, steps: .list([]))
    }

    /// The names of the built-in scenarios.
    package static let names = ["workspace"]

    /// Returns a built-in scenario; `nil` when the name is unknown.
    package init?(named name: String, seed: UInt64) {
        guard name == "workspace" else { return nil }
        self = .workspace(seed: seed)
    }
}

/// The reason why a scenario cannot be used, with its position and the expected form.
package struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's name, as the caller wrote it.
    package var file: String
    /// The line, counted from 1; `nil` when the error concerns the whole file.
    package var line: Int?
    /// The problem and the expected form.
    package var message: String
    /// The error as one line for people.
    package var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(message)" }
}

extension Scenario {
    /// Returns a built-in scenario, or parses the scenario file at that path. Blocks.
    package static func load(_ nameOrFile: String, seed: UInt64) throws(ScenarioError) -> Scenario {
        if let known = Scenario(named: nameOrFile, seed: seed) { return known }
        let text: String
        do throws(TextFile.Problem) {
            text = try TextFile.read(nameOrFile, limit: maximumFile)
        } catch {
            let isFile = access(nameOrFile, F_OK) == 0
            let expected = isFile ? "" : "; expected a file, or one of the scenarios: \(names.joined(separator: ", "))"
            throw ScenarioError(file: nameOrFile, line: nil, message: error.message + expected)
        }
        return try Scenario(parsing: Array(text.utf8)[...], file: nameOrFile)
    }

    /// The maximum size of a scenario file, in bytes.
    private static let maximumFile = 64 << 20
}

extension Scenario {
    /// Parses a scenario file in JSON Lines, one action per line (`samples/scenarios/README.md` describes the fields).
    ///
    /// `file` is the name used in errors. Every name must be introduced by an earlier line, and times must not go back.
    package init(parsing text: ArraySlice<UInt8>, file: String) throws(ScenarioError) {
        var parser = ScenarioParser(file: file)
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let isBlank = line.allSatisfy {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r")
            }
            if !isBlank { try parser.read(line, number: number) }
        }
        self = try parser.scenario()
    }
}

/// A parser that collects the lines of a scenario file.
struct ScenarioParser {
    /// The possible values of the field `do`.
    enum Verb: String, CaseIterable {
        case team, user, post, reply, edit, delete, react, pin, unpin, move, attach, typing
        case createChannel = "create_channel"
        case renameChannel = "rename_channel"
        case deleteChannel = "delete_channel"
        case openDirect = "open_direct"
        case addMember = "add_member"
        case removeMember = "remove_member"
        case notify
        case favorite
        case markRead = "mark_read"
        case markUnread = "mark_unread"
    }

    private let file: String
    private var cast = Scenario.Cast(company: "Company", workspaces: [], people: [], me: "")
    private var history: [Scenario.Step] = []
    private var steps: [Scenario.Step] = []
    private var channels: [String] = []
    private var messages: Set<String> = []
    private var hasTeam = false

    init(file: String) { self.file = file }

    mutating func read(_ bytes: ArraySlice<UInt8>, number: Int) throws(ScenarioError) {
        var line = try ScenarioLine(bytes, file: file, number: number)
        let name = try line.text("do")
        guard let verb = Verb(rawValue: name) else {
            let known = Verb.allCases.map(\.rawValue).joined(separator: ", ")
            throw line.error("`do` is “\(name)”; expected one of: \(known)")
        }
        switch verb {
        case .team: try readTeam(&line)
        case .user: try readUser(&line)
        case .post, .reply, .edit, .delete, .react, .pin, .unpin, .move, .attach, .typing, .createChannel,
            .renameChannel, .deleteChannel,
            .openDirect, .addMember, .removeMember, .notify, .favorite, .markRead, .markUnread:
            try readStep(verb, &line)
        }
        try line.finish()
    }

    /// Returns the scenario after the last line. Throws when the file contains no user.
    func scenario() throws(ScenarioError) -> Scenario {
        guard !cast.people.isEmpty else {
            throw ScenarioError(
                file: file, line: nil, message: "it contains no user; expected lines with {\"do\":\"user\",…}")
        }
        var cast = cast
        if cast.me.isEmpty { cast.me = cast.people[0].label }
        if cast.workspaces.isEmpty { cast.workspaces = [.init(label: "main", name: "Workspace")] }
        var history = history
        for index in history.indices { history[index].at = Int64(index - history.count) * 45_000 }
        return Scenario(cast: cast, history: history, steps: .list(steps))
    }

    // MARK: - Cast

    private mutating func readTeam(_ line: inout ScenarioLine) throws(ScenarioError) {
        guard !hasTeam else { throw line.error("a second `team`; expected at most one") }
        hasTeam = true
        cast.company = try line.text("company")
        cast.workspaces = [.init(label: "main", name: try line.text("workspace"))]
    }

    private mutating func readUser(_ line: inout ScenarioLine) throws(ScenarioError) {
        let label = try line.text("as")
        guard !cast.people.contains(where: { $0.label == label }) else {
            throw line.error("`as`: the user “\(label)” already exists")
        }
        guard cast.people.count < 1_000 else { throw line.error("more than 1000 users") }
        cast.people.append(
            .init(
                label: label, username: try line.optionalText("username") ?? label, firstName: try line.text("first"),
                lastName: try line.optionalText("last") ?? ""))
        if try line.optionalFlag("me") ?? false { cast.me = label }
    }

    // MARK: - Steps

    private mutating func readStep(_ verb: Verb, _ line: inout ScenarioLine) throws(ScenarioError) {
        let at = try line.optionalMilliseconds("at_ms")
        let by = try person("by", &line)
        var step = Scenario.Step(at: at ?? -1, by: by, action: try action(verb, &line))
        switch verb {
        case .post, .reply: step.label = try newLabel(&line, isMessage: true)
        case .createChannel, .openDirect: step.label = try newLabel(&line, isMessage: false)
        case .team, .user, .edit, .delete, .react, .pin, .unpin, .move, .attach, .typing, .renameChannel,
            .deleteChannel,
            .addMember,
            .removeMember, .notify, .favorite, .markRead, .markUnread:
            break
        }
        if let at {
            if let last = steps.last?.at, at < last {
                throw line.error("`at_ms` is \(at), before the line above (\(last))")
            }
            steps.append(step)
        } else {
            guard steps.isEmpty else {
                throw line.error("`at_ms` is missing; only lines before the first timed one are history")
            }
            history.append(step)
        }
    }

    private mutating func newLabel(_ line: inout ScenarioLine, isMessage: Bool) throws(ScenarioError) -> String? {
        guard isMessage else {
            let label = try line.text("as")
            guard !channels.contains(label) else { throw line.error("`as`: the channel “\(label)” already exists") }
            channels.append(label)
            return label
        }
        guard let label = try line.optionalText("as") else { return nil }
        guard messages.insert(label).inserted else { throw line.error("`as`: the message “\(label)” already exists") }
        return label
    }

    private func action(_ verb: Verb, _ line: inout ScenarioLine) throws(ScenarioError) -> UserAction<String> {
        switch verb {
        case .post: return .post(channel: try channel("in", &line), text: try line.text("text"))
        case .reply: return .reply(message: try message("to", &line), text: try line.text("text"))
        case .edit: return .edit(message: try message("message", &line), text: try line.text("text"))
        case .delete: return .delete(message: try message("message", &line))
        case .react: return .react(message: try message("message", &line), names: try line.texts("with"))
        case .pin, .unpin: return .pin(message: try message("message", &line), isPinned: verb == .pin)
        case .move: return .move(message: try message("message", &line), target: try message("to", &line))
        case .attach:
            return .attach(
                message: try message("to", &line), name: try line.text("name"), text: try line.text("text"))
        case .typing:
            return .typing(
                channel: try channel("in", &line), message: try optionalMessage("to", &line),
                isWriting: try line.flag("writing"))
        case .team, .user, .createChannel, .renameChannel, .deleteChannel, .openDirect, .addMember, .removeMember,
            .notify, .favorite,
            .markRead, .markUnread:
            return try channelAction(verb, &line)
        }
    }

    private func channelAction(_ verb: Verb, _ line: inout ScenarioLine) throws(ScenarioError) -> UserAction<String> {
        switch verb {
        case .createChannel: return .createChannel(try newChannel(&line))
        case .openDirect: return .openDirect(with: try people("with", &line))
        case .renameChannel:
            return .changeChannel(
                try channel("in", &line), name: try line.optionalText("name"), icon: try line.optionalText("icon"),
                description: try line.optionalText("description"))
        case .addMember: return .addMember(channel: try channel("in", &line), user: try person("user", &line))
        case .removeMember: return .removeMember(channel: try channel("in", &line), user: try person("user", &line))
        case .notify:
            return .changeMembership(channel: try channel("in", &line), isFavorite: nil, level: try level(&line))
        case .favorite:
            return .changeMembership(channel: try channel("in", &line), isFavorite: try line.flag("value"), level: nil)
        case .markRead: return .markRead(channel: try channel("in", &line))
        case .markUnread: return .markUnread(channel: try channel("in", &line))
        case .deleteChannel, .team, .user, .post, .reply, .edit, .delete, .react, .pin, .unpin, .move, .attach,
            .typing:
            return .deleteChannel(try channel("in", &line))
        }
    }

    private func newChannel(_ line: inout ScenarioLine) throws(ScenarioError) -> NewChannel<String> {
        var new = NewChannel(workspace: "main", name: try line.text("name"))
        new.icon = try line.optionalText("icon") ?? ""
        new.description = try line.optionalText("description") ?? ""
        new.isPrivate = try line.optionalFlag("private") ?? false
        new.isDefault = try line.optionalFlag("default") ?? false
        new.members = try people("members", &line)
        return new
    }

    // MARK: - Names

    private func person(_ key: String, _ line: inout ScenarioLine) throws(ScenarioError) -> String {
        let name = try line.text(key)
        try checkPerson(name, key, line)
        return name
    }

    private func people(_ key: String, _ line: inout ScenarioLine) throws(ScenarioError) -> [String] {
        let names = try line.texts(key)
        for name in names { try checkPerson(name, key, line) }
        return names
    }

    private func checkPerson(_ name: String, _ key: String, _ line: ScenarioLine) throws(ScenarioError) {
        guard !cast.people.contains(where: { $0.label == name }) else { return }
        let known = cast.people.prefix(20).map(\.label).joined(separator: ", ")
        throw line.error(
            "`\(key)`: no user “\(name)” in the lines above; candidates: \(known.isEmpty ? "none" : known)")
    }

    private func channel(_ key: String, _ line: inout ScenarioLine) throws(ScenarioError) -> String {
        let name = try line.text(key)
        guard !channels.contains(name) else { return name }
        let known = channels.prefix(20).joined(separator: ", ")
        throw line.error(
            "`\(key)`: no channel “\(name)” in the lines above; candidates: \(known.isEmpty ? "none" : known)")
    }

    private func message(_ key: String, _ line: inout ScenarioLine) throws(ScenarioError) -> String {
        guard let name = try optionalMessage(key, &line) else {
            throw line.error("`\(key)` is missing; expected the `as` of a message in the lines above")
        }
        return name
    }

    private func optionalMessage(_ key: String, _ line: inout ScenarioLine) throws(ScenarioError) -> String? {
        guard let name = try line.optionalText(key) else { return nil }
        guard messages.contains(name) else {
            throw line.error("`\(key)`: no message in the lines above has `\"as\":\"\(name)\"`")
        }
        return name
    }

    private func level(_ line: inout ScenarioLine) throws(ScenarioError) -> NotificationLevel {
        let name = try line.text("level")
        if let level = NotificationLevel(rawValue: name) { return level }
        throw line.error("`level` is “\(name)”; expected all, mentions, me or none")
    }
}

/// One line of a scenario file, read field by field. Every error contains the file and the line.
struct ScenarioLine {
    let file: String
    let number: Int
    private let members: [JSONValue.Member]
    private var asked: [String] = []

    init(_ bytes: ArraySlice<UInt8>, file: String, number: Int) throws(ScenarioError) {
        self.file = file
        self.number = number
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch {
            throw ScenarioError(file: file, line: number, message: "not JSON: \(error)")
        }
        guard case .object(let members) = value else {
            throw ScenarioError(file: file, line: number, message: "expected an object such as {\"do\":\"post\",…}")
        }
        self.members = members
    }

    func error(_ message: String) -> ScenarioError { ScenarioError(file: file, line: number, message: message) }

    /// Reads a text that may be missing.
    mutating func optionalText(_ key: String) throws(ScenarioError) -> String? {
        guard let value = take(key) else { return nil }
        guard let text = value.stringValue, !text.isEmpty else {
            throw error("`\(key)`: expected a text that is not empty")
        }
        return text
    }

    mutating func text(_ key: String) throws(ScenarioError) -> String {
        guard let text = try optionalText(key) else { throw missing(key, "a text") }
        return text
    }

    /// Reads a list of texts, which is empty when the field is missing.
    mutating func texts(_ key: String) throws(ScenarioError) -> [String] {
        guard let value = take(key) else { return [] }
        guard let texts = value.arrayValue?.map(\.stringValue), !texts.contains(nil) else {
            throw error("`\(key)`: expected a list of texts")
        }
        return texts.compactMap { $0 }
    }

    mutating func optionalFlag(_ key: String) throws(ScenarioError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard let flag = value.boolValue else { throw error("`\(key)`: expected true or false") }
        return flag
    }

    mutating func flag(_ key: String) throws(ScenarioError) -> Bool {
        guard let flag = try optionalFlag(key) else { throw missing(key, "true or false") }
        return flag
    }

    mutating func optionalMilliseconds(_ key: String) throws(ScenarioError) -> Int64? {
        guard let value = take(key) else { return nil }
        guard let number = value.integerValue, (0...86_400_000).contains(number) else {
            throw error("`\(key)`: expected whole milliseconds from 0 to 86400000")
        }
        return number
    }

    /// Throws when the line contains a field that was not read.
    func finish() throws(ScenarioError) {
        guard let stranger = members.first(where: { !asked.contains($0.key) }) else { return }
        throw error("unknown field `\(stranger.key)`; expected here: \(asked.joined(separator: ", "))")
    }

    private mutating func take(_ key: String) -> JSONValue? {
        asked.append(key)
        return members.first { $0.key == key }?.value
    }

    private func missing(_ key: String, _ kind: String) -> ScenarioError {
        error("`\(key)` is missing; expected \(kind)")
    }
}

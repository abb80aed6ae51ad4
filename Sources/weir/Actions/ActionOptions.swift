import Glibc
import WeirEvents
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirWire

/// The options of the commands that perform actions.
struct ActionOptions {
    /// The process that performs the action.
    enum Target {
        case server(ActionRunnerConfiguration)
        /// A running tail; its own place applies if none is named.
        case running(RunningProcess, Action.Place?)
    }

    var target: Target
    /// The operations to perform, in order.
    var operations: [Action.Operation]
    /// The files attached to the message.
    var files: [Action.File] = []
    /// Whether to print the result as JSON.
    var json: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        var words = arguments.positionals[...]
        let verbs = try ActionVerb.take(&words, arguments)
        if let name = try arguments.name(.on) {
            for option in [Option.image, .file, .draft, .token, .backend, .profile, .store]
            where arguments.isTyped(option) {
                throw arguments.error("\(option.flag) cannot be used with --on: the running tail uses its own settings")
            }
            if arguments.typedURL != nil { throw arguments.error("--on: omit the URL; the running tail has its own") }
            let place = Action.Place(
                company: arguments[.company].map { EntityID($0) }, workspace: arguments[.workspace].map { EntityID($0) }
            )
            target = .running(RunningProcess(name: name), place)
        } else {
            let configuration = try Self.configuration(&words, arguments)
            target = .server(configuration)
            for path in arguments.all(.file) {
                guard configuration.backend.module.takesFiles else {
                    let names = BackendModule.all.filter(\.takesFiles).map(\.name).joined(separator: ", ")
                    throw arguments.error("--file requires --backend \(names)")
                }
                files.append(try arguments.file("--file", path))
            }
        }
        json = arguments.has(.json)
        operations = try verbs.operations(words, arguments)
    }

    private static func configuration(
        _ words: inout ArraySlice<String>, _ arguments: Arguments
    ) throws(UsageError) -> ActionRunnerConfiguration {
        guard let address = words.popFirst() else { throw arguments.error("URL is missing") }
        let url = try arguments.serviceURL(address)
        let tokens = try arguments.tokens()
        var configuration = ActionRunnerConfiguration(
            server: url, token: tokens.server,
            maximumAttempts: try arguments.count(.maxAttempts) ?? 3, seed: UInt64.random(in: .min ... .max))
        configuration.serviceTokens = tokens.services
        configuration.backend = try arguments.knownBackend
        configuration.access = try arguments.access(to: url)
        configuration.longestRetryAfter = try arguments.duration(.maxRetryAfter) ?? .longestRetryAfter
        configuration.company = arguments[.company]
        configuration.workspace = arguments[.workspace]
        (configuration.storePath, configuration.requiresStore) = try arguments.store()
        configuration.sendsDrafts = arguments.has(.draft)
        for path in arguments.all(.image) {
            guard configuration.backend.module.pictures != nil else {
                let names = BackendModule.all.filter { $0.pictures != nil }.map(\.name).joined(separator: ", ")
                throw arguments.error("--image requires --backend \(names)")
            }
            do throws(PictureFile.Problem) {
                configuration.pictures.append(try PictureFile.read(path))
            } catch {
                throw arguments.error("--image: \(UsageError.quoted(path)): \(error.message)")
            }
        }
        if let icon = arguments[.icon], let service = configuration.backend.module.pictures,
            !icon.hasPrefix(service.addresses)
        {
            do throws(PictureFile.Problem) { configuration.pictures = [try PictureFile.read(icon)] } catch {
                throw arguments.error(
                    "--icon: \(UsageError.quoted(icon)): \(error.message); give the FILE of a picture, or a URL"
                        + " at \(service.addresses)")
            }
        }
        return configuration
    }
}

/// An action's verb: the command, with its second word if it has one.
private enum ActionVerb {
    case send, edit, react, delete, read
    case createChannel, editChannel, deleteChannel, rejoinChannel, addMembers, removeMembers
    case createWorkspace, editWorkspace, deleteWorkspace, addWorkspaceMembers, removeWorkspaceMembers, setAccount, run

    /// Takes the words before the URL.
    static func take(_ words: inout ArraySlice<String>, _ arguments: Arguments) throws(UsageError) -> ActionVerb {
        switch arguments.command {
        case .send: return .send
        case .edit: return .edit
        case .react: return .react
        case .delete: return .delete
        case .read: return .read
        case .perform: return .run
        case .channel:
            let verbs: KeyValuePairs<String, ActionVerb?> = [
                "create": .createChannel, "edit": .editChannel, "delete": .deleteChannel, "rejoin": .rejoinChannel,
                "members": nil,
            ]
            if let verb = try one(of: verbs, &words, arguments) { return verb }
            return try one(
                of: ["ls": .addMembers, "add": .addMembers, "remove": .removeMembers], &words, arguments)
        case .workspace:
            let verbs: KeyValuePairs<String, ActionVerb?> = [
                "create": .createWorkspace, "edit": .editWorkspace, "delete": .deleteWorkspace, "members": nil,
            ]
            if let verb = try one(of: verbs, &words, arguments) { return verb }
            return try one(of: ["add": .addWorkspaceMembers, "remove": .removeWorkspaceMembers], &words, arguments)
        case .account: return try one(of: ["show": .setAccount, "set": .setAccount], &words, arguments)
        default: throw arguments.error("this command performs no action")
        }
    }

    private static func one<Verb>(
        of verbs: KeyValuePairs<String, Verb>, _ words: inout ArraySlice<String>, _ arguments: Arguments
    ) throws(UsageError) -> Verb {
        let word = words.popFirst() ?? ""
        if let verb = verbs.first(where: { $0.key == word }) { return verb.value }
        throw arguments.error(UsageError.unlisted(word, among: verbs.map(\.key)))
    }

    func operations(
        _ words: ArraySlice<String>, _ arguments: Arguments
    ) throws(UsageError) -> [Action.Operation] {
        var words = Words(rest: words, arguments: arguments)
        let thread = arguments[.thread].map { EntityID($0) }
        switch self {
        case .send:
            let channel = try words.id("CHANNEL")
            if arguments.has(.draft) {
                try words.end()
                guard arguments[.store] != "none" else { throw arguments.error("--draft needs the store") }
                return [.send(channel: channel, thread: thread, text: "")]
            }
            // A message with a picture or a file needs no text.
            let needsNone = arguments.has(.image) || arguments.has(.file)
            let text = needsNone && words.all.isEmpty ? "" : try words.text()
            return [.send(channel: channel, thread: thread, text: text)]
        case .edit:
            let message = try words.message(thread)
            return [.edit(message, text: try words.text())]
        case .react: return [.react(try words.message(thread), names: words.all)]
        case .delete: return [.delete(try words.message(thread))]
        case .read: return [.markRead(channel: try words.id("CHANNEL"))]
        case .createChannel: return [.createChannel(try draft(&words, arguments))]
        case .editChannel:
            let channel = try words.id("CHANNEL")
            try words.end()
            let change = Action.ChannelChange(
                name: arguments[.rename], icon: arguments[.icon], description: arguments[.description],
                visibility: try arguments.choice(.visibility))
            guard change != Action.ChannelChange() else {
                throw arguments.error("nothing to change: give --rename, --icon, --description or --visibility")
            }
            if change.visibility == .direct { throw arguments.error("--visibility: a channel cannot become direct") }
            return [.editChannel(channel: channel, change)]
        case .deleteChannel:
            let channel = try words.id("CHANNEL")
            try words.end()
            return [.deleteChannel(channel: channel)]
        case .rejoinChannel:
            let channel = try words.id("GROUP")
            try words.end()
            return [.rejoinChannel(channel: channel)]
        case .addMembers, .removeMembers:
            let channel = try words.id("CHANNEL")
            return try words.users().map { user in
                self == .addMembers
                    ? .addMember(channel: channel, user: user) : .removeMember(channel: channel, user: user)
            }
        case .addWorkspaceMembers, .removeWorkspaceMembers:
            let workspace = try words.id("WORKSPACE")
            return try words.users().map { user in
                .changeWorkspace(
                    workspace, self == .addWorkspaceMembers ? .addMember(user.description) : .removeMember(user))
            }
        case .createWorkspace:
            let name = try words.id("NAME").description
            try words.end()
            return [.createWorkspace(name: name, members: arguments.all(.member))]
        case .editWorkspace:
            let workspace = try words.id("WORKSPACE")
            try words.end()
            guard let name = arguments[.rename] else { throw arguments.error("nothing to change: give --rename") }
            return [.changeWorkspace(workspace, .rename(name))]
        case .deleteWorkspace:
            let workspace = try words.id("WORKSPACE")
            try words.end()
            return [.changeWorkspace(workspace, .delete)]
        case .setAccount:
            try words.end()
            var changes = arguments[.language].map { [Action.AccountChange.language($0)] } ?? []
            if arguments[.status] != nil || arguments[.statusIcon] != nil {
                changes.append(.status(arguments[.status] ?? "", icon: arguments[.statusIcon] ?? ""))
            }
            guard !changes.isEmpty else {
                throw arguments.error("nothing to change: give --language, --status or --status-icon")
            }
            return changes.map { .changeAccount($0) }
        case .run: return [.run(try words.run())]
        }
    }

    private func draft(_ words: inout Words, _ arguments: Arguments) throws(UsageError) -> Action.ChannelDraft {
        let kind: Action.ChannelDraft.Kind = try arguments.choice(.visibility) ?? .public
        let name = kind == .direct ? "" : try words.id("NAME").description
        try words.end()
        return Action.ChannelDraft(
            kind: kind, name: name, icon: arguments[.icon] ?? "", description: arguments[.description] ?? "",
            members: arguments.all(.member).map { EntityID($0) })
    }
}

/// The words after the URL.
struct Words {
    var rest: ArraySlice<String>
    let arguments: Arguments

    var all: [String] { Array(rest) }

    mutating func id(_ name: String) throws(UsageError) -> EntityID {
        guard let word = rest.popFirst(), !word.isEmpty else { throw arguments.error("\(name) is missing") }
        return EntityID(word)
    }

    /// Takes the remaining words as users. At least one is required.
    mutating func users() throws(UsageError) -> [EntityID] {
        var users = [try id("USER")]
        while !rest.isEmpty { users.append(try id("USER")) }
        return users
    }

    mutating func message(_ thread: EntityID?) throws(UsageError) -> Action.MessageReference {
        let channel = try id("CHANNEL")
        return Action.MessageReference(channel: channel, message: try id("MESSAGE"), thread: thread)
    }

    /// Takes the name of an action of the profile, and its parameters.
    mutating func run() throws(UsageError) -> Action.Run {
        let name = try id("ACTION").description
        var values: [String: String] = [:]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                throw arguments.error("invalid parameter \(UsageError.quoted(word)); write NAME=VALUE")
            }
            values[parts[0]] = parts[1]
        }
        // A running tail knows the profile.
        if arguments.speaksToRunning { return Action.Run(name, values) }
        guard let profile = try arguments.knownBackend.module.profile else {
            throw arguments.error("'weir do' requires --profile FILE, which declares actions")
        }
        guard let procedure = profile.procedures.first(where: { $0.name == name }) else {
            throw arguments.error(UsageError.unlisted(name, among: profile.procedures.map(\.name)))
        }
        if let problem = procedure.problem(with: values) { throw arguments.error(problem) }
        for name in procedure.files { values[name] = try file(name, values[name] ?? "") }
        return Action.Run(name, values)
    }

    /// Returns the absolute path of a file whose content becomes part of a request body.
    private func file(_ name: String, _ path: String) throws(UsageError) -> String {
        let file = try arguments.file(name, path)
        guard file.size <= RESTCall.largestFile else {
            throw arguments.error(
                "\(name): \(UsageError.quoted(path)) is larger than \(RESTCall.largestFile >> 20) MiB")
        }
        return file.path
    }

    /// Takes the text of a message: the last word, or standard input.
    mutating func text() throws(UsageError) -> String {
        let word = rest.popFirst()
        try end()
        if let word, word != "-" {
            guard !word.isEmpty else { throw arguments.error("TEXT is empty") }
            return word
        }
        switch StandardInput.text() {
        case .success(let text): return text
        case .failure(let problem): throw arguments.error(problem.message)
        }
    }

    func end() throws(UsageError) {
        if let word = rest.first { throw arguments.error("unexpected argument \(UsageError.quoted(word))") }
    }
}

extension Arguments {
    /// Returns a readable file with its absolute path, since a process in another folder may send it.
    fileprivate func file(_ name: String, _ path: String) throws(UsageError) -> Action.File {
        var facts = stat()
        guard let whole = realpath(path, nil), stat(whole, &facts) == 0, Glibc.access(whole, R_OK) == 0 else {
            throw error("\(name): \(UsageError.quoted(path)): \(String(cString: strerror(errno)))")
        }
        defer { free(whole) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            let kind = facts.st_mode & S_IFMT == S_IFDIR ? "is a folder" : "is not a regular file"
            throw error("\(name): \(UsageError.quoted(path)) \(kind)")
        }
        return Action.File(path: String(cString: whole), size: facts.st_size)
    }
}

/// A picture file to send with a message, or to use as a group's picture.
enum PictureFile {
    /// The reason for rejecting a file.
    struct Problem: Error {
        var message: String
    }

    /// The maximum size in bytes.
    static let most = 8 << 20

    /// Reads a picture file of a supported type.
    static func read(_ path: String) throws(Problem) -> ActionRunnerConfiguration.Picture {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Problem(message: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= most {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Problem(message: String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard bytes.count <= most else { throw Problem(message: "it is larger than \(most >> 20) MiB") }
        guard let type = type(of: bytes) else {
            throw Problem(message: "it is not a JPEG, PNG, GIF or WebP picture")
        }
        return ActionRunnerConfiguration.Picture(bytes: bytes, type: type)
    }

    /// Returns the media type by the first bytes, regardless of the file's name.
    private static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: [0x89] + Array("PNG\r\n".utf8)) { return "image/png" }
        if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        return nil
    }
}

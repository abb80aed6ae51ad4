import WeirJSON
import WeirTerminal

/// A first draft of a profile, generated from an AsyncAPI document.
///
/// Anything that the document does not specify is guessed, as for a recording; a comment explains each guess. Anything
/// that a profile cannot express is listed.
package struct AsyncAPIProfile: Sendable {
    /// The profile, to be reviewed, corrected and extended.
    package let text: String
    /// The parts of the document that the profile does not contain, one phrase each.
    package let unmapped: [String]

    /// Generates a profile from a document in YAML or JSON.
    ///
    /// - Throws: `Profile.Invalid` with all problems of the document.
    package init(of bytes: [UInt8]) throws(Profile.Invalid) {
        var writer = AsyncAPIWriter(try AsyncAPIDocument(parsing: bytes))
        text = writer.profile()
        unmapped = writer.unmapped
    }
}

private struct AsyncAPIWriter {
    private var document: AsyncAPIDocument
    private let isSocketIO: Bool
    private let said: [AsyncAPIDocument.Message]
    private let asked: [AsyncAPIDocument.Message]
    /// The paths of the event's name and data in the messages of a plain WebSocket.
    private var name: String?
    private var data: String?
    /// The names of the client's messages that the profile uses.
    private var used: Set<String> = []
    var unmapped: [String] { document.unmapped }

    private static let sockets = ["ws", "wss", "websocket", "websockets"]

    init(_ document: AsyncAPIDocument) {
        self.document = document
        isSocketIO = document.socketIO != nil
        said = document.messages.filter { $0.isServers && $0.method == nil }
        asked = document.messages.filter { !$0.isServers || $0.method != nil }
        guard !isSocketIO else { return }
        name = Self.nameField(of: said)
        data = name.flatMap { Self.dataField(of: said, besides: $0) }
    }

    /// Returns the field that has a single value in most messages. A likely name wins; otherwise the field that
    /// distinguishes most of them.
    private static func nameField(of messages: [AsyncAPIDocument.Message]) -> String? {
        let likely = ["type", "event", "t", "kind", "action", "op", "method", "name"]
        var best: (path: String, rank: (Int, Int))?
        for path in messages.flatMap({ $0.constants.keys.sorted() }) where best?.path != path {
            let values = messages.compactMap { $0.constants[path] }
            guard values.count * 2 > messages.count else { continue }
            let rank = (Set(values).count, -(likely.firstIndex(of: path) ?? likely.count))
            if best.map({ $0.rank < rank }) ?? true { best = (path, rank) }
        }
        return best?.path
    }

    /// Returns the member that contains everything except the messages' names.
    private static func dataField(of messages: [AsyncAPIDocument.Message], besides name: String) -> String? {
        ["data", "d", "payload", "body", "params"].first { word in
            let others = messages.flatMap(\.fields).filter { $0.path != name }
            return !others.isEmpty && others.allSatisfy { $0.path == word || $0.path.hasPrefix(word + ".") }
                && messages.contains { $0.fields.contains { $0.path.hasPrefix(word + ".") } }
        }
    }

    // MARK: - Words

    /// Returns a text of the document, shortened for a comment.
    private static func shown(_ text: String) -> String { TerminalText.truncated(text, to: 60) }

    /// Splits a name into words: `messageDeleted`, `MESSAGE_DELETED` and `message.deleted` become `message` and
    /// `deleted`.
    private static func words(_ name: String) -> [String] {
        var words = [""]
        var wasLower = false
        for character in name {
            if !character.isLetter || wasLower && character.isUppercase { words.append("") }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            wasLower = character.isLowercase
        }
        return words.filter { !$0.isEmpty }
    }

    private static func has(_ name: String, _ any: String...) -> Bool { words(name).contains { any.contains($0) } }

    private static func isToken(_ field: String) -> Bool {
        has(field, "token", "jwt", "authorization", "apikey") || words(field).suffix(2) == ["api", "key"]
    }

    private static func isRoom(_ field: String) -> Bool { ProfileDraft.rooms.contains(field) }

    /// The profile's name, made from the letters and digits of the title.
    private var label: String {
        var label = document.title.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        label = Array(label.drop { !$0.isLetter }.prefix(40))
        while label.last == "-" { label.removeLast() }
        let text = String(label).split(separator: "-").joined(separator: "-")
        return (["", "true", "false", "null"] + BackendModule.all.map(\.name)).contains(text) ? "mine" : text
    }

    // MARK: - The whole

    mutating func profile() -> String {
        var lines = [
            "# Made from the AsyncAPI document '\(Self.shown(document.title))'. Each guess has its reason in a comment: check it, then delete the comment.",
            document.version == 2
                ? "# This assumes that the client subscribes to messages of the server and publishes its own, as in AsyncAPI 2."
                : "# This assumes that the application of the document is the server, as in AsyncAPI 3. Its events are the messages it sends.",
            "name: \(label)", "",
        ]
        var draft = ProfileDraft()
        draft.timeReason = "a time by its format, or its name"
        draft.writesTypes = true
        let events = said.map { event(of: $0) }
        draft.add(events)
        let rooms = self.rooms()
        lines += realtime() + services()
        if !draft.entities.isEmpty { lines += ["", "entities:"] + draft.entities }
        if !rooms.isEmpty { lines += ["", "rooms:"] + rooms }
        if !draft.rules.isEmpty { lines += ["", "events:"] + draft.rules }
        lines += writes(draft)
        noteRest()
        if !unmapped.isEmpty { lines += [""] + unmapped.map { "# Not mapped: \($0)." } }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: - Connection

    private mutating func realtime() -> [String] {
        var lines = ["realtime:"]
        let usable = document.servers.filter { isSocketIO && !isHTTP($0) || Self.sockets.contains($0.transport) }
        for server in document.servers where !isHTTP(server) && !usable.contains(where: { $0.name == server.name }) {
            document.leave("the server '\(Self.shown(server.name))': its protocol is '\(Self.shown(server.transport))'")
        }
        let server = usable.first ?? (isSocketIO ? document.servers.first : nil)
        if let why = document.socketIO {
            lines.append("  protocol: socketio  # \(Self.shown(why))")
        } else {
            let why =
                server.map { "the protocol of the server '\(Self.shown($0.name))' is \($0.transport)" }
                ?? (document.servers.isEmpty
                    ? "the document names no server" : "no server has a protocol that Weir supports: check this")
            lines.append("  protocol: websocket  # \(why)")
        }
        for other in usable.dropFirst() {
            document.leave(
                "the server '\(Self.shown(other.name))': --url or the URL of a command selects it")
        }
        lines += isSocketIO ? socketIOPath(server) : path(server)
        if let name {
            lines.append(
                "  message: {name: \(name)\(data.map { ", data: \($0)" } ?? "")}  # it has one value in most messages")
        }
        return lines + identify() + token()
    }

    private func isHTTP(_ server: AsyncAPIDocument.Server) -> Bool { ["http", "https"].contains(server.transport) }

    private mutating func socketIOPath(_ server: AsyncAPIDocument.Server?) -> [String] {
        var lines: [String] = []
        if let path = server?.path, !path.isEmpty {
            lines.append("  path: \(ProfileDraft.quoted(path + "/"))  # the server's path")
        }
        // Documents use the channel's address as the namespace.
        var spaces: [String] = []
        for message in said + asked
        where message.method == nil && message.channel.parameters.isEmpty && message.channel.address.hasPrefix("/") {
            if !spaces.contains(message.channel.address) { spaces.append(message.channel.address) }
        }
        if let first = spaces.first, first != "/" {
            lines.append("  namespace: \(ProfileDraft.quoted(first))  # the first channel's address")
        }
        for other in spaces.dropFirst() {
            document.leave("the namespace '\(Self.shown(other))': a profile has one")
        }
        return lines
    }

    private mutating func path(_ server: AsyncAPIDocument.Server?) -> [String] {
        var paths: [String] = []
        for message in said + asked where message.method == nil && message.channel.address.hasPrefix("/") {
            if !paths.contains(message.channel.address) { paths.append(message.channel.address) }
        }
        guard let first = paths.first(where: { !$0.contains("{") }) ?? (paths.isEmpty ? "" : nil) else {
            document.leave("the path '\(Self.shown(paths[0]))': set it with --path, its braces filled in")
            return []
        }
        for other in paths where other != first {
            document.leave("the path '\(Self.shown(other))': a profile has one connection")
        }
        let path = (server?.path ?? "") + (first == "/" ? "" : first)
        return path.isEmpty ? [] : ["  path: \(ProfileDraft.quoted(path))  # the server's path and the channel's"]
    }

    /// Returns the `identify` key for the message that authenticates the connection.
    private mutating func identify() -> [String] {
        guard !isSocketIO, let message = identifying else { return [] }
        used.insert(message.name)
        let json = document.example(of: message.node) { Self.isToken($0) ? "{token}" : nil }
        return ["  identify: \(ProfileDraft.yaml(json))  # '\(Self.shown(message.name))' has a token"]
    }

    private var identifying: AsyncAPIDocument.Message? {
        asked.first { message in
            message.method == nil
                && message.fields.contains {
                    $0.path.split(separator: ".").last.map { Self.isToken(String($0)) } ?? false
                }
                && Self.has(message.name, "identify", "auth", "authenticate", "authorize", "login", "hello", "connect")
        }
    }

    private mutating func token() -> [String] {
        document.security.map { scheme in
            let name = Self.shown(scheme.name)
            switch (scheme.type, scheme.place) {
            case ("httpApiKey", "query"):
                return
                    "  # '\(name)': the token is in the query of the URL: use --query \(Self.shown(scheme.key))=env:TOKEN"
            case ("httpApiKey", "header"):
                return "  # '\(name)': the token is in a header: use --header '\(Self.shown(scheme.key)): env:TOKEN'"
            case ("http", _), ("oauth2", _), ("openIdConnect", _):
                return "  # '\(name)' (\(scheme.type)): use --token env:TOKEN"
            case ("apiKey", "user"), ("apiKey", "password"):
                return
                    "  # '\(name)': the client sends the token first: see identify and auth, and use --token env:TOKEN"
            default:
                document.leave("the security scheme '\(name)' of the type '\(Self.shown(scheme.type))'")
                return "  # '\(name)' is not mapped"
            }
        }
    }

    private mutating func services() -> [String] {
        let key = document.security.first { $0.type == "httpApiKey" && $0.place == "header" }?.key
        var lines: [String] = []
        for server in document.servers where isHTTP(server) && !server.host.isEmpty {
            let isPlain = (server.host + server.path).utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "-")...UInt8(ascii: ":") ~= byte
            }
            guard isPlain, server.transport == "https" else {
                document.leave("the service '\(Self.shown(server.name))': its address is not https://HOST/PATH")
                continue
            }
            let name = ProfileDraft.isWord(server.name) ? server.name : "service\(lines.count + 1)"
            let header = key.map { ", header: \(ProfileDraft.quoted($0))" } ?? ""
            lines.append("  \(name): {url: \(ProfileDraft.quoted("https://" + server.host + server.path))\(header)}")
        }
        return lines.isEmpty ? [] : ["", "services:"] + lines
    }

    // MARK: - Events

    private mutating func event(of message: AsyncAPIDocument.Message) -> ProfileDraft.Event {
        var event = ProfileDraft.Event(name: message.name, fields: message.fields, payload: message.payload)
        event.comments = ["\(Self.shown(message.name)), on '\(Self.shown(message.channel.address))'."]
        if let name {
            if let word = message.constants[name] {
                event.name = word
            } else {
                document.leave("the name of '\(Self.shown(message.name))' on the wire: its '\(name)' has no one value")
            }
            event.fields.removeAll { $0.path == name }
        } else if !isSocketIO {
            document.leave(
                "the name of '\(Self.shown(message.name))' on the wire: no field of the messages has one value in most")
        }
        if let data {
            event.fields = event.fields.compactMap { field in
                var field = field
                field.path = Self.inside(data, field.path) ?? ""
                return field.path.isEmpty ? nil : field
            }
        }
        if let parameter = message.channel.parameters.first, message.channel.parameters.count == 1 {
            let way = parameter.path.map { path in data.flatMap { Self.inside($0, path) } ?? path } ?? parameter.name
            if event.fields.contains(where: { $0.path == way && $0.isPlain }) {
                let why = "the channel's parameter '\(Self.shown(parameter.name))'"
                event.room = ProfileDraft.Guess(path: way, why: why)
            }
        }
        let names = message.name + " " + event.name
        event.removes = Self.has(names, "delete", "deleted", "remove", "removed")
        event.kind = Self.kind(of: names).map { ProfileDraft.Guess(path: $0, why: "by its name") }
        let subject = message.payload.flatMap {
            $0.hasPrefix("#") ? $0.split(separator: "/").last.map(String.init) : nil
        }
        event.entity = Self.entity(of: subject ?? message.name)
        return event
    }

    /// Returns the part of a path below a member, or `nil` when the path is outside it.
    private static func inside(_ member: String, _ path: String) -> String? {
        path.hasPrefix(member + ".") ? String(path.dropFirst(member.count + 1)) : nil
    }

    private static func kind(of names: String) -> String? {
        if has(names, "typing") { return "typing" }
        if has(names, "reaction", "reacted") { return "reaction" }
        if has(names, "delete", "deleted", "remove", "removed") { return "deletion" }
        guard has(names, "message", "chat") else { return nil }
        return has(names, "update", "updated", "edit", "edited", "changed") ? "edit" : "message"
    }

    private static func entity(of name: String) -> String {
        if has(name, "message") { return "message" }
        if has(name, "room", "channel", "conversation", "group") { return "channel" }
        return has(name, "user", "account", "member", "profile") ? "account" : "message"
    }

    // MARK: - Rooms

    private mutating func rooms() -> [String] {
        var lines: [String] = []
        let channels = (said + asked).filter { $0.method == nil }.map(\.channel).filter { !$0.parameters.isEmpty }
        var addresses: [String] = []
        for channel in channels where !addresses.contains(channel.address) { addresses.append(channel.address) }
        let simple = channels.first { $0.parameters.count == 1 && $0.address.contains("{\($0.parameters[0].name)}") }
        var isOfID = true
        if let simple, isSocketIO || !simple.address.hasPrefix("/") {
            isOfID = false
            let parts = simple.address.split(
                separator: "{\(simple.parameters[0].name)}", omittingEmptySubsequences: false)
            let name = parts.map { $0.replacing("{", with: "{{").replacing("}", with: "}}") }.joined(separator: "{id}")
            if parts.count == 2 {
                lines.append("  name: \(ProfileDraft.quoted(name))  # the channel's address")
            }
        }
        for address in addresses where lines.isEmpty || address != simple?.address {
            document.leave("the channel '\(Self.shown(address))' as the name of a room")
        }
        for (key, words) in [
            ("join", ["join", "subscribe", "enter"]), ("leave", ["leave", "unsubscribe", "part", "exit"]),
        ] {
            guard
                let message = asked.first(where: { message in
                    message.method == nil && Self.words(message.name).contains { words.contains($0) }
                })
            else { continue }
            used.insert(message.name)
            let place = isOfID ? "{room}" : "{id}"
            let json = document.example(of: message.node) {
                Self.isRoom($0) ? place : Self.isToken($0) ? "{token}" : nil
            }
            let answer = key == "join" && isSocketIO && message.isAnswered ? ", answer: ack" : ""
            let what =
                isSocketIO
                ? "event: \(ProfileDraft.quoted(message.name)), arguments: [\(ProfileDraft.yaml(json))]\(answer)"
                : "message: \(ProfileDraft.yaml(json))"
            lines.append("  \(key): {\(what)}  # by the name of '\(Self.shown(message.name))'")
        }
        return lines
    }

    // MARK: - What the client says

    private mutating func writes(_ draft: ProfileDraft) -> [String] {
        var lines: [String] = []
        guard document.servers.contains(where: { $0.transport == "https" }) else { return [] }
        for message in asked {
            guard let method = message.method?.lowercased(), let write = write(of: message.name),
                Profile.Write.Method(rawValue: method) != nil, !lines.contains(where: { $0.hasPrefix("  \(write):") }),
                let path = writePath(message.channel)
            else { continue }
            let json = document.example(of: message.node) {
                ["text", "content", "message", "body"].contains($0) ? "{text}" : nil
            }
            used.insert(message.name)
            let entity = draft.entities.contains("  message:") ? ", entity: message" : ""
            let body = write == "delete" ? "" : ", body: \(ProfileDraft.yaml(json))"
            lines.append(
                "  \(write): {method: \(method), path: \(ProfileDraft.quoted(path))\(body)\(entity)}  # by the name of '\(Self.shown(message.name))'"
            )
        }
        return lines.isEmpty ? [] : ["", "writes:"] + lines
    }

    private func write(of name: String) -> String? {
        if Self.has(name, "edit", "update") { return "edit" }
        if Self.has(name, "delete", "remove") { return "delete" }
        if Self.has(name, "react", "reaction") { return "react" }
        if Self.has(name, "send", "post", "create", "say") { return "send" }
        return nil
    }

    /// Returns the path of a request with the places of the room and the message, or `nil` for any other parameter.
    private func writePath(_ channel: AsyncAPIDocument.Channel) -> String? {
        guard channel.address.hasPrefix("/"), let template = try? Template(channel.address) else { return nil }
        var path = channel.address
        for place in template.places {
            let word = Self.has(place, "message") ? "message" : Self.isRoom(place) ? "id" : nil
            guard let word else { return nil }
            path = path.replacing("{\(place)}", with: "{\(word)}")
        }
        return path
    }

    private mutating func noteRest() {
        for message in asked where !used.contains(message.name) {
            let json = document.example(of: message.node) { _ in nil }
            let name = Self.shown(message.name)
            let isWord = name.allSatisfy { $0.isLetter || $0.isNumber || "-_:./".contains($0) }
            let said = "'\(Self.shown(json.raw.description))'"
            document.leave(
                "'\(name)', which the client sends: "
                    + (isSocketIO
                        ? "send it with weir emit URL \(isWord ? name : "'\(name)'") \(said)" : "it is \(said)"))
        }
    }
}

import WeirJSON
import WeirTerminal
import WeirYAML

/// The contents of an AsyncAPI document of version 2 or 3: servers, channels, and their messages.
///
/// References within the document are followed, up to a limit, since a document may refer to itself. Anything unusable
/// is recorded in `unmapped`.
struct AsyncAPIDocument {
    struct Server {
        var name: String
        /// The protocol in lower case, such as `wss`.
        var transport: String
        var host: String
        /// The path without a trailing slash.
        var path: String
    }

    struct Channel {
        /// The address, such as `/rooms/{roomId}`.
        var address: String
        /// The parameters, each with its path into the payload if the document gives one.
        var parameters: [(name: String, path: String?)]
    }

    struct Message {
        var name: String
        var channel: Channel
        /// Whether the server sends the message, not the client.
        var isServers: Bool
        var fields: [ProfileDraft.Field]
        /// The values of the fields that allow only one value, by path.
        var constants: [String: String]
        /// An identifier of the payload's schema: its reference, or else a list of its fields.
        var payload: String?
        /// The schema of the payload.
        var node: YAMLNode?
        /// Whether the message has a reply or acknowledgement.
        var isAnswered: Bool
        /// The HTTP method of the operation's binding.
        var method: String?
    }

    /// A security scheme, by which the server identifies the client.
    struct Security {
        var name: String
        var type: String
        /// For an API key: its location and its name.
        var place: String
        var key: String
    }

    private(set) var version = 3
    private(set) var title = ""
    private(set) var servers: [Server] = []
    private(set) var messages: [Message] = []
    private(set) var security: [Security] = []
    /// The reason to assume that events use Socket.IO; `nil` when they do not.
    private(set) var socketIO: String?
    /// The unusable parts of the document, one phrase each.
    private(set) var unmapped: [String] = []
    private(set) var problems: [ProfileProblem] = []
    private let root: YAMLNode
    private var found: [String: YAMLNode] = [:]
    /// The references being resolved, to stop at cycles.
    private var stack: [String] = []
    /// The number of schemas that may still be read. A schema that contains others many times over would expand without
    /// limit.
    private var budget = 20_000

    private static let (mostMessages, mostFields, deepest, mostHops) = (200, 60, 4, 32)

    init(parsing bytes: [UInt8]) throws(Profile.Invalid) {
        do throws(YAMLError) { root = try YAMLNode.parse(bytes) } catch {
            throw Profile.Invalid(problems: error.problems.map { ProfileProblem($0.message, at: $0.position) })
        }
        read()
        if problems.isEmpty, messages.isEmpty { problem(root, "the document has no message") }
        guard problems.isEmpty else { throw Profile.Invalid(problems) }
    }

    private mutating func problem(_ node: YAMLNode, _ message: String) {
        if problems.count < YAMLError.mostProblems { problems.append(ProfileProblem(message, at: node.position)) }
    }

    mutating func leave(_ sentence: String) {
        if !unmapped.contains(sentence), unmapped.count < 100 { unmapped.append(sentence) }
    }

    private mutating func read() {
        guard case .mapping = root.value else {
            return problem(root, "an AsyncAPI document has keys (asyncapi, channels), not \(root.kindName)")
        }
        guard let node = root["asyncapi"] else {
            let other = ["openapi", "swagger"].first { root[$0] != nil }
            return problem(
                root,
                "the key 'asyncapi' is missing: "
                    + (other == nil ? "the version of AsyncAPI" : "this is an OpenAPI document, which has no events"))
        }
        guard let text = node.text, let major = text.split(separator: ".").first, ["2", "3"].contains(major) else {
            return problem(
                node, "unknown version '\(TerminalText.truncated(node.text ?? "", to: 40))'; AsyncAPI 2 and 3 are known"
            )
        }
        version = major == "2" ? 2 : 3
        title = root["info"]?["title"]?.text ?? ""
        readServers()
        guard root["channels"] != nil else { return problem(root, "the key 'channels' is missing") }
        if version == 2 { readChannels2() } else { readChannels3() }
        for member in members(root["components"]?["securitySchemes"], "security schemes") {
            guard let scheme = resolved(member.value)?.node else { continue }
            security.append(
                Security(
                    name: member.key.text ?? "", type: scheme["type"]?.text ?? "",
                    place: scheme["in"]?.text ?? "", key: scheme["name"]?.text ?? ""))
        }
    }

    // MARK: - References

    /// Returns the members of a mapping. Anything else is recorded as a problem.
    private mutating func members(_ node: YAMLNode?, _ what: String) -> [YAMLNode.Member] {
        guard let node, !node.isNull else { return [] }
        guard case .mapping(let members) = node.value else {
            problem(node, "\(what) must be keys with values, not \(node.kindName)")
            return []
        }
        return members
    }

    private func elements(_ node: YAMLNode?) -> [YAMLNode] {
        if case .sequence(let elements)? = node?.value { elements } else { [] }
    }

    /// Follows references. Returns the target and the last reference, or `nil` after recording the reason.
    private mutating func resolved(_ node: YAMLNode) -> (node: YAMLNode, reference: String?)? {
        var (node, reference): (YAMLNode, String?) = (node, nil)
        for _ in 0..<Self.mostHops {
            guard let next = node["$ref"] else { return (node, reference) }
            guard let text = next.text else {
                problem(next, "a reference is a text such as '#/components/messages/NAME', not \(next.kindName)")
                return nil
            }
            guard text.hasPrefix("#") else {
                leave("the reference '\(TerminalText.truncated(text, to: 60))': it leads out of the document")
                return nil
            }
            guard let found = find(text) else {
                problem(next, "this document contains no '\(TerminalText.truncated(text, to: 60))'")
                return nil
            }
            (node, reference) = (found, text)
        }
        problem(node, "the references lead in a circle")
        return nil
    }

    /// Returns the target of a reference such as `#/channels/~1rooms~1%7Bid%7D`.
    private mutating func find(_ reference: String) -> YAMLNode? {
        if let node = found[reference] { return node }
        var node = root
        for part in reference.dropFirst().split(separator: "/") {
            let name = Self.decoded(part)
            let next: YAMLNode? =
                if case .sequence(let elements) = node.value {
                    Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                } else { node[name] }
            guard let next else { return nil }
            node = next
        }
        found[reference] = node
        return node
    }

    /// Decodes a part of a JSON pointer in a URI fragment: `%7B` is `{`, `~1` is `/`.
    private static func decoded(_ part: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(part.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self).replacing("~1", with: "/").replacing("~0", with: "~")
    }

    // MARK: - Servers and channels

    private mutating func readServers() {
        for member in members(root["servers"], "servers") {
            guard let server = resolved(member.value)?.node else { continue }
            let name = member.key.text ?? ""
            var transport = (server["protocol"]?.text ?? "").lowercased()
            var (host, path) = ("", "")
            if version == 2 {
                guard let url = server["url"]?.text else {
                    problem(server, "the key 'url' is missing: where the server is")
                    continue
                }
                var rest = url[...]
                if let end = url.firstRange(of: "://") {
                    if transport.isEmpty { transport = String(url[..<end.lowerBound]).lowercased() }
                    rest = url[end.upperBound...]
                }
                host = String(rest.prefix { $0 != "/" })
                path = String(rest.dropFirst(host.count))
            } else {
                (host, path) = (server["host"]?.text ?? "", server["pathname"]?.text ?? "")
                if host.isEmpty { problem(server, "the key 'host' is missing: where the server is") }
            }
            for variable in members(server["variables"], "variables") {
                guard let node = resolved(variable.value)?.node,
                    let value = node["default"]?.text ?? elements(node["enum"]).first?.text
                else { continue }
                (host, path) = (
                    host.replacing("{\(variable.key.text ?? "")}", with: value),
                    path.replacing("{\(variable.key.text ?? "")}", with: value)
                )
            }
            path = String(path.prefix { $0 != "?" })
            while path.hasSuffix("/") { path.removeLast() }
            if transport.contains("socket.io") || transport.contains("socketio") || path.hasSuffix("/socket.io") {
                socketIO = "declared by the server '\(name)'"
            }
            noteBindings(server)
            servers.append(Server(name: name, transport: transport, host: host, path: path))
        }
    }

    /// Detects Socket.IO, which has no standard binding in AsyncAPI: documents declare it in many ways.
    private mutating func noteBindings(_ node: YAMLNode) {
        guard let bindings = node["bindings"].flatMap({ resolved($0)?.node }) else { return }
        for name in ["socketio", "socket.io", "x-socketio", "x-socket.io"] where bindings[name] != nil {
            socketIO = socketIO ?? "declared by a binding '\(name)'"
        }
        for place in ["query", "headers"] {
            for property in members(bindings["ws"]?[place]?["properties"], "properties") {
                guard let name = property.key.text else { continue }
                let option = place == "query" ? "--query \(name)=…" : "--header '\(name): …'"
                leave(
                    "'\(TerminalText.truncated(name, to: 40))' in the \(place) of the handshake: set it with \(option)")
            }
        }
    }

    private mutating func channel(_ node: YAMLNode, _ address: String) -> Channel {
        noteBindings(node)
        var parameters: [(name: String, path: String?)] = []
        for member in members(node["parameters"], "parameters") {
            let location = resolved(member.value)?.node["location"]?.text
            let path = location.flatMap { location -> String? in
                guard location.hasPrefix("$message.payload#/") else { return nil }
                let path = String(location.dropFirst("$message.payload#/".count)).replacing("/", with: ".")
                return ProfilePath(path) != nil && path.allSatisfy { $0 == "." || FilterSyntax.isPlainKey(String($0)) }
                    ? path : nil
            }
            parameters.append((member.key.text ?? "", path))
        }
        return Channel(address: address, parameters: parameters)
    }

    private mutating func readChannels2() {
        for member in members(root["channels"], "channels") {
            guard let node = resolved(member.value)?.node else { continue }
            let channel = channel(node, member.key.text ?? "")
            for (key, isServers) in [("subscribe", true), ("publish", false)] {
                guard let operation = node[key].flatMap({ resolved($0)?.node }) else { continue }
                noteBindings(operation)
                guard let message = operation["message"].flatMap({ resolved($0) }) else { continue }
                let several = elements(message.node["oneOf"])
                for node in several.isEmpty ? [operation["message"] ?? message.node] : several {
                    add(node, operation["operationId"]?.text, channel, isServers, operation)
                }
            }
        }
    }

    private mutating func readChannels3() {
        var channels: [String: (channel: Channel, messages: [YAMLNode.Member])] = [:]
        var order: [String] = []
        for member in members(root["channels"], "channels") {
            guard let (node, _) = resolved(member.value), let key = member.key.text else { continue }
            let channel = channel(node, node["address"]?.text ?? key)
            channels[key] = (channel, members(node["messages"], "messages"))
            order.append(key)
        }
        var met: Set<String> = []
        for member in members(root["operations"], "operations") {
            guard let operation = resolved(member.value)?.node else { continue }
            noteBindings(operation)
            guard let action = operation["action"]?.text, ["send", "receive"].contains(action) else {
                problem(operation["action"] ?? operation, "an operation's 'action' is send or receive")
                continue
            }
            let reference = operation["channel"]?["$ref"]?.text ?? ""
            let key = reference.split(separator: "/").last.map(Self.decoded) ?? ""
            guard let (channel, messages) = channels[key] else {
                problem(operation["channel"] ?? operation, "an operation's 'channel' refers to one of the document's")
                continue
            }
            met.insert(key)
            let named = elements(operation["messages"])
            if named.isEmpty {
                for message in messages {
                    add(message.value, message.key.text, channel, action == "send", operation)
                }
            }
            for node in named {
                let name = node["$ref"]?.text?.split(separator: "/").last.map(Self.decoded)
                add(node, name, channel, action == "send", operation)
            }
        }
        for key in order where !met.contains(key) {
            guard let (channel, messages) = channels[key], !messages.isEmpty else { continue }
            leave(
                "the direction of the channel '\(TerminalText.truncated(key, to: 40))': no operation names it, and its messages are assumed to come from the server"
            )
            for message in messages { add(message.value, message.key.text, channel, true, nil) }
        }
    }

    private mutating func add(
        _ node: YAMLNode, _ label: String?, _ channel: Channel, _ isServers: Bool, _ operation: YAMLNode?
    ) {
        guard let (message, reference) = resolved(node) else { return }
        let last = reference?.split(separator: "/").last.map(Self.decoded)
        let name = message["name"]?.text ?? message["messageId"]?.text ?? (version == 3 ? label : nil) ?? last ?? label
        guard let name, !name.isEmpty, name.utf8.count <= 100 else {
            return leave("a message on '\(TerminalText.truncated(channel.address, to: 40))': it has no name")
        }
        guard messages.count < Self.mostMessages else {
            return leave("messages after the \(Self.mostMessages)th")
        }
        guard !messages.contains(where: { $0.name == name && $0.isServers == isServers }) else { return }
        var found = Message(
            name: name, channel: channel, isServers: isServers, fields: [], constants: [:], isAnswered: false,
            method: operation?["bindings"].flatMap { resolved($0)?.node }?["http"]?["method"]?.text)
        for word in ["x-ack", "x-response"] where message[word] != nil || operation?[word] != nil {
            socketIO = socketIO ?? "a message has '\(word)', an acknowledgement"
            found.isAnswered = true
        }
        if operation?["reply"] != nil { found.isAnswered = true }
        var payload = message["payload"]
        if let multi = payload?["schemaFormat"] ?? message["schemaFormat"], let text = multi.text {
            if !text.contains("json") && !text.contains("yaml") && !text.contains("asyncapi") {
                leave(
                    "the payload of '\(TerminalText.truncated(name, to: 40))': its schema is \(TerminalText.truncated(text, to: 60))"
                )
                payload = nil
            }
            if payload?["schemaFormat"] != nil { payload = payload?["schema"] }
        }
        if let payload, let (schema, reference) = resolved(payload) {
            found.payload = reference
            found.node = firstArgument(schema)
            stack = reference.map { [$0] } ?? []
            if let node = found.node { add(node, at: "", 0, to: &found) }
        }
        if found.payload == nil, !found.fields.isEmpty {
            found.payload = found.fields.map { "\($0.path) \($0.type)" }.joined(separator: ",")
        }
        messages.append(found)
    }

    /// Returns the schema of the first argument when the schema describes a list of arguments.
    private func firstArgument(_ schema: YAMLNode) -> YAMLNode {
        guard schema["type"]?.text == "array" else { return schema }
        return elements(schema["prefixItems"]).first ?? elements(schema["items"]).first ?? schema
    }

    // MARK: - Schemas

    private static func type(of schema: YAMLNode) -> String? {
        if let text = schema["type"]?.text { return text }
        guard case .sequence(let words)? = schema["type"]?.value else { return nil }
        return words.compactMap(\.text).first { $0 != "null" }
    }

    /// Adds the fields that a schema describes below a path.
    private mutating func add(_ node: YAMLNode, at path: String, _ depth: Int, to message: inout Message) {
        budget -= 1
        guard budget > 0, message.fields.count < Self.mostFields, let (schema, reference) = resolved(node) else {
            return
        }
        if let reference {
            guard depth == 0 || !stack.contains(reference), stack.count < Self.mostHops else { return }
            stack.append(reference)
        }
        defer { if reference != nil { stack.removeLast() } }
        for key in ["allOf", "oneOf", "anyOf"] {
            for part in elements(schema[key]) {
                add(part, at: path, part["$ref"] == nil ? depth : depth + 1, to: &message)
            }
        }
        if schema["properties"] != nil {
            guard depth < Self.deepest else { return }
            for property in members(schema["properties"], "properties") {
                guard let name = property.key.text, FilterSyntax.isPlainKey(name), ProfileDraft.isPath(name) else {
                    leave(
                        "the field '\(TerminalText.truncated(property.key.text ?? "", to: 40))' of '\(TerminalText.truncated(message.name, to: 40))': a path cannot name it"
                    )
                    continue
                }
                add(property.value, at: path.isEmpty ? name : path + "." + name, depth + 1, to: &message)
            }
            return
        }
        let way = path.isEmpty ? "." : path
        guard !message.fields.contains(where: { $0.path == way || $0.path.hasPrefix(way + ".") }) else { return }
        let values = elements(schema["enum"])
        let constant = schema["const"] ?? (values.count == 1 ? values[0] : nil)
        if let text = constant?.text, !text.isEmpty, text.utf8.count <= 100 { message.constants[way] = text }
        let type = Self.type(of: schema) ?? Self.type(ofValue: constant ?? values.first)
        // A payload whose object has no described properties has no fields.
        if path.isEmpty, type != "string" { return }
        var field = ProfileDraft.Field(path: way, type: "any", isPlain: ["string", "integer", "number"].contains(type))
        switch type {
        case "string": field.type = ["date-time", "date"].contains(schema["format"]?.text) ? "time" : "text"
        case "integer", "number":
            let last = path.split(separator: ".").last.map(String.init) ?? ""
            field.type = ProfileDraft.times.contains(last) ? "time" : type ?? "any"
        case "boolean": field.type = "boolean"
        default: break
        }
        field.words = field.type == "text" && values.count <= 12 ? values.count : 0
        message.fields.append(field)
    }

    private static func type(ofValue node: YAMLNode?) -> String? {
        guard let node, case .scalar(_, let style) = node.value else { return nil }
        if style == .quoted { return "string" }
        return node.truth != nil
            ? "boolean" : node.integer != nil ? "integer" : node.number != nil ? "number" : "string"
    }

    /// Returns an example of a payload. Constants keep their values; `place` may return a placeholder for a field's
    /// name.
    mutating func example(of node: YAMLNode?, _ depth: Int = 0, _ place: (String) -> String?) -> JSONValue {
        budget -= 1
        guard budget > 0, depth < Self.deepest, let node, let schema = resolved(node)?.node else { return .object([]) }
        if let value = schema["const"] ?? schema["default"] ?? elements(schema["enum"]).first
            ?? schema["example"] ?? elements(schema["examples"]).first, case .scalar(let text, _) = value.value
        {
            if value.isNull { return .null }
            if Self.type(ofValue: value) == "string" {
                return .string(text.replacing("{", with: "{{").replacing("}", with: "}}"))
            }
            return value.truth.map { .bool($0) } ?? value.integer.map { .integer($0) }
                ?? value.number.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
        }
        var members: [JSONValue.Member] = []
        for part in elements(schema["allOf"]) + elements(schema["oneOf"]).prefix(1)
            + elements(schema["anyOf"]).prefix(1)
        {
            if case .object(let more) = example(of: part, depth + 1, place) {
                members += more.filter { member in !members.contains { $0.key == member.key } }
            }
        }
        for property in self.members(schema["properties"], "properties").prefix(Self.mostFields) {
            guard let name = property.key.text, name.utf8.count <= 100, !members.contains(where: { $0.key == name })
            else { continue }
            let isFixed = resolved(property.value)?.node["const"] != nil
            members.append(
                .init(
                    name,
                    (isFixed ? nil : place(name)).map { .string($0) } ?? example(of: property.value, depth + 1, place)))
        }
        switch Self.type(of: schema) {
        case "string": return .string("")
        case "integer", "number": return .integer(0)
        case "boolean": return .bool(false)
        case "array": return .array([])
        default: return .object(members)
        }
    }
}

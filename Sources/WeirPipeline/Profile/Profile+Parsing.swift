package import WeirJSON
import WeirTerminal
import WeirWire
import WeirYAML

extension Profile {
    /// The user actions that a write can implement.
    static let writeNames = ["send", "edit", "delete", "react", "read"]

    /// All problems of a profile, in the order of its lines.
    package struct Invalid: Error, Hashable, Sendable {
        /// The problems; at least one.
        package let problems: [ProfileProblem]
    }

    /// Reads a profile in YAML, and therefore also in JSON.
    package init(parsing bytes: [UInt8]) throws(Invalid) {
        let root: YAMLNode
        do throws(YAMLError) { root = try YAMLNode.parse(bytes) } catch {
            throw Invalid(problems: error.problems.map { ProfileProblem($0.message, at: $0.position) })
        }
        var reader = ProfileReader()
        let profile = Profile.read(root, &reader)
        if let profile { profile.check(root, &reader) }
        guard let profile, reader.problems.isEmpty else { throw Invalid(reader.problems) }
        self = profile
    }

    /// The profile as JSON, which reads back as an equal profile. Recordings store it.
    package var json: RawJSON {
        var writer = JSONWriter()
        write(into: &writer)
        return RawJSON(unchecked: writer.bytes[...])
    }

    /// The JSON Schema of profiles, published as `schemas/profile.schema.json`.
    package static var jsonSchema: JSONValue {
        guard case .object(let members) = schema else { return schema }
        return .object(
            [
                .init("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
                .init("title", .string("A profile of a chat backend, for weir --profile")),
            ] + members)
    }

    /// Checks the relations between keys: references, names and combinations that one key alone cannot decide.
    private func check(_ root: YAMLNode, _ reader: inout ProfileReader) {
        let known: [ProfileReference: [String]] = [
            .entity: entities.map(\.name), .read: reads.map(\.name), .write: writes.map(\.name),
            .service: services.map(\.name),
        ]
        for reference in reader.references {
            let names = known[reference.kind] ?? []
            guard !names.contains(reference.name) else { continue }
            let near = Suggestion.phrase(for: reference.name, among: names)
            let there = names.isEmpty ? "; none is declared" : "; declared: " + names.joined(separator: ", ")
            reader.problem(
                reference.node,
                "unknown \(reference.kind.rawValue) '\(TerminalText.truncated(reference.name, to: 40))'"
                    + (near.isEmpty ? there : near))
        }
        func node(_ path: String...) -> YAMLNode { path.reduce(root) { $0[$1] ?? $0 } }
        if !name.isEmpty { _ = ProfileReader.word(node("name"), &reader) }
        if BackendModule.all.contains(where: { $0.name == name }) {
            reader.problem(node("name"), "'\(name)' is a built-in backend; choose another name")
        }
        for entity in entities {
            let names = entity.fields.map(\.name)
            let named =
                [("newer", entity.newer), ("sort", entity.sortField?.name)] + entity.unique.map { ("unique", $0) }
            for (key, field) in named {
                guard let field, !names.contains(field) else { continue }
                reader.unknown(node("entities", entity.name, key), named: field, among: names, what: "field")
            }
        }
        for write in writes {
            if !Self.writeNames.contains(write.name),
                !procedures.contains(where: { $0.steps.contains { $0.write == write.name } })
            {
                reader.unknown(node("writes", write.name), named: write.name, among: Self.writeNames, what: "write")
            }
            guard let entity = entities.first(where: { $0.name == write.entity }) else { continue }
            for field in write.shows.map(\.name) + [write.echo].compactMap({ $0 })
            where !entity.fields.contains(where: { $0.name == field }) {
                reader.unknown(
                    node("writes", write.name), named: field, among: entity.fields.map(\.name), what: "field")
            }
        }
        check(emissions: root, &reader)
        check(login: root, &reader)
        check(procedures: root, &reader)
        for service in services where service.url.contains("://") {
            if !service.hasOwnAddress || service.host.isEmpty {
                reader.problem(
                    node("services", service.name), "invalid address '\(service.url)'; write https://HOST/PATH")
            }
        }
        for read in reads { check(each: read, node("reads", read.name), &reader) }
        for read in reads where read.entity == nil && (read.replaces != .none || read.pages != nil) {
            reader.problem(node("reads", read.name), "'\(read.name)' needs an entity for its rows")
        }
        for read in reads {
            guard let pages = read.pages,
                [pages.next != nil, pages.last != nil, pages.from != nil].filter({ $0 }).count != 1
            else { continue }
            reader.problem(node("reads", read.name, "pages"), "pages need one of next, last and from")
        }
    }
}

extension Profile {
    /// Checks that a read of single rows names its row, and has neither pages nor rows to replace.
    private func check(each read: Read, _ node: YAMLNode, _ reader: inout ProfileReader) {
        guard let each = read.each else {
            for (key, isThere) in [("until", read.until != nil), ("tag", read.tag != nil)] where isThere {
                reader.problem(node[key] ?? node, "'\(key)' is for a read with 'each': of one row at a time")
            }
            return
        }
        if read.replaces != .none || read.pages != nil {
            reader.problem(node, "'\(read.name)' fetches one row: it cannot have pages or replace rows")
        }
        if !read.places.contains("\(each).id") {
            reader.problem(node, "'\(read.name)' does not name the row to fetch: {\(each).id}")
        }
    }

    /// Checks that each step does something, and that all places of its templates have values by then.
    private func check(procedures root: YAMLNode, _ reader: inout ProfileReader) {
        let named = Set(procedures.flatMap(\.allParameters) + reads.compactMap { $0.each.map { "\($0).id" } })
        let rows = Set(procedures.flatMap { $0.steps.compactMap(\.row) })
        reader.checkPlaces { place in
            named.contains(place)
                || place.split(separator: ".", maxSplits: 1).first.map { rows.contains(String($0)) } == true
        }
        for procedure in procedures {
            let node = root["actions"]?[procedure.name] ?? root
            var known = Set(procedure.allParameters + ["user", "action"])
            let told = procedure.allParameters
            if let name = told.indices.first(where: { told[..<$0].contains(told[$0]) }).map({ told[$0] }) {
                reader.problem(node, "'\(name)' is one parameter: a text, JSON or a file")
            }
            if let tag = procedure.tag, let place = tag.places.first(where: { !procedure.parameters.contains($0) }) {
                reader.problem(node["tag"] ?? node, "a tag consists of parameters, and '{\(place)}' is not one")
            }
            for (index, step) in procedure.steps.enumerated() {
                let read = reads.first { $0.name == step.read }
                let write = writes.first { $0.name == step.write }
                if step.read == nil, step.write == nil {
                    reader.problem(node, "step \(index + 1) of '\(procedure.name)' needs a read or a write")
                }
                if let each = step.each, step.read == nil || !known.contains(each + ".id") {
                    reader.problem(
                        node,
                        "step \(index + 1) of '\(procedure.name)' needs a read, and an earlier step with the rows '\(each)'"
                    )
                }
                for place in (read?.places ?? []) + (write?.places ?? []) where !known.contains(place) {
                    reader.problem(node, "step \(index + 1) of '\(procedure.name)' does not know {\(place)} yet")
                }
                let mixed = (read?.places ?? []) + (write?.path.places ?? []) + (write?.body?.mixedPlaces ?? [])
                if let place = mixed.first(where: { procedure.files.contains($0) }) {
                    reader.problem(
                        node, "step \(index + 1) of '\(procedure.name)': the file {\(place)} is all of a text in a body"
                    )
                }
                guard let row = step.row else { continue }
                guard let entity = entities.first(where: { $0.name == read?.entity ?? write?.entity }) else {
                    reader.problem(node, "step \(index + 1) of '\(procedure.name)' returns no row to name '\(row)'")
                    continue
                }
                known.formUnion(["\(row).id"] + entity.fields.map { "\(row).\($0.name)" })
            }
        }
    }

    /// Checks that each login call uses only its own places, and that no secret is part of a path.
    private func check(login root: YAMLNode, _ reader: inout ProfileReader) {
        guard let login, let node = root["login"] else { return }
        let calls = [
            ("call", login.call, ["user", "password"]), ("renew", login.renew, ["refresh"]),
            ("logout", login.logout, []),
        ]
        for case let (key, call?, allowed) in calls {
            let node = node[key] ?? node
            // Any other place was already reported as unknown.
            for place in call.places where !allowed.contains(place) && Login.places?.contains(place) == true {
                reader.unknown(node, named: place, among: allowed, what: "place")
            }
            // Addresses are shown to users and recorded, so they must not contain secrets.
            if let secret = call.path.places.first(where: { $0 == "password" || $0 == "refresh" }) {
                reader.problem(node, "'{\(secret)}' belongs in the body, not in an address")
            }
        }
    }

    /// Checks that what is sent suits the protocol: named events on Socket.IO, messages on a plain WebSocket, nothing
    /// on the others.
    private func check(emissions root: YAMLNode, _ reader: inout ProfileReader) {
        var sent = realtime.emit.map {
            (node: root["realtime"]?["emit"], event: $0.event, hasMessage: $0.message != nil)
        }
        if let join = rooms?.join { sent.append((root["rooms"]?["join"], join.event, join.message != nil)) }
        if let leave = rooms?.leave { sent.append((root["rooms"]?["leave"], leave.event, leave.message != nil)) }
        for (node, event, hasMessage) in sent {
            switch realtime.transport {
            case .socketio where event.isEmpty: reader.problem(node ?? root, "the key 'event' is missing: its name")
            case .socketio where SocketIO.isReserved(event):
                reader.problem(node ?? root, "'\(event)' is reserved by Socket.IO and cannot be emitted")
            case .websocket where !hasMessage:
                reader.problem(node ?? root, "the key 'message' is missing: the message to send on a plain WebSocket")
            case .bayeux: reader.problem(node ?? root, "rooms of Bayeux are subscribed to: nothing is emitted")
            case .none: reader.problem(node ?? root, "nothing can be sent with the protocol none")
            case .socketio, .websocket: break
            }
        }
        if realtime.transport == .bayeux, let rooms, Bayeux.Channel(rooms.name.filled { _ in "1" } ?? "") == nil {
            reader.problem(root["rooms"] ?? root, "'\(rooms.name.text)' names no channel; write it like /rooms/{id}")
        }
        if realtime.transport != .bayeux, !realtime.subscribe.isEmpty {
            reader.problem(root["realtime"]?["subscribe"] ?? root, "only Bayeux has channels")
        }
        if realtime.transport == .websocket, rooms?.join?.answer == .ack {
            reader.problem(
                root["rooms"]?["join"]?["answer"] ?? root, "a plain WebSocket has no acknowledgements: none or event")
        }
    }
}

extension Profile.Entity {
    /// The field by which rows are sorted, and whether the order is descending.
    var sortField: (name: String, descends: Bool)? {
        sort.map { $0.hasPrefix("-") ? (String($0.dropFirst()), true) : ($0, false) }
    }
}

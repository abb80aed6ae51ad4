import WeirEvents
import WeirJSON

/// Files of messages, and pictures of users.
extension World {
    /// Attaches a file to a message, which changes the message like an edit.
    mutating func attach(
        _ name: String, _ text: String, to id: EntityID, by user: User, at now: Int64, id file: EntityID
    ) throws(WorldError) -> Outcome {
        var message = try existingMessage(id, for: user)
        guard message.user == user.id else { throw .refused("Can't write this message.") }
        try check(text)
        try keep(SentFile(id: file, owner: user.id, message: id, name: name, bytes: Array(text.utf8)))
        message.files.append(file)
        return changed(message, at: now)
    }

    /// Stores a file, within the limits on count and size.
    mutating func keep(_ file: SentFile) throws(WorldError) {
        guard !file.name.isEmpty, file.name.count <= Limit.title else {
            throw .badRequest("The file has no name that can be kept")
        }
        guard files.count < Limit.files, file.bytes.count <= Limit.file,
            files.values.reduce(file.bytes.count, { $0 + $1.bytes.count }) <= Limit.fileBytes
        else { throw .refused("There is no room for the file.") }
        files[file.id] = file
    }

    /// Assigns files to a message, and returns the ids of those that were assigned. They must be the user's and belong
    /// to no other message.
    mutating func claim(_ ids: [EntityID], for message: EntityID, by user: User) -> [EntityID] {
        ids.filter { id in
            guard let file = files[id], file.owner == user.id, file.message ?? message == message else { return false }
            files[id]?.message = message
            return true
        }
    }

    /// Returns a file that the user may read: an own file without a message, or a file of an existing message in a
    /// visible channel.
    func file(_ id: EntityID, for user: User) -> SentFile? {
        guard let file = files[id] else { return nil }
        guard let message = file.message else { return file.owner == user.id ? file : nil }
        guard let message = messages[message], !message.isDeleted,
            (try? visibleChannel(message.channel, to: user)) != nil
        else { return nil }
        return file
    }

    /// Returns a user's picture: an SVG with the initials.
    func picture(of user: User) -> [UInt8]? {
        guard user.hasPicture else { return nil }
        let initials = [user.firstName, user.lastName].compactMap { $0.first.map(String.init) }.joined()
        return Array(
            ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"64\" height=\"64\">"
                + "<circle cx=\"32\" cy=\"32\" r=\"32\" fill=\"#357\"/><text x=\"32\" y=\"40\" text-anchor=\"middle\" "
                + "fill=\"#fff\">\(initials)</text></svg>\n").utf8)
    }

    // MARK: On the wire

    /// Returns era B's references to a message's files; null for none (Twake TW-42).
    func json(filesOf message: Message) -> JSONValue {
        let sent = message.files.compactMap { files[$0] }
        guard !sent.isEmpty else { return .null }
        return .array(
            sent.map { file in
                .fields([
                    "id": .id(file.id), "company_id": .id(company.id), "message_id": .id(message.id),
                    "metadata": .fields([
                        "source": .string("internal"),
                        "external_id": .fields(["id": .id(file.id), "company_id": .id(company.id)]),
                        "name": .string(file.name), "extension": .string(file.suffix),
                        "size": .integer(Int64(file.bytes.count)), "mime": .string(file.type),
                        "thumbnails": .array([]),
                    ]),
                ])
            })
    }

    /// Returns era A's parts of the prepared content for a message's files (Twake TW-75).
    func proxyParts(filesOf message: Message) -> [JSONValue] {
        let workspace = channel(message.channel)?.workspace ?? Self.directWorkspace
        return message.files.compactMap { files[$0] }.map { file in
            let metadata = JSONValue.fields([
                "id": .id(file.id), "name": .string(file.name), "size": .integer(Int64(file.bytes.count)),
                "preview": .null, "download": .string(EraA.downloadPath(of: file, in: workspace)),
            ])
            let part = JSONValue.fields([
                "type": .string("file"), "mode": .string("preview"), "content": .id(file.id), "metadata": metadata,
            ])
            return .fields(["type": .string("nop"), "content": .array([part])])
        }
    }
}

extension SentFile {
    /// The file name extension, without its dot.
    fileprivate var suffix: String {
        guard let dot = name.lastIndex(of: ".") else { return "" }
        return String(name[dot...].dropFirst())
    }
}

// The file routes of era B (Twake TW-79 to TW-85).
extension EraB {
    static let fileRoutes: [Route] = [
        Route("POST", "files/v1/companies/*/files", upload),
        Route("GET", "files/v1/companies/*/files/*/download", download),
        Route("GET", "users/v1/users/*/picture", isPublic: true, picture),
    ]

    static func picturePath(of user: User) -> String { "/internal/services/users/v1/users/\(user.id)/picture" }

    private static func upload(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        let file = try backend.upload(call)
        return resource(
            .fields([
                "company_id": .id(backend.world.company.id), "id": .id(file.id), "user_id": .id(file.owner),
                "application_id": .null, "updated_at": .integer(call.now), "created_at": .integer(call.now),
                "metadata": .fields(["name": .string(file.name), "mime": .string(file.type)]),
                "thumbnails": .array([]),
                "upload_data": .fields(["size": .integer(Int64(file.bytes.count)), "chunks": .integer(1)]),
            ]))
    }

    /// Returns the files requested for a message; `nil` when the request contains no list.
    static func files(of message: JSONValue) -> [EntityID]? {
        message["files"]?.arrayValue?.compactMap { file in
            (file["metadata"]?["external_id"]?["id"] ?? file["id"])?.stringValue.map { EntityID($0) }
        }
    }

    private static func download(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try checkCompany(call, backend.world)
        guard let file = backend.world.file(call.id(1), for: try call.user()) else { throw .notFound("File not found") }
        let type = file.type == "text/plain" ? "text/plain; charset=utf-8" : file.type
        return RESTAnswer(content: .init(type: type, bytes: file.bytes))
    }

    private static func picture(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try EraA.picture(of: call.id(0), backend.world)
    }
}

// The file routes of era A (Twake TW-71 to TW-78).
extension EraA {
    static let fileRoutes: [Route] = [
        Route("POST", "media/upload", upload),
        Route("GET", "ajax/drive/download", download), Route("GET", "picture/*", isPublic: true, picture),
    ]

    static func picturePath(of user: User) -> String { "/internal/mobile/picture/\(user.id)" }

    private static func upload(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        guard let workspace = call.form?.text("workspace_id") else {
            throw .badRequest("should have required property 'workspace_id'")
        }
        let file = try backend.upload(call)
        return RESTAnswer(
            value: .fields([
                "id": .id(file.id), "name": .string(file.name), "extension": .string(file.suffix),
                "size": .integer(Int64(file.bytes.count)), "preview": .null,
                "download": .string(downloadPath(of: file, in: EntityID(workspace))),
            ]))
    }

    static func downloadPath(of file: SentFile, in workspace: EntityID) -> String {
        "/ajax/drive/download?workspace_id=\(workspace)&element_id=\(file.id)&download=1"
    }

    /// Returns the files in the pieces of a message's content.
    static func files(in prepared: JSONValue?) -> [EntityID] {
        guard let prepared else { return [] }
        if let pieces = prepared.arrayValue { return pieces.flatMap { files(in: $0) } }
        if prepared["type"]?.stringValue == "file" {
            return prepared["content"]?.stringValue.map { [EntityID($0)] } ?? []
        }
        return prepared["type"]?.stringValue == "nop" ? files(in: prepared["content"]) : []
    }

    private static func download(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        guard let file = backend.world.file(try call.idField("element_id"), for: try call.user()) else {
            throw .notFound("File not found")
        }
        return RESTAnswer(content: .init(type: "application/octet-stream", bytes: file.bytes))
    }

    private static func picture(_ call: RESTCall, _ backend: inout Backend) throws(RESTError) -> RESTAnswer {
        try picture(of: call.id(0), backend.world)
    }

    static func picture(of user: EntityID, _ world: World) throws(RESTError) -> RESTAnswer {
        guard let bytes = world.user(user).flatMap({ world.picture(of: $0) }) else {
            throw .notFound("User \(user) has no picture")
        }
        return RESTAnswer(content: .init(type: "image/svg+xml", bytes: bytes))
    }
}

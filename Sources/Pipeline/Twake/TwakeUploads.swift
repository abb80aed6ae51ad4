import Events
import JSONText

// The files of a message: each is uploaded by a request of its own, and the message then names them (3.3, 4.3, 4.4).
extension TwakeBackend {
    /// The most bytes of a file that era A takes (4.3).
    static let largestProxyFile = 50_000_000

    /// Uploads the next of an action's files, which belongs to a company in era B, and to a workspace in era A. None is uploaded when another
    /// one is too large.
    func upload(
        _ file: Action.File, of action: Action, for operation: Action.Operation, to place: TwakePlace, _ era: TwakeEra
    ) -> ActionStep {
        var call: RESTCall
        switch era {
        case .a:
            if let large = action.files.first(where: { $0.size > Self.largestProxyFile }) {
                return .impossible(
                    "\(large.name) has \(large.size) bytes, and this server takes \(Self.largestProxyFile) at most")
            }
            call = RESTCall(.post, "\(TwakeEndpoints.proxy)/media/upload")
            call.form = RESTCall.Form(
                fields: [.init(name: "workspace_id", value: place.workspace.description)], name: "file", file: file)
        case .b:
            call = RESTCall(.post, "\(TwakeEndpoints.core)/files/v1/companies/\(place.company)/files")
            call.form = RESTCall.Form(name: "file", file: file)
        }
        return .request(operation, call)
    }

    /// What the answer to an upload means. One that may have been done is not done again.
    func judge(_ answer: Answer, ofUpload file: Action.File) -> ActionVerdict {
        let failed = "\(file.name) was not uploaded: "
        switch answer {
        case .failure("file", let message): return .refused(why: message, status: nil)
        case .failure(let kind, let message) where Self.neverLeft(kind):
            return .later(after: nil, why: message, mayBeDone: false)
        case .failure(_, let message):
            return .refused(why: failed + message, status: nil)
        case .response(200..<300, let body, _):
            if Self.uploadedID(in: body) != nil { return .done }
            return .refused(why: failed + "the answer is not what the server says to this", status: nil)
        case .response(let status, let body, let retryAfter):
            let why = RESTCall.refusal(status: status, body: body)
            if isTokenRefusal(status, Self.words(of: body)) { return .tokenRefused(why: why) }
            if status == 429 || status == 425 {
                return .later(after: retryAfter.map { .seconds($0) }, why: why, mayBeDone: false)
            }
            return .refused(why: failed + why, status: status)
        }
    }

    mutating func follow(_ action: Action, _ answer: Answer, into transaction: inout Transaction) -> ActionFollowing? {
        guard action.nextUpload != nil, case .response(_, let body, _) = answer else { return nil }
        return Self.uploadedID(in: body).map { .uploaded($0) }
    }

    /// Era A answers with the file, era B with an envelope.
    private static func uploadedID(in body: ArraySlice<UInt8>) -> EntityID? {
        guard let value = try? JSONValue(parsing: body) else { return nil }
        return value["resource"]?["id"]?.id ?? value["id"]?.id
    }
}

extension [Twake.File] {
    /// The files once those of an action are there, too: an edit that is done again finds them there already.
    func adding(_ files: [Action.File]) -> [Twake.File] {
        let known = Set(map(\.contentID))
        return self + files.map { Twake.File($0) }.filter { !known.contains($0.contentID) }
    }
}

extension Twake.File {
    /// A file of the user's, as it is shown and named.
    fileprivate init(_ file: Action.File) {
        self.init(
            id: file.uploaded ?? EntityID(file.name), source: "internal", externalID: file.uploaded, name: file.name,
            size: file.size, mime: file.type)
    }

    /// How a message of era B names a file. The server completes the metadata of its own files; one that a message has is named by its id.
    func reference(in company: EntityID) -> JSONValue {
        let owner = (self.company ?? company).description
        var value = JSONValue.fields(["company_id": .string(owner)])
        if let message {
            value = value.adding(["id": .string(id.description), "message_id": .string(message.description)])
        }
        guard let source else { return value.adding(["id": .string(id.description)]) }
        var metadata = JSONValue.fields(["source": .string(source)])
        if let externalID {
            let external = JSONValue.string(externalID.description)
            metadata = metadata.adding([
                "external_id": source == "internal"
                    ? .fields(["id": external, "company_id": .string(owner)]) : external
            ])
        }
        return value.adding(["metadata": metadata.adding(facts)])
    }

    /// What is known of the file itself.
    private var facts: KeyValuePairs<String, JSONValue> {
        [
            "name": name.map { .string($0) } ?? .null, "size": size.map { .integer(Int64($0)) } ?? .null,
            "mime": mime.map { .string($0) } ?? .null,
        ]
    }

    /// How a message of era A names a file: a piece of its contents.
    fileprivate var piece: JSONValue {
        .fields([
            "type": .string("file"), "mode": .string("preview"), "content": .string(id.description),
            "metadata": .fields([
                "id": .string(id.description), "name": name.map { .string($0) } ?? .null,
                "size": size.map { .integer(Int64($0)) } ?? .null, "preview": preview.map { .string($0) } ?? .null,
                "download": download.map { .string($0) } ?? .null,
            ]),
        ])
    }
}

extension JSONValue {
    /// What is said in a message of era A. With files the contents are written out: the proxy makes them of a text alone.
    func saying(_ text: String, _ files: [Twake.File]) -> JSONValue {
        let value = adding(["original_str": .string(text)])
        guard !files.isEmpty else { return value }
        let attached = JSONValue.fields(["type": .string("nop"), "content": .array(files.map(\.piece))])
        return value.adding(["prepared": .array((text.isEmpty ? [] : [.string(text)]) + [attached])])
    }
}

import Events
import JSONText

// Uploads the files of a message. Each file needs its own request; the message then refers to the files (Twake TW-42,
// TW-78, TW-80).
extension TwakeBackend {
    /// The maximum size of a file in era A, in bytes (Twake TW-78).
    static let largestProxyFile = 50_000_000

    /// Returns the request that uploads the next file of an action. The file belongs to a company in era B, and to a
    /// workspace in era A. If any file is too large, none is uploaded.
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

    /// Returns the verdict on the answer to an upload. An upload that may have succeeded is not repeated.
    func judge(_ answer: Answer, ofUpload file: Action.File) -> ActionVerdict {
        let failed = "\(file.name) was not uploaded: "
        switch answer {
        case .failure("file", let message): return .refused(why: message, status: nil)
        case .failure(let kind, let message) where Answer.neverLeft(kind):
            return .later(after: nil, why: message, mayBeDone: false)
        case .failure(_, let message):
            return .refused(why: failed + message, status: nil)
        case .response(200..<300, let body, _):
            if Self.uploadedID(in: body) != nil { return .done }
            return .refused(why: failed + "unexpected answer of the server", status: nil)
        case .response(let status, let body, let retryAfter):
            let why = RESTCall.refusal(status: status, body: body)
            if isTokenRefusal(status, Self.words(of: body)) { return .tokenRefused(why: why) }
            if status == 429 || status == 425 {
                return .later(after: retryAfter.map { .seconds($0) }, why: why, mayBeDone: false)
            }
            return .refused(why: failed + why, status: status)
        }
    }

    mutating func follow(_ action: Action, _ answer: Answer, into context: inout HandlerContext) -> ActionFollowing? {
        guard action.nextUpload != nil, case .response(_, let body, _) = answer else { return nil }
        return Self.uploadedID(in: body).map { .uploaded($0) }
    }

    /// Reads the id of an uploaded file. Era A answers with the file itself, era B with an envelope.
    private static func uploadedID(in body: ArraySlice<UInt8>) -> EntityID? {
        guard let value = try? JSONValue(parsing: body) else { return nil }
        return value["resource"]?["id"]?.id ?? value["id"]?.id
    }
}

extension [Twake.File] {
    /// Returns the files together with those of an action. A repeated edit finds its files already in the message, so
    /// they are not added twice.
    func adding(_ files: [Action.File]) -> [Twake.File] {
        let known = Set(map(\.contentID))
        return self + files.map { Twake.File($0) }.filter { !known.contains($0.contentID) }
    }
}

extension Twake.File {
    /// Creates the displayed form of a user's file.
    fileprivate init(_ file: Action.File) {
        self.init(
            id: file.uploaded ?? EntityID(file.name), source: "internal", externalID: file.uploaded, name: file.name,
            size: file.size, mime: file.type)
    }

    /// Returns the reference to a file in a message of era B. The server completes the metadata of its own files. A
    /// file that already belongs to a message is identified by its id.
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

    /// The name, size and type of the file.
    private var facts: KeyValuePairs<String, JSONValue> {
        [
            "name": name.map { .string($0) } ?? .null, "size": size.map { .integer(Int64($0)) } ?? .null,
            "mime": mime.map { .string($0) } ?? .null,
        ]
    }

    /// The reference to a file in a message of era A: an element of the message's contents.
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
    /// Returns the value with the contents of a message of era A. With files, the contents are sent as elements,
    /// because the proxy creates them from plain text only.
    func saying(_ text: String, _ files: [Twake.File]) -> JSONValue {
        let value = adding(["original_str": .string(text)])
        guard !files.isEmpty else { return value }
        let attached = JSONValue.fields(["type": .string("nop"), "content": .array(files.map(\.piece))])
        return value.adding(["prepared": .array((text.isEmpty ? [] : [.string(text)]) + [attached])])
    }
}

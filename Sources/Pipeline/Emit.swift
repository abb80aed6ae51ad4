package import JSONText
public import Wire

/// What the user says to the server: an event, or the answer to one that asks for an acknowledgement.
public struct Emit: Hashable, Sendable {
    /// Number of the emit, by which reports name it.
    public var id = 0
    /// The event's name, or the channel to publish on; of an answer the name of the event that it answers.
    public var name: String
    /// Whether it answers the event that asks for the acknowledgement `ackID`.
    public var isAnswer: Bool
    /// The id of the acknowledgement; of an event that asks for one the session draws it (`Session.prepare`).
    public var ackID: Int?
    /// How long the server's acknowledgement is waited for; nil when none is asked for.
    public var patience: Duration?
    /// The arguments, with their attachments.
    public var arguments: SocketIO.Arguments
    /// The namespace; nil for the session's first.
    public var namespace: String?

    /// An event, or what is published.
    public init(
        _ name: String, _ arguments: SocketIO.Arguments = SocketIO.Arguments(), namespace: String? = nil,
        patience: Duration? = nil
    ) {
        self.name = name
        isAnswer = false
        self.patience = patience
        self.arguments = arguments
        self.namespace = namespace
    }

    /// The answer to an event that asks for that acknowledgement.
    public init(answering ackID: Int, _ arguments: SocketIO.Arguments, namespace: String? = nil) {
        self.init("", arguments, namespace: namespace)
        isAnswer = true
        self.ackID = ackID
    }
}

/// What became of an emit.
public struct EmitReport: Hashable, Sendable {
    /// What became of it.
    public enum Outcome: Hashable, Sendable {
        /// It was sent.
        case sent
        /// The server acknowledged it; untrusted.
        case answered(SocketIO.Acknowledgement)
        /// The server did not acknowledge it in time.
        case timedOut
        /// Nobody can know whether it arrived.
        case lost(why: String)
        /// It was not sent, or the server refused it. May hold the server's words.
        case refused(why: String)
    }
    /// Number of the emit.
    public var id: Int
    /// The event's name, the channel's, or the name of the event that is answered. Untrusted text.
    public var name: String
    /// The namespace.
    public var namespace: String
    /// The id of the acknowledgement, where there is one.
    public var ackID: Int?
    /// Whether it answers an event of the server's.
    public var isAnswer: Bool
    /// What became of it.
    public var outcome = Outcome.sent
    /// From the emit to this.
    public var duration = Duration.zero

    /// A report of an emit that was sent to that namespace.
    package init(_ emit: Emit, to namespace: String) {
        id = emit.id
        name = emit.name
        self.namespace = namespace
        ackID = emit.ackID
        isAnswer = emit.isAnswer
    }
}

extension Emit {
    /// Writes it as a JSON object, for a record.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.key(isAnswer ? "answers" : "event")
        writer.string(name)
        writer.member("ack", ackID)
        if let patience { writer.member("patience_us", patience.microseconds) }
        writer.member("namespace", namespace)
        writer.key("args")
        writer.raw(arguments.array)
        if !arguments.attachments.isEmpty {
            writer.key("binary")
            writer.beginArray()
            for bytes in arguments.attachments { writer.string(utf8: Base64.encode(bytes)[...]) }
            writer.endArray()
        }
        writer.endObject()
    }

    /// Reads what `encode` wrote.
    package init?(_ json: RawJSON) {
        self.init("")
        var reader = JSONReader(json.bytes.span)
        do throws(JSONError) {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch reader.string(key) {
                case "id": id = Int(try reader.int64())
                case "event": name = try reader.string()
                case "answers": (name, isAnswer) = (try reader.string(), true)
                case "ack": ackID = Int(try reader.int64())
                case "patience_us": patience = .microseconds(min(max(try reader.int64(), 0), 1_000_000_000_000))
                case "namespace": namespace = try reader.string()
                case "args":
                    try reader.beginArray()
                    while try reader.nextElement() { arguments.append(try reader.raw()) }
                case "binary":
                    try reader.beginArray()
                    while try reader.nextElement() {
                        guard let bytes = Base64.decode(Array(try reader.string().utf8).span) else { return nil }
                        _ = arguments.attach(bytes[...])
                    }
                default: try reader.skip()
                }
            }
        } catch {
            return nil
        }
    }
}

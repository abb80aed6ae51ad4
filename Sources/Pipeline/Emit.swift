package import JSONText
public import Wire

/// A message from the user to the server: an event, or the answer to an event that requests an acknowledgement.
public struct Emit: Hashable, Sendable {
    /// The number of the emit, which its reports repeat.
    public var id = 0
    /// The event's name, or the channel to publish on. For an answer, the name of the answered event.
    public var name: String
    /// Whether this is the answer to the event that requests the acknowledgement `ackID`.
    public var isAnswer: Bool
    /// The id of the acknowledgement. `Session.prepare` assigns it to an event that requests one.
    public var ackID: Int?
    /// How long to wait for the server's acknowledgement; `nil` to request none.
    public var patience: Duration?
    /// The arguments, including their binary attachments.
    public var arguments: SocketIO.Arguments
    /// The namespace; `nil` for the session's first namespace.
    public var namespace: String?

    /// Creates an event to send, or a publication on a channel.
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

    /// Creates the answer to the event that requests the acknowledgement `ackID`.
    public init(answering ackID: Int, _ arguments: SocketIO.Arguments, namespace: String? = nil) {
        self.init("", arguments, namespace: namespace)
        isAnswer = true
        self.ackID = ackID
    }
}

/// A report on the outcome of an emit.
public struct EmitReport: Hashable, Sendable {
    /// The possible outcomes of an emit.
    public enum Outcome: Hashable, Sendable {
        /// The emit was sent to the server.
        case sent
        /// The server acknowledged the event. The acknowledgement is untrusted.
        case answered(SocketIO.Acknowledgement)
        /// The server did not acknowledge the event in time.
        case timedOut
        /// It is impossible to know whether the event arrived.
        case lost(why: String)
        /// The emit was not sent, or the server refused it. `why` may contain the server's words.
        case refused(why: String)
    }
    /// The number of the emit, `Emit.id`.
    public var id: Int
    /// The name of the event, of the channel, or of the answered event. Untrusted text.
    public var name: String
    /// The namespace to which the emit was sent.
    public var namespace: String
    /// The id of the acknowledgement, if there is one.
    public var ackID: Int?
    /// Whether the emit answers an event of the server.
    public var isAnswer: Bool
    /// The outcome of the emit so far.
    public var outcome = Outcome.sent
    /// The time from the emit to this report.
    public var duration = Duration.zero

    /// Creates a report of an emit that was sent to the namespace.
    package init(_ emit: Emit, to namespace: String) {
        id = emit.id
        name = emit.name
        self.namespace = namespace
        ackID = emit.ackID
        isAnswer = emit.isAnswer
    }
}

extension Emit {
    /// Writes the emit as a JSON object, for a recording.
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

    /// Creates an emit from the JSON that `encode(into:)` wrote, or returns `nil` if the JSON is malformed.
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

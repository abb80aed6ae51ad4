package import WeirJSON
public import WeirWire

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

/// The outstanding acknowledgements of a connection, for the user's events and for the server's. The book is discarded
/// with its connection.
struct AckBook: Sendable {
    /// The key of an acknowledgement. Ids are unique within their namespace; the number of a published message is
    /// unique within the connection.
    struct Key: Hashable {
        var namespace: String
        var id: Int
    }

    /// The maximum number of the server's events that are kept. Once exceeded, the oldest event can no longer be
    /// answered.
    static let limit = 1000

    /// The user's events that await the server's acknowledgement, with their report and the time of sending.
    var asked: [Key: (report: EmitReport, at: Moment)] = [:]
    /// The rooms whose joins await the server's acknowledgement, keyed by its id in the first namespace.
    var joins: [Int: String] = [:]
    /// The server's events that are not acknowledged yet. `number` counts them in order of arrival.
    private(set) var unanswered: [Key: (name: String, number: Int)] = [:]
    private var count = 0

    /// Records that the server requests an acknowledgement.
    mutating func note(_ key: Key, _ name: String) {
        count += 1
        unanswered[key] = (name, count)
        guard unanswered.count > Self.limit else { return }
        unanswered.min { $0.value.number < $1.value.number }.map { unanswered[$0.key] = nil }
    }

    /// Removes an event that was acknowledged.
    mutating func settle(_ key: Key) { unanswered[key] = nil }
}

// The user's emits and their outcomes.
extension Session {
    /// Completes an emit before it becomes an input, so that a session which starts later handles it in the same way.
    ///
    /// Assigns the id to an event that requests an acknowledgement, and sets the name of an answer to that of the
    /// answered event.
    ///
    /// - Returns: `false` if no event awaits this answer.
    package func prepare(_ emit: inout Emit) -> Bool {
        let namespace = emit.namespace ?? configuration.namespaces[0]
        if let id = emit.ackID, emit.isAnswer {
            guard let asking = acks.unanswered[AckBook.Key(namespace: namespace, id: id)] else { return false }
            emit.name = asking.name
        } else if emit.patience != nil {
            emit.ackID = client?.nextAckID(in: namespace)
        }
        return true
    }

    mutating func emit(_ emit: Emit, into effects: inout [Effect]) {
        var report = EmitReport(emit, to: emit.namespace ?? configuration.namespaces[0])
        do throws(Problem) {
            if bayeux != nil {
                try publish(emit, report, into: &effects)
            } else {
                try send(emit, &report, into: &effects)
            }
        } catch {
            report.outcome = .refused(why: error.words)
            if !emit.isAnswer { report.ackID = nil }
        }
        effects.append(.report(.emit(report)))
    }

    /// The reason why an emit is not sent.
    private struct Problem: Error { var words: String }

    private mutating func send(
        _ emit: Emit, _ report: inout EmitReport, into effects: inout [Effect]
    ) throws(Problem) {
        let (now, namespace) = (context.now, report.namespace)
        guard messages == nil else { throw Problem(words: "a plain WebSocket of JSON messages takes no events") }
        guard client != nil else { throw Problem(words: "no connection for sending it") }
        if let id = emit.ackID, emit.isAnswer {
            acks.settle(AckBook.Key(namespace: namespace, id: id))
            return withClient(into: &effects) { client, wire in
                client.acknowledge(
                    id, arguments: emit.arguments.array, attachments: emit.arguments.attachments, namespace: namespace,
                    into: &wire)
            }
        }
        guard !SocketIO.isReserved(emit.name) else { throw Problem(words: "the name is reserved by Socket.IO") }
        let emission = SocketIO.Emission(
            emit.name, emit.arguments, namespace: namespace, delivery: .volatile,
            ack: emit.patience.map { .within($0) } ?? .none)
        var (id, isSent) = (Int?.none, true)
        withClient(into: &effects) { client, wire in
            if let id = emit.ackID { client.skipAckIDs(to: id, in: namespace) }
            id = client.emit(emission, at: now, into: &wire)
            isSent = !wire.contains { if case .dropped = $0 { true } else { false } }
        }
        guard isSent else { throw Problem(words: "the namespace \(namespace) is not joined") }
        report.ackID = id
        if let id { acks.asked[AckBook.Key(namespace: namespace, id: id)] = (report, now) }
    }

    private mutating func publish(
        _ emit: Emit, _ report: EmitReport, into effects: inout [Effect]
    ) throws(Problem) {
        guard !emit.isAnswer, emit.arguments.attachments.isEmpty,
            emit.arguments.list.map({ (try? RawJSON(checking: $0.bytes)) != nil }) ?? true
        else { throw Problem(words: "on a channel one JSON value is published") }
        let emission = HandlerContext.Emission(name: emit.name, arguments: emit.arguments.list)
        guard let number = publish(emission, into: &effects) else {
            throw Problem(words: "not a channel for publishing (write /group/10000001)")
        }
        if emit.patience != nil { acks.asked[AckBook.Key(namespace: "", id: number)] = (report, context.now) }
    }

    /// Reports the outcome of an emit that requested an acknowledgement; returns `false` if the user requested none
    /// with this id.
    mutating func settle(
        _ id: Int, in namespace: String, _ outcome: EmitReport.Outcome, into effects: inout [Effect]
    ) -> Bool {
        guard let asked = acks.asked.removeValue(forKey: AckBook.Key(namespace: namespace, id: id)) else {
            return false
        }
        var report = asked.report
        report.outcome = outcome
        report.duration = context.now - asked.at
        effects.append(.report(.emit(report)))
        return true
    }

    /// Reports the user's unacknowledged emits as lost and discards the server's unanswered events, because the
    /// connection has ended.
    mutating func forgetEmits(into effects: inout [Effect]) {
        for (key, _) in acks.asked.sorted(by: { $0.value.report.id < $1.value.report.id }) {
            _ = settle(key.id, in: key.namespace, .lost(why: "the connection ended first"), into: &effects)
        }
        acks = AckBook()
    }
}

extension SocketIOClientMachine.AckFailure {
    /// The outcome of the event after this failure.
    var outcome: EmitReport.Outcome {
        switch self {
        case .timeout: .timedOut
        case .disconnected: .lost(why: "the connection ended first")
        case .overflow: .lost(why: "too many acknowledgements are waited for")
        }
    }
}

extension BayeuxClient.PublishFailure {
    /// The outcome of the published message after this failure.
    var outcome: EmitReport.Outcome {
        switch self {
        case .timeout: .timedOut
        case .refused, .overflow, .finished: .refused(why: text)
        case .sessionLost: .lost(why: text)
        }
    }
}

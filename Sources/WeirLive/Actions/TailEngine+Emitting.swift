import WeirJSON
import WeirNetwork
public import WeirPipeline
import WeirRecording
import WeirWire

/// An event that a tail emits automatically: after each connect, or when an event matches a filter.
public struct EmitRule: Sendable {
    /// The events that trigger the rule; `nil` to trigger it at each connect.
    public var filter: Filter?
    /// The event to emit. An acknowledgement gets its id and its namespace from the triggering event.
    public var emit: Emit
    /// Creates a rule that emits at each connect, or for each event that matches a filter.
    public init(_ emit: Emit, when filter: Filter? = nil) {
        self.emit = emit
        self.filter = filter
    }

    /// The maximum number of events that one rule emits within a second. Without a limit, the rule and the server could
    /// trigger each other forever.
    static let mostPerSecond = 20
}

/// The state of a rule while a tail runs. Not thread-safe.
struct EmitRuleJudge {
    /// The result of applying a rule to a report.
    enum Wish {
        case emit(Emit)
        /// The rule has reached its limit for this second. The text is a notice, which is shown once.
        case tooMuch(String)
    }

    private let rule: EmitRule
    private var judge: FilterJudge?
    /// When the current second began.
    private var second = Moment.zero
    /// The number of events emitted in the current second.
    private var said = 0

    init(_ rule: EmitRule) {
        self.rule = rule
        judge = rule.filter.map { FilterJudge($0) }
    }

    /// Returns what to emit after a report. Call it with every report, in order.
    mutating func wish(_ stamped: StampedReport) -> Wish? {
        guard judge != nil else {
            if case .connection(.ready) = stamped.report { return .emit(rule.emit) }
            return nil
        }
        // The filter sees every report, because it tracks which record caused which report.
        guard judge?.matches(stamped) == true, case .event(let event) = stamped.report else { return nil }
        var emit = rule.emit
        emit.namespace = emit.namespace ?? (event.isOfSocketIO ? event.namespace : nil)
        if emit.isAnswer {
            emit.ackID = event.ackID
            return event.ackID == nil ? nil : .emit(emit)
        }
        if stamped.stamp.time - second >= .seconds(1) { (second, said) = (stamped.stamp.time, 0) }
        said += 1
        if said <= EmitRule.mostPerSecond { return .emit(emit) }
        guard said == EmitRule.mostPerSecond + 1 else { return nil }
        return .tooMuch(
            "'\(emit.name)' is due more than \(EmitRule.mostPerSecond) times per second: the rest is dropped")
    }
}

extension EventReport {
    fileprivate var isOfSocketIO: Bool { if case .socketIO = source { true } else { false } }
}

/// The emits that a tail has not yet passed to its session, and the clients that wait for an outcome.
struct Sayings {
    /// The emits of rules that are sent after the current input is handled.
    var due: [Emit] = []
    var rules: [EmitRuleJudge] = []
    /// The emit that waits for a connection. There is at most one: its caller waits until it is taken.
    var held: (emit: Emit, taken: @Sendable () -> Void)?
    /// The callbacks for the outcome of an emit, by its number.
    var askers: [Int: (EmitReport) -> Void] = [:]
    /// The number of emits so far.
    var count = 0
}

// Emitting for rules, typed lines and the control socket.
extension TailEngine {
    /// Emits an event once there is a connection, then calls `taken`. The caller must wait for `taken` before the next
    /// call. Any thread.
    package nonisolated func emit(_ emit: Emit, taken: @escaping @Sendable () -> Void) {
        loop.run { [self] in
            assumeIsolated { tail in
                tail.sayings.held = (emit, taken)
                tail.sayHeld()
            }
        }
    }

    /// Shows the user a notice. Any thread. Ignored while the tail does not run.
    package nonisolated func tell(_ notice: Notice) {
        loop.run { [self] in
            assumeIsolated { tail in
                tail.tellNotice(notice)
                tail.handOver()
            }
        }
    }

    private func sayHeld() {
        guard case .running = phase, connection.status.state == .ready,
            let (emit, taken) = exchange(&sayings.held, with: nil)
        else { return }
        say(emit)
        taken()
    }

    /// Emits now, and calls `asker` with the outcome.
    func say(_ emit: Emit, _ asker: ((EmitReport) -> Void)? = nil) {
        guard let emit = numbered(emit, asker) else { return }
        feed(.emit(emit))
    }

    /// Numbers an emit and prepares it with the session. Returns `nil`, after a notice, if no event requests the
    /// acknowledgement.
    private func numbered(_ emit: Emit, _ asker: ((EmitReport) -> Void)? = nil) -> Emit? {
        var emit = emit
        sayings.count += 1
        emit.id = sayings.count
        guard session.prepare(&emit) else {
            let words = "no event requests acknowledgement \(emit.ackID ?? 0), or it is already answered"
            asker?(.refused(emit, words))
            if asker == nil { tellNotice(Notice(.warning, words)) }
            return nil
        }
        if let asker { sayings.askers[emit.id] = asker }
        return emit
    }

    /// Applies the rules to a report and queues the emits they cause.
    func noteForRules(_ stamped: StampedReport) {
        for index in sayings.rules.indices {
            switch sayings.rules[index].wish(stamped) {
            case .emit(let emit)?: sayings.due.append(emit)
            case .tooMuch(let words)?: tellNotice(Notice(.warning, words))
            case nil: break
            }
        }
    }

    /// Returns the next due emit as an input of the session.
    func nextDue() -> Input? {
        if sayings.held != nil, connection.status.state == .ready {
            loop.run { [self] in assumeIsolated { $0.sayHeld() } }
        }
        while !sayings.due.isEmpty {
            if let emit = numbered(sayings.due.removeFirst()) { return .emit(emit) }
        }
        return nil
    }

    /// Passes the final report of an emit to the client that waits for it.
    func noteEmit(_ report: EmitReport) {
        guard report.isFinal else { return }
        sayings.askers.removeValue(forKey: report.id)?(report)
    }

    // MARK: - The control socket

    /// Emits or acknowledges an event for a client. The client gets its answer once the outcome is known.
    func emit(_ call: ControlCall) throws(ControlError) {
        guard configuration.allowsEmit else {
            throw ControlError(.forbidden, "clients may not send events: start the tail with --allow-emit")
        }
        guard connection.status.state == .ready else { throw ControlError(.nothing, "no connection for sending it") }
        let given = call.arguments
        var arguments = SocketIO.Arguments()
        for text in given.texts("binary") {
            guard let bytes = Base64.decode(Array(text.utf8).span) else {
                throw ControlError(.parameters, "params.binary must be a list of base64 texts")
            }
            _ = arguments.attach(bytes[...])
        }
        let values: [JSONValue] =
            switch given.json("arguments") {
            case nil: []
            case .array(let values)?: values
            case let value?: [value]
            }
        for value in values { arguments.append(value.raw) }
        let namespace = given.text("namespace")
        say(
            call.method == .ack
                ? Emit(answering: given.integer("id") ?? 0, arguments, namespace: namespace)
                : Emit(given.text("event") ?? "", arguments, namespace: namespace, patience: given.span("wait"))
        ) { report in
            call.settle(.success(ControlResult { $0.raw(RawJSON(unchecked: report.json[...])) }))
        }
    }
}

extension EmitReport {
    fileprivate static func refused(_ emit: Emit, _ words: String) -> EmitReport {
        var report = EmitReport(emit, to: emit.namespace ?? "")
        report.outcome = .refused(why: words)
        return report
    }

    /// Whether this is the last report of the emit.
    public var isFinal: Bool { outcome != .sent || ackID == nil || isAnswer }

    /// The report as a JSON object, for clients of the control socket and the output of `weir emit`.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("state", outcome.name)
        writer.member("ack", ackID)
        if let answer = outcome.answer {
            writer.member("answer", answer.arguments)
            writer.member("took_us", Int(duration.microseconds))
        }
        if isProblem { writer.member("words", sentence) }
        writer.endObject()
        return writer.bytes
    }

    /// The outcome in one word.
    public var state: String { outcome.name }

    /// The arguments of the acknowledgement as a JSON array; `nil` without one.
    public var answer: [UInt8]? {
        outcome.answer.map { answer in
            var writer = JSONWriter()
            writer.inertRaw(answer.arguments)
            return writer.bytes
        }
    }
}

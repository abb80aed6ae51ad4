public import Pipeline
import Recording
import Wire

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

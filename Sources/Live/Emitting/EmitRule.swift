public import Pipeline
import Recording
import Wire

/// What a tail says by itself, and when: after each connect, or when an event comes that a filter holds of.
public struct EmitRule: Sendable {
    /// The events it answers or follows; nil for each connect.
    public var filter: Filter?
    /// What is said. An answer gets its id from the event, and so does its namespace.
    public var emit: Emit
    /// A rule.
    public init(_ emit: Emit, when filter: Filter? = nil) {
        self.emit = emit
        self.filter = filter
    }

    /// How many events one rule may emit within a second: more, and it and the server may call each other for ever.
    static let mostPerSecond = 20
}

/// A rule while a tail runs. A value, not for several threads at once.
struct EmitRuleJudge {
    /// What a rule wants.
    enum Wish {
        case emit(Emit)
        /// The rule has used up its emits of this second; the notice to show, once.
        case tooMuch(String)
    }

    private let rule: EmitRule
    private var judge: FilterJudge?
    /// When the second began, and what was said in it.
    private var second = Moment.zero
    private var said = 0

    init(_ rule: EmitRule) {
        self.rule = rule
        judge = rule.filter.map { FilterJudge($0) }
    }

    /// What is to be said to a report, the next in order.
    mutating func wish(_ stamped: StampedReport) -> Wish? {
        guard judge != nil else {
            if case .connection(.ready) = stamped.report { return .emit(rule.emit) }
            return nil
        }
        // Asked of everything: it must know what caused what.
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
            "'\(emit.name)' is due more than \(EmitRule.mostPerSecond) times within a second: the rest is left out")
    }
}

extension EventReport {
    fileprivate var isOfSocketIO: Bool { if case .socketIO = source { true } else { false } }
}

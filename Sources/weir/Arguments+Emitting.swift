import Live
import Pipeline
import Wire

extension Arguments {
    /// The timeout for an answer, 5 s by default.
    var patience: Duration { get throws(UsageError) { try duration(.timeout) ?? .seconds(5) } }

    /// Whether each line of standard input is emitted.
    var emitsLines: Bool { all(.emit).contains("-") }

    /// Returns the rules of `--emit` and `--ack`. The preceding `--on` is the condition of a rule.
    func emitRules() throws(UsageError) -> [EmitRule] {
        var rules: [EmitRule] = []
        var condition: Filter?
        let set = [Option.emit, .ack].filter { !isTyped($0) }.flatMap { option in all(option).map { (option, $0) } }
        for (option, text) in set + typed {
            switch option {
            case .on where condition == nil: condition = try filter(text, of: .on)
            case .on: throw error("--on: each one must be followed by --emit or --ack")
            case .emit where text != "-":
                rules.append(EmitRule(try emit(text), when: exchange(&condition, with: nil)))
            case .emit where command == .watch:
                throw error("--emit: standard input provides keys and cannot provide lines as well")
            case .ack: rules.append(try answer(text, when: exchange(&condition, with: nil)))
            default: break
            }
        }
        if condition != nil { throw error("--on must be followed by --emit or --ack") }
        return rules
    }

    private func emit(_ text: String) throws(UsageError) -> Emit {
        let patience = has(.emitAck) ? try patience : nil
        return try reading(text, of: .emit) { text throws(EmitText.Problem) in
            Emit(try text.name(), try text.arguments(), patience: patience)
        }
    }

    /// Parses `NAME=ARG ARG…`, or `ARG ARG…` if a filter selects the events.
    private func answer(_ text: String, when condition: Filter?) throws(UsageError) -> EmitRule {
        let (name, arguments) = try reading(text, of: .ack) { text throws(EmitText.Problem) in
            (condition == nil ? try text.name(endedBy: "=") : nil, try text.arguments())
        }
        var wanted = condition ?? Filter()
        try filtering(.ack) { () throws(FilterError) in
            try wanted.add(.event, among: name.map { [$0] } ?? [], origin: Option.ack.flag)
        }
        return EmitRule(Emit(answering: 0, arguments), when: wanted)
    }

    private func reading<Value>(
        _ text: String, of option: Option, _ body: (inout EmitText) throws(EmitText.Problem) -> Value
    ) throws(UsageError) -> Value {
        do throws(EmitText.Problem) {
            var reader = EmitText(text)
            return try body(&reader)
        } catch {
            throw self.error("\(option.flag) \(UsageError.quoted(text)): \(error.message)")
        }
    }
}

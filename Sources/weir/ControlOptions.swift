import JSONText
import Live
import Terminal

/// The options of `weir ctl`: the process, the method and its parameters.
struct ControlOptions {
    /// The name of the tail or replay; `nil` if only one runs.
    var name: String?
    var method: ControlMethod
    /// The parameters in the form of the method table.
    var parameters: [JSONValue.Member] = []
    /// The timeout for an answer.
    var patience: Duration

    init(_ arguments: Arguments) throws(UsageError) {
        var words = arguments.positionals[...]
        name = try arguments.name(.on)
        // A tail may have the name of a method. It must then be named with `--on`.
        if name == nil, let first = words.first, ControlMethod(rawValue: first) == nil, words.count > 1 {
            guard ControlSocket.isName(first) else {
                throw arguments.error("no tail is named \(UsageError.quoted(first)); 'weir ps' lists them")
            }
            name = first
            words.removeFirst()
        }
        let word = words.popFirst() ?? ""
        guard let method = ControlMethod(rawValue: word) else {
            throw arguments.error(
                "there is no method \(UsageError.quoted(word))"
                    + Suggestion.phrase(for: word, among: ControlMethod.allCases.map(\.rawValue))
                    + "; 'weir ctl hello' lists them")
        }
        self.method = method
        patience = try arguments.patience
        for word in words { try take(word, arguments) }
        if let missing = method.row.parameters.first(where: { parameter in
            parameter.isRequired && !parameters.contains { $0.key == parameter.name }
        }) {
            throw arguments.error("\(method.rawValue) needs \(missing.name)=…: \(missing.kind.words)")
        }
    }

    /// Takes `NAME=VALUE`. A list consists of repeated names, or of values separated by commas.
    private mutating func take(_ word: String, _ arguments: Arguments) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let known = method.row.parameters
        guard parts.count == 2, let parameter = known.first(where: { $0.name == parts[0] }) else {
            let names = known.isEmpty ? "no parameters" : known.map { $0.name + "=…" }.joined(separator: ", ")
            throw arguments.error(
                "unknown parameter \(UsageError.quoted(word)): \(method.rawValue) takes \(names)"
                    + Suggestion.phrase(for: parts[0], among: known.map(\.name)))
        }
        let value = try value(parts[1], of: parameter, arguments)
        if let index = parameters.firstIndex(where: { $0.key == parameter.name }) {
            guard case .array(let before) = parameters[index].value, case .array(let more) = value else {
                throw arguments.error("\(parameter.name) is given twice")
            }
            parameters[index].value = .array(before + more)
        } else {
            parameters.append(.init(parameter.name, value))
        }
    }

    private func value(
        _ text: String, of parameter: ControlParameter, _ arguments: Arguments
    ) throws(UsageError) -> JSONValue {
        switch parameter.kind {
        case .text, .choice, .span: return .string(text)
        case .texts: return .array(text.split(separator: ",").map { .string(String($0)) })
        case .integer: if let number = Int64(text) { return .integer(number) }
        case .number: if let number = Double(text), number.isFinite { return .number(number) }
        case .flag:
            if text == "true" || text == "yes" { return .bool(true) }
            if text == "false" || text == "no" { return .bool(false) }
        case .json:
            if let value = try? JSONValue(parsing: Array(text.utf8)[...], keepsSpelling: true) { return value }
        }
        throw arguments.error(
            "\(parameter.name)=\(TerminalText.truncated(text, to: 40)) is not \(parameter.kind.words)")
    }
}

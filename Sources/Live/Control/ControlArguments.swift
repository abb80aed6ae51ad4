import JSONText
import Terminal
import Wire

/// The parameters of a request, checked against the kinds in the method table.
package struct ControlArguments: Hashable, Sendable {
    private enum Value: Hashable {
        case text(String)
        case texts([String])
        case integer(Int64)
        case number(Double)
        case flag(Bool)
        case span(Duration)
        case json(JSONValue)
    }

    private var values: [String: Value] = [:]

    /// Checks `params`, which may be missing, against the parameters of a method.
    init(_ params: JSONValue?, of method: ControlMethod) throws(ControlError) {
        let known = method.row.parameters
        let members: [JSONValue.Member]
        switch params {
        case nil, .null?: members = []
        case .object(let given)?: members = given
        case _?: throw ControlError(.parameters, "params must be an object with the names: \(Self.names(of: known))")
        }
        for member in members {
            guard let parameter = known.first(where: { $0.name == member.key }) else {
                throw ControlError(
                    .parameters,
                    "\(method.rawValue) has no parameter \(Self.quoted(member.key))"
                        + Suggestion.phrase(for: member.key, among: known.map(\.name)))
            }
            guard values[member.key] == nil else {
                throw ControlError(.parameters, "params.\(member.key) is given twice")
            }
            values[member.key] = try Self.value(member.value, of: parameter)
        }
        if let missing = known.first(where: { $0.isRequired && values[$0.name] == nil }) {
            throw ControlError(
                .parameters, "params.\(missing.name) is missing: \(missing.kind.words) (\(missing.meaning))")
        }
    }

    /// Returns the text of a parameter; `nil` if it was omitted.
    func text(_ name: String) -> String? { if case .text(let text)? = values[name] { text } else { nil } }
    /// Returns a list of texts; empty if it was omitted.
    func texts(_ name: String) -> [String] { if case .texts(let texts)? = values[name] { texts } else { [] } }
    /// Returns a whole number; `nil` if it was omitted.
    func integer(_ name: String) -> Int? {
        if case .integer(let integer)? = values[name] { Int(clamping: integer) } else { nil }
    }
    /// Returns a number; `nil` if it was omitted.
    func number(_ name: String) -> Double? { if case .number(let number)? = values[name] { number } else { nil } }
    /// Returns whether a flag is set.
    func flag(_ name: String) -> Bool { if case .flag(let flag)? = values[name] { flag } else { false } }
    /// Returns a time span; `nil` if it was omitted.
    func span(_ name: String) -> Duration? { if case .span(let span)? = values[name] { span } else { nil } }
    /// Returns a JSON value; `nil` if it was omitted.
    func json(_ name: String) -> JSONValue? { if case .json(let value)? = values[name] { value } else { nil } }

    /// The text, list and JSON parameters as one object.
    var object: JSONValue {
        .object(
            values.compactMap { name, value in
                switch value {
                case .text(let text): JSONValue.Member(name, .string(text))
                case .texts(let texts): JSONValue.Member(name, .array(texts.map { .string($0) }))
                case .json(let value): JSONValue.Member(name, value)
                case .integer, .number, .flag, .span: nil
                }
            })
    }

    private static func value(_ given: JSONValue, of parameter: ControlParameter) throws(ControlError) -> Value {
        // A number with an unusual spelling arrives as text.
        let plain: JSONValue? = if case .text(let text) = given { try? JSONValue(parsing: text.bytes) } else { nil }
        switch (parameter.kind, plain ?? given) {
        case (.text, .string(let text)) where !text.isEmpty || parameter.mayBeEmpty: return .text(text)
        case (.texts, .array(let elements)) where !elements.isEmpty || parameter.mayBeEmpty:
            let texts = elements.compactMap { if case .string(let text) = $0, !text.isEmpty { text } else { nil } }
            if texts.count == elements.count { return .texts(texts) }
        case (.integer(let range), .integer(let integer)) where range.contains(integer): return .integer(integer)
        case (.number, .integer(let integer)) where integer > 0: return .number(Double(integer))
        case (.number, .number(let number)) where number > 0: return .number(number)
        case (.flag, .bool(let flag)): return .flag(flag)
        case (.span, .integer(let seconds)) where (1...1_000_000_000).contains(seconds):
            return .span(.seconds(seconds))
        case (.span, .number(let seconds)) where seconds >= 0.001 && seconds <= 1e9:
            return .span(.microseconds(Int64(seconds * 1e6)))
        case (.span, .string(let text)): if let span = Duration(typed: text) { return .span(span) }
        case (.choice(let words), .string(let word)):
            if words.contains(word) { return .text(word) }
            throw ControlError(
                .parameters,
                "params.\(parameter.name): \(quoted(word)) is not one of \(words.joined(separator: ", "))"
                    + Suggestion.phrase(for: word, among: words))
        case (.json, _): return .json(given)
        case (.text, _), (.texts, _), (.integer, _), (.number, _), (.flag, _), (.span, _), (.choice, _): break
        }
        throw ControlError(.parameters, "params.\(parameter.name) must be \(parameter.kind.words)")
    }

    private static func names(of parameters: [ControlParameter]) -> String {
        parameters.isEmpty ? "none" : parameters.map(\.name).joined(separator: ", ")
    }

    private static func quoted(_ text: String) -> String { "'" + TerminalText.truncated(text, to: 80) + "'" }
}

extension ControlParameter.Kind {
    /// A description of the expected value, for messages.
    package var words: String {
        switch self {
        case .text: "a text"
        case .texts: "a list of texts"
        case .integer(let range):
            if range.upperBound == .max {
                "a whole number, at least \(range.lowerBound)"
            } else {
                "a whole number from \(range.lowerBound) to \(range.upperBound)"
            }
        case .number: "a number greater than 0"
        case .flag: "true or false"
        case .span: "a time such as 500ms, 15s, 2m or 1h, or a number of seconds"
        case .choice(let words): "one of " + words.joined(separator: ", ")
        case .json: "a JSON value"
        }
    }
}

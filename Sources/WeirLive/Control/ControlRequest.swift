import WeirJSON
import WeirTerminal
import WeirWire

/// A client's request, checked against the method table.
struct ControlRequest: Hashable, Sendable {
    /// The id to repeat in the answer; `nil` for a notification, which has no answer.
    var id: JSONValue?
    var method: ControlMethod
    var arguments: ControlArguments

    /// The reason why a line is not a valid request, and the id for the answer; without an id the client gets no
    /// answer.
    struct Refusal: Error, Hashable {
        var id: JSONValue?
        var error: ControlError
    }

    /// Parses a line from a client of `server`.
    ///
    /// A line without `jsonrpc` is the short form for people who type. It is answered even without an id.
    init(_ line: ArraySlice<UInt8>, to server: ControlMethod.Server) throws(Refusal) {
        let value: JSONValue
        do throws(JSONError) {
            // The arguments of an event must reach the server in the client's spelling.
            value = try JSONValue(parsing: line, keepsSpelling: true)
        } catch {
            throw Refusal(id: .null, error: ControlError(.parse, "the line is not JSON: \(error)"))
        }
        let id = try Self.identity(of: value)
        do throws(ControlError) {
            method = try Self.method(of: value, to: server)
            arguments = try ControlArguments(value["params"], of: method)
        } catch {
            throw Refusal(id: id, error: error)
        }
        self.id = id
    }

    private static func identity(of value: JSONValue) throws(Refusal) -> JSONValue? {
        switch value {
        case .object: break
        case .array:
            throw Refusal(id: .null, error: ControlError(.request, "send requests one by one, each on its own line"))
        case .null, .bool, .integer, .number, .string, .text:
            throw Refusal(id: .null, error: ControlError(.request, "a request must be an object with a method"))
        }
        switch value["jsonrpc"] {
        case nil, .string("2.0"): break
        case _?: throw Refusal(id: .null, error: ControlError(.request, #"jsonrpc is not "2.0""#))
        }
        switch value["id"] {
        case nil: return value["jsonrpc"] == nil ? .null : nil
        case .string(let id)? where id.utf8.count > 256:
            throw Refusal(id: .null, error: ControlError(.request, "the id is longer than 256 bytes"))
        case let id? where id.isIdentity: return id
        case _?: throw Refusal(id: .null, error: ControlError(.request, "the id must be a string, a number or null"))
        }
    }

    private static func method(of value: JSONValue, to server: ControlMethod.Server) throws(ControlError)
        -> ControlMethod
    {
        guard case .string(let name)? = value["method"] else {
            throw ControlError(.request, "the request names no method; send {\"method\":\"hello\"} to list them")
        }
        let known = ControlMethod.of(server)
        if let method = known.first(where: { $0.rawValue == name }) { return method }
        let text = "'" + TerminalText.truncated(name, to: 80) + "'"
        if ControlMethod(rawValue: name) != nil {
            throw ControlError(.method, "a \(server.rawValue) has no method \(text)")
        }
        throw ControlError(
            .method, "there is no method \(text)" + Suggestion.phrase(for: name, among: known.map(\.rawValue)))
    }
}

extension JSONValue {
    fileprivate var isIdentity: Bool {
        switch self {
        case .string, .integer, .number, .null: true
        case .text(let text): text.bytes.first != UInt8(ascii: "{")
        case .bool, .array, .object: false
        }
    }
}

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

/// The reason for refusing a request on the control socket.
package struct ControlError: Error, Hashable, Sendable {
    /// The error codes: those of JSON-RPC 2.0, and Weir's own from -32000 down.
    package enum Code: Int, Sendable, CaseIterable {
        /// The line is not JSON.
        case parse = -32700
        /// The JSON is not a request.
        case request = -32600
        /// The method does not exist, or this server does not answer it.
        case method = -32601
        /// A parameter is missing, unknown or invalid.
        case parameters = -32602
        /// The operation was valid but failed.
        case failed = -32000
        /// The operation is switched off, or outside the client's permissions.
        case forbidden = -32001
        /// The operation has no target: no recording, no connection, no such item.
        case nothing = -32002
        /// A limit on clients, sizes or counts is reached.
        case limit = -32003
    }

    /// The JSON-RPC code of the error.
    package var code: Code
    /// One sentence with the problem and its remedy. May contain a peer's text.
    package var message: String

    /// Creates an error with a code and a message.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// The result of a method: one encoded JSON value.
struct ControlResult: Sendable {
    /// The JSON text of the value, on one line.
    let bytes: [UInt8]

    /// Creates a result from the value that `write` writes.
    init(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        bytes = writer.bytes
    }

    /// The result `true`, of a method without further output.
    static var done: ControlResult { ControlResult { $0.bool(true) } }
}

/// The lines that the server sends to a client.
enum ControlLine {
    /// Returns the answer to a request.
    static func answer(_ id: JSONValue, _ result: Result<ControlResult, ControlError>) -> [UInt8] {
        line { writer in
            writer.key("id")
            writer.value(id)
            switch result {
            case .success(let result):
                writer.key("result")
                writer.raw(RawJSON(unchecked: result.bytes[...]))
            case .failure(let error):
                writer.key("error")
                writer.beginObject()
                writer.member("code", error.code.rawValue)
                writer.member("message", error.message)
                writer.endObject()
            }
        }
    }

    /// Returns a notification. `write` writes the members of its params.
    static func notification(_ method: String, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
        line { writer in
            writer.member("method", method)
            writer.key("params")
            writer.beginObject()
            write(&writer)
            writer.endObject()
        }
    }

    private static func line(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("jsonrpc", "2.0")
        body(&writer)
        writer.endObject()
        return writer.bytes + [0x0a]
    }
}

import JSONText
import Terminal

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

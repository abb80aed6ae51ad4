import JSONText

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

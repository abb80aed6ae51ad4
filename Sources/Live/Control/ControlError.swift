import JSONText

/// Why a request on the control socket is refused.
package struct ControlError: Error, Hashable, Sendable {
    /// What kind of trouble it is: the codes of JSON-RPC 2.0, and ours.
    package enum Code: Int, Sendable, CaseIterable {
        /// The line is no JSON.
        case parse = -32700
        /// It is JSON and no request.
        case request = -32600
        /// There is no such method, or not here.
        case method = -32601
        /// A parameter is missing, unknown or not what it should be.
        case parameters = -32602
        /// What was asked for could not be done.
        case failed = -32000
        /// It may not be done: it is switched off, or outside of what a client may touch.
        case forbidden = -32001
        /// There is nothing it could be done to: no recording, no connection, no such item.
        case nothing = -32002
        /// A limit is reached.
        case limit = -32003
    }

    /// What kind of trouble it is.
    package var code: Code
    /// What is wrong and what to do, in one sentence. May hold a peer's text.
    package var message: String

    /// A refusal.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// What a method gives: one JSON value, written already.
struct ControlResult: Sendable {
    /// The text of the value, on one line.
    let bytes: [UInt8]

    /// The value that `write` writes.
    init(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        bytes = writer.bytes
    }

    /// It is done, and there is nothing to say.
    static var done: ControlResult { ControlResult { $0.bool(true) } }
}

/// The lines that a client is sent.
enum ControlLine {
    /// The answer to a request.
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

    /// Something that was not asked for by itself. `write` writes the members of its params.
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

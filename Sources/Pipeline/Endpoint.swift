import Events
import JSONText
import Wire

/// A call of a REST service, typed from its parameters to its answer.
///
/// It defines the request, whether the request carries the user's token, and how to decode the answer.
struct Endpoint<Answer>: Sendable {
    /// A function that decodes the body of a successful answer.
    typealias Parser = @Sendable (ArraySlice<UInt8>) throws(DecodingFailure) -> Answer
    /// A function that decodes the rows of a successful answer, and leaves out the rows that cannot be decoded.
    typealias RowParser = @Sendable (ArraySlice<UInt8>, RowSieve) throws(DecodingFailure) -> Answer

    /// The REST call to send.
    let call: RESTCall
    let parse: RowParser

    /// Creates a call of `path` with the items of a query.
    init(
        _ path: RESTTarget, method: RESTCall.Method = .get, query: RESTCall.Query = [],
        body: RawJSON? = nil, carriesToken: Bool = true,
        rows parse: @escaping RowParser
    ) {
        var target = path
        target.add(query)
        call = RESTCall(method, target, body: body.map { Array($0.bytes) } ?? [], carriesToken: carriesToken)
        self.parse = parse
    }

    /// Creates an endpoint for an existing call.
    init(_ call: RESTCall, rows parse: @escaping RowParser) {
        (self.call, self.parse) = (call, parse)
    }

    /// Creates a call of `path` whose answer is a single value.
    init(
        _ path: RESTTarget, method: RESTCall.Method = .get, query: RESTCall.Query = [],
        body: RawJSON? = nil, carriesToken: Bool = true,
        parse: @escaping Parser
    ) {
        self.init(
            path, method: method, query: query, body: body, carriesToken: carriesToken
        ) {
            body, _ throws(DecodingFailure) in try parse(body)
        }
    }

    /// Decodes an answer that is a single value.
    func parse(_ body: ArraySlice<UInt8>) throws(DecodingFailure) -> Answer {
        try parse(body, RowSieve())
    }
}

extension Endpoint where Answer == Void {
    /// Creates a call of which only the success matters: the body of the answer is not read.
    init(
        _ path: RESTTarget, method: RESTCall.Method, query: RESTCall.Query = [],
        body: RawJSON? = nil, carriesToken: Bool = true
    ) {
        self.init(path, method: method, query: query, body: body, carriesToken: carriesToken) { _ in }
    }
}

/// A request to a REST service.
package struct RESTCall: Hashable, Sendable {
    /// The HTTP methods that backends use.
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The items of a query, whose values are not percent-encoded yet.
    typealias Query = [(name: StaticString, value: String)]

    /// The HTTP method of the request.
    package var method: Method
    /// The path and query, to be appended to the server's address.
    package var target: String
    /// The JSON text of the body; empty for no body.
    package var body: [UInt8]
    /// Whether the request carries the user's token. A public call does not reveal it.
    package var carriesToken: Bool
    /// The name of a service that a profile declares at an address of its own; `nil` for the backend's service.
    package var service: String?
    /// The user's files that belong in the body, in the order of their offsets. The sender of the call reads them; the
    /// core never does.
    package var files: [File] = []
    /// A form with a file of the user, sent in place of `body`; `nil` to send `body`.
    package var form: Form?

    /// A `multipart/form-data` body: text fields, followed by a file that is read while it is sent.
    package struct Form: Hashable, Sendable {
        /// The text fields, in order of sending.
        package var fields: [Field] = []
        /// The name of the file's field.
        package var name: String
        /// The file that the form uploads.
        package var file: Action.File

        /// A text field of a form.
        package struct Field: Hashable, Sendable {
            package var name: String
            package var value: String
        }
    }

    /// A file whose base64-encoded content is inserted into a body.
    package struct File: Hashable, Sendable {
        /// The path of the file.
        package var path: String
        /// The number of bytes of the body that precede the content.
        package var offset: Int
    }

    init(_ method: Method, _ target: RESTTarget, body: [UInt8] = [], carriesToken: Bool = true) {
        self.method = method
        self.target = target.text
        self.body = body
        self.carriesToken = carriesToken
    }

    /// Appends an item to a query that has at least one item already.
    package mutating func add(name: String, _ value: String) { target += "&\(name)=\(value.percentEncoded)" }

    /// Returns the server's explanation in an answer that refuses, or the status if it contains none.
    ///
    /// Services put the explanation in `message`, in `error`, or in the `errors` of `meta`. Untrusted text of at most
    /// 300 characters.
    package static func refusal(status: Int, body: ArraySlice<UInt8>) -> String {
        let value = try? JSONValue(parsing: body)
        let errors = value?["meta"]?["errors"]?.texts?.joined(separator: "; ")
        let words = value?["message"]?.text ?? value?["error"]?.text ?? errors ?? ""
        return words.isEmpty ? "HTTP status \(status)" : String(words.prefix(300))
    }
}

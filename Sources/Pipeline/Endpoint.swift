import Events
import JSONText
import Wire

/// One call of a REST service, typed from its parameters to its answer: what is asked, with which rights, on whose behalf, and how
/// the answer is read.
struct Endpoint<Answer>: Sendable {
    /// Reads the body of a successful answer.
    typealias Parser = @Sendable (ArraySlice<UInt8>) throws(DecodingFailure) -> Answer
    /// Reads the body of a successful answer that has rows; what cannot be read of them is left out.
    typealias RowParser = @Sendable (ArraySlice<UInt8>, RowSieve) throws(DecodingFailure) -> Answer

    /// What is sent.
    let call: RESTCall
    let parse: RowParser

    /// A call of `path` with the query's items.
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

    /// A call that was made already.
    init(_ call: RESTCall, rows parse: @escaping RowParser) {
        (self.call, self.parse) = (call, parse)
    }

    /// The same of an answer that is one thing.
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

    /// Reads an answer that is one thing.
    func parse(_ body: ArraySlice<UInt8>) throws(DecodingFailure) -> Answer {
        try parse(body, RowSieve())
    }
}

extension Endpoint where Answer == Void {
    /// A call of which only the success matters: whatever the body is, it is not read.
    init(
        _ path: RESTTarget, method: RESTCall.Method, query: RESTCall.Query = [],
        body: RawJSON? = nil, carriesToken: Bool = true
    ) {
        self.init(path, method: method, query: query, body: body, carriesToken: carriesToken) { _ in }
    }
}

/// What a call sends.
package struct RESTCall: Hashable, Sendable {
    /// The methods a backend uses.
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// Parameters, their values not encoded yet.
    typealias Query = [(name: StaticString, value: String)]

    /// The method.
    package var method: Method
    /// Path and query, to be put behind the server's address.
    package var target: String
    /// JSON text, or empty.
    package var body: [UInt8]
    /// Whether the user's token goes with it; a call that is public does not show it.
    package var carriesToken: Bool
    /// The service that a profile declares at an address of its own; nil for the backend's.
    package var service: String?
    /// Files of the user's that belong into the body, in its order. Who sends the call reads them: nothing here does.
    package var files: [File] = []
    /// A form with a file of the user's, in place of a body; nil for a body.
    package var form: Form?

    /// What is posted as `multipart/form-data`: fields, and after them a file, which is read while it is sent.
    package struct Form: Hashable, Sendable {
        /// The fields.
        package var fields: [Field] = []
        /// What the file's field is called.
        package var name: String
        /// The file.
        package var file: Action.File

        /// A field of text.
        package struct Field: Hashable, Sendable {
            /// What it is called.
            package var name: String
            /// What it says.
            package var value: String
        }
    }

    /// A file whose content, in base64, stands at that place of a body.
    package struct File: Hashable, Sendable {
        /// Where it is.
        package var path: String
        /// How many bytes of the body are before it.
        package var offset: Int
    }

    init(_ method: Method, _ target: RESTTarget, body: [UInt8] = [], carriesToken: Bool = true) {
        self.method = method
        self.target = target.text
        self.body = body
        self.carriesToken = carriesToken
    }

    /// Adds an item to the query, which has some already.
    package mutating func add(name: String, _ value: String) { target += "&\(name)=\(value.percentEncoded)" }

    /// The server's words in an answer that refuses, or its status. Services put them in a `message`, an `error` or the `errors` of a `meta`.
    /// Untrusted.
    package static func refusal(status: Int, body: ArraySlice<UInt8>) -> String {
        let value = try? JSONValue(parsing: body)
        let errors = value?["meta"]?["errors"]?.texts?.joined(separator: "; ")
        let words = value?["message"]?.text ?? value?["error"]?.text ?? errors ?? ""
        return words.isEmpty ? "HTTP status \(status)" : String(words.prefix(300))
    }
}

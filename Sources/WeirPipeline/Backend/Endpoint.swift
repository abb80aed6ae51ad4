import WeirEvents
import WeirJSON
import WeirWire

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

/// The path and query of a call. Literals stay as they are; ids and other text from peers are percent-encoded (RFC
/// 3986).
struct RESTTarget: ExpressibleByStringInterpolation, Sendable {
    /// The bytes of a target under construction. Appending each part to a string would cost several times as much, and
    /// every refetch builds a target.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 40)
        }

        mutating func appendLiteral(_ literal: String) {
            literal.utf8.span.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }

        mutating func appendInterpolation(_ id: EntityID) {
            switch id {
            // All characters of a UUID are unreserved.
            case .uuid: id.append(to: &bytes)
            case .text(let text): appendInterpolation(text)
            }
        }

        mutating func appendInterpolation(_ text: String) { RESTTarget.encode(text, into: &bytes) }

        mutating func appendInterpolation(_ number: Int) { appendLiteral(String(number)) }

        /// Appends part of a target without encoding it again.
        mutating func appendInterpolation(_ target: RESTTarget) { bytes += target.bytes }
    }

    private var bytes: [UInt8]

    init(stringLiteral text: String) { bytes = Array(text.utf8) }

    init(stringInterpolation parts: StringInterpolation) { bytes = parts.bytes }

    /// Appends the items of a query.
    mutating func add(_ query: RESTCall.Query) {
        for (index, item) in query.enumerated() {
            bytes.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            item.name.withUTF8Buffer { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(ascii: "="))
            Self.encode(item.value, into: &bytes)
        }
    }

    /// The path and query as sent.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Percent-encodes text. This includes the dot, although it is unreserved: an id that consists of dots would climb
    /// in a path.
    private static func encode(_ text: String, into bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            }
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}

/// A decoder for the answer to one request, which runs outside the session. It saves the session the decoding and leads
/// to the same result.
package struct AnswerReader: Sendable {
    /// The call whose answer is decoded.
    let call: RESTCall
    private let parse: @Sendable (ArraySlice<UInt8>, RowSieve) -> Result<any Sendable, DecodingFailure>

    init<Answer: Sendable>(_ endpoint: Endpoint<Answer>) {
        call = endpoint.call
        let parse = endpoint.parse
        self.parse = { body, sieve in
            Result { () throws(DecodingFailure) -> any Sendable in try parse(body, sieve) }
        }
    }

    /// Decodes a body. Can be called on any thread; the time grows with the size of the body.
    package func read(_ body: ArraySlice<UInt8>) -> AnswerReading {
        let sieve = RowSieve()
        let result = parse(body, sieve)
        return AnswerReading(result: result, leftOut: sieve.leftOut)
    }
}

/// The result of decoding a body.
package struct AnswerReading: Sendable {
    let result: Result<any Sendable, DecodingFailure>
    let leftOut: LeftOutRows
}

extension Session {
    /// Returns the decoder for a successful answer to a request in flight; `nil` for a request that writes, or whose
    /// answer is always small. Pass the decoded answer to `take` just before the answer is handled.
    package func reader(of request: Int) -> AnswerReader? {
        context.refetcher.flights.first { $0.request == request }.flatMap { backend.reader(for: $0.key) }
    }

    /// Takes the decoded form of the answer that is handled next. It saves time and does not change the outcome.
    package mutating func take(_ reading: AnswerReading) { context.reading = reading }
}

extension HandlerContext {
    /// Returns the answer to a call: decoded already, or decoded now. Sets `leftOut` to the rows that could not be
    /// decoded.
    mutating func answer<Answer>(
        to endpoint: Endpoint<Answer>, _ body: ArraySlice<UInt8>
    ) throws(DecodingFailure) -> Answer {
        if let reading, let answer = try reading.result.get() as? Answer {
            leftOut = reading.leftOut
            return answer
        }
        let sieve = RowSieve()
        let answer = try endpoint.parse(body, sieve)
        leftOut = sieve.leftOut
        return answer
    }

    /// The maximum number of pages of a list, whatever the server sends.
    static let mostListPages = 1000

    /// Returns the rows of a list once its last page has arrived; `nil` while further pages are requested. A list that
    /// is too large or does not end stops at the current page, and `leftOut` then records that rows may be missing.
    mutating func list<Row: Sendable>(
        of key: ResourceKey, to endpoint: Endpoint<[Row]>, _ body: ArraySlice<UInt8>
    ) throws(DecodingFailure) -> [Row]? {
        var rows = try answer(to: endpoint, body)
        let next = leftOut.nextPage
        let before = refetcher.endPaging(key)
        if let before {
            rows = (before.rows as? [Row] ?? []) + rows
            leftOut.add(earlier: before.leftOut)
        }
        guard let next else {
            refetcher.read(key, inPages: before != nil)
            return rows
        }
        let (pages, bytes) = ((before?.pages ?? 0) + 1, (before?.bytes ?? 0) + body.count)
        guard next != before?.next, pages < Self.mostListPages, bytes < largestList else {
            leftOut.isHarmless = false
            notice(
                .warning,
                "\(key.resource.label): the list does not end after \(rows.count) rows in \(pages) pages (\(bytes) bytes, --max-body): reading stops"
                    + ", and nothing is removed")
            return rows
        }
        refetcher.goOn(
            key, Refetcher.Paging(next: next, pages: pages, bytes: bytes, rows: rows, leftOut: leftOut))
        return nil
    }
}

import Events
import JSONText
import Wire

/// A request to the REST service, as the pure part sees it.
package struct RESTRequest: Hashable, Sendable {
    var method: String
    /// Percent-encoded, as received.
    var path: String
    /// Without `?`, as received.
    var query = ""
    var body: [UInt8] = []
    /// The media type of the body, where it says one.
    var type: String?
    /// The token of `Authorization: Bearer …`.
    var bearer: String?
    /// The `Host` header, for answers that name the server.
    var host = "localhost"
}

extension RESTRequest {
    /// A request for a target: its path, and its query behind the first `?`.
    package init(method: String, target: String, body: [UInt8], bearer: String?) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            method: method, path: String(parts.first ?? ""), query: parts.count > 1 ? String(parts[1]) : "", body: body,
            bearer: bearer)
    }
}

/// An answer; the body is JSON unless its type says otherwise, or empty.
package struct RESTResponse: Hashable, Sendable {
    package var status: Int
    package var body: [UInt8]
    var type = "application/json; charset=utf-8"
}

/// What a handler answers; neither value nor content is an empty body.
struct RESTAnswer: Hashable, Sendable {
    /// A body that is no JSON.
    struct Content: Hashable, Sendable {
        var type: String
        var bytes: [UInt8]
    }
    var status = 200
    var value: JSONValue?
    var content: Content?
}

/// A refusal; how it reads is the era's business.
struct RESTError: Error, Hashable, Sendable {
    var status: Int
    var message: String

    static func notFound(_ message: String) -> RESTError { RESTError(status: 404, message: message) }
    static func badRequest(_ message: String) -> RESTError { RESTError(status: 400, message: message) }
}

extension RESTError {
    init(_ error: WorldError) {
        switch error {
        case .notFound(let message): self.init(status: 404, message: message)
        case .badRequest(let message): self.init(status: 400, message: message)
        case .forbidden(let message): self.init(status: 403, message: message)
        case .refused(let message): self.init(status: 500, message: message)
        }
    }
}

/// The two generations of Twake's REST services.
enum Era: Hashable, Sendable {
    /// The mobile proxy: `/internal/mobile`, bare arrays and objects (4.3).
    case proxy
    /// The core: `/internal/services`, envelopes (4.4).
    case core
}

/// One request, routed and authenticated.
struct RESTCall: Sendable {
    var request: RESTRequest
    var era: Era
    /// Who asks; nil on public routes only.
    var caller: User?
    /// The parts of the path that the route leaves open.
    var parameters: [String]
    var query: [(name: String, value: String)]
    /// Null when the request has none.
    var body: JSONValue
    /// The world's time.
    var now: Int64
    /// The server's own time, which tokens live by.
    var moment: Moment
    /// How many rows a page of a list has at most.
    var mostRows: Int

    func parameter(_ index: Int) -> String { parameters.indices.contains(index) ? parameters[index] : "" }

    func id(_ index: Int) -> EntityID { EntityID(parameter(index)) }

    func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The form that was posted; nil for another body.
    var form: MultipartForm? { MultipartForm(request.body, type: request.type) }

    /// The caller; routes that need one are never reached without.
    func user() throws(RESTError) -> User {
        guard let caller else { throw RESTError(status: 401, message: "Bad credentials") }
        return caller
    }

    /// Era A takes its parameters from the body or from the query.
    func field(_ name: String) -> String? { body[name]?.stringValue ?? queryValue(name) }

    func requiredField(_ name: String) throws(RESTError) -> String {
        guard let value = field(name), !value.isEmpty else {
            throw .badRequest("should have required property '\(name)'")
        }
        return value
    }

    func idField(_ name: String) throws(RESTError) -> EntityID { EntityID(try requiredField(name)) }

    /// A number of the query within bounds; `otherwise` when it is missing or no number.
    func limit(_ name: String = "limit", _ bounds: ClosedRange<Int> = 1...1_000, otherwise: Int = 100) -> Int {
        guard let number = field(name).flatMap({ Int($0) }) else { return otherwise }
        return min(max(number, bounds.lowerBound), bounds.upperBound)
    }

    /// Whether a switch such as `mine=1` is on.
    func isOn(_ name: String) -> Bool { ["1", "true"].contains(queryValue(name)) }
}

/// One way to ask for something.
struct Route: Sendable {
    typealias Handler = @Sendable (RESTCall, inout Backend) throws(RESTError) -> RESTAnswer

    let method: String
    /// Of the path after the era's prefix.
    let pattern: RoutePattern
    let isPublic: Bool
    let handler: Handler

    init(_ method: String, _ path: String, isPublic: Bool = false, _ handler: @escaping Handler) {
        self.method = method
        pattern = RoutePattern(path)
        self.isPublic = isPublic
        self.handler = handler
    }
}

/// The names and values of a query.
enum PercentText {
    static func pairs(_ query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").prefix(100).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return ((parts.first ?? "").percentDecoded(), parts.count > 1 ? parts[1].percentDecoded() : "")
        }
    }
}

import WeirEvents
import WeirJSON
import WeirWire

/// A request to the REST service, as the pure backend sees it.
package struct RESTRequest: Hashable, Sendable {
    var method: String
    /// The path as received, percent-encoded.
    var path: String
    /// The query as received, without its `?`.
    var query = ""
    var body: [UInt8] = []
    /// The media type of the body; `nil` if the request states none.
    var type: String?
    /// The token of the header `Authorization: Bearer …`.
    var bearer: String?
    /// The `Host` header, for answers that contain the server's URL.
    var host = "localhost"
}

extension RESTRequest {
    /// Creates a request from a target, which is a path and a query after the first `?`.
    package init(method: String, target: String, body: [UInt8], bearer: String?) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            method: method, path: String(parts.first ?? ""), query: parts.count > 1 ? String(parts[1]) : "", body: body,
            bearer: bearer)
    }
}

/// A response. The body is JSON unless `type` states another media type, or it is empty.
package struct RESTResponse: Hashable, Sendable {
    package var status: Int
    package var body: [UInt8]
    var type = "application/json; charset=utf-8"
}

/// The result of a route's handler. Without a value and content, the body is empty.
struct RESTAnswer: Hashable, Sendable {
    /// A body that is not JSON.
    struct Content: Hashable, Sendable {
        var type: String
        var bytes: [UInt8]
    }
    var status = 200
    var value: JSONValue?
    var content: Content?
}

/// A refused request. The era determines the form of the response.
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
    /// The mobile proxy under `/internal/mobile`, with bare arrays and objects (Twake TW-71).
    case proxy
    /// The core under `/internal/services`, with envelopes (Twake TW-79).
    case core
}

/// A request after routing and authentication.
struct RESTCall: Sendable {
    var request: RESTRequest
    var era: Era
    /// The authenticated user; `nil` on public routes only.
    var caller: User?
    /// The path components that match the route's wildcards.
    var parameters: [String]
    var query: [(name: String, value: String)]
    /// The parsed body; null when the request has none, or a form.
    var body: JSONValue
    /// The server's time, in milliseconds since 1970.
    var now: Int64
    /// The time of the loop's clock, which determines the validity of tokens.
    var moment: Moment
    /// The maximum number of rows in a page of a list.
    var mostRows: Int

    func parameter(_ index: Int) -> String { parameters.indices.contains(index) ? parameters[index] : "" }

    func id(_ index: Int) -> EntityID { EntityID(parameter(index)) }

    func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The posted form; `nil` for any other body.
    var form: MultipartForm? { MultipartForm(request.body, type: request.type) }

    /// Returns the caller. Routes that need a caller are never reached without one.
    func user() throws(RESTError) -> User {
        guard let caller else { throw RESTError(status: 401, message: "Bad credentials") }
        return caller
    }

    /// Returns a parameter from the body or the query, as era A accepts both.
    func field(_ name: String) -> String? { body[name]?.stringValue ?? queryValue(name) }

    func requiredField(_ name: String) throws(RESTError) -> String {
        guard let value = field(name), !value.isEmpty else {
            throw .badRequest("should have required property '\(name)'")
        }
        return value
    }

    func idField(_ name: String) throws(RESTError) -> EntityID { EntityID(try requiredField(name)) }

    /// Returns a number from the body or the query, clamped to `bounds`; `otherwise` when it is missing or not a
    /// number.
    func limit(_ name: String = "limit", _ bounds: ClosedRange<Int> = 1...1_000, otherwise: Int = 100) -> Int {
        guard let number = field(name).flatMap({ Int($0) }) else { return otherwise }
        return min(max(number, bounds.lowerBound), bounds.upperBound)
    }

    /// Returns whether a switch in the query, such as `mine=1`, is on.
    func isOn(_ name: String) -> Bool { ["1", "true"].contains(queryValue(name)) }
}

/// A route: method, path and handler.
struct Route: Sendable {
    typealias Handler = @Sendable (RESTCall, inout Backend) throws(RESTError) -> RESTAnswer

    let method: String
    /// The pattern of the path after the era's prefix.
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

/// Parses the names and values of a query.
enum PercentText {
    static func pairs(_ query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").prefix(100).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return ((parts.first ?? "").percentDecoded(), parts.count > 1 ? parts[1].percentDecoded() : "")
        }
    }
}

/// The bodies of refusals (Twake TW-62).
extension Backend {
    /// Returns the response for an error. The proxy replaces the core's 401, 404 and 500 by 400; the core answers with
    /// Fastify's body. The last server hides the message of an exception.
    static func response(to error: RESTError, _ era: Era, _ edition: Edition = .of2021) -> RESTResponse {
        switch era {
        case .proxy:
            let status = [401, 404, 500].contains(error.status) ? 400 : error.status
            let message = error.status == 404 ? "Object not found" : error.message
            return RESTResponse(status: status, body: Array(JSONValue.fields(["error": .string(message)]).raw.bytes))
        case .core:
            let isHidden = edition == .last && error.status == 500
            let body = JSONValue.fields([
                "statusCode": .integer(Int64(error.status)), "error": .string(reason(error.status)),
                "message": .string(isHidden ? "Something went wrong" : error.message),
            ])
            return RESTResponse(
                status: error.status,
                body: Array((isHidden ? body.adding(["requestId": .string("req-1")]) : body).raw.bytes))
        }
    }

    /// Returns Fastify's answer to an unknown path, which is the same under both prefixes.
    static func routeNotFound(_ request: RESTRequest) -> RESTResponse {
        let path = request.path + (request.query.isEmpty ? "" : "?\(request.query)")
        let body = JSONValue.fields([
            "message": .string("Route \(request.method):\(path) not found"), "error": .string("Not Found"),
            "statusCode": .integer(404),
        ])
        return RESTResponse(status: 404, body: Array(body.raw.bytes))
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 501: "Not Implemented"
        default: "Internal Server Error"
        }
    }
}

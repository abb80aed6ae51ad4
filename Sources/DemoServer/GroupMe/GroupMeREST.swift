import Events
import JSONText

/// A request to version 3 of the REST service, routed and authenticated.
struct GroupMeCall: Sendable {
    let user: GroupMe.UserID
    /// The components of the path after `v3`.
    let path: [String]
    let query: [(name: String, value: String)]
    /// The path components that match the route's wildcards.
    var parameters: [String] = []
    /// The parsed body; null when the request has none.
    var body: JSONValue
    /// The server's time, in milliseconds since 1970.
    let now: Int64

    func parameter(_ index: Int) -> String { parameters.indices.contains(index) ? parameters[index] : "" }

    var group: GroupMe.GroupID { GroupMe.GroupID(parameter(0)) }

    func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns a number from the query, or `otherwise` when it is missing. Throws when it is out of bounds.
    func number(_ name: String, _ bounds: ClosedRange<Int>, otherwise: Int) throws(GroupMeRESTError) -> Int {
        guard let text = queryValue(name) else { return otherwise }
        guard let number = Int(text), bounds.contains(number) else {
            throw GroupMeRESTError(400, "\(name) must be between \(bounds.lowerBound) and \(bounds.upperBound)")
        }
        return number
    }
}

/// The result of a route's handler.
struct GroupMeAnswer: Sendable {
    var status = 200
    /// The response in the envelope; `nil` for an answer without a body.
    var value: JSONValue?
    /// The code in the envelope; `nil` when it equals the status.
    var code: Int64?

    static let nothing = GroupMeAnswer()

    static func ok(_ value: JSONValue, status: Int = 200) -> Self { Self(status: status, value: value) }

    var response: RESTResponse {
        guard let value else { return RESTResponse(status: status, body: []) }
        let meta = JSONValue.fields(["code": .integer(code ?? Int64(status))])
        // An answer with only a code has no `response` member.
        let envelope =
            code == nil ? JSONValue.fields(["response": value, "meta": meta]) : JSONValue.fields(["meta": meta])
        return RESTResponse(status: status, body: Array(envelope.raw.bytes))
    }
}

/// A refused request. It is answered with an envelope without a response, or with an empty body for 404
/// (GroupMe GM-27).
struct GroupMeRESTError: Error, Hashable, Sendable {
    var status: Int
    var message: String

    static let notFound = GroupMeRESTError(404, "")
    static let unauthorized = GroupMeRESTError(401, "unauthorized")

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ refusal: GroupMeRefusal) {
        switch refusal {
        case .notFound: self = .notFound
        case .bad(let message): self.init(400, message)
        case .forbidden: self.init(403, "forbidden")
        case .repeated: self.init(409, "Duplicate source_guid")
        }
    }

    var response: RESTResponse {
        if status == 404 { return RESTResponse(status: status, body: []) }
        let meta = JSONValue.fields(["code": .integer(Int64(status)), "errors": .array([.string(message)])])
        return RESTResponse(status: status, body: Array(JSONValue.fields(["meta": meta]).raw.bytes))
    }
}

/// A route: method, path and handler.
struct GroupMeRoute: Sendable {
    typealias Handler = @Sendable (GroupMeCall, inout GroupMeBackend) throws(GroupMeRESTError) -> GroupMeAnswer

    let method: String
    /// The pattern of the path after `v3`.
    let pattern: RoutePattern
    let handler: Handler

    init(_ method: String, _ path: String, _ handler: @escaping Handler) {
        self.method = method
        pattern = RoutePattern(path)
        self.handler = handler
    }

    static let all: [GroupMeRoute] = users + groups + members + messages
}

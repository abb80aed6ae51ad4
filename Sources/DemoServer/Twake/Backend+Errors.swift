import JSONText

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

extension HTTPResponse {
    /// Returns the response as sent over the connection (RFC 9112). The server sets the framing headers; those of the
    /// response are dropped.
    func serialized(keepsAlive: Bool, withBody: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(of: status))\r\n"
        for (name, value) in headers where isHeaderName(name) && isHeaderValue(value) && !Self.isFraming(name) {
            text += "\(name): \(value)\r\n"
        }
        if Self.hasBody(status) { text += "Content-Length: \(body.count)\r\n" }
        if !keepsAlive { text += "Connection: close\r\n" }
        text += "\r\n"
        return Array(text.utf8) + (withBody && Self.hasBody(status) ? body : [])
    }

    /// Returns whether a response with this status has a body (RFC 9110, 6.4.1).
    private static func hasBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    private static func isFraming(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection"].contains(name.lowercased())
    }

    private static func reason(of status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}

import Network

extension AccountService {
    /// Asks for anything at all, as every request is sent; the answer, whatever it is, or why none came.
    func probe() async throws(Failure) -> Result<HTTPResponse, HTTPFailure> {
        let url = server.with(scheme: server.isSecure ? "https" : "http", target: "/")
        let request = HTTPRequest(method: "GET", url: url, access: try await access())
        return await withCheckedContinuation { continuation in
            http.send(request) { continuation.resume(returning: $0) }
        }
    }
}

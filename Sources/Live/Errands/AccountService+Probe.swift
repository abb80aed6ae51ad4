import Network

extension AccountService {
    /// Requests `/` like any other request. Returns the response whatever its status, or the reason why there is none.
    func probe() async throws(Failure) -> Result<HTTPResponse, HTTPFailure> {
        await answer(to: HTTPRequest(url: address("/"), access: try await access()))
    }
}

import Network

extension AccountService {
    /// Asks for anything at all, as every request is sent; the answer, whatever it is, or why none came.
    func probe() async throws(Failure) -> Result<HTTPResponse, HTTPFailure> {
        await answer(to: HTTPRequest(url: address("/"), access: try await access()))
    }
}

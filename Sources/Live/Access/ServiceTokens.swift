import Network
import Pipeline
import Wire

/// The tokens of services that a profile declares at their own addresses, by the service's name.
struct ServiceTokens: Sendable {
    private var secrets: [String: Secret] = [:]

    init() {}

    /// Resolves the references. Blocks, as `TokenReference.resolve` does.
    init(_ references: [String: TokenReference]) throws(TokenError) {
        for (name, reference) in references { secrets[name] = try reference.resolve("token of \(name)") }
    }

    subscript(name: String) -> Secret? { secrets[name] }
    /// All tokens, for hiding them in output.
    var all: [Secret] { Array(secrets.values) }

    static func != (a: Self, b: Self) -> Bool { a.secrets != b.secrets }
}

extension HTTPRequest {
    /// Creates the request for a call of a session. A service at its own address is a different server. It gets its own
    /// token, but not the backend's, and neither the user's headers, certificate nor cookies.
    init(
        _ call: RESTCall, of backend: Configuration.BackendKind, at service: URLParts, access: Access, token: Secret?,
        services: ServiceTokens
    ) {
        guard let declared = backend.declaredService(call.service), let url = try? URLParts(parsing: declared.url)
        else {
            self.init(
                call.method.rawValue, service.with(target: call.target), body: call.body, access: access,
                token: call.carriesToken ? token : nil, in: backend.tokenHeader)
            return
        }
        self.init(
            call.method.rawValue, url.with(target: call.target), body: call.body,
            access: Access(trust: access.trust, proxy: access.proxy),
            token: call.carriesToken ? services[declared.name] : nil, in: declared.header)
    }
}

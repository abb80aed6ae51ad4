import Network
import Pipeline
import Wire

/// The tokens of services that a profile declares at addresses of their own, by the service's name.
struct ServiceTokens: Sendable {
    private var secrets: [String: Secret] = [:]

    init() {}

    /// Finds each. Blocks, as `TokenReference.resolve` does.
    init(_ references: [String: TokenReference]) throws(TokenError) {
        for (name, reference) in references { secrets[name] = try reference.resolve("token of \(name)") }
    }

    subscript(name: String) -> Secret? { secrets[name] }
    /// What must not be shown.
    var all: [Secret] { Array(secrets.values) }

    static func != (a: Self, b: Self) -> Bool { a.secrets != b.secrets }
}

extension HTTPRequest {
    /// A call of a session. A service at an address of its own is another server: it gets its own token, and neither the backend's nor the
    /// user's headers, certificate and cookies.
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

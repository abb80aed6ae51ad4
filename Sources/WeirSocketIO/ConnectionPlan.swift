import WeirJSON
import WeirNetwork
import WeirWire

/// The checked settings of a client, as types of the modules below.
struct ConnectionPlan: Sendable {
    typealias Credentials = @Sendable () async throws -> JSONValue?

    let namespace: String
    let configuration: SocketIOReconnection.Configuration
    let transport: EngineIO.TransportChoice
    let connectAttempts: Int?
    let reconnectAttempts: Int?
    let maximumMessage: Int
    let maximumPending: Int
    let prepare: SocketIOConnection.Preparation

    init(_ text: String, _ auth: Auth, _ options: SocketIOOptions) throws(SocketIOError) {
        namespace = try Self.namespace(options.namespace)
        let address = SocketIOClientMachine.Namespace(options.namespace)
        var configuration = SocketIOReconnection.Configuration(
            revision: options.revision.map { $0 == .engineIO3 ? .v3 : .v4 }, namespaces: [address],
            handshakeTimeout: options.handshakeTimeout.bounded,
            backoff: Backoff(base: options.reconnectDelay.bounded, cap: options.longestReconnectDelay.bounded))
        configuration.returnsAfterKick = options.returnsAfterRemoval
        self.configuration = configuration
        transport =
            switch options.transport {
            case .automatic: .auto
            case .webSocket: .websocket
            case .polling: .polling
            case .upgrade: .upgrade
            }
        connectAttempts = options.connectAttempts.map { max($0, 1) }
        reconnectAttempts = options.reconnectAttempts.map { max($0, 0) }
        maximumMessage = max(options.maximumMessage, 1024)
        maximumPending = max(options.maximumPending, 0)
        prepare = Self.preparation(
            SocketIOAttempt(url: try Self.url(text), access: try Self.access(options)), auth, address.name)
    }

    /// The credentials of the main namespace.
    enum Auth: Sendable {
        case value(JSONValue?)
        case made(Credentials)
    }

    private static func preparation(
        _ attempt: SocketIOAttempt, _ auth: Auth, _ namespace: String
    ) -> SocketIOConnection.Preparation {
        switch auth {
        case .value(let value):
            let attempt = attempt.with(value, for: namespace)
            return { _, proceed in proceed(.success(attempt)) }
        case .made(let make):
            return { _, proceed in
                Task {
                    do {
                        proceed(.success(attempt.with(try await make(), for: namespace)))
                    } catch {
                        proceed(.failure(ConnectFailure(phase: .token, message: "no credentials: \(error)")))
                    }
                }
            }
        }
    }

    private static func url(_ text: String) throws(SocketIOError) -> URLParts {
        do throws(URLProblem) {
            var url = try URLParts(parsing: text)
            if url.path == "/" { url.path = "/socket.io/" }
            return url
        } catch {
            throw .invalid("the URL cannot be used: \(error.message)")
        }
    }

    private static func access(_ options: SocketIOOptions) throws(SocketIOError) -> Access {
        var access = Access(trust: options.trustFile.map { .file($0) } ?? .system)
        for (name, text) in options.headers.sorted(by: { $0.key < $1.key }) {
            let value = Secret(text)
            if let problem = Access.problem(withHeader: name) { throw .invalid("the header \(name): \(problem)") }
            guard Access.isHeaderValueSendable(value) else {
                throw .invalid("the header \(name): its value cannot be sent")
            }
            access.headers.append(.init(name: name, value: value))
        }
        do throws(NetworkError) {
            try access.check()
        } catch {
            throw .invalid(error.description)
        }
        return access
    }

    /// Returns the name of a namespace, with its slash and without a query.
    static func namespace(_ address: String) throws(SocketIOError) -> String {
        guard SocketIO.isNamespace(address) else { throw .invalid("a namespace must not contain a comma: \(address)") }
        return SocketIO.namespaceName(address)
    }
}

extension SocketIOAttempt {
    fileprivate func with(_ auth: JSONValue?, for namespace: String) -> SocketIOAttempt {
        var attempt = self
        if let auth { attempt.auth[namespace] = auth.raw }
        return attempt
    }
}

extension Duration {
    /// The duration between zero and a century, so that no sum with a moment overflows.
    var bounded: Duration { max(.zero, min(self, .seconds(3_000_000_000))) }
}

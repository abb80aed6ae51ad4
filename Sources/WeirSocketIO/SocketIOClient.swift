public import WeirJSON
import WeirWire

/// A Socket.IO client that reconnects by itself.
///
/// ```swift
/// let client = SocketIOClient("https://chat.example.com", auth: ["token": "…"])
/// let messages = client.events(named: "message")
/// try await client.connect()
/// try await client.emit("join", "general")
/// for await message in messages { print(try message.decode(String.self)) }
/// ```
///
/// `connect()` starts a thread that the client owns, and that ends with the connection: by `disconnect()`, when the
/// server refuses the client for good, when the attempts are used up, or when nothing refers to the client any more. Its
/// sequences and namespaces refer to it. All methods may be called on any thread, in any state and order. What is not
/// possible throws. A cancelled call throws `CancellationError`, and a cancelled sequence ends.
///
/// ```
/// new ──connect()──► running ──disconnect(), or an ending──► over ──connect()──► running
/// ```
///
/// A sequence takes the events from its creation on. Create it before `connect()`, and no event is missed. All sequences
/// end with the connection; after another `connect()`, create new ones. An event that no sequence wants is dropped.
public actor SocketIOClient: SocketIOChannel {
    nonisolated let readers = Readers()
    nonisolated let main: String
    private let url: String
    private let auth: ConnectionPlan.Auth
    private let options: SocketIOOptions

    /// Creates a client. `connect()` reports what is wrong with the arguments.
    ///
    /// - Parameters:
    ///   - url: An `http`, `https`, `ws` or `wss` URL. Without a path, it is `/socket.io/`. The query is sent with each
    ///     request.
    ///   - auth: The credentials for the namespace, an object. Engine.IO 3 does not send it.
    public init(_ url: String, auth: JSONValue? = nil, options: SocketIOOptions = SocketIOOptions()) {
        self.init(url, .value(auth), options)
    }

    /// Creates a client whose credentials are made for each attempt. An error of `auth` counts as a failed attempt.
    public init(
        _ url: String, options: SocketIOOptions = SocketIOOptions(),
        auth: @escaping @Sendable () async throws -> JSONValue?
    ) {
        self.init(url, .made(auth), options)
    }

    private init(_ url: String, _ auth: ConnectionPlan.Auth, _ options: SocketIOOptions) {
        self.url = url
        self.auth = auth
        self.options = options
        main = SocketIO.namespaceName(options.namespace)
    }

    deinit { readers.driver?.end() }

    /// Connects, and returns when the server has accepted the client in the namespace of the options. Returns at once if
    /// it is connected, and waits for the same connection if one is being made. After the end, it connects again.
    ///
    /// - Throws: `SocketIOError`; then the connection has ended. A cancelled call ends it too, if it was the last one
    ///   that waited for the first connection.
    public func connect() async throws {
        // A connection that is being closed is not joined again.
        if let driver = readers.driver, await driver.isEnding { await driver.disconnect() }
        let known: RawJSON? = if case .value(let auth) = auth { auth?.raw } else { nil }
        try await driver().join(main, auth: known)
    }

    private func driver() throws(SocketIOError) -> SocketIODriver {
        if let driver = readers.driver { return driver }
        let driver = try SocketIODriver(try ConnectionPlan(url, auth, options), readers: readers)
        readers.begin(driver)
        driver.start()
        return driver
    }

    /// Ends the connection, and returns when its thread has ended, within five seconds. Waiting calls throw, and the
    /// sequences end after the events that arrived before. Does nothing if the client is not connected.
    public func disconnect() async {
        await readers.driver?.disconnect()
    }

    /// Joins another namespace, and returns when the server has accepted. The client joins it again when it reconnects,
    /// with the same `auth`. A cancelled call leaves it, if it was the last one that waited for it.
    ///
    /// - Throws: `SocketIOError`.
    public func join(_ namespace: String, auth: JSONValue? = nil) async throws -> SocketIONamespace {
        let name = try ConnectionPlan.namespace(namespace)
        guard let driver = readers.driver else { throw SocketIOError.notConnected }
        try await driver.join(name, auth: auth?.raw)
        return SocketIONamespace(client: self, name: name)
    }

    /// A namespace without joining it, for sequences of its events from the start.
    public nonisolated func namespace(_ name: String) -> SocketIONamespace {
        SocketIONamespace(client: self, name: SocketIO.namespaceName(name))
    }

    /// The namespace of the options.
    public nonisolated var namespace: SocketIONamespace { SocketIONamespace(client: self, name: main) }

    /// The states of the connection: first the current one, if any, then each new one. The sequence ends with the
    /// connection. A reader that leaves more than 64 states unread misses the oldest.
    public nonisolated var states: SocketIOStates { SocketIOStates(client: self) }
}

/// A namespace of a `SocketIOClient`. It keeps the client alive.
public struct SocketIONamespace: SocketIOChannel {
    let client: SocketIOClient
    /// The name, with its slash.
    public let name: String

    /// The namespace itself, as `SocketIOChannel` requires it.
    public var namespace: SocketIONamespace { self }

    /// Leaves the namespace. Waiting calls throw `notConnected`. The connection ends with the last namespace.
    public func leave() async {
        await client.readers.driver?.leave(name)
    }
}

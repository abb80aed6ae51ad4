import CWeirNATS
import Glibc
import WeirNetwork
import WeirRecording
import WeirThreads
package import WeirWire

/// The settings for connections to a cluster. Secrets are looked up when a connection is made.
package struct ClusterAccess: Sendable {
    /// The credentials of a user.
    package enum Identity: Sendable {
        case none
        /// A user name and the source of the password.
        case user(String, password: @Sendable () throws(ClusterError) -> Secret)
        /// A credentials file with a token and its seed, as `nsc` writes it.
        case credentials(path: String)
        /// The source of an nkey's seed.
        case key(seed: @Sendable () throws(ClusterError) -> Secret)
    }

    /// The user to authenticate as.
    package var identity = Identity.none
    /// Whether to use TLS. An authority or a certificate implies it.
    package var isSecure = false
    /// The path of a PEM file with the certificates to trust instead of the system's.
    package var authority: String?
    /// The paths of the PEM files with the client certificate and its key.
    package var certificate: (chain: String, key: String)?
    /// The folder that keeps recordings while the cluster is unreachable.
    package var spoolFolder = "/tmp"
    /// How long to wait for an unreachable cluster at the end of a recording.
    package var patience: Duration = .seconds(30)

    /// Creates an access with the defaults.
    package init() {}
}

/// An error of a cluster, or of the connection to it.
package struct ClusterError: Error, Hashable {
    /// A description of the operation and the reason, without secrets.
    package var message: String
    /// The cluster's error code (`err_code`); 0 for an error from elsewhere.
    var code: UInt32 = 0
    /// Whether the cluster may answer soon: it is electing a leader, or the connection is lost for the moment.
    var isTransient = false

    /// Creates an error with a message.
    package init(_ message: String) { self.message = message }

    static func noStream(_ name: String) -> Self {
        Self("the stream \(name) does not exist; create it with 'weir stream create nats://HOST/\(name)'")
    }

    /// Creates an error from the result of a libnats call.
    init(_ what: String, _ status: natsStatus, _ code: jsErrCode = jsErrCode(rawValue: 0)) {
        var detail = nats_GetLastError(nil).map { String(cString: $0)[...] } ?? ""
        // Remove the source location in the library.
        if detail.hasPrefix("("), let end = detail.firstRange(of: "): ") { detail = detail[end.upperBound...] }
        let text = detail.isEmpty ? String(cString: natsStatus_GetText(status)) : String(detail)
        message = "\(what): \(text)"
        self.code = code.rawValue
        let lost = [NATS_TIMEOUT, NATS_NO_RESPONDERS, NATS_CONNECTION_DISCONNECTED, NATS_NO_SERVER].contains(status)
        isTransient = lost || [JSClusterNotAvailErr, JSClusterNotLeaderErr].contains(code)
    }

    func error(_ path: String) -> RecordingError { .unusable(path: path, message: message) }
}

/// A connection to a cluster that reconnects when it is lost. Can be used on any thread.
final class StreamConnection: Sendable {
    /// The timeout of a request, in milliseconds.
    static let patience: Int64 = 2000

    /// The addresses of the libnats connection and its JetStream context. Any thread may use both during the lifetime
    /// of this object.
    private let addresses: (connection: UInt, streams: UInt)
    var connection: OpaquePointer { Self.pointer(addresses.connection) }
    var streams: OpaquePointer { Self.pointer(addresses.streams) }

    private static func pointer(_ address: UInt) -> OpaquePointer {
        guard let pointer = OpaquePointer(bitPattern: address) else {
            preconditionFailure("no address of a connection")
        }
        return pointer
    }

    init(to servers: [String], _ access: ClusterAccess) throws(ClusterError) {
        var options: OpaquePointer?
        guard natsOptions_Create(&options) == NATS_OK, let options else { throw ClusterError("out of memory") }
        defer { natsOptions_Destroy(options) }
        try Self.set(options, servers, access)
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, options)
        guard status == NATS_OK, let connection else {
            throw ClusterError("cannot connect to \(servers.joined(separator: ", "))", status)
        }
        var context: OpaquePointer?
        var settings = jsOptions()
        jsOptions_Init(&settings)
        settings.Wait = Self.patience
        guard natsConnection_JetStream(&context, connection, &settings) == NATS_OK, let context else {
            natsConnection_Destroy(connection)
            throw ClusterError("out of memory")
        }
        addresses = (UInt(bitPattern: connection), UInt(bitPattern: context))
    }

    deinit {
        jsCtx_Destroy(streams)
        natsConnection_Destroy(connection)
    }

    private static func set(
        _ options: OpaquePointer, _ servers: [String], _ access: ClusterAccess
    ) throws(ClusterError) {
        func check(_ what: String, _ status: natsStatus) throws(ClusterError) {
            guard status == NATS_OK else { throw ClusterError(what, status) }
        }
        let scheme = access.isSecure || access.authority != nil || access.certificate != nil ? "tls://" : "nats://"
        let texts = servers.map { strdup(scheme + $0) }
        defer { for text in texts { free(text) } }
        var pointers = texts.map { UnsafePointer<CChar>($0) }
        try check("the servers", natsOptions_SetServers(options, &pointers, Int32(pointers.count)))
        natsOptions_SetName(options, "weir")
        natsOptions_SetTimeout(options, patience)
        natsOptions_SetMaxReconnect(options, -1)
        natsOptions_SetReconnectWait(options, 200)
        natsOptions_SetSendAsap(options, true)
        // A suspended server neither accepts nor sends anything. The deadline and the pings make the library switch to
        // another server.
        natsOptions_SetWriteDeadline(options, patience)
        natsOptions_SetPingInterval(options, 3000)
        natsOptions_SetMaxPingsOut(options, 2)
        natsOptions_SetFailRequestsOnDisconnect(options, true)
        // Without a handler the library prints errors itself.
        natsOptions_SetErrorHandler(options, { _, _, _, _ in }, nil)
        if scheme == "tls://" { try check("TLS", natsOptions_SetSecure(options, true)) }
        if let path = access.authority {
            try check("the certificates in \(path)", natsOptions_LoadCATrustedCertificates(options, path))
        }
        if let (chain, key) = access.certificate {
            try check("the certificate in \(chain)", natsOptions_LoadCertificatesChain(options, chain, key))
        }
        switch access.identity {
        case .none: break
        case .user(let name, let password):
            try check("the user", natsOptions_SetUserInfo(options, name, try password().reveal()))
        case .credentials(let path):
            try check("the credentials in \(path)", natsOptions_SetUserCredentialsFromFiles(options, path, nil))
        case .key(let seed): try setKey(options, try seed())
        }
    }

    /// Sets the nkey. It signs the server's nonce; the seed is never sent.
    private static func setKey(_ options: OpaquePointer, _ seed: Secret) throws(ClusterError) {
        guard let name = NKey.publicKey(ofSeed: seed) else { throw ClusterError("the nkey is not a user's seed (SU…)") }
        // The library uses the seed at each connect for the lifetime of the process, so it is never freed.
        let kept = strdup(seed.reveal())
        let status = natsOptions_SetNKey(
            options, name,
            { _, signature, length, nonce, seed in
                nats_Sign(seed?.assumingMemoryBound(to: CChar.self), nonce, signature, length)
            }, kept)
        guard status == NATS_OK else { throw ClusterError("the nkey", status) }
    }

    /// The maximum size in bytes of a message that the server accepts, headers included.
    var mostBytes: Int { Int(natsConnection_GetMaxPayload(connection)) }

    var isConnected: Bool { natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED }

    /// Opens a key-value bucket, and creates it if it does not exist: on three nodes if the cluster has that many,
    /// otherwise on one. The caller destroys the result.
    ///
    /// - Parameter lifetime: The time, in nanoseconds, after which the cluster drops a value; 0 for never. Applies to a
    ///   new bucket.
    func bucket(_ name: String, lifetime: Int64 = 0) throws(ClusterError) -> OpaquePointer {
        var store: OpaquePointer?
        if js_KeyValue(&store, streams, name) == NATS_OK, let store { return store }
        var status = NATS_ERR
        for replicas: Int32 in [3, 1] {
            var settings = kvConfig()
            kvConfig_Init(&settings)
            status = name.withCString { bucket in
                settings.Bucket = bucket
                settings.History = 1
                settings.TTL = lifetime
                settings.Replicas = replicas
                return js_CreateKeyValue(&store, streams, &settings)
            }
            if status == NATS_OK, let store { return store }
        }
        throw ClusterError("the bucket \(name) cannot be created", status)
    }

    // MARK: - Messages

    /// Repeats a request for a minute at most while the cluster elects a leader. Blocks.
    func patiently<Answer: ~Copyable>(
        _ request: () throws(ClusterError) -> Answer
    ) throws(ClusterError) -> Answer {
        let deadline = MachineClock.monotonic + .seconds(60)
        while true {
            do throws(ClusterError) { return try request() } catch {
                guard error.isTransient, MachineClock.monotonic < deadline else { throw error }
            }
            usleep(100_000)
        }
    }

    /// Returns the last message of a subject; `nil` if the subject has none.
    func last(of subject: String, in stream: String) throws(ClusterError) -> StreamMessage? {
        var message: OpaquePointer?
        var code = jsErrCode(rawValue: 0)
        let status = js_GetLastMsg(&message, streams, stream, subject, nil, &code)
        if status == NATS_OK, let message { return StreamMessage(message) }
        if code == JSNoMessageFoundErr { return nil }
        if code == JSStreamNotFoundErr || status == NATS_NOT_FOUND, code != JSNoMessageFoundErr {
            throw ClusterError.noStream(stream)
        }
        throw ClusterError("the stream \(stream) does not answer", status, code)
    }

    /// Removes a message from a stream.
    func delete(_ sequence: UInt64, in stream: String) throws(ClusterError) {
        var code = jsErrCode(rawValue: 0)
        let status = js_DeleteMsg(streams, stream, sequence, nil, &code)
        guard status == NATS_OK else { throw ClusterError("message \(sequence) stays", status, code) }
    }

    /// Returns the first message of a subject at or after a sequence; `nil` if none exists.
    func first(of subject: String, in stream: String, from sequence: UInt64) throws(ClusterError) -> StreamMessage? {
        var options = jsDirectGetMsgOptions()
        jsDirectGetMsgOptions_Init(&options)
        var message: OpaquePointer?
        let status = subject.withCString { name in
            options.Sequence = sequence
            options.NextBySubject = name
            return js_DirectGetMsg(&message, streams, stream, nil, &options)
        }
        if status == NATS_OK, let message { return StreamMessage(message) }
        if status == NATS_NOT_FOUND { return nil }
        throw ClusterError("the stream \(stream) does not answer", status)
    }
}

/// Ends a subscription that may still receive messages. Blocks for a tenth of a second.
///
/// libnats 3.4 crashes if a message arrives while its subscription is destroyed: its thread may have found the
/// subscription just before that.
func retire(_ subscription: OpaquePointer) {
    natsSubscription_Unsubscribe(subscription)
    usleep(100_000)
    natsSubscription_Destroy(subscription)
}

/// A message owned by this value and allocated by libnats.
struct StreamMessage: ~Copyable {
    private let message: OpaquePointer

    /// Takes ownership of the message.
    init(_ message: OpaquePointer) { self.message = message }

    deinit { natsMsg_Destroy(message) }

    /// The sequence in the stream; 0 for a message that is not from a stream.
    var sequence: UInt64 {
        let known = natsMsg_GetSequence(message)
        if known > 0 { return known }
        // A message from a consumer carries it in the subject of its acknowledgement: $JS.ACK, since 2.10 a domain and an
        // account, the stream, the consumer, the number of deliveries, the sequence, …
        guard let reply = natsMsg_GetReply(message) else { return 0 }
        let words = String(cString: reply).split(separator: ".")
        return words.count < 9 ? 0 : UInt64(words[words.count < 11 ? 5 : 7]) ?? 0
    }

    var subject: String { natsMsg_GetSubject(message).map { String(cString: $0) } ?? "" }

    /// Whether the message reports that no server responded.
    var isUnanswered: Bool { natsMsg_IsNoResponders(message) }

    var bytes: [UInt8] {
        guard let data = natsMsg_GetData(message) else { return [] }
        let count = Int(natsMsg_GetDataLength(message))
        return Array(UnsafeRawBufferPointer(start: data, count: count))
    }

    func header(_ name: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(message, name, &value) == NATS_OK, let value else { return nil }
        return String(cString: value)
    }

    /// The chunk of a recording that the message contains.
    var chunk: StreamChunk.Received { StreamChunk.received(bytes) { header($0) } }

    /// The range of the recording's text that the message contains, without reading the text.
    var range: Range<Int>? {
        guard let offset = header(StreamChunk.headers[1]).flatMap({ Int($0) }), offset >= 0, offset < 1 << 53 else {
            return nil
        }
        return offset..<offset + Int(natsMsg_GetDataLength(message))
    }

    /// The header of a fence, whose value is the epoch in which the others took over.
    static let fence = "Weir-Fenced"

    /// Whether the message is a fence: other members have taken over, and the subject accepts nothing more.
    var isFence: Bool { header(Self.fence) != nil }

    /// When the server stored the message, in microseconds since 1970 UTC; 0 if unknown.
    var stored: Int64 { natsMsg_GetTime(message) / 1000 }

    /// The id of the recording that the message belongs to.
    var recording: String? { header(StreamChunk.headers[0]) }
}

/// The C library of this room with its version.
package enum StreamsLibraries {
    /// The library with the version that runs, for `weir --version`.
    package static var versions: [(name: String, version: String)] { [("nats", String(cString: nats_GetVersion()))] }
}

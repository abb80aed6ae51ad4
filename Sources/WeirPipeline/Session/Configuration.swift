public import WeirJSON
public import WeirWire

/// The settings of a session, fixed at its start. A configuration contains no secret: it is written into recordings, so
/// that a replay creates the same session.
public struct Configuration: Hashable, Sendable {
    /// Whether the session makes a realtime connection. Without one it only sends requests: the user's actions, and the
    /// reads that these need.
    public var connects = true
    /// Whether something else captured the connections and the session plays them back. The session accepts each
    /// connection as it comes. It ends none itself, however long the connection is silent; only the capture does.
    public var isCaptured = false
    /// The backend of the session's server.
    public var backend: BackendKind
    /// The path of the Socket.IO endpoint, with a slash at both ends, or of the Bayeux endpoint.
    public var path: String
    /// The namespaces, at least one and without duplicates. An emit without a namespace goes to the first. Each begins
    /// with a slash and contains no comma, which would end it on the wire.
    public var namespaces: [String]
    /// The Engine.IO revision; `nil` to detect it, starting with 4.
    public var revision: EngineIO.Revision?
    /// The transports that the session may use.
    public var transport: EngineIO.TransportChoice
    /// The company, if the user named one.
    public var company: String?
    /// The workspace, if the user named one.
    public var workspace: String?
    /// The selection at the end of the previous session. It applies if the user named no company or workspace and is
    /// still in the selected ones.
    public var globals = Globals()
    /// The rooms to join, each a `RoomExpression`. If empty, the backend's list or room templates decide.
    public var rooms: [String]
    /// The adoption of rooms that the backend lists; `nil` for `matching` if patterns are given, and for `all`
    /// otherwise.
    public var adoption: SubscriptionRules.Adoption?
    /// The number of wanted rooms at which patterns and the backend's list add no more; `nil` for no limit. Rooms
    /// that are wished for by name are always joined.
    public var maximumRooms: Int?
    /// Whether the tails of a group divide the rooms. The session then holds no room until `Input.share` arrives.
    public var isShared = false
    /// The number of attempts in a row before the session gives up; `nil` for one attempt at the first connection and
    /// no limit after it.
    public var maximumAttempts: Int?
    /// The ends of a connection after which the session reconnects.
    public var reconnects = Reconnecting.always
    /// The delays between attempts to connect.
    public var reconnect: Backoff
    /// The longest wait that the session accepts from a server's Retry-After.
    public var longestRetryAfter = Duration.longestRetryAfter
    /// The maximum number of requests in flight, at least 1.
    public var concurrentRequests: Int
    /// The maximum number of requests that start in any second, at least 1; `nil` for no maximum.
    public var requestsPerSecond: Int?
    /// The number of head messages of each channel to show at the start, the newest ones; 0 for one page.
    public var history: Int
    /// The number of messages of each channel, the newest ones, that the session fetches after it missed some, and
    /// again at each full resync. At least 1. Messages beyond it are reported as a hole.
    public var catchUp = Configuration.usualCatchUp
    /// The kinds of rows that the session follows in addition to channels and their messages.
    public var following: Following
    /// The maximum sizes of what the session accepts from the server.
    public var limits = Limits()
    /// The time from the connect, or from the last full resync, to the next full resync of everything joined, which
    /// finds what the server lost by itself; `nil` for none.
    public var resyncInterval: Duration?

    /// Creates a configuration. The backend sets the path, unless given, and the pace of requests.
    public init(
        backend: BackendKind, path: String? = nil, namespaces: [String] = ["/"], revision: EngineIO.Revision? = nil,
        transport: EngineIO.TransportChoice = .auto,
        company: String? = nil,
        workspace: String? = nil, rooms: [String] = [], maximumAttempts: Int? = nil,
        reconnect: Backoff = Backoff(base: .milliseconds(500), cap: .seconds(10)), concurrentRequests: Int = 8,
        history: Int = 0, following: Following = [], resyncInterval: Duration? = .seconds(300)
    ) {
        self.backend = backend
        self.path = path ?? backend.usualPath
        self.namespaces = namespaces
        self.revision = revision
        self.transport = transport
        self.company = company
        self.workspace = workspace
        self.rooms = rooms
        self.maximumAttempts = maximumAttempts
        self.reconnect = reconnect
        self.concurrentRequests = concurrentRequests
        requestsPerSecond = backend.usualPace
        self.history = history
        self.following = following
        self.resyncInterval = resyncInterval
    }
}

extension Configuration {
    /// The ends of an established connection after which the session reconnects.
    public enum Reconnecting: String, Hashable, Sendable, CaseIterable {
        /// The session never reconnects after an end.
        case never
        /// The session reconnects after every end that is not final, including a disconnect by the server.
        case always
        /// The session reconnects after every end except a disconnect by the server, like the JavaScript client.
        case lost
    }
}

extension Configuration {
    /// The kinds of rows that the session follows in addition to channels and their messages. Each kind costs requests or rooms, or nothing
    /// if the backend does not offer it.
    public struct Following: OptionSet, Hashable, Sendable {
        /// The parts, one bit each.
        public let rawValue: UInt8
        /// Creates a set of the parts whose bits are set.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The members of each of the user's channels: one room and one request for each channel.
        public static let members = Following(rawValue: 1)
        /// The accounts of users whose messages arrive. Each account is requested once.
        public static let accounts = Following(rawValue: 2)
        /// The companies of the user, and the workspaces of the selected company.
        public static let places = Following(rawValue: 4)
        /// The users who are online or typing.
        public static let presence = Following(rawValue: 8)

        /// The parts that a human observer wants to see. Members are not among them, because those of every channel
        /// cost too much.
        public static let usual: Following = [.accounts, .places, .presence]

        /// The names of the parts, in the order in which they are written.
        private static let names: [(part: Following, name: String)] = [
            (.members, "members"), (.accounts, "accounts"), (.places, "places"), (.presence, "presence"),
        ]

        /// The names of the parts in the set.
        var partNames: [String] { Self.names.filter { contains($0.part) }.map(\.name) }

        /// Adds the part with that name, if there is one.
        mutating func add(named name: String) {
            for entry in Self.names where entry.name == name { formUnion(entry.part) }
        }
    }
}

extension Configuration {
    /// Whether the session asks the backend for its rooms. It does not if the configuration names every room.
    var asksForRooms: Bool {
        guard adoption == nil || adoption == .off else { return true }
        return rooms.isEmpty
            || rooms.contains {
                RoomExpression(recorded: $0).terms.contains { $0.isExcluded || $0.pattern.exactName == nil }
            }
    }
}

extension Configuration {
    /// The configuration as a JSON object, for the head of a recording. It contains no secret.
    public var json: RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("backend", backend.rawValue)
        writer.member("profile", raw: backend.module.profile?.json)
        writer.member("path", path)
        writer.member("namespace", namespaces[0])
        if namespaces.count > 1 { writer.member("namespaces", names: namespaces) }
        if let revision { writer.member("eio", revision.rawValue) }
        if transport != .auto { writer.member("transport", transport.rawValue) }
        writer.member("company", company)
        writer.member("workspace", workspace)
        if globals != Globals() {
            writer.key("globals")
            globals.encodeSelection(into: &writer)
        }
        writer.member("rooms", names: rooms)
        if let adoption { writer.member("adopt", adoption.rawValue) }
        writer.member("max_rooms", maximumRooms)
        if isShared { writer.member("shared", true) }
        writer.member("max_attempts", maximumAttempts)
        if reconnects != .always { writer.member("reconnect", reconnects.rawValue) }
        writer.key("reconnect_us")
        writer.beginArray()
        writer.integer(reconnect.base.microseconds)
        writer.integer(reconnect.cap.microseconds)
        writer.endArray()
        if longestRetryAfter != .longestRetryAfter {
            writer.member("longest_retry_after_us", longestRetryAfter.microseconds)
        }
        if !connects { writer.member("connects", false) }
        if isCaptured { writer.member("captured", true) }
        writer.member("concurrent_requests", concurrentRequests)
        writer.member("requests_per_second", requestsPerSecond)
        if history > 0 { writer.member("history", history) }
        if catchUp != Self.usualCatchUp { writer.member("catch_up", catchUp) }
        if !following.isEmpty { writer.member("follows", names: following.partNames) }
        if limits != Limits() {
            writer.key("limits")
            writer.beginArray()
            for limit in [limits.message, limits.body, limits.attachments, limits.attachmentCount, limits.depth] {
                writer.integer(limit)
            }
            writer.endArray()
        }
        if let resyncInterval { writer.member("look_again_us", resyncInterval.microseconds) }
        writer.endObject()
        return RawJSON(unchecked: writer.bytes[...])
    }

    /// Creates a configuration from the JSON that `json` returned. Ignores members that this version does not know.
    public init(json: RawJSON) throws(JSONError) {
        // A recording without `look_again_us` was made before full resyncs existed.
        self.init(backend: .socketio, resyncInterval: nil)
        var (name, nameAt, profile) = (String?.none, 0, Profile?.none)
        var reader = JSONReader(json.bytes.span)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, "backend") {
                nameAt = reader.offset
                name = try reader.string()
            } else if reader.matches(key, "profile") {
                let at = reader.offset
                let text = try reader.raw()
                do throws(Profile.Invalid) { profile = try Profile(parsing: Array(text.bytes)) } catch {
                    throw JSONError(.invalidString, at: at)
                }
            } else if reader.matches(key, "path") {
                path = try reader.string()
            } else if reader.matches(key, "namespace") {
                namespaces = [try Self.namespace(&reader)]
            } else if reader.matches(key, "namespaces") {
                var names: [String] = []
                try reader.beginArray()
                while try reader.nextElement() {
                    let name = try Self.namespace(&reader)
                    if !names.contains(name) { names.append(name) }
                }
                if !names.isEmpty { namespaces = names }
            } else if reader.matches(key, "eio") {
                revision = EngineIO.Revision(rawValue: Int(clamping: try reader.int64()))
            } else if reader.matches(key, "transport") {
                transport = EngineIO.TransportChoice(rawValue: try reader.string()) ?? .auto
            } else if reader.matches(key, "company") {
                company = try reader.string()
            } else if reader.matches(key, "workspace") {
                workspace = try reader.string()
            } else if reader.matches(key, "globals") {
                globals = Globals(selection: try reader.raw())
            } else if reader.matches(key, "rooms") {
                try reader.beginArray()
                while try reader.nextElement() { rooms.append(try reader.string()) }
            } else if reader.matches(key, "adopt") {
                adoption = SubscriptionRules.Adoption(rawValue: try reader.string())
            } else if reader.matches(key, "max_rooms") {
                maximumRooms = max(1, Int(clamping: try reader.int64()))
            } else if reader.matches(key, "shared") {
                isShared = try reader.bool()
            } else if reader.matches(key, "max_attempts") {
                maximumAttempts = Int(clamping: try reader.int64())
            } else if reader.matches(key, "reconnect") {
                reconnects = Reconnecting(rawValue: try reader.string()) ?? .always
            } else if reader.matches(key, "reconnect_us") {
                reconnect = try Self.backoff(&reader)
            } else if reader.matches(key, "connects") {
                connects = try reader.bool()
            } else if reader.matches(key, "captured") {
                isCaptured = try reader.bool()
            } else if reader.matches(key, "concurrent_requests") {
                concurrentRequests = max(1, Int(clamping: try reader.int64()))
            } else if reader.matches(key, "requests_per_second") {
                requestsPerSecond = max(1, Int(clamping: try reader.int64()))
            } else if reader.matches(key, "history") {
                history = min(max(0, Int(clamping: try reader.int64())), Self.maximumHistory)
            } else if reader.matches(key, "catch_up") {
                catchUp = min(max(1, Int(clamping: try reader.int64())), Self.maximumHistory)
            } else if reader.matches(key, "follows") {
                try reader.beginArray()
                while try reader.nextElement() { following.add(named: try reader.string()) }
            } else if reader.matches(key, "limits") {
                limits = try Self.limits(&reader)
            } else if reader.matches(key, "longest_retry_after_us") {
                longestRetryAfter = try Self.span(&reader)
            } else if reader.matches(key, "look_again_us") {
                resyncInterval = try Self.span(&reader)
            } else {
                try reader.skip()
            }
        }
        try reader.end()
        if let profile {
            backend = .declared(profile)
        } else if let name {
            guard let kind = BackendKind(rawValue: name) else { throw JSONError(.invalidString, at: nameAt) }
            backend = kind
        }
    }

    /// The maximum number of messages requested for one channel.
    public static let maximumHistory = 10_000
    /// The number of messages of one channel that the session catches up with by default.
    public static let usualCatchUp = 1_000

    private static func namespace(_ reader: inout JSONReader) throws(JSONError) -> String {
        let at = reader.offset
        let name = try reader.string()
        guard SocketIO.isNamespace(name) else { throw JSONError(.invalidString, at: at) }
        return name
    }

    /// Reads a duration, limited to at least a second and at most a day.
    private static func span(_ reader: inout JSONReader) throws(JSONError) -> Duration {
        .microseconds(min(max(try reader.int64(), 1_000_000), 86_400_000_000))
    }

    /// Reads the limits of a message, a body and the attachments of a packet, the number of attachments, and the depth.
    /// The first recordings contain only the first three.
    private static func limits(_ reader: inout JSONReader) throws(JSONError) -> Limits {
        var sizes: [Int] = []
        try reader.beginArray()
        while try reader.nextElement() { sizes.append(Int(clamping: try reader.int64())) }
        var limits = Limits()
        if sizes.count == 3 { sizes += [limits.attachmentCount, limits.depth] }
        guard sizes.count == 5, sizes.prefix(3).allSatisfy({ Limits.range.contains($0) }),
            Limits.attachmentCounts.contains(sizes[3]), Limits.depths.contains(sizes[4])
        else { throw JSONError(.invalidNumber, at: reader.offset) }
        (limits.attachmentCount, limits.depth) = (sizes[3], sizes[4])
        (limits.message, limits.body, limits.attachments) = (sizes[0], sizes[1], sizes[2])
        return limits
    }

    private static func backoff(_ reader: inout JSONReader) throws(JSONError) -> Backoff {
        var spans: [Duration] = []
        try reader.beginArray()
        while try reader.nextElement() { spans.append(.microseconds(try reader.int64())) }
        // A day exceeds every useful delay, and can be added to any moment without overflow.
        guard spans.count == 2, spans.allSatisfy({ $0 >= .zero && $0 <= .seconds(86400) }) else {
            throw JSONError(.invalidNumber, at: reader.offset)
        }
        return Backoff(base: spans[0], cap: spans[1])
    }
}

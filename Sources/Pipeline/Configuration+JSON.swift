public import JSONText
import Wire

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

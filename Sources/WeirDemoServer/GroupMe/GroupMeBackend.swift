package import WeirEvents
import WeirJSON
package import WeirWire

/// The whole server without its sockets: the world, the script that drives it, the tokens, and the REST service.
///
/// Every input carries its time, and output for clients is returned as publications. Scripted steps happen at exactly
/// their own time, even if `advance` is called late.
package struct GroupMeBackend: Sendable {
    /// The ways in which the service reports that no more messages exist. It has used all of them (GroupMe GM-34).
    enum EmptyForm: Hashable, Sendable, CaseIterable {
        /// Status 304 without a body.
        case notModified
        /// Status 200 with code 304 in the envelope.
        case codeInEnvelope
        /// Status 200 with a null response, `"response":null`.
        case nullResponse
        /// Status 200 with an empty list, `"messages":[]`.
        case emptyList
    }

    /// Members being added to a group (GroupMe GM-42).
    struct Addition: Sendable {
        var group: GroupMe.GroupID
        /// The number of requests for the result that are still answered with "not ready".
        var waits: Int
        var guids: [GroupMe.UserID: String]
        var at: Int64
    }

    package private(set) var world: GroupMeWorld
    private(set) var script: GroupMeScript
    var clock: ScriptClock
    package var tokens: GroupMeTokens
    var emptyForm = EmptyForm.notModified
    /// The number of requests per second that are answered for one token; `nil` for no limit.
    var mostRequests: Int?
    var additions: [String: Addition] = [:]
    private var requests: [String: (second: Int64, count: Int)] = [:]
    private var failures = PlannedFailures()
    private var serial = 0
    /// The publications caused by the current request.
    private var outbox: [GroupMePublication] = []

    package init(
        seed: UInt64, epoch: Int64, tokens: GroupMeTokens, start: ScriptClock.Start, pace: Int = 1,
        isEndless: Bool = true, at now: Moment
    ) {
        (script, world) = GroupMeScript.begin(seed: seed, epoch: epoch, isEndless: isEndless)
        clock = ScriptClock(epoch: epoch, start, pace: pace, at: now)
        self.tokens = tokens
    }

    /// Creates a backend of an existing world without a script.
    package init(_ world: GroupMeWorld, epoch: Int64, tokens: GroupMeTokens, at now: Moment) {
        (script, self.world) = (.silent(epoch: epoch), world)
        clock = ScriptClock(epoch: epoch, .atOnce, pace: 1, at: now)
        self.tokens = tokens
    }

    /// The user whose view the script and the tests follow.
    package var me: GroupMe.UserID { script.me }

    /// The time at which `advance` must be called next.
    package var deadline: Moment? { clock.deadline(next: script.nextAt) }

    /// Performs everything due by `now`, each step at its own time, and returns the publications.
    package mutating func advance(to now: Moment) -> [GroupMePublication] {
        guard clock.runs(at: now) else { return [] }
        let time = clock.time(at: now)
        var publications: [GroupMePublication] = []
        while let next = script.nextAt, next <= time { publications += script.step(in: &world) }
        return publications
    }

    /// Performs an action as from another device. `outcome` is `nil` when the world refuses it; a refusal changes
    /// nothing.
    package mutating func act(
        _ action: GroupMeAction, by user: GroupMe.UserID, at now: Moment
    ) -> (publications: [GroupMePublication], outcome: GroupMeOutcome?) {
        let due = advance(to: now)
        let outcome = try? world.perform(action, by: user, at: clock.time(at: now))
        return (due + (outcome?.publications ?? []), outcome)
    }

    // MARK: - REST

    /// Makes the next `times` requests whose path begins with `path` fail with `status`.
    mutating func fail(_ path: String, status: Int, times: Int) {
        failures.add(path, status: status, times: times)
    }

    /// Answers a request, and returns the publications for other clients.
    package mutating func handle(
        _ request: RESTRequest, at now: Moment
    ) -> (response: RESTResponse, publications: [GroupMePublication]) {
        clock.asked(at: now)
        outbox = advance(to: now)
        defer { outbox = [] }
        let response: RESTResponse
        do throws(GroupMeRESTError) { response = try answer(request, at: now) } catch { response = error.response }
        return (response, outbox)
    }

    private mutating func answer(
        _ request: RESTRequest, at now: Moment
    ) throws(GroupMeRESTError) -> RESTResponse {
        if let status = failures.take(request.path) { throw GroupMeRESTError(status, "Something went wrong") }
        let path = request.path.split(separator: "/").map { $0.percentDecoded(plusIsSpace: false) }
        let query = PercentText.pairs(request.query)
        let token = request.bearer ?? query.first { $0.name == "token" }?.value
        guard let token, let user = tokens.user(of: token) else { throw .unauthorized }
        try count(token, at: now)
        if request.method == "POST", path == ["pictures"] { return try picture(request) }
        guard path.first == "v3" else { throw .notFound }
        var call = GroupMeCall(
            user: user, path: Array(path.dropFirst()), query: query, body: .null, now: clock.time(at: now))
        for route in GroupMeRoute.all where route.method == request.method {
            guard let parameters = route.pattern.parameters(in: call.path) else { continue }
            call.parameters = parameters
            call.body = try Self.body(of: request)
            return try route.handler(call, &self).response
        }
        throw .notFound
    }

    /// Counts a request, and refuses it when its token sends too many in one second (GroupMe GM-45).
    private mutating func count(_ token: String, at now: Moment) throws(GroupMeRESTError) {
        guard let mostRequests else { return }
        let second = (now - .zero).microseconds / 1_000_000
        let before = requests[token]
        let count = before?.second == second ? (before?.count ?? 0) + 1 : 1
        requests[token] = (second, count)
        guard count <= mostRequests else { throw GroupMeRESTError(429, "Too many requests") }
    }

    private static func body(of request: RESTRequest) throws(GroupMeRESTError) -> JSONValue {
        guard !request.body.isEmpty else { return .null }
        guard let value = try? JSONValue(parsing: request.body[...]) else {
            throw GroupMeRESTError(400, "body is not JSON")
        }
        return value
    }

    /// Answers an upload to the image service, which uses no envelope. The picture is discarded.
    private mutating func picture(_ request: RESTRequest) throws(GroupMeRESTError) -> RESTResponse {
        guard !request.body.isEmpty else { throw GroupMeRESTError(400, "no picture") }
        serial += 1
        let url = JSONValue.string("https://i.groupme.com/1x1.png.\(String(serial + 1 << 20, radix: 16))")
        let payload = JSONValue.fields(["payload": .fields(["url": url, "picture_url": url])])
        return RESTResponse(status: 200, body: Array(payload.raw.bytes))
    }

    /// Performs an action of the caller and collects its publications.
    mutating func perform(
        _ action: GroupMeAction, for call: GroupMeCall
    ) throws(GroupMeRESTError) -> GroupMeOutcome {
        do {
            let outcome = try world.perform(action, by: call.user, at: call.now)
            outbox += outcome.publications
            return outcome
        } catch {
            throw GroupMeRESTError(error)
        }
    }

    /// Stores an addition and returns the id under which its result can be requested. At most 100 are kept.
    mutating func remember(_ addition: Addition) -> String {
        serial += 1
        let id = "results-\(serial)"
        additions[id] = addition
        if additions.count > 100, let oldest = additions.min(by: { $0.value.at < $1.value.at }) {
            additions[oldest.key] = nil
        }
        return id
    }
}

/// The tokens of all users, 40 characters each.
package struct GroupMeTokens: Sendable {
    private var users: [String: GroupMe.UserID] = [:]
    /// Whether all tokens are refused from now on.
    var refusesAll = false

    /// Creates a token for each user, derived from `key`.
    package init(users: [GroupMe.UserID], key: UInt64) {
        var random = RandomSource(seed: key)
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        for user in users {
            let token = (0..<40).map { _ in digits[random.below(digits.count)] }
            self.users[String(decoding: token, as: UTF8.self)] = user
        }
    }

    /// Returns the owner of a token; `nil` when it is unknown or refused.
    func user(of token: String) -> GroupMe.UserID? { refusesAll ? nil : users[token] }

    /// Returns the token of a user.
    package func token(of user: GroupMe.UserID) -> Secret? { users.first { $0.value == user }.map { Secret($0.key) } }

    /// The rules for clients of the push service (GroupMe GM-2, GM-3). Only the user may subscribe to a user channel,
    /// and publishing requires a valid token. Subscribing to a conversation requires none.
    package var policy: BayeuxServer.Policy {
        { request in
            let refusal = "access token authentication failed"
            switch request {
            case .subscribe(let channel, let ext):
                switch GroupMe.Channel(channel.name) {
                case .user(let user): return self.user(in: ext) == user ? nil : refusal
                case .conversation: return channel.isPattern ? refusal : nil
                case .other: return "403:\(channel.name):Forbidden channel"
                }
            case .publish(let channel, let data, let ext):
                guard let user = self.user(in: ext) else { return refusal }
                guard case .conversation = GroupMe.Channel(channel.name), Self.isPublishable(data, by: user) else {
                    return "403:\(channel.name):Forbidden channel"
                }
                return nil
            }
        }
    }

    private func user(in ext: RawJSON?) -> GroupMe.UserID? {
        guard let ext, let token = (try? JSONValue(parsing: ext.bytes))?["access_token"]?.stringValue else {
            return nil
        }
        return user(of: token)
    }

    /// Returns whether clients may publish `data`: their own typing events, and pings (GroupMe GM-18).
    private static func isPublishable(_ data: RawJSON, by user: GroupMe.UserID) -> Bool {
        guard let value = try? JSONValue(parsing: data.bytes) else { return false }
        switch value["type"]?.stringValue {
        case "ping": return true
        case "typing":
            let name = value["user_id"]?.stringValue ?? value["user_id"]?.integerValue.map { String($0) }
            return name == user.description
        default: return false
        }
    }
}

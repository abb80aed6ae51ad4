package import WeirEvents
import WeirJSON
package import WeirWire

/// The whole server without its sockets: the world, the script that drives it, the tokens, and the REST service.
///
/// Every input carries its time, and output for clients is returned as frames. Scripted steps happen at exactly their
/// own time, even if `advance` is called late, so the history does not depend on the machine.
package struct Backend: Sendable {
    package private(set) var world: World
    private(set) var script: Script
    package var tokens: Tokens
    let tokenLifetime: Duration
    /// Whether era B's REST services exist.
    private let hasCore: Bool
    private var clock: ScriptClock
    /// The planned failures, in order.
    private var faults: ArraySlice<EmbeddedServer.ServerFault>
    private let ids: IDSource
    /// The maximum number of rows in a page of a list, whatever the request asks for.
    package var mostRows = 1_000
    private var serial = 0
    /// The frames caused by the current request.
    private var outbox: [Frame] = []

    package init(
        _ scenario: Scenario, seed: UInt64, epoch: Int64, tokens: Tokens, tokenLifetime: Duration,
        start: ScriptClock.Start,
        pace: Int = 1, hasCore: Bool = true, edition: Edition = .of2021, faults: [EmbeddedServer.ServerFault] = [],
        at now: Moment
    ) {
        (script, world) = Script.begin(scenario, seed: seed, epoch: epoch)
        world.edition = edition
        self.tokens = tokens
        self.tokenLifetime = tokenLifetime
        self.hasCore = hasCore
        clock = ScriptClock(epoch: epoch, start, pace: pace, at: now)
        self.faults = faults[...]
        ids = IDSource(seed: seed, stream: .clients)
    }

    /// The user of the server's tokens, unless a caller names another.
    package var me: EntityID { script.me }

    // MARK: - Time

    /// The time at which `advance` must be called next.
    package var deadline: Moment? {
        let trouble = faults.first.map { script.epoch + $0.at.microseconds / 1_000 }
        return clock.deadline(next: [nextWorldTime, trouble].compactMap { $0 }.min())
    }

    /// Performs everything due by `now`, each step at its own time, and returns the frames to send.
    package mutating func advance(to now: Moment) -> [Frame] {
        guard clock.runs(at: now) else { return [] }
        let time = worldTime(at: now)
        var frames: [Frame] = []
        while let next = nextWorldTime, next <= time {
            if let delayed = world.nextDelayed, delayed <= next {
                frames += world.advance(to: delayed)
            } else {
                frames += script.step(in: &world)
            }
        }
        return frames
    }

    /// Removes and returns the planned failures that are due by `now`.
    mutating func takeTroubles(at now: Moment) -> [EmbeddedServer.ServerFault.Kind] {
        guard clock.isRunning else { return [] }
        let past = worldTime(at: now) - script.epoch
        let due = faults.prefix { $0.at.microseconds / 1_000 <= past }
        faults = faults.dropFirst(due.count)
        return due.map(\.kind)
    }

    /// Notes that a client joined a room.
    mutating func joinedRoom(at now: Moment) { clock.joinedRoom(at: now) }

    /// Returns the server's time, in milliseconds since 1970.
    func worldTime(at now: Moment) -> Int64 { clock.time(at: now) }

    private var nextWorldTime: Int64? {
        switch (script.nextAt, world.nextDelayed) {
        case (let step?, let delayed?): min(step, delayed)
        case (let next?, nil), (nil, let next?): next
        case (nil, nil): nil
        }
    }

    // MARK: - REST

    /// Answers a request. The frames are those that the server sends as a result.
    package mutating func handle(_ request: RESTRequest, at now: Moment) -> (response: RESTResponse, frames: [Frame]) {
        clock.asked(at: now)
        outbox = advance(to: now)
        let response = answer(request, at: now)
        defer { outbox = [] }
        return (response, outbox)
    }

    /// Performs an action of the caller. Returns the message or channel that it made, found or changed.
    mutating func perform(_ action: UserAction<EntityID>, for call: RESTCall) throws(RESTError) -> EntityID? {
        serial += 1
        let id = action.makesMessage ? ids.timeUUID(serial, at: call.now) : ids.uuid(serial)
        do {
            let outcome = try world.perform(action, by: try call.user().id, at: call.now, newID: id)
            outbox += outcome.frames
            return outcome.subject
        } catch let error as WorldError {
            throw RESTError(error)
        } catch let error as RESTError {
            throw error
        } catch {
            throw RESTError(status: 500, message: "\(error)")
        }
    }

    /// Stores an uploaded file that belongs to no message yet, and returns it.
    mutating func upload(_ call: RESTCall) throws(RESTError) -> SentFile {
        guard let part = call.form?.file, let name = part.filename else { throw .badRequest("The form has no file") }
        serial += 1
        let file = SentFile(
            id: ids.uuid(serial), owner: try call.user().id, name: name,
            type: part.type ?? "application/octet-stream", bytes: Array(part.bytes))
        do throws(WorldError) { try world.keep(file) } catch { throw RESTError(error) }
        return file
    }

    /// Performs an action of a user as from another device, and returns the frames to send. Returns `nil` when the
    /// world refuses the action and no other frames are due. A refused action changes nothing.
    package mutating func act(_ action: UserAction<EntityID>, by user: EntityID, at now: Moment) -> [Frame]? {
        let due = advance(to: now)
        serial += 1
        let time = worldTime(at: now)
        let id = action.makesMessage ? ids.timeUUID(serial, at: time) : ids.uuid(serial)
        guard let outcome = try? world.perform(action, by: user, at: time, newID: id) else {
            return due.isEmpty ? nil : due
        }
        return due + outcome.frames
    }

    private mutating func answer(_ request: RESTRequest, at now: Moment) -> RESTResponse {
        let path = request.path.split(separator: "/").map { $0.percentDecoded(plusIsSpace: false) }
        // Era A's files are served by PHP itself, outside the proxy (Twake TW-78).
        let isDrive = path.starts(with: ["ajax", "drive"])
        let era: Era = isDrive || path.starts(with: ["internal", "mobile"]) ? .proxy : .core
        let known = era == .proxy || hasCore && path.starts(with: ["internal", "services"])
        guard known, let (route, parameters) = route(era, request.method, isDrive ? path : Array(path.dropFirst(2)))
        else {
            return Self.routeNotFound(request)
        }
        var call = RESTCall(
            request: request, era: era, caller: nil, parameters: parameters, query: PercentText.pairs(request.query),
            body: .null,
            now: worldTime(at: now), moment: now, mostRows: mostRows)
        do throws(RESTError) {
            if !route.isPublic { call.caller = try caller(request.bearer, era, at: now) }
            call.body = try Self.body(of: request)
            let answer = try route.handler(call, &self)
            if let content = answer.content {
                return RESTResponse(status: answer.status, body: content.bytes, type: content.type)
            }
            return RESTResponse(status: answer.status, body: answer.value.map { Array($0.raw.bytes) } ?? [])
        } catch {
            return Self.response(to: error, era, world.edition)
        }
    }

    private func route(_ era: Era, _ method: String, _ path: [String]) -> (Route, [String])? {
        let routes = era == .proxy ? EraA.routes : EraB.routes
        for route in routes where route.method == method {
            if let parameters = route.pattern.parameters(in: path) { return (route, parameters) }
        }
        return nil
    }

    /// Returns the owner of a token. Era A refuses a token with 403, era B with 401 (Twake TW-63).
    private func caller(_ bearer: String?, _ era: Era, at now: Moment) throws(RESTError) -> User {
        switch tokens.judge(bearer, at: now) {
        case .valid(let id):
            if let user = world.user(id) { return user }
        case .expired, .refused:
            break
        case .missing:
            if era == .proxy { throw RESTError(status: 403, message: "Token is not provided") }
        }
        throw era == .proxy
            ? RESTError(status: 403, message: "Wrong token") : RESTError(status: 401, message: "Bad credentials")
    }

    /// The maximum size of a body that is not a form, in bytes.
    private static let largestJSON = 1 << 20

    private static func body(of request: RESTRequest) throws(RESTError) -> JSONValue {
        guard !request.body.isEmpty, request.type?.lowercased().hasPrefix(MultipartForm.type) != true else {
            return .null
        }
        guard request.body.count <= largestJSON else { throw RESTError(status: 413, message: "Payload too large") }
        do throws(JSONError) { return try JSONValue(parsing: request.body[...]) } catch {
            throw .badRequest("Body is not valid JSON: \(error)")
        }
    }
}

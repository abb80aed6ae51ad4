package import WeirEvents
package import WeirJSON
package import WeirWire

/// A client of the realtime service: Twake's authentication and rooms on top of Socket.IO (Twake TW-2 to TW-18).
///
/// It is a state machine that takes messages and the time, and returns effects. Without an explicit edition it behaves
/// like the server that matches the client's protocol revision: that of 2021 for Engine.IO 3, and the last one, which
/// accepts both, for Engine.IO 4.
package struct RealtimeConnection: Sendable {
    /// An effect of the machine. Effects are performed in order.
    package enum Effect: Hashable, Sendable {
        /// Sends this WebSocket message to the client.
        case send(WebSocketMessage)
        /// The client wants to join a room, and its rights must be checked. Answered by `settleJoin`.
        case joinWanted(room: String)
        /// The client joined a room. It is repeated when the client was already in the room.
        case joined(room: String)
        /// The client is no longer in a room.
        case left(room: String)
        /// The client published an event for all clients in a room.
        case publish(Frame)
        /// The client sent an event called `message`, which the last server repeats to every socket (Twake TW-4).
        case repeatToAll(arguments: RawJSON)
        /// A user came online, or reported again to be online (Twake TW-19).
        case present(EntityID)
        /// A user went offline, because one of the user's clients did.
        case absent(EntityID)
        /// The client asked which of these users are online. Answered by `tellPresence`.
        case presenceAsked(of: [EntityID], ackID: Int)
        /// Ends the session. The machine takes no more input.
        case close(EngineIO.Ending)
    }

    private enum State: Sendable {
        /// The client has not joined the namespace. → anonymous, closed
        case outside
        /// The client is in the namespace without an accepted token. The server of 2021 waits until `deadline`. →
        /// member, refused, outside, closed
        case anonymous(deadline: Moment?)
        /// A token was refused (2021). The client stays connected, without events, until it acknowledges that. →
        /// member, outside, closed
        case refused
        /// The client authenticated `handlers` times; each time makes the server handle every join once more
        /// (Twake TW-8). → outside, closed
        case member(user: EntityID, handlers: Int)
        case closed
    }

    /// The checks for clients that join rooms. The real servers let every user into every room (Twake TW-13).
    package struct Rights: Hashable, Sendable {
        /// Whether a user needs a right to the room's subject.
        package var areChecked = false
        /// The maximum number of rooms per client.
        package var mostRooms = RealtimeConnection.maximumRooms
        package init() {}
    }

    /// The time that the server of 2021 waits for `authenticate`.
    static let authenticationTimeout = Duration.seconds(15)
    /// The default maximum number of rooms per client.
    static let maximumRooms = 5_000
    /// The maximum length of a room's name, in bytes.
    static let maximumName = 1_000
    /// The maximum number of users in one `online:get`.
    static let maximumPresences = 1_000
    /// The number of authentications after which further ones have no effect.
    static let maximumHandlers = 4

    private let edition: Edition
    private let rights: Rights
    private var server: SocketIOServer
    private var state = State.outside
    package private(set) var rooms: Set<String> = []

    package init(
        _ configuration: SocketIOServer.Configuration, _ edition: Edition? = nil, rights: Rights = Rights(),
        openedAt now: Moment
    ) {
        self.rights = rights
        self.edition = edition ?? (configuration.revision == .v3 ? .of2021 : .last)
        server = SocketIOServer(configuration, openedAt: now)
    }

    /// The time at which `advance` must be called next.
    package var deadline: Moment? {
        switch state {
        case .anonymous(let own?): server.deadline.map { min($0, own) } ?? own
        case .anonymous(nil), .outside, .refused, .member: server.deadline
        case .closed: nil
        }
    }

    /// The connected user; `nil` before authentication.
    package var user: EntityID? {
        if case .member(let user, _) = state { user } else { nil }
    }

    /// Starts the session, which sends the open packet.
    package mutating func start(at now: Moment, _ tokens: Tokens, into effects: inout [Effect]) {
        var below: [SocketIOServer.Effect] = []
        server.start(into: &below)
        take(below, at: now, tokens, into: &effects)
    }

    /// Handles a WebSocket message from the client.
    package mutating func receive(
        _ message: WebSocketMessage, at now: Moment, _ tokens: Tokens, into effects: inout [Effect]
    ) {
        if case .closed = state { return }
        var below: [SocketIOServer.Effect] = []
        server.receive(message, at: now, into: &below)
        take(below, at: now, tokens, into: &effects)
    }

    /// Performs everything that is due up to `now`.
    package mutating func advance(to now: Moment, _ tokens: Tokens, into effects: inout [Effect]) {
        if case .closed = state { return }
        var below: [SocketIOServer.Effect] = []
        server.advance(to: now, into: &below)
        take(below, at: now, tokens, into: &effects)
        if case .anonymous(let deadline?) = state, deadline <= now {
            leave("not authenticated in time", into: &effects)
        }
    }

    /// Sends a frame if the client is in its room.
    package mutating func deliver(_ name: Frame.Name, to room: String, _ payload: RawJSON, into effects: inout [Effect])
    {
        guard rooms.contains(room) else { return }
        emit(name.rawValue, payload, into: &effects)
    }

    /// Sends an event regardless of the client's rooms.
    package mutating func emit(_ name: String, _ arguments: RawJSON?, into effects: inout [Effect]) {
        guard !SocketIO.isReserved(name) else { return }
        var below: [SocketIOServer.Effect] = []
        server.emit(name, arguments: arguments, into: &below)
        effects += below.compactMap(Self.sending)
    }

    /// Disconnects the client from the namespace (`41`) and leaves the socket open. The client must reconnect by
    /// itself.
    package mutating func kick(into effects: inout [Effect]) {
        var below: [SocketIOServer.Effect] = []
        server.disconnect(into: &below)
        effects += below.compactMap(Self.sending)
        reset(to: .outside, into: &effects)
    }

    // MARK: -

    private mutating func take(
        _ below: [SocketIOServer.Effect], at now: Moment, _ tokens: Tokens, into effects: inout [Effect]
    ) {
        for effect in below {
            switch effect {
            case .send(let message): effects.append(.send(message))
            case .connected:
                let deadline = edition == .of2021 ? now + Self.authenticationTimeout : nil
                reset(to: .anonymous(deadline: deadline), into: &effects)
            case .event(let event): hear(event, at: now, tokens, into: &effects)
            // The server requests an acknowledgement only for `unauthorized`, and then disconnects (Twake TW-9).
            case .acknowledged: leave("unauthorized", into: &effects)
            case .recoveryAsked, .joinAsked, .unacknowledged: break
            case .disconnected: reset(to: .outside, into: &effects)
            case .close(let ending):
                reset(to: .closed, into: &effects)
                effects.append(.close(ending))
            }
        }
    }

    private mutating func hear(
        _ event: SocketIO.Event, at now: Moment, _ tokens: Tokens, into effects: inout [Effect]
    ) {
        if event.name == "message", edition == .last {
            let arguments = event.arguments.map(\.bytes).joined(separator: [UInt8(ascii: ",")])
            effects.append(.repeatToAll(arguments: RawJSON(unchecked: ArraySlice(arguments))))
            return
        }
        let payload = event.argument(0).flatMap { try? JSONValue(parsing: $0.bytes) } ?? .null
        if event.name == "authenticate" { return authenticate(payload["token"], at: now, tokens, into: &effects) }
        // Before authentication the real server has no handlers for these events, so they are dropped without an error.
        guard case .member(_, let handlers) = state else { return }
        for _ in 0..<handlers {
            switch event.name {
            case "realtime:join": join(payload, at: now, tokens, into: &effects)
            case "realtime:leave": leaveRoom(payload, into: &effects)
            case "realtime:event": publish(payload, at: now, tokens, into: &effects)
            default: break
            }
        }
        hearOfPresence(event, payload, into: &effects)
    }

    private mutating func reset(to next: State, into effects: inout [Effect]) {
        for room in rooms.sorted() { effects.append(.left(room: room)) }
        if let user { effects.append(.absent(user)) }
        rooms = []
        state = next
    }

    /// Ends the connection from the server's side: first `41`, then the socket.
    private mutating func leave(_ cause: String, into effects: inout [Effect]) {
        kick(into: &effects)
        state = .closed
        effects.append(.close(.orderly(cause)))
    }

    private static func sending(_ effect: SocketIOServer.Effect) -> Effect? {
        switch effect {
        case .send(let message): .send(message)
        case .close(let ending): .close(ending)
        case .connected, .recoveryAsked, .joinAsked, .event, .acknowledged, .unacknowledged, .disconnected: nil
        }
    }

    // MARK: - Authentication

    private mutating func authenticate(
        _ token: JSONValue?, at now: Moment, _ tokens: Tokens, into effects: inout [Effect]
    ) {
        let verdict = tokens.judge(token?.stringValue, at: now)
        if case .valid(let user) = verdict {
            switch state {
            case .member(let user, let handlers):
                state = .member(user: user, handlers: min(handlers + 1, Self.maximumHandlers))
            case .outside, .anonymous, .refused:
                state = .member(user: user, handlers: 1)
                emit("authenticated", nil, into: &effects)
                return effects.append(.present(user))
            case .closed: return
            }
            return emit("authenticated", nil, into: &effects)
        }
        let refusal = Refusal(verdict, hasToken: token != nil, calendarOffset: tokens.calendarOffset)
        switch edition {
        case .of2021: refuseAs2021(refusal, into: &effects)
        case .last:
            emit("unauthorized", refusal.lastForm.raw, into: &effects)
            leave("unauthorized", into: &effects)
        }
    }

    /// Refuses a token as the server of 2021 does, which waits for the acknowledgement without a time limit.
    private mutating func refuseAs2021(_ refusal: Refusal, into effects: inout [Effect]) {
        var below: [SocketIOServer.Effect] = []
        server.emit("unauthorized", arguments: refusal.firstForm.raw, wantsAck: true, into: &below)
        effects += below.compactMap(Self.sending)
        if case .anonymous = state { state = .refused }
    }

    /// Acknowledges an event that the client sent.
    mutating func acknowledge(_ id: Int, _ arguments: JSONValue, into effects: inout [Effect]) {
        var below: [SocketIOServer.Effect] = []
        server.acknowledge(id, arguments: arguments.raw, into: &below)
        effects += below.compactMap(Self.sending)
    }

    // MARK: - Rooms

    private mutating func join(_ payload: JSONValue, at now: Moment, _ tokens: Tokens, into effects: inout [Effect]) {
        let name = payload["name"]?.stringValue ?? ""
        guard !name.isEmpty, name.utf8.count <= Self.maximumName,
            rooms.count < rights.mostRooms || rooms.contains(name)
        else {
            return fail("realtime:join:error", name, "Error while joining room", into: &effects)
        }
        guard admits(payload["token"], to: name, at: now, tokens) else {
            return fail("realtime:join:error", name, "User is not authorized to join room", into: &effects)
        }
        if rights.areChecked { return effects.append(.joinWanted(room: name)) }
        settleJoin(of: name, isAllowed: true, into: &effects)
    }

    /// Answers a client's request to join a room.
    package mutating func settleJoin(of name: String, isAllowed: Bool, into effects: inout [Effect]) {
        guard isAllowed else {
            return fail("realtime:join:error", name, "User is not authorized to join room", into: &effects)
        }
        rooms.insert(name)
        emit("realtime:join:success", JSONValue.fields(["name": .string(name)]).raw, into: &effects)
        effects.append(.joined(room: name))
    }

    private mutating func leaveRoom(_ payload: JSONValue, into effects: inout [Effect]) {
        let name = payload["name"]?.stringValue ?? ""
        guard !name.isEmpty, name.utf8.count <= Self.maximumName else {
            return fail("realtime:leave:error", name, "Error while leaving room", into: &effects)
        }
        if rooms.remove(name) != nil { effects.append(.left(room: name)) }
        emit("realtime:leave:success", JSONValue.fields(["name": .string(name)]).raw, into: &effects)
    }

    private mutating func publish(_ payload: JSONValue, at now: Moment, _ tokens: Tokens, into effects: inout [Effect])
    {
        let name = payload["name"]?.stringValue ?? ""
        guard !name.isEmpty, name.utf8.count <= Self.maximumName, admits(payload["token"], to: name, at: now, tokens)
        else {
            return fail("realtime:event:error", name, "User is not authorized to emit in this room", into: &effects)
        }
        effects.append(.publish(.event(room: name, data: payload["data"] ?? .null)))
    }

    /// Returns whether a token opens a room. Names that begin with `previous::` need no token; the token `twake` opens
    /// every room, and so does a valid token of a user (Twake TW-13).
    private func admits(_ token: JSONValue?, to room: String, at now: Moment, _ tokens: Tokens) -> Bool {
        if room.hasPrefix("previous::") { return true }
        guard let token = token?.stringValue else { return false }
        if token == "twake" { return true }
        if case .valid = tokens.judge(token, at: now) { return true }
        return false
    }

    private mutating func fail(_ event: String, _ name: String, _ message: String, into effects: inout [Effect]) {
        let shown = String(name.prefix(Self.maximumName))
        emit(event, JSONValue.fields(["name": .string(shown), "message": .string(message)]).raw, into: &effects)
    }
}

/// The presence events of a client (Twake TW-19).
extension RealtimeConnection {
    /// Handles a presence event: `online:get` requests the presence of users as an acknowledgement, and `online:set`
    /// reports that the user is still online (Twake TW-19).
    mutating func hearOfPresence(_ event: SocketIO.Event, _ payload: JSONValue, into effects: inout [Effect]) {
        let users = (payload["data"]?.arrayValue ?? []).compactMap(\.stringValue).map { EntityID($0) }
        switch event.name {
        case "online:get":
            guard let id = event.ackID else { return }
            effects.append(.presenceAsked(of: Array(users.prefix(Self.maximumPresences)), ackID: id))
        case "online:set":
            if let user, users.contains(user) { effects.append(.present(user)) }
            if let id = event.ackID { acknowledge(id, .array([]), into: &effects) }
        default: break
        }
    }

    /// Acknowledges `online:get` with the presence of the requested users.
    package mutating func tellPresence(
        _ presence: [(user: EntityID, isOnline: Bool)], ackID: Int, into effects: inout [Effect]
    ) {
        let pairs = presence.map { JSONValue.array([.id($0.user), .bool($0.isOnline)]) }
        acknowledge(ackID, .array([.fields(["data": .array(pairs)])]), into: &effects)
    }
}

package import Events
package import JSONText
package import Wire

/// One client of the realtime service: Socket.IO below, Twake's authentication and rooms above (`reference/twake.md` 1.3–1.5).
///
/// A machine: it is given messages and the time, and answers with effects. Unless it is told which server it is, it behaves as that of the
/// client's protocol revision did: the one of 2021 for Engine.IO 3, the last one, which takes both, for Engine.IO 4.
package struct RealtimeConnection: Sendable {
    /// What the machine wants done, in this order.
    package enum Effect: Hashable, Sendable {
        /// Send this WebSocket message.
        case send(WebSocketMessage)
        /// The client wants to join a room, and its rights are looked at: to be answered by `settleJoin`.
        case joinWanted(room: String)
        /// The client joined a room (told again when it was in it already).
        case joined(room: String)
        /// The client is no longer in a room.
        case left(room: String)
        /// The client published something for everybody in a room.
        case publish(Frame)
        /// The client sent an event called `message`: the last server repeats it to every socket (1.3).
        case repeatToAll(arguments: RawJSON)
        /// A user came, or says once more to be there (1.6).
        case present(EntityID)
        /// A user left: one of their clients did.
        case absent(EntityID)
        /// Who of these is there; to be answered by `tellPresence`.
        case presenceAsked(of: [EntityID], ackID: Int)
        /// End the session; the machine is finished.
        case close(EngineIO.Ending)
    }

    private enum State: Sendable {
        /// Not in the namespace. Next: anonymous, closed.
        case outside
        /// In the namespace, no token accepted; the server of 2021 waits until `deadline`. Next: member, refused, outside, closed.
        case anonymous(deadline: Moment?)
        /// A token was refused (2021): connected and deaf until the client acknowledges that. Next: member, outside, closed.
        case refused
        /// Authenticated, `handlers` times: each time the server hears every join once more (1.4). Next: outside, closed.
        case member(user: EntityID, handlers: Int)
        case closed
    }

    /// What is asked of a client that joins rooms. The real servers let every user into every room (1.5).
    package struct Rights: Hashable, Sendable {
        /// Whether the user needs a right to what a room is about.
        package var areChecked = false
        /// Rooms one client may be in.
        package var mostRooms = RealtimeConnection.maximumRooms
        package init() {}
    }

    /// How long the server of 2021 waits for `authenticate`.
    static let authenticationTimeout = Duration.seconds(15)
    /// Rooms one client may be in.
    static let maximumRooms = 5_000
    /// Bytes of a room's name.
    static let maximumName = 1_000
    /// Users one `online:get` may ask after.
    static let maximumPresences = 1_000
    /// How many times over a client may authenticate to any effect.
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

    /// When `advance` wants to be called next.
    package var deadline: Moment? {
        switch state {
        case .anonymous(let own?): server.deadline.map { min($0, own) } ?? own
        case .anonymous(nil), .outside, .refused, .member: server.deadline
        case .closed: nil
        }
    }

    /// Who is connected, once authenticated.
    package var user: EntityID? {
        if case .member(let user, _) = state { user } else { nil }
    }

    /// Sends the open packet.
    package mutating func start(at now: Moment, _ tokens: Tokens, into effects: inout [Effect]) {
        var below: [SocketIOServer.Effect] = []
        server.start(into: &below)
        take(below, at: now, tokens, into: &effects)
    }

    /// A WebSocket message arrived.
    package mutating func receive(
        _ message: WebSocketMessage, at now: Moment, _ tokens: Tokens, into effects: inout [Effect]
    ) {
        if case .closed = state { return }
        var below: [SocketIOServer.Effect] = []
        server.receive(message, at: now, into: &below)
        take(below, at: now, tokens, into: &effects)
    }

    /// Does what is due up to `now`.
    package mutating func advance(to now: Moment, _ tokens: Tokens, into effects: inout [Effect]) {
        if case .closed = state { return }
        var below: [SocketIOServer.Effect] = []
        server.advance(to: now, into: &below)
        take(below, at: now, tokens, into: &effects)
        if case .anonymous(let deadline?) = state, deadline <= now {
            leave("not authenticated in time", into: &effects)
        }
    }

    /// Sends a frame, if the client is in its room.
    package mutating func deliver(_ name: Frame.Name, to room: String, _ payload: RawJSON, into effects: inout [Effect])
    {
        guard rooms.contains(room) else { return }
        emit(name.rawValue, payload, into: &effects)
    }

    /// Sends an event whatever the client's rooms.
    package mutating func emit(_ name: String, _ arguments: RawJSON?, into effects: inout [Effect]) {
        guard !SocketIO.isReserved(name) else { return }
        var below: [SocketIOServer.Effect] = []
        server.emit(name, arguments: arguments, into: &below)
        effects += below.compactMap(Self.sending)
    }

    /// Takes the client out of the namespace (`41`) and leaves the socket open: the client has to come back by itself.
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
            // The only thing the server asks to have acknowledged is `unauthorized`; then it disconnects (1.4).
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
        // What comes before authentication is not even registered for: dropped, without an error.
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

    /// Ends the connection from the server's side: `41`, then the socket.
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

    /// The server of 2021 waits for the acknowledgement, for ever.
    private mutating func refuseAs2021(_ refusal: Refusal, into effects: inout [Effect]) {
        var below: [SocketIOServer.Effect] = []
        server.emit("unauthorized", arguments: refusal.firstForm.raw, wantsAck: true, into: &below)
        effects += below.compactMap(Self.sending)
        if case .anonymous = state { state = .refused }
    }

    /// Acknowledges an event of the client's.
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

    /// Answers the client that wants to join a room.
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

    /// Names that begin with `previous::` need no token; `twake` opens every room, and so does a valid token of a user (1.5).
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

import WeirEvents
package import WeirJSON
import WeirPipeline
package import WeirWire

/// The server's end of plain WebSockets with JSON messages, as a profile describes them: hello, identify, heartbeats,
/// and sessions that outlive a connection and can be resumed. Pure: it takes messages and times, and returns effects.
///
/// ```
/// opened ──hello──► greeted ──identify──► open, with a new session
///                      └─────resume─────► open, with an old one; or refused, and still greeted
/// ```
///
/// In each of these states, a client that sends no heartbeat in time is closed.
package struct MessageServer: Sendable {
    package enum Effect: Hashable, Sendable {
        case send(Int, JSONValue)
        case close(Int, WebSocketClose)
        /// Cuts the connection without a closing handshake.
        case cut(Int)
    }

    private struct Session {
        var name: String
        let user: DeclaredUser?
        /// The session's connection; `nil` while it has none.
        var connection: Int?
        /// The last messages of the session, for resuming it.
        var log: [(number: Int, message: JSONValue)] = []
        var count = 0
    }

    /// The number of messages kept per session, and of sessions above which idle ones are ended.
    private static let mostMessages = 1_000, mostSessions = 100

    package var service: DeclaredService
    private let realtime: Profile.Realtime
    /// The interval at which clients must send heartbeats.
    private let interval: Duration
    private let ids: IDSource
    private var lastSession = 0
    private var sessions: [Int: Session] = [:]
    /// The session of each connection; `nil` until the client identifies itself.
    private var connections: [Int: Int?] = [:]
    /// The time at which each connection is closed unless it sends a heartbeat.
    private var silences: [Int: Moment] = [:]

    package init(_ service: DeclaredService, heartbeats interval: Duration, seed: UInt64) {
        self.service = service
        self.interval = interval
        realtime = service.profile.realtime
        ids = IDSource(seed: seed, stream: .sessions)
    }

    // MARK: - Heartbeats

    /// The longest time without a heartbeat; `nil` when the profile has no heartbeats.
    private var longestSilence: Duration? {
        guard let heartbeat = realtime.heartbeat else { return nil }
        return (heartbeat.interval == nil ? heartbeat.every : interval).map { $0 * 3 / 2 }
    }

    /// The time at which `advance` must be called next.
    package var deadline: Moment? { silences.values.min() }

    /// Closes the clients that sent no heartbeat in time.
    package mutating func advance(to now: Moment) -> [Effect] {
        let silent = silences.filter { $0.value <= now }.keys.sorted()
        for connection in silent { silences[connection] = nil }
        return silent.map { .close($0, WebSocketClose(code: 1008, reason: "no heartbeat came")) }
    }

    // MARK: - Connections

    package mutating func opened(_ connection: Int, at now: Moment) -> [Effect] {
        connections[connection] = .some(nil)
        silences[connection] = longestSilence.map { now + $0 }
        var effects: [Effect] = []
        if realtime.hello != nil || realtime.heartbeat?.interval != nil {
            var hello = realtime.hello?.example(from: .object([])) ?? .object([])
            if let path = realtime.heartbeat?.interval {
                JSONPlace(path).put(.integer(interval.microseconds / 1_000), into: &hello)
            }
            effects.append(.send(connection, hello))
        }
        if realtime.identify == nil { effects += begin(connection, service.user(of: service.token), at: now) }
        return effects
    }

    package mutating func closed(_ connection: Int) {
        silences[connection] = nil
        guard let session = connections.removeValue(forKey: connection) ?? nil else { return }
        sessions[session]?.connection = nil
        if realtime.resume == nil || sessions.count > Self.mostSessions {
            let idle = sessions.filter { $0.value.connection == nil }.keys.min()
            for old in [realtime.resume == nil ? session : idle].compactMap({ $0 }) { end(old) }
        }
    }

    private mutating func end(_ session: Int) {
        sessions[session] = nil
        service.disconnect(session)
    }

    package mutating func forgetAll() {
        (sessions, connections, silences) = ([:], [:], [:])
        service.disconnectAll()
    }

    package mutating func received(_ text: ArraySlice<UInt8>, on connection: Int, at now: Moment) -> [Effect] {
        guard let session = connections[connection] else { return [] }
        guard let message = try? JSONValue(parsing: text) else {
            return [.close(connection, WebSocketClose(code: 1007, reason: "not JSON"))]
        }
        if let heartbeat = realtime.heartbeat, heartbeat.send.values(in: message) != nil {
            // A connection that is being closed stays so.
            if silences[connection] != nil { silences[connection] = longestSilence.map { now + $0 } }
            return heartbeat.answer?.example(from: .object([])).map { [.send(connection, $0)] } ?? []
        }
        guard let session else {
            if let values = realtime.resume?.send.values(in: message) { return resume(connection, values, at: now) }
            guard let identify = realtime.identify, let values = identify.values(in: message) else { return [] }
            let token = identify.places.contains("token") ? values["token"]?.plainText : service.token
            guard let user = service.user(of: token) else { return refuse(connection, at: now) }
            return begin(connection, user, at: now)
        }
        return carryOut(service.heard(session, .message(message), at: now)?.effects ?? [])
    }

    /// Closes a connection whose token is unknown.
    private func refuse(_ connection: Int, at now: Moment) -> [Effect] {
        let told = service.unauthorized(at: now).map { [Effect.send(connection, message(of: $0))] } ?? []
        let code = realtime.close.refused.first.flatMap { UInt16(exactly: $0) } ?? 1008
        return told + [.close(connection, WebSocketClose(code: code, reason: DeclaredService.wrongToken))]
    }

    // MARK: - Sessions

    private mutating func begin(_ connection: Int, _ user: DeclaredUser?, at now: Moment) -> [Effect] {
        lastSession += 1
        connections[connection] = lastSession
        sessions[lastSession] = Session(name: ids.session(lastSession), user: user, connection: connection)
        return carryOut(service.connect(lastSession, user, at: now))
    }

    private mutating func resume(_ connection: Int, _ values: [String: JSONValue], at now: Moment) -> [Effect] {
        let user = values["token"].flatMap { service.user(of: $0.plainText) }
        if values["token"] != nil, user == nil { return refuse(connection, at: now) }
        let name = values["session"]?.plainText
        let last = values["sequence"]?.plainText.flatMap { Int($0) } ?? 0
        guard let (id, session) = sessions.first(where: { $0.value.name == name }),
            values["token"] == nil || session.user == user, last <= session.count,
            last + 1 >= session.log.first?.number ?? 1
        else {
            if let refusal = realtime.resume?.refused?.example(from: .object([])) {
                return [.send(connection, refusal)]
            }
            let code = realtime.close.anew.first.flatMap { UInt16(exactly: $0) } ?? 1008
            return [.close(connection, WebSocketClose(code: code, reason: "no such session"))]
        }
        var effects: [Effect] = []
        if let other = session.connection {
            connections[other] = .some(nil)
            effects.append(.cut(other))
        }
        connections[connection] = id
        sessions[id]?.connection = connection
        effects += session.log.filter { $0.number > last }.map { .send(connection, $0.message) }
        // If the profile has several ready events, a resumed session gets the last one.
        let ready = service.profile.events.filter { $0.says == .ready }.last
        let news = ready.flatMap {
            service.speech.news(by: $0, carrying: nil, room: nil, nil, at: service.clock.time(at: now))
        }
        return effects + (news.map { tell(id, $0) } ?? [])
    }

    // MARK: - What is told

    package mutating func carryOut(_ effects: [DeclaredService.Effect]) -> [Effect] {
        effects.flatMap { effect -> [Effect] in
            switch effect {
            case .tell(let session, let news): return tell(session, news)
            case .drop(let forgetting):
                let cut = connections.keys.sorted()
                for connection in cut { closed(connection) }
                if forgetting { forgetAll() }
                return cut.map { .cut($0) }
            }
        }
    }

    private mutating func tell(_ id: Int, _ news: DeclaredNews) -> [Effect] {
        guard var session = sessions[id] else { return [] }
        session.count += 1
        var message = message(of: news, session.count)
        if session.count == 1, let path = realtime.session {
            JSONPlace(path).put(.string(session.name), into: &message)
        }
        session.log.append((session.count, message))
        if session.log.count > Self.mostMessages { session.log.removeFirst() }
        sessions[id] = session
        return session.connection.map { [.send($0, message)] } ?? []
    }

    private func message(of news: DeclaredNews, _ number: Int? = nil) -> JSONValue {
        var message = service.speech.message(of: news)
        if let path = realtime.message?.sequence, let number {
            JSONPlace(path).put(.integer(Int64(number)), into: &message)
        }
        return message
    }
}

import WeirJSON
package import WeirWire

// The life cycle of the connection: connect, lose, wait, reconnect.
extension Session {
    /// The number of refused tokens in a row at which the session gives up.
    static let maximumRefusedTokens = 3

    mutating func connect(into effects: inout [Effect]) {
        guard configuration.connects else { return }
        history.connections += 1
        history.attempt += 1
        let (target, opening) = nextOpening
        let request = ConnectionRequest(
            connection: history.connections, attempt: history.attempt, target: target, opening: opening)
        link = .connecting(connection: history.connections, request.spoken)
        effects.append(.report(.connection(.connecting(attempt: history.attempt, target: target))))
        effects.append(.connect(request))
    }

    /// The Engine.IO revision in use, or the one to try next.
    package var revision: EngineIO.Revision { configuration.revision ?? history.revision ?? .v4 }

    /// Whether the Engine.IO revision is a guess.
    private var detectsRevision: Bool { configuration.revision == nil && history.revision == nil }

    private var nextOpening: (target: String, ConnectionRequest.Opening) {
        switch configuration.backend.module.profile?.realtime.transport {
        case .websocket?: return (configuration.path, .messages)
        case .none?: return ("/", .nothing)
        case .socketio?, .bayeux?, nil: break
        }
        guard !configuration.backend.speaksBayeux else {
            return (configuration.path, pollsChannels ? .longPolling : .webSocket)
        }
        let target = EngineIOClientTransport.Configuration(
            transport: configuration.transport, revision: revision, path: configuration.path
        ).firstTarget
        return (
            target,
            .engineIO(
                path: configuration.path, transport: configuration.transport, revision: revision,
                detectsRevision: detectsRevision)
        )
    }

    /// Whether Bayeux uses long-polling instead of a WebSocket.
    var pollsChannels: Bool {
        switch configuration.transport {
        case .websocket: false
        case .polling, .upgrade: true
        case .auto: history.lacksWebSocket
        }
    }

    mutating func opened(_ connection: Int, token: Secret?, auth: Secret?, into effects: inout [Effect]) {
        if configuration.isCaptured, case .idle = link {
            history.connections = connection - 1
            connect(into: &effects)
        }
        guard case .connecting(connection, let spoken) = link else { return }
        self.token = token
        context.refetcher.tokenMayDiffer()
        link = .handshaking(Link.Open(connection: connection, spoken: spoken))
        switch spoken {
        case .socketIO(let revision):
            let payload =
                auth.map { RawJSON(unchecked: ArraySlice($0.reveal().utf8)) } ?? backend.connectPayload(token: token)
            var told = SocketIOClientMachine.Configuration(
                revision: revision,
                namespaces: configuration.namespaces.map { SocketIOClientMachine.Namespace($0, auth: payload) })
            told.limits = configuration.limits
            told.detectsRevision = detectsRevision
            (history.joining, history.recoveredEvents) = (NamespaceAnswers(configuration.namespaces), 0)
            client = SocketIOClientMachine(told, memory: history.memory, openedAt: context.now)
            client?.set(reading, at: context.now)
            history.connectPayload = payload.map { _ in auth == nil ? "token" : "auth object" }
            if revision == .v3 { tellOfUnsentPayload() }
        case .bayeux: openChannels(into: &effects)
        case .json: openMessages(into: &effects)
        case .rest:
            began(isRecovered: false)
            carryOutPlans(into: &effects)
        }
    }

    /// Adopts the Engine.IO revision that the server turned out to speak. The connection continues with it.
    mutating func noteRevision() {
        guard let revision = client?.revision, case .handshaking(var open) = link, open.spoken != .socketIO(revision)
        else { return }
        open.spoken = .socketIO(revision)
        link = .handshaking(open)
        tellOfUnsentPayload()
    }

    private mutating func tellOfUnsentPayload() {
        guard let what = history.connectPayload else { return }
        context.notice(
            .warning,
            "the \(what) is not sent: Engine.IO 3 can send it only in the query (--query NAME=env:NAME)")
    }

    mutating func failed(_ connection: Int, _ failure: ConnectFailure, into effects: inout [Effect]) {
        guard case .connecting(connection, let spoken) = link else { return }
        if case .withRevision(let other) = failure.retry, case .socketIO(let revision) = spoken, other != revision,
            configuration.revision == nil, history.revision == nil
        {
            connect(with: other, into: &effects)
        } else if let status = failure.httpStatus, case .bayeux = spoken, configuration.transport == .auto,
            !history.lacksWebSocket, failure.retry == .later
        {
            // Something between the client and the server may let nothing but plain HTTP through.
            history.lacksWebSocket = true
            history.attempt -= 1
            context.notice(.info, "no WebSocket available (HTTP status \(status)): trying long-polling")
            connect(into: &effects)
        } else {
            if !history.wasReady { history.revision = nil }
            lost(.failed(failure), into: &effects)
        }
    }

    /// Reconnects at once, with the revision that the server is known or believed to speak.
    private mutating func connect(with revision: EngineIO.Revision, into effects: inout [Effect]) {
        history.revision = revision
        history.attempt -= 1
        connect(into: &effects)
    }

    mutating func closed(_ connection: Int, _ close: WebSocketClose, into effects: inout [Effect]) {
        switch link {
        case .handshaking(let open), .authenticating(let open, _), .ready(let open):
            guard open.connection == connection else { return }
            messages?.closed(code: Int(close.code))
            lost(refusal(close).map { .tokenRefused($0) } ?? .closed(close), into: &effects)
        case .idle, .connecting, .renewingToken, .waiting, .over: break
        }
    }

    /// Abandons the open connection. The session asks for the socket to be closed and does not wait for the result,
    /// because the peer may be dead.
    mutating func end(_ cause: LossCause, into effects: inout [Effect]) {
        guard let open = link.open else { return }
        // A captured connection is not closed here: later records may open it again.
        if !configuration.isCaptured {
            effects.append(.close(connection: open.connection, WebSocketClose(code: 1000)))
        }
        switch cause {
        case .protocolEnd(.requested), .channelsEnd(.requested):
            retireClient(into: &effects)
            link = .idle
        case .failed, .closed, .protocolEnd, .channelsEnd, .messagesEnd, .namespaceRefused, .disconnectedByServer,
            .authenticationTimeout, .tokenRefused:
            lost(cause, into: &effects)
        }
    }

    /// Records the time from which events may be missing.
    private mutating func noteLoss(since moment: Moment) {
        if link.isReady, history.lostAt == nil { history.lostAt = missing(since: moment) }
    }

    /// Handles a server that forgot the session and starts another one on the same transport. Events sent meanwhile are
    /// missed, as after a lost connection.
    mutating func beginAnew(into effects: inout [Effect]) {
        switch link {
        case .authenticating(let open, _), .ready(let open):
            noteLoss(since: bayeux?.lapsed ?? context.now)
            link = .handshaking(open)
        case .idle, .connecting, .handshaking, .renewingToken, .waiting, .over: return
        }
        loseRooms(into: &effects)
        effects.append(.report(.connection(.lost(why: "the server forgot the session", retryIn: .zero))))
    }

    private mutating func loseRooms(into effects: inout [Effect]) {
        for room in rooms.connectionLost() {
            history.followedRooms.insert(room)
            reportRoom(.lost, room, into: &effects)
        }
    }

    private mutating func lost(_ cause: LossCause, into effects: inout [Effect]) {
        noteLoss(since: cause.isOrderly ? context.now : history.heardAt)
        if !link.isReady { history.lacksWebSocket = false }
        tellOfOtherParsers(cause)
        if let attempts = history.steadiness.ended(at: context.now) { history.attempt = attempts }
        link = .idle
        retireClient(into: &effects)
        loseRooms(into: &effects)
        if configuration.isCaptured { return lostCaptured(cause, into: &effects) }
        history.failure = cause.failure
        switch cause {
        case .tokenRefused(let message): renewToken(afterRefusal: message, cause, into: &effects)
        case .namespaceRefused(let message): finish(.refused(message), into: &effects)
        case .protocolEnd(.revisionMismatch(let revision))
        where configuration.revision == nil && history.revision != revision:
            connect(with: revision, into: &effects)
        case .channelsEnd(.forbidden(let message)): finish(.refused(message), into: &effects)
        case let cause where history.wasReady && !configuration.reconnects.follows(cause):
            finish(.gaveUp(attempts: 0, cause.failure), into: &effects)
        case let cause where cause.needsNoWait && history.attempt == 0:
            retryAtOnce(after: cause, into: &effects)
        case .failed, .closed, .protocolEnd, .channelsEnd, .messagesEnd, .disconnectedByServer, .authenticationTimeout:
            retry(after: cause, into: &effects)
        }
    }

    /// Warns the user that the server's application may use another parser. Such a server cannot read CONNECT: it
    /// closes the connection or stays silent.
    private mutating func tellOfOtherParsers(_ cause: LossCause) {
        guard case .handshaking = link, client?.isUnanswered == true, !history.toldOfOtherParsers else { return }
        switch cause {
        case .closed, .protocolEnd(.handshakeTimeout), .disconnectedByServer: break
        case .failed, .protocolEnd, .channelsEnd, .messagesEnd, .namespaceRefused, .authenticationTimeout,
            .tokenRefused:
            return
        }
        history.toldOfOtherParsers = true
        context.notice(
            .warning,
            "the server opened a session and did not answer CONNECT: its application may use another parser, such as"
                + " msgpack, which Weir does not support")
    }

    /// Reconnects without waiting. A session that keeps ending before it has held does not get here, because its
    /// attempts count.
    private mutating func retryAtOnce(after cause: LossCause, into effects: inout [Effect]) {
        effects.append(.report(.connection(.lost(why: cause.text, retryIn: .zero))))
        connect(into: &effects)
    }

    /// Reports the loss of a captured connection. Whether and when another one follows is part of the capture.
    private mutating func lostCaptured(_ cause: LossCause, into effects: inout [Effect]) {
        if case .protocolEnd(.revisionMismatch(let revision)) = cause {
            history.revision = revision
        } else {
            effects.append(.report(.connection(.lost(why: cause.text, retryIn: nil))))
        }
    }

    private mutating func renewToken(afterRefusal message: String, _ cause: LossCause, into effects: inout [Effect]) {
        history.refusedTokens += 1
        guard history.refusedTokens < Self.maximumRefusedTokens else {
            return finish(.refused(message), into: &effects)
        }
        link = .renewingToken(refusal: message)
        effects.append(.report(.connection(.lost(why: cause.text, retryIn: nil))))
        renewToken(into: &effects)
    }

    mutating func tokenRenewed(_ token: Secret?, changed: Bool, into effects: inout [Effect]) {
        let wasRefused = exchange(&isRenewingToken, with: false)
        if changed {
            self.token = token
            bayeux?.renew(ext: backend.publishing(token: token))
            rooms.forgetRefusals(all: true)
            if link.isReady { joinWantedRooms(into: &effects) }
        }
        let verdicts = context.refetcher.tokenRenewed(changed: changed, at: context.now, using: &random)
        for verdict in verdicts {
            carryOut(verdict, nil, into: &effects)
            if let key = verdict.key { actionResourceRefused(key, into: &effects) }
        }
        actionTokenRenewed(changed: changed, into: &effects)
        if case .renewingToken(let refusal) = link {
            if changed { connect(into: &effects) } else { finish(.refused(refusal), into: &effects) }
        } else if changed {
            context.notice(
                .info,
                wasRefused
                    ? "the REST service refused the token: another one is used from now on" : "the token was renewed")
        } else if !history.toldOfRefusedRequests {
            history.toldOfRefusedRequests = true
            context.notice(
                .warning, "the REST service refuses the token, and no other is available: nothing can be refetched")
        }
    }

    private mutating func retry(after cause: LossCause, into effects: inout [Effect]) {
        let limit = configuration.maximumAttempts ?? (history.wasReady ? Int.max : 1)
        guard history.attempt < limit, !cause.isPermanent else {
            let failure = cause.failure
            return finish(
                history.wasReady ? .gaveUp(attempts: history.attempt, failure) : .cannotConnect(failure), into: &effects
            )
        }
        var delay = configuration.reconnect.delay(afterFailures: history.attempt + 1, using: &random)
        if case .after(let asked)? = cause.retry {
            delay = max(delay, min(.seconds(asked), configuration.longestRetryAfter))
            tellWait(of: "the connection", asked: asked, waits: delay)
        }
        link = .waiting(until: context.now + delay)
        effects.append(.report(.connection(.lost(why: cause.text, retryIn: delay))))
    }

    /// Makes the session ready, after the namespace was joined and the backend declared the connection ready.
    mutating func becomeReady(into effects: inout [Effect]) {
        guard case .authenticating(let open, _) = link else { return }
        link = .ready(open)
        history.steadiness.began(at: context.now)
        history.refusedTokens = 0
        history.wasReady = true
        outbox.wake()
        if let revision = open.spoken.revision { history.revision = revision }
        history.nextResync = configuration.resyncInterval.map { context.now + $0 }
        effects.append(.report(.connection(.ready(open.spoken))))
        if !history.isRecovered { history.followedRooms = [] }
        if let lostAt = history.lostAt {
            history.lostAt = nil
            // A server that resumed the session has already sent what was missed (Socket.IO SIO-17).
            let missed = rooms.entries.flatMap { backend.resources(of: $0.name, context.model) }
            if history.isRecovered {
                let missed = history.recoveredEvents.map { ": \($0) missed events arrived" } ?? ""
                context.notice(.info, "the session was recovered\(missed)")
            } else {
                history.lastGap = (lostAt, context.now)
                if !missed.isEmpty { beginCount(since: lostAt) }
                backend.missed(context.model)
                // Requests in flight may be answered with the state from before the gap.
                context.refetcher.markStale { _ in true }
                reportGap(from: lostAt, refetching: missed, into: &effects)
            }
        }
        joinWantedRooms(into: &effects)
    }

    private func reportGap(from lostAt: Moment, refetching: [ResourceKey], into effects: inout [Effect]) {
        var labels: [String] = []
        for key in refetching where !labels.contains(key.resource.label) { labels.append(key.resource.label) }
        effects.append(
            .report(.gap(GapReport(cause: .reconnect, from: lostAt, to: context.now, refetching: labels))))
    }

    mutating func advanceLink(to due: Moment, into effects: inout [Effect]) {
        switch link {
        case .waiting(let until):
            if until <= due { connect(into: &effects) }
        case .authenticating(_, let until) where until <= due && reading == .resumed:
            end(.authenticationTimeout, into: &effects)
        case .handshaking, .authenticating, .ready:
            withClient(into: &effects) { client, wire in client.advance(to: due, into: &wire) }
            withChannels(into: &effects) { client, wire in client.advance(to: due, into: &wire) }
            withMessages(into: &effects) { client, wire in client.advance(to: due, into: &wire) }
        case .idle, .connecting, .renewingToken, .over: break
        }
    }

    mutating func stop(into effects: inout [Effect]) {
        if let open = link.open {
            withClient(into: &effects) { client, wire in client.disconnect(into: &wire) }
            let now = context.now
            withChannels(into: &effects) { client, wire in client.disconnect(at: now, into: &wire) }
            // The protocol client asks for the close itself. If it no longer can, the session closes the connection.
            if link.open != nil { effects.append(.close(connection: open.connection, WebSocketClose(code: 1000))) }
        } else if case .connecting(let connection, _) = link {
            effects.append(.close(connection: connection, WebSocketClose(code: 1000)))
        }
        finish(.stopped, into: &effects)
    }

    mutating func finish(_ ending: Ending, into effects: inout [Effect]) {
        if let lostAt = history.lostAt { reportGap(from: lostAt, refetching: [], into: &effects) }
        history.lostAt = nil
        reportTakeover(isWhole: false, into: &effects)
        link = .over
        client = nil
        bayeux = nil
        effects.append(.finish(ending))
    }
}

extension Configuration.Reconnecting {
    fileprivate func follows(_ cause: LossCause) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .lost: !cause.isServersOwn
        }
    }
}

extension Session {
    /// The reason why no session was ever established; `nil` if one was, or if none is wanted.
    package var neverStood: ConnectFailure? {
        guard configuration.connects, !configuration.isCaptured, !history.wasReady else { return nil }
        return history.failure
            ?? ConnectFailure(phase: .handshake, message: "no session was established in time")
    }
}

extension LossCause {
    /// The effect of the cause on the next attempt; `nil` for no effect.
    fileprivate var retry: Reconnection? {
        switch self {
        case .failed(let failure): failure.retry
        case .closed(let close): close.retry
        case .protocolEnd(.msgpack): .never
        case .protocolEnd, .channelsEnd, .messagesEnd, .namespaceRefused, .disconnectedByServer, .authenticationTimeout,
            .tokenRefused:
            nil
        }
    }

    /// Whether no further attempt can succeed.
    fileprivate var isPermanent: Bool { retry == .never }

    /// Whether the server ended the session with a message of its protocol.
    fileprivate var isServersOwn: Bool {
        switch self {
        case .disconnectedByServer, .protocolEnd(.byServer), .channelsEnd(.byServer): true
        case .failed, .closed, .protocolEnd, .channelsEnd, .messagesEnd, .namespaceRefused, .authenticationTimeout,
            .tokenRefused:
            false
        }
    }

    /// The failure to report if the session ends for this cause.
    fileprivate var failure: ConnectFailure {
        switch self {
        case .failed(let failure): failure
        case .protocolEnd(.notEngineIO), .channelsEnd(.notBayeux):
            ConnectFailure(phase: .handshake, message: text, isForeign: true)
        default: ConnectFailure(phase: .handshake, message: text)
        }
    }
}

import WeirDemoServer
import WeirPipeline
import WeirWire

// Events in the network and at the server.
extension Simulation {
    mutating func happen(_ happening: Happening) {
        switch happening {
        case .step(let index): take(history.steps[index].action)
        case .accept(let connection): accept(connection)
        case .opened(let connection):
            guard sockets[connection]?.isOverAtClient == false else { return }
            sockets[connection]?.isOpenAtClient = true
            feed(.opened(connection: connection - connectionsBefore, token: token))
        case .failed(let connection): fail(connection)
        case .toServer(let connection, let message):
            guard sockets[connection]?.isOpenAtServer == true, serverDownUntil == nil else { return }
            let publications = server.receive(message, from: connection, at: now, into: &outputs)
            tell(publications)
            perform(tellsOfChange: false)
        case .toClient(let connection, let message): deliver(message, on: connection)
        case .closedAtServer(let connection): closeAtServer(connection)
        case .closedAtClient(let connection, let close):
            guard sockets[connection]?.isOverAtClient == false else { return }
            guard sockets[connection]?.isOpenAtClient == true else { return fail(connection) }
            sockets[connection]?.isOverAtClient = true
            feed(.closed(connection: connection - connectionsBefore, close))
        case .publish(let publication):
            guard serverDownUntil == nil else { return }
            server.publish(publication, into: &outputs)
            perform(tellsOfChange: true)
        case .request(let request, let bearer, let spoil): answer(request, bearer: bearer, spoil)
        case .answer(let request, let answer):
            guard awaited.remove(request) != nil else { return }
            figures.answers += 1
            if case .response(200..<300, _, _) = answer {} else { figures.failures += 1 }
            feed(.answered(request: request - requestsBefore, answer))
        case .renewed(let life):
            guard life == self.life else { return }
            let before = token?.reveal()
            token = server.token(at: now)
            feed(.tokenRenewed(token, changed: token?.reveal() != before))
        case .renewalDue:
            figures.renewals += 1
            token = server.token(at: now)
            queue.schedule(.renewalDue, at: now + history.tokenLife * 4 / 5)
            feed(.tokenRenewed(token, changed: true))
        case .wake: wake()
        case .serverUp: serverDownUntil = nil
        }
    }

    private mutating func fail(_ connection: Int) {
        guard sockets[connection]?.isOverAtClient == false else { return }
        sockets[connection]?.isOverAtClient = true
        let failure = ConnectFailure(phase: .connect, message: "connection refused")
        feed(.failed(connection: connection - connectionsBefore, failure))
    }

    private mutating func accept(_ connection: Int) {
        guard serverDownUntil == nil, sockets[connection]?.isOverAtClient == false else {
            return queue.schedule(.failed(connection), at: now + delay())
        }
        let arrival = now + delay()
        sockets[connection]?.isOpenAtServer = true
        sockets[connection]?.toClient = arrival
        queue.schedule(.opened(connection), at: arrival)
        server.open(connection, at: now, into: &outputs)
        perform(tellsOfChange: false)
    }

    private mutating func deliver(_ message: WebSocketMessage, on connection: Int) {
        guard let socket = sockets[connection], !socket.isOverAtClient, !socket.isCut else { return }
        if socket.remaining == 0 {
            figures.count(.stumble)
            return cut(connection, silently: false)
        }
        sockets[connection]?.remaining -= 1
        feed(.message(connection: connection - connectionsBefore, message))
    }

    mutating func closeAtServer(_ connection: Int) {
        sockets[connection]?.isOpenAtServer = false
        server.forget(connection)
    }

    /// Cuts a connection. With `silently`, neither end is notified.
    mutating func cut(_ connection: Int, silently: Bool) {
        sockets[connection]?.isCut = true
        guard !silently else { return }
        queue.schedule(.closedAtServer(connection), at: now + delay())
        queue.schedule(.closedAtClient(connection, WebSocketClose(code: 1006)), at: now + delay())
    }

    // MARK: - From the server

    /// Schedules publications. Each path keeps its order.
    mutating func tell(_ publications: [SimulatedPublication]) {
        for publication in publications {
            var due = now + delay()
            if let until = holds[server.holdNumber(of: publication)] { due = max(due, until) }
            if let last = paths[publication.path] { due = max(due, last) }
            paths[publication.path] = due
            queue.schedule(.publish(publication), at: due)
        }
    }

    /// Performs the server's operations on its sockets.
    mutating func perform(tellsOfChange: Bool) {
        let wanted = outputs
        outputs = []
        for output in wanted {
            switch output {
            case .send(let connection, let message): transmit(message, on: connection, tellsOfChange: tellsOfChange)
            case .close(let connection, let close):
                sockets[connection]?.isOpenAtServer = false
                guard let socket = sockets[connection], !socket.isCut else { continue }
                let arrival = max(socket.toClient, now + delay())
                queue.schedule(.closedAtClient(connection, close), at: arrival)
            }
        }
    }

    private mutating func transmit(_ message: WebSocketMessage, on connection: Int, tellsOfChange: Bool) {
        guard var socket = sockets[connection], socket.isOpenAtServer, !socket.isCut else { return }
        if tellsOfChange, losses > 0 {
            losses -= 1
            figures.count(.lose)
            return
        }
        if tellsOfChange, now >= halfway, sabotage == .swallowedMessage, !sabotaged {
            sabotaged = true
            return
        }
        if mutes > 0, server.isJoinAnswer(message) {
            mutes -= 1
            return figures.count(.mute)
        }
        let times = tellsOfChange && twins > 0 ? 2 : 1
        if times == 2 {
            twins -= 1
            figures.count(.double)
        }
        for _ in 0..<times {
            socket.toClient = max(socket.toClient, stalledUntil, now + delay())
            queue.schedule(.toClient(connection, message), at: socket.toClient)
        }
        sockets[connection] = socket
    }
}

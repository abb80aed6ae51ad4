import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirWire

// The session's effects.
extension Simulation {
    mutating func performEffects() {
        let wanted = effects
        effects = []
        for effect in wanted { perform(effect) }
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .connect(let request): connect(request.connection + connectionsBefore)
        case .send(let connection, let message): send(message, on: connection + connectionsBefore)
        case .close(let number, _):
            let connection = number + connectionsBefore
            // The close does not wait for a peer that is already gone.
            let isCut = sockets[connection]?.isCut ?? true
            queue.schedule(.closedAtServer(connection), at: now + delay())
            queue.schedule(
                .closedAtClient(connection, WebSocketClose(code: 1000)), at: now + (isCut ? .seconds(2) : delay()))
        case .request(let request): send(request)
        case .cancel(let request): awaited.remove(request + requestsBefore)
        case .renewToken: queue.schedule(.renewed(life: life), at: now + delay())
        case .remember(.account(let user)): account = user
        case .remember(.globals(let globals)): keptGlobals = globals
        case .remember: break
        case .report(let report): note(report)
        case .finish(let ending):
            self.ending = ending
            faults.append("the session ended: \(ending)")
        }
    }

    private mutating func note(_ report: Report) {
        switch report {
        case .diff(let diff):
            figures.diffs += 1
            var line = JSONWriter()
            DiffLog.write(diff, at: now, into: &line)
            log += line.bytes
            say(String(decoding: line.bytes.dropLast(), as: UTF8.self))
            note(diff.batch.checksums?.after ?? 0)
            note(UInt64(bitPattern: now.microseconds))
        case .gap(let gap): if gap.isLoss { figures.gaps += 1 }
        case .undecodable: figures.undecodable += 1
        case .event: figures.events += 1
        case .room(let room): if room.change == .joined { figures.joins += 1 }
        case .connection(.ready): figures.connections += 1
        case .action(let report):
            fates[report.action.id] = report.change
            if case .refused(let why, _) = report.change, why.hasSuffix("look before doing it again") {
                deedsInDoubt.insert(report.action.id)
            }
            say("\(report.action.id): \(report.change)")
        case .refetch(let report): if report.outcome == .outdated { figures.outdated += 1 }
        case .connection, .emit, .typing, .notice: break
        }
    }

    // MARK: - Sockets

    private mutating func connect(_ connection: Int) {
        current = connection
        sockets[connection] = Socket(remaining: stumble ?? .max)
        stumble = nil
        if refusals > 0 {
            refusals -= 1
            figures.count(.refuse)
            queue.schedule(.failed(connection), at: now + delay())
        } else {
            queue.schedule(.accept(connection), at: now + delay())
        }
    }

    private mutating func send(_ message: WebSocketMessage, on connection: Int) {
        guard var socket = sockets[connection], !socket.isOverAtClient, !socket.isCut else { return }
        socket.toServer = max(socket.toServer, now + delay())
        sockets[connection] = socket
        queue.schedule(.toServer(connection, message), at: socket.toServer)
    }

    // MARK: - Requests

    private mutating func send(_ wanted: FetchRequest) {
        var request = wanted
        request.id += requestsBefore
        lastRequest = max(lastRequest, request.id)
        figures.requests += sabotage == .tenfoldRequests ? 10 : 1
        awaited.insert(request.id)
        say(request)
        note(UInt64(request.target.utf8.count))
        let spoil = takeSpoil(for: request)
        switch spoil {
        case .lostRequest:
            queue.schedule(.answer(request.id, .failure(kind: "timeout", message: "timed out")), at: now + .seconds(30))
        case .reset:
            queue.schedule(.answer(request.id, .failure(kind: "connect", message: "reset")), at: now + delay())
        default:
            let wait: Duration = spoil == .slowRequest ? latency(500_000...12_000_000) : delay()
            queue.schedule(.request(request, bearer: token?.reveal(), spoil), at: now + wait)
        }
    }

    private mutating func takeSpoil(for request: FetchRequest) -> Spoil? {
        guard let spoil = spoils.first,
            !server.isSpared(request, from: spoil, isFresh: figures.joins == joinsBefore)
        else { return nil }
        spoils.removeFirst()
        figures.count(spoil)
        return spoil
    }

    /// Handles a request that has reached the server.
    mutating func answer(_ request: FetchRequest, bearer: String?, _ spoil: Spoil?) {
        // A slow request ends with the process that sent it.
        if spoil == .slowRequest, request.id <= requestsBefore { return }
        if serverDownUntil != nil {
            let failure = Answer.failure(kind: "connect", message: "refused")
            return queue.schedule(.answer(request.id, failure), at: now + delay())
        }
        if let fixed = server.fixedAnswer(to: request, spoil, in: history) {
            let answer = Answer.response(
                status: fixed.status, body: ArraySlice(fixed.body.utf8), retryAfter: fixed.retryAfter)
            return queue.schedule(.answer(request.id, answer), at: now + delay())
        }
        let (status, body, publications) = server.answer(
            request.method, request.target, body: request.body, bearer: bearer, at: now)
        tell(publications)
        var answer = Answer.response(status: status, body: body[...], retryAfter: nil)
        var wait = delay()
        switch spoil {
        case .lostAnswer: (answer, wait) = (.failure(kind: "timeout", message: "timed out"), .seconds(30))
        case .slowAnswer: wait = latency(500_000...12_000_000)
        case .truncated: answer = .response(status: status, body: body.prefix(body.count / 2), retryAfter: nil)
        case .nonsense:
            answer = .response(status: status, body: ArraySlice(#"{"unexpected":[]}"#.utf8), retryAfter: nil)
        case nil, .unauthorized, .forbidden, .missing, .conflict, .busy, .broken, .missingPage, .gatewayPage,
            .welcomePage, .lostRequest, .reset, .slowRequest:
            break
        }
        if case .emptiedList = sabotage, server.asksForDirects(request) {
            answer = .response(status: 200, body: ArraySlice("[]".utf8), retryAfter: nil)
        }
        queue.schedule(.answer(request.id, answer), at: now + wait)
    }

    /// Adds a number to the digest.
    mutating func note(_ number: UInt64) {
        digest = (digest ^ number) &* 0x9E37_79B9_7F4A_7C15
        digest ^= digest >> 29
    }
}

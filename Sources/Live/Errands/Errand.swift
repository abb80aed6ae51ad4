import Events
import JSONText
import Network
public import Pipeline
import Store
import Wire

/// Does actions by REST and tells what became of each: the hand of a session that has no connection.
///
/// The actor is pinned to its own network loop. `run()` is to be called once: it ends the threads that `init` starts.
public actor Errand {
    /// The executor: the network loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private nonisolated let http: HTTPClient
    private let configuration: ErrandConfiguration
    private let notify: @Sendable (Notice) -> Void
    private nonisolated let store: Store?
    private var session: Session
    /// The server's id of the user, once it is known.
    private var user: String?
    private var effects: [Effect] = []
    private var access = Access()
    private var token: Secret?
    private var timer: LoopTimer?
    private var wanted: [Action] = []
    private var results: [ErrandResult] = []
    private var delays = 0
    private var completion: CheckedContinuation<[ErrandResult], Never>?

    /// An errand that has not begun. `notify` is told what is worth a line to people; any thread.
    public init(
        _ configuration: ErrandConfiguration, notify: @escaping @Sendable (Notice) -> Void
    ) throws(ErrandError) {
        self.configuration = configuration
        self.notify = notify
        session = Session(configuration.session, seed: configuration.seed)
        do {
            loop = try EventLoop(name: "weir-errand")
            try configuration.access.check()
            http = try HTTPClient(answeringOn: loop)
        } catch {
            throw .network(error)
        }
        do {
            store = try configuration.storePath.map { path throws(StoreError) in
                try Store(opening: path, now: Journal(now: .zero).wallStart / 1000)
            }
        } catch {
            guard !configuration.requiresStore else { throw .store(error) }
            store = nil
        }
    }

    /// Does the actions, in their order where they are about the same channel; gives a result for each, in the order they ended.
    public nonisolated func run(_ actions: [Action]) async -> [ErrandResult] {
        let results = await perform(actions)
        await withCheckedContinuation { continuation in
            let (http, loop, store) = (self.http, self.loop, self.store)
            runOnThread(named: "weir-shutdown") {
                store?.close()
                http.shutDown()
                loop.shutDown()
                continuation.resume()
            }
        }
        return results
    }

    private func perform(_ actions: [Action]) async -> [ErrandResult] {
        wanted = actions
        guard !actions.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            completion = continuation
            resolve()
        }
    }

    // MARK: Secrets

    private struct Secrets: Sendable {
        var token: Secret?
        var access: Access
    }

    /// Finds the token on a helper thread (it may be a command), then begins.
    private func resolve() {
        let (reference, plan, server) = (configuration.token, configuration.access, configuration.server)
        loop.offload(named: "weir-token") {
            Result { () throws(TokenError) in
                Secrets(token: try reference?.resolve(), access: try plan.resolve(for: server).access)
            }
        } completion: { [weak self] result in
            self?.assumeIsolated { $0.begin(result) }
        }
    }

    private func begin(_ result: Result<Secrets, TokenError>) {
        switch result {
        case .success(let secrets):
            token = secrets.token
            access = secrets.access
            feed(.start)
            for action in wanted { feed(.act(action)) }
        case .failure(let error): endAll(.noToken(why: error.message))
        }
    }

    private func renewToken() {
        guard let reference = configuration.token else { return loop.run { [weak self] in self?.tokenStays() } }
        loop.offload(named: "weir-token") {
            Result { () throws(TokenError) in try reference.resolve() }
        } completion: { [weak self] result in
            self?.assumeIsolated { errand in
                let renewed = (try? result.get()).flatMap { $0 == errand.token ? nil : $0 }
                if let renewed { errand.token = renewed }
                errand.feed(.tokenRenewed(changed: renewed != nil))
            }
        }
    }

    private nonisolated func tokenStays() { assumeIsolated { $0.feed(.tokenRenewed(changed: false)) } }

    // MARK: The session

    private func feed(_ input: Input) {
        guard completion != nil else { return }
        let now = loop.now
        session.advance(to: now, into: &effects)
        session.handle(input, n: 0, at: now, into: &effects)
        perform()
    }

    private func timerFired() {
        timer = nil
        guard completion != nil else { return }
        session.advance(to: loop.now, into: &effects)
        perform()
    }

    private func perform() {
        var index = 0
        while index < effects.count {
            switch effects[index] {
            case .request(let request): send(request)
            case .renewToken: renewToken()
            case .report(let report): take(report)
            case .remember(.account(let user)): self.user = user
            case .connect, .send, .close, .cancel, .remember, .finish: break
            }
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
        rearm()
    }

    private func rearm() {
        timer?.cancel()
        timer = nil
        guard completion != nil, let due = session.deadline else { return }
        timer = loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.timerFired() } }
    }

    private func send(_ request: FetchRequest) {
        let url = configuration.server.with(
            scheme: configuration.server.isSecure ? "https" : "http", target: request.target)
        let exchange = HTTPRequest(request.method, url, body: request.body, access: access, token: token)
        http.send(exchange) { [weak self] result in
            self?.assumeIsolated { $0.feed(.answered(request: request.id, Answer(result))) }
        }
    }

    private func take(_ report: Report) {
        switch report {
        case .action(let action): take(action)
        case .notice(let notice): notify(notice)
        case .undecodable(let failure):
            notify(Notice(.warning, "the answer of \(failure.subject) cannot be read: \(failure.message)"))
        case .event, .diff, .gap, .connection, .room, .typing: break
        }
    }

    private func take(_ report: ActionReport) {
        switch report.change {
        case .queued, .sending: break
        case .done(let subject): end(report.action, .done(subject: subject))
        case .refused(let why, let status): end(report.action, .refused(why: why, status: status))
        case .dropped: end(report.action, .refused(why: "it was taken back", status: nil))
        case .delayed(let why, _):
            delays += 1
            if delays >= configuration.maximumAttempts { endAll(.unreachable(why: why)) }
        }
    }

    private func end(_ action: Action, _ outcome: ErrandResult.Outcome) {
        results.append(ErrandResult(action: action, outcome: outcome))
        if results.count == wanted.count { finish() }
    }

    /// Every action that has not ended ends so.
    private func endAll(_ outcome: ErrandResult.Outcome) {
        let ended = Set(results.map(\.action.id))
        let left = wanted.filter { !ended.contains($0.id) }
        var outcome = outcome
        if case .unreachable(let why) = outcome, keep(Set(left.map(\.id))) { outcome = .waiting(why: why) }
        results += left.map { ErrandResult(action: $0, outcome: outcome) }
        finish()
    }

    /// Leaves actions to the next tail of the account: of the one whose token it is, as far as is known, or that was tailed last. False when
    /// they cannot be kept.
    private func keep(_ ids: Set<EntityID>) -> Bool {
        let server = StoreAccount.name(of: configuration.server)
        guard let store, let accounts = try? store.accounts(),
            let account = accounts.first(where: { $0.server == server && (user == nil || $0.user == user) })
        else { return false }
        var writes: [StoreWrite] = []
        for entry in session.pendingActions where ids.contains(entry.action.id) {
            var writer = JSONWriter()
            entry.encode(into: &writer)
            writes.append(.enqueue(id: entry.action.id.description, entry: writer.bytes))
        }
        guard writes.count == ids.count else { return false }
        do {
            try store.commit(writes, of: StoreScope(account), at: Journal(now: .zero).wallStart / 1000)
            return true
        } catch {
            notify(Notice(.error, "\(error)"))
            return false
        }
    }

    private func finish() {
        timer?.cancel()
        completion?.resume(returning: results)
        completion = nil
    }
}

extension HTTPRequest {
    /// A request of JSON, or of nothing, for JSON. What only reads may be sent twice.
    init(_ method: String, _ url: URLParts, body: [UInt8], access: Access, token: Secret?) {
        var headers = [(name: "accept", value: "application/json")]
        if !body.isEmpty { headers.append(("content-type", "application/json")) }
        self.init(method: method, url: url, access: access, headers: headers, bearer: token, body: body)
        isRepeatable = method == "GET"
    }
}

extension Answer {
    /// What came of an exchange.
    init(_ result: Result<HTTPResponse, HTTPFailure>) {
        switch result {
        case .success(let response):
            let retryAfter = response.headers.first { $0.name == "retry-after" }.flatMap { Int($0.value) }
            self = .response(status: response.status, body: response.body[...], retryAfter: retryAfter)
        case .failure(let failure): self = .failure(kind: failure.kind.rawValue, message: failure.message)
        }
    }
}

import WeirEvents
import WeirNetwork
package import WeirPipeline
import WeirRecording
import WeirStore
import WeirThreads
import WeirWire

/// Performs actions by REST and reports the outcome of each. It drives a session without a realtime connection.
///
/// The actor runs on the thread of its own network loop. Call `run()` exactly once: it ends the threads that `init`
/// starts.
package actor ActionRunner {
    /// The executor: the network loop's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let loop: EventLoop
    nonisolated let http: HTTPClient
    let configuration: ActionRunnerConfiguration
    let notify: @Sendable (Notice) -> Void
    nonisolated let store: Store?
    var session: Session
    /// The server's id of the user; `nil` until it is known.
    var user: String?
    private var effects: [Effect] = []
    var access = Access()
    private var services = ServiceTokens()
    var token: Secret?
    private var timer: LoopTimer?
    var wanted: [Action] = []
    /// The actions from the store, which are performed first.
    var waiting: [Action] = []
    /// A copy of the outbox in the store. Stored actions stay in it until they are done.
    var mirror = OutboxMirror()
    /// Whether actions of several steps are stored while they run.
    var keepsRuns = false
    /// The stored rows of an earlier session.
    var memories: [Memory] = []
    var results: [ActionRunnerResult] = []
    private let scrubber = SecretScrubber()
    private var delays = 0
    /// The status of the last response; `nil` if there was none.
    private var status: Int?
    var completion: CheckedContinuation<[ActionRunnerResult], Never>?

    /// Creates an runner. It calls `notify` with notices for the user, on any thread.
    package init(
        _ configuration: ActionRunnerConfiguration, notify: @escaping @Sendable (Notice) -> Void
    ) throws(ActionRunnerError) {
        self.configuration = configuration
        self.notify = notify
        session = Session(configuration.session, seed: configuration.seed)
        do {
            loop = try EventLoop(name: "weir-runner")
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

    /// Performs the actions, in order if they concern the same channel. Returns a result for each, in the order in
    /// which they ended.
    package nonisolated func run(_ actions: [Action]) async -> [ActionRunnerResult] {
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

    private func perform(_ actions: [Action]) async -> [ActionRunnerResult] {
        guard !actions.isEmpty else { return [] }
        guard let filled = withDrafts(actions) else {
            return actions.map { action in
                let why = "no draft for \(action.operation.channel?.description ?? "it")"
                return ActionRunnerResult(action: action, outcome: .refused(why: why, status: nil))
            }
        }
        let named = Action.Place(
            company: configuration.company.map { EntityID($0) }, workspace: configuration.workspace.map { EntityID($0) }
        )
        wanted = filled.map { action in
            var action = action
            action.place = action.place ?? named
            return action
        }
        return await withCheckedContinuation { continuation in
            completion = continuation
            resolve()
        }
    }

    // MARK: Secrets

    private struct Secrets: Sendable {
        var token: Secret?
        var services: ServiceTokens
        var access: Access
    }

    /// Resolves the token on a helper thread, since it may be a command, then begins.
    private func resolve() {
        let (reference, plan, server) = (configuration.token, configuration.access, configuration.server)
        let services = configuration.serviceTokens
        loop.freshen(configuration.tokens) { [loop, weak self] freshness in
            loop.offload(named: "weir-token") {
                Result { () throws(TokenError) in
                    if let problem = freshness.problem { throw TokenError(message: problem) }
                    return Secrets(
                        token: try reference?.resolve(), services: try ServiceTokens(services),
                        access: try plan.resolve(for: server).access)
                }
            } completion: { [weak self] result in
                self?.assumeIsolated { $0.begin(result) }
            }
        }
    }

    private func begin(_ result: Result<Secrets, TokenError>) {
        switch result {
        case .success(let secrets):
            token = secrets.token
            services = secrets.services
            access = secrets.access
            uploadPictures()
        case .failure(let error): endAll(.noToken(error))
        }
    }

    /// Performs the stored actions in order, then the requested ones. A stored action is dropped if a newer one with
    /// its tag is requested.
    func start(behind entries: [OutboxEntry]) {
        let tags = Set(wanted.compactMap { session.tag(of: $0) })
        waiting = entries.filter { $0.failure == nil }.map(\.action)
        let replaced = waiting.filter { session.tag(of: $0).map(tags.contains) ?? false }
        for action in replaced { end(action, .refused(why: "a newer one replaces it", status: nil)) }
        let entries = entries.filter { !replaced.contains($0.action) }
        feed(.start)
        for memory in memories { feed(.remembered(memory)) }
        if !entries.isEmpty { feed(.restoreOutbox(entries)) }
        for action in wanted { feed(.act(action)) }
    }

    private func renewToken() {
        let refused = token
        loop.ask(configuration.tokens, insteadOf: refused) { [weak self] renewed, services, freshness in
            self?.assumeIsolated { runner in
                if let problem = freshness.problem { runner.notify(Notice(.error, problem)) }
                runner.token = renewed ?? refused
                let areOthers = services.map { runner.services != $0 } ?? false
                runner.services = services ?? runner.services
                runner.feed(.tokenRenewed(runner.token, changed: areOthers || runner.token != refused))
            }
        }
    }

    // MARK: The session

    func feed(_ input: Input) {
        guard completion != nil else { return }
        let now = loop.now
        session.advance(to: now, into: &effects)
        // The server's text may be printed, and its rows are stored, so secrets are removed first.
        session.handle(scrubber.scrubbed(input) ?? input, n: 0, at: now, into: &effects)
        perform()
    }

    private func timerFired() {
        timer = nil
        guard completion != nil else { return }
        session.advance(to: loop.now, into: &effects)
        perform()
    }

    private func perform() {
        // The store records a write before it is sent.
        keepWaiting()
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
        keepWaiting()
        rearm()
    }

    private func rearm() {
        timer?.cancel()
        timer = nil
        guard completion != nil, let due = session.deadline else { return }
        timer = loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.timerFired() } }
    }

    private func send(_ request: FetchRequest) {
        let progress = configuration.uploading
        loop.fill(exchange(request.call, token: token), request.call, progress: progress) { [weak self] filled in
            self?.assumeIsolated { $0.send(filled, request.id) }
        }
    }

    /// Cancels all actions, unless one of them may already have reached the server. Calls `decided` with the decision
    /// before the actions end. Any thread.
    package nonisolated func cancel(_ decided: @escaping @Sendable (_ isCancelled: Bool) -> Void) {
        loop.run { self.assumeIsolated { $0.giveUp(decided) } }
    }

    private func giveUp(_ decided: (Bool) -> Void) {
        // An action with files to upload has not been sent yet.
        let isSent = session.pendingActions.contains { $0.attempts > 0 && $0.action.nextUpload == nil }
        let isCancelled = completion != nil && results.isEmpty && !isSent
        decided(isCancelled)
        if isCancelled { endAll(.refused(why: "it was cancelled before it was sent", status: nil)) }
    }

    private func send(_ filled: Result<HTTPRequest, TextFile.Problem>, _ request: Int) {
        switch filled {
        case .success(let exchange):
            http.send(exchange) { [weak self] result in
                self?.assumeIsolated { runner in
                    runner.status = (try? result.get())?.status
                    runner.feed(.answered(request: request, Answer(result)))
                }
            }
        case .failure(let problem): feed(.answered(request: request, Answer(problem)))
        }
    }

    /// Returns the HTTP request of a call.
    func exchange(_ call: RESTCall, token: Secret?) -> HTTPRequest {
        HTTPRequest(
            call, of: configuration.backend, at: configuration.service, access: access, token: token, services: services
        )
    }

    private func take(_ report: Report) {
        switch report {
        case .action(let action): take(action)
        case .notice(let notice): notify(notice.dated(at: MachineClock.wall))
        case .undecodable(let failure):
            notify(Notice(.warning, "the answer of \(failure.subject) cannot be read: \(failure.message)"))
        case .diff(let diff): keepRows(diff.batch)
        case .event, .gap, .connection, .room, .emit, .refetch, .typing: break
        }
    }

    private func take(_ report: ActionReport) {
        switch report.change {
        case .queued, .sending: break
        case .done(let subject): end(report.action, .done(subject: subject))
        case .refused(let why, let status): end(report.action, .refused(why: why, status: status))
        case .dropped: end(report.action, .refused(why: "it was withdrawn", status: nil))
        case .delayed(let why, _):
            delays += 1
            if delays >= configuration.maximumAttempts { endAll(.unreachable(why: why)) }
        }
    }

    private func end(_ action: Action, _ outcome: ActionRunnerResult.Outcome) {
        let hadWaited = waiting.contains { $0.id == action.id }
        var result = ActionRunnerResult(action: action, outcome: outcome, status: status, hadWaited: hadWaited)
        if !hadWaited { note(&result) }
        results.append(result)
        if results.count == wanted.count + waiting.count { finish() }
    }

    /// Ends every remaining action with this outcome. With `keeps`, actions that could not be performed wait in the
    /// store.
    func endAll(_ outcome: ActionRunnerResult.Outcome, keeps: Bool = true) {
        let ended = Set(results.map(\.action.id))
        let left = wanted.filter { !ended.contains($0.id) }
        var outcome = outcome
        // They are queued after the actions that wait already.
        switch outcome {
        case .unreachable(let why), .waiting(let why):
            outcome = keeps && keep(left) ? .waiting(why: why) : .unreachable(why: why)
        case .done, .refused, .noToken: break
        }
        for action in left {
            var result = ActionRunnerResult(action: action, outcome: outcome, status: status)
            note(&result)
            results.append(result)
        }
        finish()
    }

    private func finish() {
        timer?.cancel()
        completion?.resume(returning: results)
        completion = nil
    }
}

extension URLParts {
    /// Returns the address of the REST service that belongs to this server.
    func service(of backend: Configuration.BackendKind) -> URLParts {
        var service = with(scheme: isSecure ? "https" : "http", target: "/")
        service.host = backend.serviceHost(for: host)
        return service
    }
}

extension HTTPRequest {
    /// Creates a request whose body has the given media type, or is empty. A GET request may be sent twice. The token
    /// is sent in the header `tokenHeader`, or as a bearer token if that is `nil`.
    init(
        _ method: String, _ url: URLParts, body: [UInt8] = [], as type: String = "application/json",
        for wanted: String = "application/json", access: Access, token: Secret?, in tokenHeader: String? = nil
    ) {
        var headers = [(name: "accept", value: wanted)]
        if !body.isEmpty { headers.append(("content-type", type)) }
        if let tokenHeader, let token { headers.append((tokenHeader, token.reveal())) }
        self.init(
            method: method, url: url, access: access, headers: headers, bearer: tokenHeader == nil ? token : nil,
            body: body)
        isRepeatable = method == "GET"
    }
}

extension Answer {
    /// Creates the session's input for the result of a request.
    init(_ result: Result<HTTPResponse, HTTPFailure>) {
        switch result {
        case .success(let response):
            self = .response(
                status: response.status, body: response.body[...], retryAfter: retryAfter(in: response.headers))
        case .failure(let failure): self = .failure(kind: failure.kind.rawValue, message: failure.message)
        }
    }
}

// Pictures are uploaded before the messages and groups that contain them are sent: the session receives only their
// addresses.
extension ActionRunner {
    /// Uploads the pictures one after the other, then performs the actions.
    func uploadPictures(from index: Int = 0) {
        guard configuration.pictures.indices.contains(index) else { return lookForWaiting() }
        guard let service = configuration.backend.module.pictures else {
            let why = "the picture was not uploaded: \(configuration.backend.rawValue) does not support pictures"
            return endAll(.refused(why: why, status: nil), keeps: false)
        }
        let picture = configuration.pictures[index]
        var host = configuration.service
        host.host = service.host(host.host)
        var request = HTTPRequest(
            "POST", host.with(target: service.target), body: picture.bytes, as: picture.type, access: access,
            token: token, in: configuration.backend.tokenHeader)
        // Uploading a picture twice does no harm: the message contains only one address.
        (request.timeout, request.isRepeatable) = (.seconds(120), true)
        http.send(request) { [weak self] result in
            self?.assumeIsolated { $0.uploaded(index, result) }
        }
    }

    /// Attaches an uploaded picture and continues. If the upload failed, the message or group is neither sent nor
    /// stored for later.
    private func uploaded(_ index: Int, _ result: Result<HTTPResponse, HTTPFailure>) {
        let what = "the picture was not uploaded: "
        switch result {
        case .failure(let failure): endAll(.unreachable(why: what + failure.message), keeps: false)
        case .success(let response) where response.status == 429 || response.status >= 500:
            endAll(.unreachable(why: what + "HTTP status \(response.status)"), keeps: false)
        case .success(let response):
            guard (200..<300).contains(response.status) else {
                return endAll(.refused(why: what + "the image service refused it", status: response.status))
            }
            guard let address = configuration.backend.module.pictures?.address(response.body[...]) else {
                return endAll(.refused(why: what + "the answer contains no address", status: response.status))
            }
            for action in wanted.indices { wanted[action].attach(address) }
            uploadPictures(from: index + 1)
        }
    }
}

import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// A check that tries a server step by step, in the way a tail reaches it, and reports the result of each step.
package enum ServerCheck {
    /// The steps, in the order in which they are tried.
    package enum Step: String, CaseIterable, Sendable {
        case resolve, connect, tls, handshake, authentication, rooms, clock
    }

    /// The result of a step.
    package enum Outcome: Hashable, Sendable {
        /// The step succeeded, with a short detail. Untrusted text.
        case passed(String)
        /// The step failed. Untrusted text.
        case failed(Failure, String)
        /// The step does not apply to this server, or was not tried after a failure.
        case skipped(String)
    }

    /// The category of a failure.
    package enum Failure: String, Hashable, Sendable {
        /// The server cannot be reached, or does not speak the expected protocol.
        case unreachable
        /// The server refuses: the token or its rights are insufficient.
        case refused
        /// An expected answer did not arrive in time.
        case late
        /// The clocks differ by more than `clockTolerance`.
        case clock
    }

    /// One step's line in the report.
    package struct Result: Sendable {
        /// The step that was tried.
        package var step: Step
        /// The result of the step.
        package var outcome: Outcome
        /// The duration of the step.
        package var duration: Duration
    }

    /// The largest accepted difference between the clocks.
    package static let clockTolerance: Duration = .seconds(30)

    /// Tries every step, and calls `telling` as each ends. The steps after a failure are skipped. The configuration's
    /// limits, recording, store and control socket are ignored.
    ///
    /// - Parameter wallClock: Returns the current time, in milliseconds since 1970.
    package static func run(
        _ configuration: TailConfiguration, wallClock: @escaping @Sendable () -> Int64,
        telling: (Result) -> Void
    ) async {
        var run = ServerCheckRun(configuration, wallClock)
        var hasFailed = false
        for step in Step.allCases {
            let start = ContinuousClock.now
            let outcome = hasFailed ? .skipped("not tried") : await run.perform(step)
            if case .failed = outcome { hasFailed = true }
            telling(Result(step: step, outcome: outcome, duration: run.measured[step] ?? start.duration(to: .now)))
        }
        await run.close()
    }
}

/// The steps of one check, and what they found.
struct ServerCheckRun {
    private let configuration: TailConfiguration
    private let wallClock: @Sendable () -> Int64
    /// The addresses of the server or its proxy, from the step `resolve`.
    private var addresses: [String] = []
    /// The server's Date and the wall clock at its arrival, in milliseconds since 1970.
    private var dated: (server: Int64, mine: Int64)?
    /// The state of the tail at the end of the step `handshake`.
    private var tail: CheckOutlet.Seen?
    /// The durations of steps that run as part of another one.
    private(set) var measured: [ServerCheck.Step: Duration] = [:]
    private var service: AccountService?

    /// The time limits for connecting and for joining the rooms.
    private static let patience: Duration = .seconds(5), roomPatience: Duration = .seconds(10)
    /// The time without a change after which the rooms count as settled.
    private static let quiet: Duration = .milliseconds(400)

    init(_ configuration: TailConfiguration, _ wallClock: @escaping @Sendable () -> Int64) {
        self.configuration = configuration
        self.wallClock = wallClock
    }

    func close() async { await service?.close() }

    mutating func perform(_ step: ServerCheck.Step) async -> ServerCheck.Outcome {
        switch step {
        case .resolve: await resolve()
        case .connect: await connect()
        case .tls: await shakeHandsSecurely()
        case .handshake: await shakeHands()
        case .authentication: authentication()
        case .rooms: rooms()
        case .clock: clock()
        }
    }

    /// The host and port of the first connection: those of the proxy, if there is one.
    private var target: (host: String, port: UInt16, words: String) {
        if let proxy = (try? configuration.access.proxy(for: configuration.server)) ?? nil {
            return (proxy.host, proxy.port, "the proxy ")
        }
        return (configuration.server.host, configuration.server.port, "")
    }

    private mutating func resolve() async -> ServerCheck.Outcome {
        let (host, _, words) = target
        let result = await onThread {
            Result { () throws(NetworkProbe.Problem) in try NetworkProbe.addresses(of: host) }
        }
        switch result {
        case .success(let found):
            addresses = found
            return .passed(words + host + " is " + found.joined(separator: ", "))
        case .failure(let problem): return .failed(.unreachable, words + host + ": " + problem.message)
        }
    }

    private func connect() async -> ServerCheck.Outcome {
        let (_, port, words) = target
        let addresses = addresses
        let result = await onThread {
            Result { () throws(NetworkProbe.Problem) in
                try NetworkProbe.connect(to: addresses, port: port, patience: Self.patience)
            }
        }
        switch result {
        case .success(let address): return .passed("\(words)\(address) port \(port)")
        case .failure(let problem): return .failed(.unreachable, "\(words)port \(port): \(problem.message)")
        }
    }

    /// Sends one request. It needs the TLS handshake, if the server uses TLS, and its response may contain a date.
    private mutating func shakeHandsSecurely() async -> ServerCheck.Outcome {
        let isSecure = configuration.server.isSecure
        do throws(AccountService.Failure) {
            let service = try makeService()
            let result = try await service.probe()
            switch result {
            case .success(let response):
                let date = response.headers.first { $0.name.lowercased() == "date" }?.value
                dated = date.flatMap(HTTPDate.milliseconds).map { ($0, wallClock()) }
                return isSecure ? .passed("the certificate is trusted") : .skipped("not needed: http")
            case .failure(let failure):
                let isAboutTLS = failure.kind == .tls || failure.kind == .proxy
                if isAboutTLS { return .failed(.unreachable, failure.message) }
                return isSecure ? .passed("the certificate is trusted") : .skipped("not needed: http")
            }
        } catch {
            return Self.failure(error)
        }
    }

    private mutating func makeService() throws(AccountService.Failure) -> AccountService {
        do {
            let made = try AccountService(configuration.server, configuration.access)
            service = made
            return made
        } catch {
            throw .unreachable(why: "\(error)")
        }
    }

    private static func failure(_ failure: AccountService.Failure) -> ServerCheck.Outcome {
        switch failure {
        case .refused(let why, let status): .failed(.refused, "\(why) (HTTP \(status))")
        case .unreachable(let why), .unsupported(let why): .failed(.unreachable, why)
        case .noSecret(let error): .failed(.refused, error.message)
        case .missing(let why): .failed(.refused, why)
        }
    }

    /// Runs a tail that connects, authenticates and joins. The later steps read what it reported.
    private mutating func shakeHands() async -> ServerCheck.Outcome {
        var plan = TailConfiguration(
            server: configuration.server, session: configuration.session, token: configuration.token,
            seed: configuration.seed, tool: configuration.tool)
        plan.session.maximumAttempts = 1
        plan.access = configuration.access
        (plan.auth, plan.query) = (configuration.auth, configuration.query)
        plan.framing = configuration.framing
        plan.duration = Self.roomPatience
        let seen: CheckOutlet.Seen
        let summary: TailSummary
        do {
            (summary, seen) = try await watch(plan)
        } catch {
            return .failed(.unreachable, "\(error)")
        }
        tail = seen
        if let start = seen.connecting, let ready = seen.ready { measured[.handshake] = ready - start }
        if let ready = seen.ready, let settled = seen.changed { measured[.rooms] = settled - ready }
        measured[.authentication] = .zero
        switch summary.outcome {
        case .cannotConnect(let failure), .gaveUp(_, let failure):
            if failure.phase != .proxy, failure.httpStatus == 401 || failure.httpStatus == 403 {
                tail?.refusal = failure.message
                return .passed("the server answers")
            }
            return .failed(.unreachable, "(\(failure.phase.rawValue)) \(failure.message)")
        case .refused(let why):
            tail?.refusal = why
            return .passed("the server answers")
        case .limitReached, .timedOut, .outputClosed, .interrupted, .cannotWrite, .fencedOff, .mismatch, .notFound,
            .noPlace:
            guard let spoken = seen.spoken else { return .failed(.late, "no answer in time") }
            return .passed("\(spoken), \(configuration.session.backend.rawValue)")
        }
    }

    /// Runs a tail until its rooms have settled.
    private func watch(_ plan: TailConfiguration) async throws -> (TailSummary, CheckOutlet.Seen) {
        let outlet = CheckOutlet()
        let tail = Tail(plan, outlets: [outlet])
        let needsRooms = plan.session.backend.module.hasPlaces
        let watcher = Task {
            var before = -1
            while !Task.isCancelled {
                try await Task.sleep(for: Self.quiet)
                let seen = outlet.seen
                guard seen.ready != nil, seen.pending.isEmpty, !needsRooms || seen.changes > 0 else { continue }
                if seen.changes == before { return tail.stop() }
                before = seen.changes
            }
        }
        let summary = try await tail.run()
        watcher.cancel()
        return (summary, outlet.seen)
    }

    private func authentication() -> ServerCheck.Outcome {
        if let why = tail?.refusal { return .failed(.refused, why) }
        return .passed(configuration.token == nil ? "no token required" : "the token is accepted")
    }

    private func rooms() -> ServerCheck.Outcome {
        guard let tail else { return .skipped("not tried") }
        if let (room, why) = tail.refused.first {
            let more = tail.refused.count > 1 ? " and \(tail.refused.count - 1) more" : ""
            return .failed(.refused, "\(room) refused" + (why.map { ": \($0)" } ?? "") + more)
        }
        guard tail.pending.isEmpty else { return .failed(.late, "\(tail.pending.count) rooms were not joined in time") }
        return tail.joined == 0 ? .skipped("no rooms requested") : .passed("\(tail.joined) joined")
    }

    private func clock() -> ServerCheck.Outcome {
        guard let dated else { return .skipped("the server sends no time") }
        // A date has whole seconds, so half a second is added as the expected remainder.
        let offset = dated.server + 500 - dated.mine
        let seconds = (abs(offset) + 500) / 1000
        let words = seconds == 0 ? "the same" : "the server's clock is \(seconds) s \(offset > 0 ? "ahead" : "behind")"
        return Duration.milliseconds(abs(offset)) > ServerCheck.clockTolerance ? .failed(.clock, words) : .passed(words)
    }
}

/// Observes how far a tail gets with its connection and its rooms.
final class CheckOutlet: Outlet {
    /// The observed state of a tail.
    struct Seen {
        var connecting: Moment?
        var ready: Moment?
        var spoken: RealtimeProtocol?
        /// When a room was last wanted, joined, refused or left.
        var changed: Moment?
        var pending: Set<String> = []
        var joined = 0
        var refused: [(room: String, why: String?)] = []
        /// Why the server refuses the token; `nil` if it does not.
        var refusal: String?
        /// The number of room changes, for detecting when the rooms have settled.
        var changes = 0
    }

    private let state = Monitor(Seen())

    var seen: Seen { state.change { $0 } }

    func write(_ reports: [StampedReport]) throws(OutletError) {
        state.change { seen in
            for report in reports { Self.note(report, in: &seen) }
        }
    }

    func finish() throws(OutletError) {}

    private static func note(_ stamped: StampedReport, in seen: inout Seen) {
        let time = stamped.stamp.time
        switch stamped.report {
        case .connection(.connecting): seen.connecting = seen.connecting ?? time
        case .connection(.ready(let spoken)): (seen.ready, seen.spoken) = (time, spoken)
        case .room(let room):
            seen.changed = time
            seen.changes += 1
            switch room.change {
            case .wanted, .joining: seen.pending.insert(room.room)
            case .joined:
                seen.pending.remove(room.room)
                seen.joined += 1
            case .refused, .lost:
                seen.pending.remove(room.room)
                seen.refused.append((room.room, room.why))
            case .leaving, .left: seen.pending.remove(room.room)
            case .found: break
            }
        default: break
        }
    }
}

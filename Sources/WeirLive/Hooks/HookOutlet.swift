import Glibc
package import WeirNetwork
package import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirThreads
package import WeirWire

/// An action to perform for certain reports.
package struct ReportHook: Sendable {
    /// The action of a hook.
    package enum Action: Hashable, Sendable {
        /// Run a program, given by its words and without a shell. Its standard input is the report's object in
        /// `--format json`. Its environment is `PATH`, `HOME`, `WEIR_N` (the record's number) and `WEIR_TYPE`: it
        /// contains no text from a peer.
        case command([String])
        /// Post the report's object to this URL.
        case forward(URLParts)
    }

    /// The filter for reports; `nil` for every event.
    package var filter: Filter?
    /// The action to perform for a matching report.
    package var action: Action
    /// Creates a hook for reports that match a filter.
    package init(_ filter: Filter?, _ action: Action) {
        self.filter = filter
        self.action = action
    }
}

/// The counts of a hook outlet's actions, by outcome.
package struct HookFigures: Hashable, Sendable {
    /// The number of actions that succeeded.
    package var done = 0
    /// The number of programs that exited with a status other than 0, and of posts that the receiver rejected.
    /// Redirections are not followed.
    package var failed = 0
    /// The number of programs that exceeded the time limit and were killed.
    package var timedOut = 0
    /// The number of programs that still ran at the end and were killed.
    package var killed = 0
    /// The number of actions dropped because the queue was full.
    package var dropped = 0
    /// The number of reports that the receiver has not accepted.
    package var notForwarded = 0
    /// The number of the first such report, and the reason.
    package var firstNotForwarded: String?

    /// The names in filters that no event contained, one line each.
    package var absent: [String] = []

    /// Creates figures with all counts at zero.
    package init() {}

    /// A one-line summary for the end; `nil` if there were no actions.
    package var line: String? {
        guard done + failed + timedOut + killed + dropped + notForwarded > 0 else { return nil }
        var parts = ["hooks: \(done) done"]
        if failed > 0 { parts.append("\(failed) failed") }
        if timedOut > 0 { parts.append("\(timedOut) timed out") }
        if killed > 0 { parts.append("\(killed) killed at the end") }
        if dropped > 0 { parts.append("\(dropped) dropped, since too many were waiting") }
        if let firstNotForwarded {
            parts.append("\(notForwarded) not accepted by the receiver of --forward, the first \(firstNotForwarded)")
        }
        return parts.joined(separator: ", ")
    }
}

/// Performs hooks: runs programs, rings the terminal, forwards reports. It never delays the output. The queue is
/// bounded and a few threads work on it; actions that do not fit are dropped and counted.
package final class HookOutlet: Outlet {
    private struct Job: Sendable {
        var words: [String]
        var input: [UInt8]
        var variables: [String]
        /// The notification to show or remove on the desktop; `nil` for other jobs. Its command is determined when the
        /// job runs.
        var shown: NotificationBook.Change?
        /// Whether the job is a notification. Notifications run one after the other, so that each is raised before it
        /// is cleared.
        var isNotification = false
    }

    /// A report that is being forwarded to a receiver.
    private struct Post: Sendable {
        /// The number of the post, counted from 1. Several posts can have the same record number.
        let id: Int
        var n: Int
        var url: URLParts
        var object: [UInt8]
        var isUnderWay = false
        /// Why the receiver did not accept the last attempt.
        var problem: String?
    }

    private struct State {
        let hooks: [ReportHook]
        /// The judges of the hooks' filters; `nil` for a hook without a filter.
        var judges: [FilterJudge?]
        var book: NotificationBook?
        var desktop = DesktopNotifications()
        var isNotifying = false
        var envelopes = EnvelopePrinting()
        var waiting: [Job] = []
        /// The size of the waiting jobs, in bytes.
        var waitingBytes = 0
        var running = 0
        /// The reports to forward that are not accepted yet, in order.
        var posts: [Post] = []
        /// The number of posts so far.
        var posted = 0
        /// The size of those reports, in bytes.
        var postBytes = 0
        /// The number of consecutive failures of the receiver. After the first one, only one post at a time is sent, to
        /// test whether it is back.
        var failures = 0
        /// Whether the back-off after a failure is in progress.
        var isResting = false
        var hasEnded = false
        var figures = HookFigures()

        var random = SystemRandomNumberGenerator()
        var rung = Moment(microseconds: .min / 2)

        /// Returns the next post to send, or `nil` if none may be sent now.
        mutating func nextPost() -> Post? {
            guard !isResting, !hasEnded,
                posts.count(where: \.isUnderWay) < (failures == 0 ? HookOutlet.mostUnderWay : 1),
                let place = posts.firstIndex(where: { !$0.isUnderWay })
            else { return nil }
            posts[place].isUnderWay = true
            return posts[place]
        }

        /// Counts a report that the receiver has not accepted.
        mutating func missForward(_ n: Int, _ why: String) {
            figures.notForwarded += 1
            figures.firstNotForwarded = figures.firstNotForwarded ?? "#\(n): \(why)"
        }
    }

    private static let mostRunning = 4
    private static let mostWaiting = 256
    private static let mostPosts = 1024
    private static let mostUnderWay = 8

    private let state: Monitor<State>
    private let means: NotificationPlan.Means?
    private let timeout: Int64
    private let farewell: Duration
    private let pauses: Backoff
    private let access: Access
    private let loop: EventLoop?
    private let http: HTTPClient?
    private let tell: @Sendable (String) -> Void

    /// Creates an outlet that performs the hooks, and notifies the user by the plan.
    ///
    /// - Parameters:
    ///   - timeout: The time limit of a program or a post.
    ///   - farewell: How long `finish()` waits for running jobs.
    ///   - pauses: The back-off of a receiver that fails.
    ///   - tell: A callback for the status and latency of forwarded reports, on any thread.
    package init(
        _ hooks: [ReportHook], notifying plan: NotificationPlan? = nil, timeout: Duration = .seconds(10),
        farewell: Duration = .seconds(3), pauses: Backoff = Backoff(base: .milliseconds(500), cap: .seconds(30)),
        access: Access = Access(),
        tell: @escaping @Sendable (String) -> Void
    ) throws(NetworkError) {
        means = plan?.means
        self.timeout = timeout.microseconds
        self.farewell = farewell
        self.pauses = pauses
        self.access = access
        self.tell = tell
        let forwards = hooks.contains { if case .forward = $0.action { true } else { false } }
        loop = forwards ? try EventLoop(name: "weir-forward") : nil
        http = try loop.map { loop throws(NetworkError) in try HTTPClient(answeringOn: loop) }
        state = Monitor(
            State(
                hooks: hooks, judges: hooks.map { $0.filter.map { FilterJudge($0) } },
                book: plan.map { NotificationBook($0.rules) }))
        let isRunning = hooks.contains { if case .command = $0.action { true } else { false } }
        guard isRunning || means.map({ $0 != .terminal }) ?? false else { return }
        for _ in 0..<Self.mostRunning {
            runOnThread(named: "weir-hook") { [state] in Self.work(state, timeout.microseconds) }
        }
    }

    /// The counts of the actions so far.
    package var figures: HookFigures { state.change { $0.figures } }

    /// The part of a replay in which nothing is reported twice, so that no hook runs twice.
    package var replayPart: ReplayPart { .shownOnce }

    /// Checks the reports, and queues the actions they cause.
    package func write(_ reports: [StampedReport]) throws(OutletError) {
        for report in reports {
            // Rows from an earlier session are not new.
            if case .diff(let diff) = report.report, diff.isRecalled { continue }
            let actions = state.change { state -> [(ReportHook.Action, [UInt8])] in
                if state.hooks.isEmpty { return [] }
                let object = state.envelopes.bytes(of: [report], [ViewMark()])
                var actions: [(ReportHook.Action, [UInt8])] = []
                for (index, hook) in state.hooks.enumerated() {
                    var isMeant = state.judges[index]?.matches(report) ?? Self.isEvent(report)
                    if case .forward = hook.action { isMeant = isMeant && Self.isEvent(report) }
                    if isMeant, !object.isEmpty { actions.append((hook.action, object)) }
                }
                return actions
            }
            for (action, object) in actions { perform(action, report, object) }
            for change in state.change({ $0.book?.changes(by: report) ?? [] }) { notify(change, report) }
        }
    }

    /// Waits a moment for the running jobs to end. Programs that still run then are killed.
    package func finish() throws(OutletError) {
        let end = MachineClock.monotonic + farewell
        while MachineClock.monotonic < end,
            state.change({ !$0.waiting.isEmpty || $0.running > 0 || !$0.posts.isEmpty })
        {
            usleep(5_000)
        }
        state.change { state in
            state.hasEnded = true
            state.figures.dropped += state.waiting.count
            state.waiting = []
            for judge in state.judges { state.figures.absent += judge?.tally.absent ?? [] }
            state.figures.absent += state.book?.absent ?? []
            for post in state.posts { state.missForward(post.n, post.problem ?? "no answer before the end") }
        }
        state.wait { $0.running == 0 ? () : nil }
        http?.shutDown()
        loop?.shutDown()
    }

    private static func isEvent(_ report: StampedReport) -> Bool {
        if case .event = report.report { true } else { false }
    }

    private func perform(_ action: ReportHook.Action, _ report: StampedReport, _ object: [UInt8]) {
        switch action {
        case .command(let words):
            add(
                Job(
                    words: words, input: object,
                    variables: Self.variables() + [
                        "WEIR_N=\(report.stamp.n)", "WEIR_TYPE=\(report.report.typeName)",
                    ]))
        case .forward(let url): forward(object, to: url, report.stamp.n)
        }
    }

    private static func variables(_ more: [String] = []) -> [String] {
        (["PATH", "HOME"] + more).compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    }

    private func add(_ job: Job) {
        state.change { state in
            if state.waiting.count < Self.mostWaiting, state.waitingBytes < Limits.waiting {
                state.waiting.append(job)
                state.waitingBytes += job.input.count
            } else {
                state.figures.dropped += 1
            }
        }
    }

    /// Runs the waiting jobs until the outlet ends.
    private static func work(_ state: Monitor<State>, _ timeout: Int64) {
        while true {
            let next = state.wait { state -> Job?? in
                if state.hasEnded { return .some(nil) }
                guard let next = state.waiting.firstIndex(where: { !$0.isNotification || !state.isNotifying })
                else { return nil }
                state.running += 1
                let job = state.waiting.remove(at: next)
                if job.isNotification { state.isNotifying = true }
                state.waitingBytes -= job.input.count
                return .some(job)
            }
            guard let job = next else { return }
            let isWanted = { state.look { !$0.hasEnded } }
            let outcome =
                job.shown.map { show($0, job, state, timeout, while: isWanted) } ?? run(job, timeout, while: isWanted)
            state.change { state in
                state.running -= 1
                if job.isNotification { state.isNotifying = false }
                switch outcome {
                case .ended(0): state.figures.done += 1
                case .ended, nil: state.figures.failed += 1
                case .timedOut: state.figures.timedOut += 1
                case .unwanted: state.figures.killed += 1
                }
            }
        }
    }

    /// Runs a program with the job's input on standard input, and waits for its end. Returns `nil` if it cannot be
    /// started. Its output goes to standard error by default, because standard output is for events.
    private static func run(
        _ job: Job, printingTo output: Int32 = STDERR_FILENO, _ timeout: Int64, while isWanted: () -> Bool
    ) -> ChildProgram.Ending? {
        guard let file = tmpfile() else { return nil }
        defer { fclose(file) }
        // A file instead of a pipe: a program that does not read its input cannot block this thread.
        guard fwrite(job.input, 1, job.input.count, file) == job.input.count, fflush(file) == 0 else { return nil }
        rewind(file)
        let program = ChildProgram(
            job.words, input: fileno(file), output: output, variables: job.variables, leadsGroup: true)
        return program?.end(by: MachineClock.monotonic + .microseconds(timeout), while: isWanted)
    }

    /// Shows a notification on the desktop, or removes it. The command is repeated without ids if notify-send does not
    /// support them.
    private static func show(
        _ change: NotificationBook.Change, _ job: Job, _ state: Monitor<State>, _ timeout: Int64,
        while isWanted: () -> Bool
    ) -> ChildProgram.Ending? {
        var job = job
        var outcome: ChildProgram.Ending?
        while let words = state.change({ $0.desktop.words(for: change) }) {
            job.words = words
            guard let printed = tmpfile() else { return nil }
            defer { fclose(printed) }
            outcome = run(job, printingTo: fileno(printed), timeout, while: isWanted)
            rewind(printed)
            var text: [UInt8] = []
            while text.count < 20, case let byte = fgetc(printed), byte != EOF { text.append(UInt8(byte)) }
            let isWell = outcome == .ended(0)
            guard state.change({ $0.desktop.ended(isWell, printing: text, change) }) else { return outcome }
        }
        return outcome ?? .ended(0)
    }

    /// Notifies the user of a raised or cleared notification. The terminal is rung at most once a second, and only if
    /// standard error is one.
    private func notify(_ change: NotificationBook.Change, _ report: StampedReport) {
        switch means {
        case nil: break
        case .desktop:
            let variables = Self.variables(DesktopNotifications.variables)
            add(Job(words: [], input: [], variables: variables, shown: change, isNotification: true))
        case .command(let words):
            let variables = Self.variables() + ["WEIR_N=\(report.stamp.n)", "WEIR_TYPE=notification"]
            let input = change.notification.json(state: change.name)
            add(Job(words: words, input: input, variables: variables, isNotification: true))
        case .terminal:
            guard case .raised(let notification) = change, isatty(2) == 1 else { return }
            let now = MachineClock.monotonic
            let isDue = state.change { state -> Bool in
                guard now - state.rung >= .seconds(1) else { return false }
                state.rung = now
                state.figures.done += 1
                return true
            }
            if isDue { try? DescriptorWriter(descriptor: 2, name: "the terminal").write(notification.bell) }
        }
    }

    private func forward(_ object: [UInt8], to url: URLParts, _ n: Int) {
        state.change { state in
            guard state.posts.count < Self.mostPosts, state.postBytes < Limits.waiting else {
                return state.missForward(n, "too many were waiting")
            }
            state.posted += 1
            state.posts.append(Post(id: state.posted, n: n, url: url, object: object))
            state.postBytes += object.count
        }
        post()
    }

    /// Sends the posts that may be sent now. An unreachable or overloaded receiver is tried again, with growing pauses.
    private func post() {
        while let post = state.change({ $0.nextPost() }), let http {
            let began = MachineClock.monotonic
            let request = HTTPRequest(
                method: "POST", url: post.url, access: access, headers: [("Content-Type", "application/json")],
                body: post.object, timeout: .microseconds(timeout), maximumBody: 1 << 20)
            _ = http.send(request) { [weak self] result in self?.end(post, result, began) }
        }
    }

    private func end(_ post: Post, _ result: Result<HTTPResponse, HTTPFailure>, _ began: Moment) {
        let span = TimeText.span(milliseconds: (MachineClock.monotonic - began).microseconds / 1000)
        let (words, isGood, isOver): (String, Bool, Bool) =
            switch result {
            case .success(let answer):
                (
                    "\(answer.status)", (200..<300).contains(answer.status),
                    answer.status < 500 && answer.status != 429 && answer.status != 408
                )
            case .failure(let failure): (failure.message, false, false)
            }
        let pause = state.change { state -> Duration? in
            // A post without an answer at the end is counted already.
            guard !state.hasEnded, let place = state.posts.firstIndex(where: { $0.id == post.id && $0.isUnderWay })
            else { return nil }
            guard isOver else {
                state.posts[place].isUnderWay = false
                state.posts[place].problem = words
                if state.isResting { return nil }
                state.failures += 1
                state.isResting = true
                return pauses.delay(afterFailures: state.failures, using: &state.random)
            }
            state.failures = 0
            state.postBytes -= state.posts.remove(at: place).object.count
            if isGood {
                state.figures.done += 1
            } else {
                state.figures.failed += 1
                state.missForward(post.n, words)
            }
            return nil
        }
        if let pause {
            tell(
                "not forwarded yet: #\(post.n)  \(words); again in \(TimeText.span(milliseconds: pause.microseconds / 1000))"
            )
            guard let loop else { return }
            _ = loop.schedule(at: loop.now + pause) { [weak self] in
                self?.state.change { $0.isResting = false }
                self?.post()
            }
        } else if isOver {
            tell("forwarded #\(post.n)  \(words) in \(span)")
        }
        self.post()
    }
}

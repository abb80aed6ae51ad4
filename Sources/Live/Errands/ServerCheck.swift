/// A check that tries a server step by step, in the way a tail reaches it, and reports the result of each step.
public enum ServerCheck {
    /// The steps, in the order in which they are tried.
    public enum Step: String, CaseIterable, Sendable {
        case resolve, connect, tls, handshake, authentication, rooms, clock
    }

    /// The result of a step.
    public enum Outcome: Hashable, Sendable {
        /// The step succeeded, with a short detail. Untrusted text.
        case passed(String)
        /// The step failed. Untrusted text.
        case failed(Failure, String)
        /// The step does not apply to this server, or was not tried after a failure.
        case skipped(String)
    }

    /// The category of a failure.
    public enum Failure: String, Hashable, Sendable {
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
    public struct Result: Sendable {
        /// The step that was tried.
        public var step: Step
        /// The result of the step.
        public var outcome: Outcome
        /// The duration of the step.
        public var duration: Duration
    }

    /// The largest accepted difference between the clocks.
    public static let clockTolerance: Duration = .seconds(30)

    /// Tries every step, and calls `telling` as each ends. The steps after a failure are skipped. The configuration's
    /// limits, recording, store and control socket are ignored.
    ///
    /// - Parameter wallClock: Returns the current time, in milliseconds since 1970.
    public static func run(
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

/// Tries a server step by step, as a tail would reach it, and tells what each step came to.
public enum ServerCheck {
    /// What is tried, in this order.
    public enum Step: String, CaseIterable, Sendable {
        case resolve, connect, tls, handshake, authentication, rooms, clock
    }

    /// What came of a step.
    public enum Outcome: Hashable, Sendable {
        /// It went well; a few words about it. Untrusted text.
        case passed(String)
        /// It failed. Untrusted text.
        case failed(Failure, String)
        /// It is not for this server, or could not be tried after a failure.
        case skipped(String)
    }

    /// What a failure means for who asked.
    public enum Failure: String, Hashable, Sendable {
        /// The server cannot be reached, or does not speak as it should.
        case unreachable
        /// The server refuses: the token or the rights do not suffice.
        case refused
        /// What was expected did not come in time.
        case late
        /// The clocks are too far apart.
        case clock
    }

    /// One line of the result.
    public struct Result: Sendable {
        /// The step.
        public var step: Step
        /// What came of it.
        public var outcome: Outcome
        /// How long it took.
        public var duration: Duration
    }

    /// Clocks may be this far apart.
    public static let clockTolerance: Duration = .seconds(30)

    /// Tries every step and tells each as it ends. What follows a failure is skipped. The configuration's limits, recording, store and
    /// control socket are left out.
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

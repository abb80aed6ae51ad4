import Glibc
import Live
import Wire

/// The end of a run: the exit code, and a sentence if the code alone is not enough. The sentence may contain a peer's
/// text.
struct Ending {
    var code: ExitCode
    var words: String?
    /// Whether a summary of the run makes sense.
    var hasSummary = true

    init(_ summary: TailSummary) {
        switch summary.outcome {
        case .limitReached: (code, words) = (summary.hasLoss ? .loss : .done, summary.verdict)
        case .timedOut: (code, words) = (.timeout, "timed out before the expected events arrived")
        case .outputClosed: code = .done
        case .interrupted(let signal): code = ExitCode(endedBy: signal)
        case .refused(let reason): (code, words) = (.refused, "refused: " + reason)
        case .cannotConnect(let failure):
            (code, words) = Ending.of(failure, "cannot connect")
            hasSummary = false
        case .gaveUp(let attempts, let failure):
            let prefix = attempts == 0 ? "not reconnecting" : "gave up after \(attempts) attempts"
            (code, words) = Ending.of(failure, prefix)
        case .noPlace(let reason): (code, words) = (.runtimeError, reason)
        case .notFound(let reason): (code, words) = (.timeout, reason)
        case .mismatch(let reason): (code, words) = (.mismatch, "mismatch: " + reason)
        case .fencedOff(let why): (code, words) = (.runtimeError, why)
        case .cannotWrite(let error): (code, words) = (.cannotWrite, error.words)
        }
        // Output that is missing matters more than any other outcome.
        guard !summary.unwritten.isEmpty else { return }
        code = .cannotWrite
        words = ([words].compactMap(\.self) + summary.unwritten.map(\.words)).joined(separator: "; ")
    }

    /// Applies `--fail-on` to a run that ended well. If `toleratesLoss` is true, loss counts as a good end.
    mutating func judge(_ summary: Summary, by failures: [FailureCause], toleratesLoss: Bool) {
        if toleratesLoss, code == .loss { code = .done }
        guard code == .done || code == .loss else { return }
        let causes = failures.compactMap { $0.words(summary) }
        guard !causes.isEmpty else { return }
        (code, words) = (.loss, "failed because of --fail-on: " + causes.joined(separator: ", "))
    }

    /// Returns the code and sentence for a failed connection. A handshake refused with 401 or 403 is a problem of the
    /// token, not of the network.
    private static func of(_ failure: ConnectFailure, _ prefix: String) -> (ExitCode, String) {
        if failure.phase == .token { return (.refused, failure.message) }
        let isRefusal = failure.phase != .proxy && (failure.httpStatus == 401 || failure.httpStatus == 403)
        return (isRefusal ? .refused : .noConnection, "\(prefix) (\(failure.phase.rawValue)): \(failure.message)")
    }
}

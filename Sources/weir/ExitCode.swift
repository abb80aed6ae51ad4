import Glibc
import WeirDemoServer
import WeirLive
import WeirNetwork
import WeirRecording
import WeirWire

/// The exit codes of the process.
enum ExitCode: Int32, CaseIterable {
    case done = 0
    case runtimeError = 1
    case usage = 2
    case loss = 3
    case refused = 4
    case noConnection = 5
    case mismatch = 6
    case cannotWrite = 7
    case timeout = 8
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// Creates the code for a secret that cannot be resolved.
    init(of error: TokenError) { self = error.isUsage ? .usage : .refused }

    /// The hint for a refusal when no token was given.
    static let noTokenHint = "no token was given: --token env:NAME, file:PATH or cmd:COMMAND; 'weir login' gets one"

    /// Creates the code for an orderly end by a signal.
    init(endedBy signal: Int32) {
        self =
            switch signal {
            case SIGTERM: .terminated
            case SIGHUP: .hungUp
            default: .interrupted
            }
    }

    /// The line in the help.
    var meaning: String {
        switch self {
        case .done: "done; also if the reader closed the pipe"
        case .runtimeError: "runtime error"
        case .usage: "invalid usage"
        case .loss: "finished, but data was lost or could not be decoded"
        case .refused: "refused: token invalid or permission denied"
        case .noConnection: "cannot connect, or gave up reconnecting"
        case .mismatch: "the replay does not match"
        case .cannotWrite: "cannot write the output or a file"
        case .timeout: "timed out or ended before the expected events arrived"
        case .hungUp: "the terminal was closed (SIGHUP)"
        case .interrupted: "interrupted (SIGINT)"
        case .terminated: "terminated (SIGTERM)"
        }
    }
}

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

/// An error as one sentence for the user, with an exit code.
struct CommandError: Error {
    var sentence: String
    var code: ExitCode

    init(_ sentence: String, _ code: ExitCode = .runtimeError) {
        self.sentence = sentence
        self.code = code
    }

    /// Creates the trouble for any error of the libraries.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as EmitText.Problem: self.init(error.message, .usage)
        case let error as OutletError: self.init(error.words, .cannotWrite)
        case let error as RecordingError:
            self.init(error.sentence, error.isOfWriting ? .cannotWrite : .runtimeError)
        case let error as NetworkError: self.init(error.sentence)
        case let error as ScenarioError: self.init(error.description)
        case let error as URLProblem: self.init(error.message)
        case TailError.network(let error): self.init(error.sentence)
        case ActionRunnerError.network(let error): self.init(error.sentence)
        // A tail reads no recordings, so the error is about writing its own.
        case TailError.recording(let error): self.init(error.sentence, .cannotWrite)
        case ActionRunnerError.store(let error): self.init("\(error)", .cannotWrite)
        case TailError.store(let error): self.init("\(error)", .cannotWrite)
        default: self.init("\(error)")
        }
    }
}

extension RecordingError {
    /// A description for the user.
    var sentence: String {
        switch self {
        case .exists(let path): "\(path) already exists; --force overwrites it"
        case .system(let operation, let path, let code): systemSentence(operation, path, code)
        case .notARecording(let path, let message):
            if path != "-", let format = try? ForeignFormat.sniff(path), format != .lines {
                "\(path) is \(format.rawValue), not a recording; convert it with 'weir file convert \(path) --to weir -o FILE'"
            } else {
                "\(path) is not a recording: \(message)"
            }
        case .unusable(let path, let message): "\(path): \(message)"
        }
    }
}

extension NetworkError {
    /// A description for the user.
    var sentence: String {
        switch self {
        case .cannotStart(let message): "cannot start the network: \(message)"
        case .cannotListen(let address, let message): "cannot listen on \(address): \(message)"
        case .badTLSFile(let path, let message): "cannot use \(path): \(message)"
        case .localSocket: description
        }
    }
}

private func systemSentence(_ operation: String, _ path: String, _ code: Int32) -> String {
    if operation == "create", code == ENOENT, let slash = path.lastIndex(of: "/") {
        return
            "cannot create \(path): the folder \(path[..<slash]) does not exist; create it with 'mkdir -p \(path[..<slash])'"
    }
    return "cannot \(operation) \(path): \(String(cString: strerror(code)))"
}

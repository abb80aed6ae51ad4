import Glibc
import Live

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

import DemoServer
import Glibc
import Live
import Network
import Recording

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
        case let error as URLError: self.init(error.message)
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

import Glibc
import Testing

/// The result of a finished process.
struct CommandResult {
    /// The exit code, or 128 + the signal for a killed process.
    var status: Int32
    var output: String
    var errors: String
}

/// The reason why a process could not be run.
struct CannotRun: Error {
    var operation: String
    var code: Int32
}

/// Runs the `weir` built next to the tests.
func weir(_ arguments: String..., environment: [String: String] = [:]) throws -> CommandResult {
    try weir(arguments, environment: environment)
}

/// Runs the `weir` built next to the tests, and waits for its end.
func weir(_ arguments: [String], environment: [String: String] = [:]) throws -> CommandResult {
    try run("weir", arguments, environment: environment)
}

/// Runs a program built next to the tests, and waits for its end.
///
/// The output goes to unnamed files, so that a process with much output cannot block on a full pipe.
func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> CommandResult {
    let output = try temporaryFile()
    let errors = try temporaryFile()
    defer {
        close(output)
        close(errors)
    }
    let process = try start(
        [try path(ofProgram: program)] + arguments, environment: environment, descriptors: [1: output, 2: errors])
    let status = try waitForExit(of: process)
    return CommandResult(status: status, output: try contents(of: output), errors: try contents(of: errors))
}

/// Waits for the end of a process and returns its exit code, or 128 + the signal for a killed process.
func waitForExit(of process: pid_t) throws -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
        guard errno == EINTR else { throw CannotRun(operation: "waitpid", code: errno) }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
}

/// Starts a process with `/dev/null` as standard input and the given descriptors. The caller waits for it.
func start(_ arguments: [String], environment: [String: String], descriptors: [Int32: Int32]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (target, source) in descriptors.sorted(by: { $0.key < $1.key }) {
        posix_spawn_file_actions_adddup2(&actions, source, target)
    }
    var environment = environment
    environment["PATH"] = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    // The second variable separates the control sockets from those of other processes of these tests.
    for name in ["LD_LIBRARY_PATH", "XDG_RUNTIME_DIR"] where environment[name] == nil {
        if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, arguments[0], &actions, nil, &argv, &envp)
    guard failure == 0 else { throw CannotRun(operation: "posix_spawn \(arguments[0])", code: failure) }
    return process
}

/// Returns the path of `weir`, which is in the folder of the test program.
func pathOfWeir() throws -> String { try path(ofProgram: "weir") }

private func path(ofProgram name: String) throws -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { throw CannotRun(operation: "readlink /proc/self/exe", code: errno) }
    let program = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let candidates = [program, CommandLine.arguments[0]].map {
        $0[..<($0.lastIndex(of: "/") ?? $0.startIndex)] + "/" + name
    }
    guard let path = candidates.first(where: { access(String($0), X_OK) == 0 }) else {
        throw CannotRun(operation: "find \(name) beside \(candidates)", code: ENOENT)
    }
    return String(path)
}

/// Opens a temporary file without a name.
func temporaryFile() throws -> Int32 {
    var path = Array("/tmp/weir-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw CannotRun(operation: "open a temporary file", code: errno) }
    unlink(path)
    return descriptor
}

/// Returns the contents of a file from its beginning.
func contents(of descriptor: Int32) throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    lseek(descriptor, 0, SEEK_SET)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw CannotRun(operation: "read", code: errno) }
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes.append(contentsOf: buffer[..<count])
    }
}

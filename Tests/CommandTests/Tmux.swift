import Glibc
import TestSupport

/// A real terminal: a shell in its own tmux session. Tests type keys and read the screen.
final class Tmux {
    private let socket: String
    /// A folder for the test.
    let folder: String
    private var asked = 0

    /// Starts a shell in a terminal of this size.
    init(width: Int = 120, height: Int = 30) throws {
        folder = try temporaryFolder()
        socket = folder + "/tmux"
        var words = ["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"]
        words += ["TERM=screen-256color", "PS1=$ "]
        for name in ["HOME", "TMPDIR", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"] {
            words.append("\(name)=\(folder)")
        }
        if let path = getenv("LD_LIBRARY_PATH") { words.append("LD_LIBRARY_PATH=" + String(cString: path)) }
        words += ["bash", "--norc", "--noprofile"]
        try call(
            ["-f", "/dev/null", "new-session", "-d", "-x", "\(width)", "-y", "\(height)"]
                + [words.map { "'\($0)'" }.joined(separator: " ")])
        try expect("$")
    }

    deinit {
        // A shell may ignore the loss of its terminal, and the server waits for it.
        if let pane = try? call(["display-message", "-p", "#{pane_pid}"]), let shell = pid_t(pane.filter(\.isNumber)) {
            kill(shell, SIGKILL)
        }
        _ = try? call(["kill-server"])
    }

    @discardableResult
    private func call(_ arguments: [String]) throws -> String {
        let output = try temporaryFile()
        defer { close(output) }
        let process = try start(
            ["/usr/bin/tmux", "-u", "-S", socket] + arguments, environment: ["LANG": "C.UTF-8"],
            descriptors: [1: output, 2: output])
        let status = try waitForExit(of: process)
        let text = try contents(of: output)
        guard status == 0 else { throw CannotRun(operation: "tmux \(arguments): \(text)", code: status) }
        return text
    }

    /// Types text without interpreting the names of keys.
    func type(_ text: String) throws { try call(["send-keys", "-l", "--", text]) }

    /// Presses keys with tmux's names: `Enter`, `Escape`, `C-z`, `Left`.
    func press(_ keys: String...) throws { try call(["send-keys"] + keys) }

    /// Types a shell command and presses Enter.
    func run(_ command: String) throws {
        try type(command)
        try press("Enter")
    }

    func resize(width: Int, height: Int) throws {
        try call(["resize-window", "-x", "\(width)", "-y", "\(height)"])
    }

    /// Returns the visible rows of the terminal.
    func screen() throws -> [String] {
        try call(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Waits until the screen satisfies `isWanted`, and returns it.
    @discardableResult
    func wait(_ what: String, until isWanted: ([String]) -> Bool) throws -> [String] {
        let deadline = time(nil) + 60
        while true {
            let rows = try screen()
            if isWanted(rows) { return rows }
            guard time(nil) < deadline else {
                throw CannotRun(operation: "see \(what); seen:\n" + rows.joined(separator: "\n"), code: ETIMEDOUT)
            }
            // The terminal does not report changes, so it is polled.
            poll(nil, 0, 30)
        }
    }

    /// Waits until a text is visible, and returns the screen.
    @discardableResult
    func expect(_ text: String) throws -> [String] { try wait("“\(text)”") { $0.contains { $0.contains(text) } } }

    /// Waits until a text is no longer visible, and returns the screen.
    @discardableResult
    func expectNo(_ text: String) throws -> [String] { try wait("no “\(text)”") { !$0.contains { $0.contains(text) } } }

    /// Returns the modes of the terminal, as the shell sees them.
    func modes() throws -> String {
        asked += 1
        let file = "\(folder)/modes\(asked)"
        try run("stty -a >\(file); echo asked-\(asked)-times")
        let words = "asked-\(asked)-times"
        try wait("the end of stty") { $0.contains(words) }
        return String(decoding: try readFile(file), as: UTF8.self)
    }
}

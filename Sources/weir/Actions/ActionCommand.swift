import Glibc
import WeirEvents
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirTerminal
import WeirThreads

/// The commands that perform actions: `send`, `edit`, `react`, `delete`, `read`, `channel`, `workspace`.
enum ActionCommand {
    static func run(_ options: ActionOptions) async -> ExitCode {
        var random = SystemRandomNumberGenerator()
        let asked = wallClock()
        let actions = options.operations.map { operation in
            var action = Action(id: .random(using: &random), operation, asked: asked)
            action.files = options.files
            return action
        }
        do {
            switch options.target {
            case .running(let process, let place):
                let results = try actions.map { action throws(CommandError) in
                    var action = action
                    action.place = place
                    return try process.perform(action)
                }
                return tell(results, json: options.json)
            case .server(let configuration): return try await run(actions, configuration, json: options.json)
            }
        } catch {
            return Console.fail(error)
        }
    }

    private static func run(
        _ actions: [Action], _ configuration: ActionRunnerConfiguration, json: Bool
    ) async throws -> ExitCode {
        let progress = UploadLine.onTerminal
        var configuration = configuration
        if let progress { configuration.uploading = { progress.show($0) } }
        let runner = try ActionRunner(configuration) { notice in
            if notice.level == .error { Console.note("\(notice.level.rawValue): \(notice.text)") }
        }
        let interruption = Monitor<Int32?>(nil)
        if actions.contains(where: { !$0.files.isEmpty }) {
            Signals.onFirst { number in
                runner.cancel { isCancelled in
                    // A request that was sent cannot be withdrawn.
                    guard isCancelled else { _exit(128 + number) }
                    interruption.change { $0 = number }
                }
            }
        }
        let results = await runner.run(actions)
        progress?.end()
        let code = tell(results, json: json, hasToken: configuration.token != nil)
        return interruption.look { $0 }.map { ExitCode(endedBy: $0) } ?? code
    }

    private static func tell(_ results: [ActionRunnerResult], json: Bool, hasToken: Bool = true) -> ExitCode {
        var code = ExitCode.done
        for result in results {
            guard !result.hadWaited else {
                note(result)
                continue
            }
            let own = json ? printJSON(result) : printLine(result, hasToken)
            if code == .done { code = own }
        }
        return code
    }

    /// Notes the end of an action that had waited in the store. It is not a result of this command.
    private static func note(_ result: ActionRunnerResult) {
        let what = result.action.operation.words
        switch result.outcome {
        case .done: Console.note("\(what), which was queued, was done first")
        case .refused(let why, _): Console.note("\(what), which was queued, failed: \(why)")
        case .unreachable, .waiting, .noToken: break
        }
    }

    private static func wallClock() -> Timestamp {
        Timestamp(milliseconds: WallTime.milliseconds)
    }

    private static func code(of outcome: ActionRunnerResult.Outcome) -> ExitCode {
        switch outcome {
        case .done: .done
        case .refused: .refused
        case .noToken(let error): ExitCode(of: error)
        case .unreachable, .waiting: .noConnection
        }
    }

    /// Prints the id on standard output, or a sentence on standard error.
    private static func printLine(_ result: ActionRunnerResult, _ hasToken: Bool) -> ExitCode {
        let what = result.action.operation.words
        switch result.outcome {
        case .done(let subject):
            let printed = Console.print(TerminalText.escaped(subject?.description ?? "done") + "\n")
            return printed
        case .refused(let why, let status):
            let hint = status == 401 && !hasToken ? "; " + ExitCode.noTokenHint : ""
            Console.complain("\(what) was refused: \(why)" + (status.map { " (HTTP \($0))" } ?? "") + hint)
        case .unreachable(let why):
            let trouble = result.status == nil ? "the server cannot be reached" : "the server cannot process it now"
            Console.complain("\(what) was not \(result.action.operation.done): \(trouble) (\(why))")
        case .waiting(let why):
            Console.note(
                "weir: \(what) is queued; the next weir command or tail of this account sends it: \(why)"
            )
        case .noToken(let error): Console.complain(error.message)
        }
        if result.isDraft { Console.note("weir: the text is saved as a draft; send it with --draft instead of TEXT") }
        return code(of: result.outcome)
    }

    private static func printJSON(_ result: ActionRunnerResult) -> ExitCode {
        let printed = Console.print(result.json.raw.description + "\n")
        let own = code(of: result.outcome)
        return own == .done ? printed : own
    }
}

extension Action.Operation {
    /// A noun phrase for sentences about the operation.
    fileprivate var words: String {
        switch self {
        case .send: "the message"
        case .edit: "the edit"
        case .react: "the reaction"
        case .delete: "the deletion"
        case .markRead: "marking as read"
        case .createChannel(let draft): draft.kind == .direct ? "the direct conversation" : "the channel \(draft.name)"
        case .editChannel: "the edit of the channel"
        case .deleteChannel: "the deletion of the channel"
        case .rejoinChannel(let channel): "rejoining \(channel)"
        case .addMember(_, let user): "adding \(user)"
        case .removeMember(_, let user): "removing \(user)"
        case .createWorkspace(let name, _): "the workspace \(name)"
        case .changeWorkspace(let name, .rename): "the new name of the workspace \(name)"
        case .changeWorkspace(let name, .delete): "the deletion of the workspace \(name)"
        case .changeWorkspace(_, .addMember(let user)): "adding \(user)"
        case .changeWorkspace(_, .removeMember(let user)): "removing \(user)"
        case .changeAccount(.language): "the language"
        case .changeAccount(.status): "the status"
        case .run(let run): "the action \(run.name)"
        }
    }
}

extension Action {
    /// The action as parameters of the control socket's method `act`.
    var parameters: [JSONValue.Member] {
        var writer = JSONWriter()
        encode(into: &writer)
        guard case .object(let members)? = try? JSONValue(parsing: writer.bytes[...]) else { return [] }
        return members.filter { !["id", "asked", "step"].contains($0.key) }
    }
}

extension RunningProcess {
    /// The timeout of an action. A tail answers once the action is done, refused or delayed.
    static let actionPatience: Duration = .seconds(30)

    /// Performs an action in a running tail, and waits for its outcome.
    fileprivate func perform(_ action: Action) throws(CommandError) -> ActionRunnerResult {
        guard
            let result = ActionRunnerResult(try call(.act, timeout: Self.actionPatience, action.parameters), of: action)
        else { throw CommandError("\(name) sent no valid result of the action", .runtimeError) }
        return result
    }
}

extension Action.Operation {
    /// The participle for sentences about the operation's success.
    fileprivate var done: String { if case .send = self { "sent" } else { "done" } }
}

/// The progress of uploads, on one line of the terminal that is overwritten. Nothing is shown if standard error is not
/// a terminal.
private final class UploadLine: Sendable {
    /// The text on the line.
    private let shown = Monitor("")

    static var onTerminal: UploadLine? { isatty(2) == 1 ? UploadLine() : nil }

    /// Shows a file's progress and size, if the text on the line changes.
    func show(_ progress: UploadProgress) {
        let share = progress.size == 0 ? 100 : progress.sent * 100 / progress.size
        let name = TerminalText.truncated(TerminalText.escaped(progress.name), to: 40)
        let text = "uploading \(name)  \(share) % of \(FilePreview.text(ofBytes: progress.size))"
        shown.change { shown in
            guard shown != text else { return }
            shown = text
            Self.write("\r\u{1B}[K" + text + (share == 100 ? "\n" : ""))
            if share == 100 { shown = "" }
        }
    }

    /// Moves to the next line.
    func end() { shown.change { if !$0.isEmpty { Self.write("\n") } } }

    private static func write(_ text: String) {
        try? DescriptorWriter(descriptor: 2, name: "standard error").write(Array(text.utf8))
    }
}

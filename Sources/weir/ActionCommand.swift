import Events
import JSONText
import Live
import Pipeline
import Terminal

/// The commands that want something done: `send`, `edit`, `react`, `delete`, `read`, `channel`, `workspace`.
enum ActionCommand {
    static func run(_ options: ActionOptions) async -> ExitCode {
        let errand: Errand
        do {
            errand = try Errand(options.configuration) { notice in
                if notice.level == .error { Console.note("\(notice.level.rawValue): \(notice.text)") }
            }
        } catch {
            return Console.fail(error)
        }
        var random = SystemRandomNumberGenerator()
        let asked = wallClock()
        let actions = options.operations.map { Action(id: .random(using: &random), $0, asked: asked) }
        var code = ExitCode.done
        for result in await errand.run(actions) {
            guard !result.hadWaited else {
                note(result)
                continue
            }
            let own = options.json ? printJSON(result) : printLine(result)
            if code == .done { code = own }
        }
        return code
    }

    /// What had waited in the store is no result of this command, but its end is told.
    private static func note(_ result: ErrandResult) {
        let what = result.action.operation.words
        switch result.outcome {
        case .done: Console.note("\(what) that had waited was done first")
        case .refused(let why, _): Console.note("\(what) that had waited was not done: \(why)")
        case .unreachable, .waiting, .noToken: break
        }
    }

    private static func wallClock() -> Timestamp {
        Timestamp(milliseconds: WallTime.milliseconds)
    }

    private static func code(of outcome: ErrandResult.Outcome) -> ExitCode {
        switch outcome {
        case .done: .done
        case .refused, .noToken: .refused
        case .unreachable, .waiting: .noConnection
        }
    }

    /// The id on standard output, or a sentence on standard error.
    private static func printLine(_ result: ErrandResult) -> ExitCode {
        let what = result.action.operation.words
        switch result.outcome {
        case .done(let subject):
            let printed = Console.print(TerminalText.escaped(subject?.description ?? "done") + "\n")
            return printed
        case .refused(let why, let status):
            Console.note("weir: \(what) was refused: \(why)" + (status.map { " (HTTP \($0))" } ?? ""))
        case .unreachable(let why):
            let trouble = result.status == nil ? "the server cannot be reached" : "the server cannot do it now"
            Console.note("weir: \(what) was not \(result.action.operation.done): \(trouble) (\(why))")
        case .waiting(let why):
            Console.note(
                "weir: \(what) waits in the store, and the next weir command or tail of this account takes it up: \(why)"
            )
        case .noToken(let why): Console.note("weir: \(why)")
        }
        if result.isDraft { Console.note("weir: its text is kept as a draft; send it with --draft instead of TEXT") }
        return code(of: result.outcome)
    }

    private static func printJSON(_ result: ErrandResult) -> ExitCode {
        let printed = Console.print(JSONValue.fields(fields(of: result)).raw.description + "\n")
        let own = code(of: result.outcome)
        return own == .done ? printed : own
    }

    /// Always the same members, null where there is nothing to say.
    private static func fields(of result: ErrandResult) -> KeyValuePairs<String, JSONValue> {
        var (state, subject, why) = ("done", JSONValue.null, JSONValue.null)
        var status = result.status
        switch result.outcome {
        case .done(let id): subject = id.map { .string($0.description) } ?? .null
        case .refused(let words, let number):
            state = "refused"
            why = .string(words)
            status = number
        case .unreachable(let words):
            state = "unreachable"
            why = .string(words)
        case .waiting(let words):
            state = "waiting"
            why = .string(words)
        case .noToken(let words):
            state = "no_token"
            why = .string(words)
        }
        return [
            "action": .string(result.action.id.description), "do": .string(result.action.operation.name),
            "state": .string(state), "subject": subject, "why": why,
            "status": status.map { .integer(Int64($0)) } ?? .null,
        ]
    }
}

extension Action.Operation {
    /// For a sentence about it.
    fileprivate var words: String {
        switch self {
        case .send: "the message"
        case .edit: "the edit"
        case .react: "the reaction"
        case .delete: "the deletion"
        case .markRead: "marking as read"
        case .createChannel(let draft): draft.kind == .direct ? "the direct" : "the channel \(draft.name)"
        case .editChannel: "the change of the channel"
        case .deleteChannel: "the deletion of the channel"
        case .rejoinChannel(let channel): "going back into \(channel)"
        case .addMember(_, let user): "adding \(user)"
        case .removeMember(_, let user): "removing \(user)"
        case .createWorkspace(let name, _): "the workspace \(name)"
        case .changeWorkspace(let name, .rename): "the new name of the workspace \(name)"
        case .changeWorkspace(let name, .delete): "the deletion of the workspace \(name)"
        case .changeAccount(.language): "the language"
        case .changeAccount(.status): "the status"
        case .run(let run): "the action \(run.name)"
        }
    }
}

extension Action.Operation {
    /// What would have become of it.
    fileprivate var done: String { if case .send = self { "sent" } else { "done" } }
}

extension EntityID {
    /// A random UUID (version 4).
    static func random(using random: inout some RandomNumberGenerator) -> EntityID {
        let (high, low) = (random.next() as UInt64, random.next() as UInt64)
        return .uuid((high & ~0xF000) | 0x4000, (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000)
    }
}

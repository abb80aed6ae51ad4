package import Events
import JSONText
import Network
import Pipeline
import Terminal
import Wire

// Actions, by the control socket.
extension Tail {
    /// Does an action of a client. The client is answered once the action is done or refused, or has to wait for the server.
    func act(_ call: ControlCall) throws(ControlError) {
        var random = SystemRandomNumberGenerator()
        let asked = Timestamp(milliseconds: (journal.wallStart + loop.now.microseconds) / 1000)
        var action = Action(id: .random(using: &random), try operation(call.arguments), asked: asked)
        action.place = Action.Place(
            company: call.arguments.text("company").map { EntityID($0) },
            workspace: call.arguments.text("workspace").map { EntityID($0) })
        followers.calls[action.id] = call
        feed(.act(action))
        if !session.isOnline { answerCall(of: action, .waiting(why: "the tail has no connection")) }
    }

    /// Takes a notification of a push service.
    func push(_ arguments: ControlArguments) throws(ControlError) -> ControlResult {
        guard case .object? = arguments.json("payload"), let payload = arguments.json("payload")?.raw else {
            throw ControlError(.parameters, "params.payload is to be a JSON object")
        }
        feed(.pushed(payload))
        return .done
    }

    /// Answers the client that waits for an action, when a report ends it.
    func answerCall(of report: ActionReport) {
        guard !followers.calls.isEmpty else { return }
        switch report.change {
        case .queued, .sending: break
        case .done(let subject): answerCall(of: report.action, .done(subject: subject))
        case .refused(let why, let status): answerCall(of: report.action, .refused(why: why, status: status))
        case .delayed(let why, _): answerCall(of: report.action, .waiting(why: why))
        case .dropped: answerCall(of: report.action, .refused(why: "it was taken back", status: nil))
        }
    }

    private func answerCall(of action: Action, _ outcome: ErrandResult.Outcome) {
        let result = ErrandResult(action: action, outcome: outcome)
        followers.calls.removeValue(forKey: action.id)?.answer(.success(ControlResult { $0.value(result.json) }))
    }

    private func operation(_ arguments: ControlArguments) throws(ControlError) -> Action.Operation {
        let name = arguments.text("do") ?? ""
        if let members = Action.Operation.members.first(where: { $0.key == name })?.value {
            if let operation = Action.Operation(arguments.object) { return operation }
            throw ControlError(.parameters, "\(name) takes " + members.joined(separator: ", "))
        }
        let profile = configuration.session.backend.module.profile
        guard let procedure = profile?.procedures.first(where: { $0.name == name }) else {
            let known = Action.Operation.members.map(\.key) + (profile?.procedures.map(\.name) ?? [])
            let word = "'" + TerminalText.truncated(name, to: 80) + "'"
            throw ControlError(.parameters, "there is no action \(word)" + Suggestion.phrase(for: name, among: known))
        }
        // No method reads a file of the caller's choice.
        guard procedure.files.isEmpty else {
            throw ControlError(.forbidden, "\(name) sends a file: use 'weir do' without --on")
        }
        var run = Action.Run(name)
        if case .object(let members)? = arguments.json("run") {
            for member in members { if case .string(let text) = member.value { run.values[member.key] = text } }
        }
        if let problem = procedure.problem(with: run.values) { throw ControlError(.parameters, problem) }
        return .run(run)
    }
}

extension EntityID {
    /// A random UUID (version 4).
    package static func random(using random: inout some RandomNumberGenerator) -> EntityID {
        let (high, low) = (random.next() as UInt64, random.next() as UInt64)
        return .uuid((high & ~0xF000) | 0x4000, (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000)
    }
}

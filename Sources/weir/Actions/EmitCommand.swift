import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirTerminal
import WeirThreads
import WeirWire

/// The options of `weir emit`: one event, and its target.
struct EmitOptions {
    enum Target {
        case server(TailOptions)
        /// A running tail, by its name.
        case running(String)
    }

    var target: Target
    var emit: Emit
    /// Whether to print the outcome as a JSON object.
    var json: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        var words = arguments.positionals[...]
        if let name = try arguments.name(.on) {
            target = .running(name)
        } else {
            target = .server(try TailOptions(arguments))
            words.removeFirst()
        }
        guard let name = words.popFirst(), !name.isEmpty else { throw arguments.error("EVENT is missing") }
        var given = SocketIO.Arguments()
        for word in words {
            do throws(EmitText.Problem) {
                try EmitText.append(word, to: &given)
            } catch {
                throw arguments.error("\(UsageError.quoted(name)): \(error.message)")
            }
        }
        emit = Emit(name, given, patience: arguments.has(.noAck) ? nil : try arguments.patience)
        if case .running = target, arguments.isTyped(.namespace) {
            let namespaces = try arguments.namespaces
            guard namespaces.count == 1 else { throw arguments.error("--namespace: give only one namespace") }
            emit.namespace = namespaces[0]
        }
        json = arguments.has(.json)
    }
}

/// The command `weir emit`: sends one event, and prints the server's acknowledgement.
enum EmitCommand {
    static func run(_ options: EmitOptions) async -> ExitCode {
        do {
            switch options.target {
            case .running(let name):
                let result = try RunningProcess(name: name).call(
                    .emit, timeout: (options.emit.patience ?? .zero) + .seconds(5), options.emit.parameters)
                guard case .string(let state)? = result["state"] else { return .runtimeError }
                if case .string(let words)? = result["words"] { Console.note("weir: " + words) }
                return conclude(
                    state, Array(result.raw.bytes), result["answer"].map { Array($0.raw.bytes) }, options.json)
            case .server(let server):
                if let missing = TailCommand.missingSecret(server) { return Console.fail(missing) }
                return try await run(server, options)
            }
        } catch {
            return Console.fail(error)
        }
    }

    private static func run(_ server: TailOptions, _ options: EmitOptions) async throws -> ExitCode {
        var configuration = try TailCommand.configuration(server)
        configuration.storePath = nil
        configuration.session.maximumAttempts = server.maximumAttempts ?? 1
        configuration.rules = [EmitRule(options.emit)]
        let outlet = EmitOutlet()
        let status = StatusPrinter(colour: TerminalDevice.showsColour(2), quiet: true)
        let tail = Tail(configuration, outlets: [status, outlet])
        outlet.whenSettled { tail.stop() }
        Signals.onFirst(ending: WritePatience()) { tail.stop(signal: $0) }
        let ending = Ending(try await tail.run())
        if let report = outlet.report { return conclude(report.state, report.json, report.answer, options.json) }
        if let words = ending.words { Console.note("weir: '\(options.emit.name)' was not sent: \(words)") }
        return ending.code == .done ? .timeout : ending.code
    }

    /// Prints the outcome and returns the exit code.
    private static func conclude(_ state: String, _ whole: [UInt8], _ answer: [UInt8]?, _ json: Bool) -> ExitCode {
        let text = json ? whole : answer
        let printed = text.map { Console.print(String(decoding: $0, as: UTF8.self) + "\n") } ?? .done
        return switch state {
        case "sent", "answered": printed
        case "timed_out": .timeout
        case "lost": .noConnection
        default: .refused
        }
    }
}

extension Emit {
    /// The event as parameters of the control socket's methods `emit` and `ack`.
    var parameters: [JSONValue.Member] {
        var members = [JSONValue.Member(isAnswer ? "id" : "event", ackID.map { .integer(Int64($0)) } ?? .string(name))]
        members.append(.init("arguments", .text(arguments.array)))
        if !arguments.attachments.isEmpty {
            let texts = arguments.attachments.map { String(decoding: Base64.encode($0), as: UTF8.self) }
            members.append(.init("binary", .array(texts.map { .string($0) })))
        }
        if let namespace { members.append(.init("namespace", .string(namespace))) }
        if let patience {
            members.append(.init("wait", .string("\(max(patience.microseconds / 1000, 1))ms")))
        }
        return members
    }
}

/// An outlet that waits for the outcome of an emit.
private final class EmitOutlet: Outlet {
    private let state = Monitor<(report: EmitReport?, settled: (@Sendable () -> Void)?)>((nil, nil))

    var report: EmitReport? { state.change { $0.report } }

    /// Sets the function to call when the outcome is known.
    func whenSettled(_ body: @escaping @Sendable () -> Void) { state.change { $0.settled = body } }

    func write(_ reports: [StampedReport]) throws(OutletError) {
        for case .emit(let report) in reports.map(\.report) where report.isFinal {
            state.change { state in
                state.report = report
                return state.settled
            }?()
        }
    }

    func finish() throws(OutletError) {}
}

extension Arguments {
    /// The timeout for an answer, 5 s by default.
    var patience: Duration { get throws(UsageError) { try duration(.timeout) ?? .seconds(5) } }

    /// Whether each line of standard input is emitted.
    var emitsLines: Bool { all(.emit).contains("-") }

    /// Returns the rules of `--emit` and `--ack`. The preceding `--on` is the condition of a rule.
    func emitRules() throws(UsageError) -> [EmitRule] {
        var rules: [EmitRule] = []
        var condition: Filter?
        let set = [Option.emit, .ack].filter { !isTyped($0) }.flatMap { option in all(option).map { (option, $0) } }
        for (option, text) in set + typed {
            switch option {
            case .on where condition == nil: condition = try filter(text, of: .on)
            case .on: throw error("--on: each one must be followed by --emit or --ack")
            case .emit where text != "-":
                rules.append(EmitRule(try emit(text), when: exchange(&condition, with: nil)))
            case .emit where command == .watch:
                throw error("--emit: standard input provides keys and cannot provide lines as well")
            case .ack: rules.append(try answer(text, when: exchange(&condition, with: nil)))
            default: break
            }
        }
        if condition != nil { throw error("--on must be followed by --emit or --ack") }
        return rules
    }

    private func emit(_ text: String) throws(UsageError) -> Emit {
        let patience = has(.emitAck) ? try patience : nil
        return try reading(text, of: .emit) { text throws(EmitText.Problem) in
            Emit(try text.name(), try text.arguments(), patience: patience)
        }
    }

    /// Parses `NAME=ARG ARG…`, or `ARG ARG…` if a filter selects the events.
    private func answer(_ text: String, when condition: Filter?) throws(UsageError) -> EmitRule {
        let (name, arguments) = try reading(text, of: .ack) { text throws(EmitText.Problem) in
            (condition == nil ? try text.name(endedBy: "=") : nil, try text.arguments())
        }
        var wanted = condition ?? Filter()
        try filtering(.ack) { () throws(FilterError) in
            try wanted.add(.event, among: name.map { [$0] } ?? [], origin: Option.ack.flag)
        }
        return EmitRule(Emit(answering: 0, arguments), when: wanted)
    }

    private func reading<Value>(
        _ text: String, of option: Option, _ body: (inout EmitText) throws(EmitText.Problem) -> Value
    ) throws(UsageError) -> Value {
        do throws(EmitText.Problem) {
            var reader = EmitText(text)
            return try body(&reader)
        } catch {
            throw self.error("\(option.flag) \(UsageError.quoted(text)): \(error.message)")
        }
    }
}

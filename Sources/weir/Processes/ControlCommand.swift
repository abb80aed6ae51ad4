import Glibc
import WeirJSON
import WeirLive
import WeirNetwork
import WeirTerminal

/// The options of `weir ctl`: the process, the method and its parameters.
struct ControlOptions {
    /// The name of the tail or replay; `nil` if only one runs.
    var name: String?
    var method: ControlMethod
    /// The parameters in the form of the method table.
    var parameters: [JSONValue.Member] = []
    /// The timeout for an answer.
    var patience: Duration

    init(_ arguments: Arguments) throws(UsageError) {
        var words = arguments.positionals[...]
        name = try arguments.name(.on)
        // A tail may have the name of a method. It must then be named with `--on`.
        if name == nil, let first = words.first, ControlMethod(rawValue: first) == nil, words.count > 1 {
            guard ControlSocket.isName(first) else {
                throw arguments.error("no tail is named \(UsageError.quoted(first)); 'weir ps' lists them")
            }
            name = first
            words.removeFirst()
        }
        let word = words.popFirst() ?? ""
        guard let method = ControlMethod(rawValue: word) else {
            throw arguments.error(
                "there is no method \(UsageError.quoted(word))"
                    + Suggestion.phrase(for: word, among: ControlMethod.allCases.map(\.rawValue))
                    + "; 'weir ctl hello' lists them")
        }
        self.method = method
        patience = try arguments.patience
        for word in words { try take(word, arguments) }
        if let missing = method.row.parameters.first(where: { parameter in
            parameter.isRequired && !parameters.contains { $0.key == parameter.name }
        }) {
            throw arguments.error("\(method.rawValue) needs \(missing.name)=…: \(missing.kind.words)")
        }
    }

    /// Takes `NAME=VALUE`. A list consists of repeated names, or of values separated by commas.
    private mutating func take(_ word: String, _ arguments: Arguments) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let known = method.row.parameters
        guard parts.count == 2, let parameter = known.first(where: { $0.name == parts[0] }) else {
            let names = known.isEmpty ? "no parameters" : known.map { $0.name + "=…" }.joined(separator: ", ")
            throw arguments.error(
                "unknown parameter \(UsageError.quoted(word)): \(method.rawValue) takes \(names)"
                    + Suggestion.phrase(for: parts[0], among: known.map(\.name)))
        }
        let value = try value(parts[1], of: parameter, arguments)
        if let index = parameters.firstIndex(where: { $0.key == parameter.name }) {
            guard case .array(let before) = parameters[index].value, case .array(let more) = value else {
                throw arguments.error("\(parameter.name) is given twice")
            }
            parameters[index].value = .array(before + more)
        } else {
            parameters.append(.init(parameter.name, value))
        }
    }

    private func value(
        _ text: String, of parameter: ControlParameter, _ arguments: Arguments
    ) throws(UsageError) -> JSONValue {
        switch parameter.kind {
        case .text, .choice, .span: return .string(text)
        case .texts: return .array(text.split(separator: ",").map { .string(String($0)) })
        case .integer: if let number = Int64(text) { return .integer(number) }
        case .number: if let number = Double(text), number.isFinite { return .number(number) }
        case .flag:
            if text == "true" || text == "yes" { return .bool(true) }
            if text == "false" || text == "no" { return .bool(false) }
        case .json:
            if let value = try? JSONValue(parsing: Array(text.utf8)[...], keepsSpelling: true) { return value }
        }
        throw arguments.error(
            "\(parameter.name)=\(TerminalText.truncated(text, to: 40)) is not \(parameter.kind.words)")
    }
}

/// The command `weir ctl`: calls one method of a running tail or replay, and prints the result as JSON.
enum ControlCommand {
    static func run(_ options: ControlOptions) async -> ExitCode {
        do {
            let process = try RunningProcess.find(options.name)
            switch options.method {
            case .attach, .observe: return try follow(process, options)
            default:
                let result = try process.call(options.method, timeout: options.patience, options.parameters)
                return Console.print(text(result))
            }
        } catch {
            return Console.fail(error)
        }
    }

    /// Prints the lines after the answer until the stream ends.
    private static func follow(_ process: RunningProcess, _ options: ControlOptions) throws(CommandError) -> ExitCode {
        do throws(NetworkError) {
            let stream = try LocalSocketStream(path: process.path)
            try stream.send(RunningProcess.request(options.method, options.parameters))
            guard let first = try stream.readLine(timeout: options.patience) else {
                return Console.fail(CommandError("\(process.name) closed without an answer", .noConnection))
            }
            let result: JSONValue
            do throws(CommandError) {
                result = try process.result(first, of: options.method)
            } catch {
                return Console.fail(error)
            }
            if options.method == .observe, Console.print(text(result)) != .done { return .cannotWrite }
            while let line = try stream.readLine(timeout: nil) {
                guard Console.print(String(decoding: line, as: UTF8.self) + "\n") == .done else { return .cannotWrite }
                guard options.method == .observe, let value = try? JSONValue(parsing: line[...]) else { continue }
                if value["method"] == .string("ended") {
                    return value["params"]?["why"] == .string("timeout") ? .timeout : .done
                }
            }
            return .done
        } catch {
            throw process.unanswered(error)
        }
    }

    private static func text(_ value: JSONValue) -> String { value.raw.description + "\n" }
}

/// The options of `weir notify`.
struct NotifyOptions {
    /// The name of the tail; `nil` if only one runs.
    var name: String?
    /// The notifications, in input order.
    var payloads: [JSONValue]

    init(_ arguments: Arguments) throws(UsageError) {
        name = try arguments.name(.on)
        let path = arguments.positionals.first ?? "-"
        let label = path == "-" ? "standard input" : UsageError.quoted(path)
        let text: String
        do throws(TextFile.Problem) {
            text = path == "-" ? try TextFile.read(STDIN_FILENO) : try TextFile.read(path)
        } catch {
            throw arguments.error("\(label): \(error.message)")
        }
        payloads = []
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span)
        while (try? reader.end()) == nil {
            let start = reader.offset
            guard let range = try? reader.skip(),
                let value = try? JSONValue(parsing: bytes[range], keepsSpelling: true), case .object = value
            else {
                throw arguments.error(
                    "\(label): notification \(payloads.count + 1) is not a JSON object:"
                        + " \(TerminalText.truncated(String(decoding: bytes[start...].prefix(80), as: UTF8.self), to: 40))"
                )
            }
            payloads.append(value)
        }
        guard !payloads.isEmpty else { throw arguments.error("\(label) contains no notification") }
    }
}

/// The command `weir notify`: passes notifications of a push service to a running tail.
enum NotifyCommand {
    static func run(_ options: NotifyOptions) async -> ExitCode {
        do throws(CommandError) {
            let process = try RunningProcess.find(options.name)
            for payload in options.payloads { _ = try process.call(.push, [.init("payload", payload)]) }
            return .done
        } catch {
            return Console.fail(error)
        }
    }
}

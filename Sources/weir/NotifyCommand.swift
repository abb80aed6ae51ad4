import Glibc
import JSONText
import Live
import Network
import Terminal

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

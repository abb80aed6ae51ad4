import WeirJSON
import WeirLive
import WeirTerminal

/// The command `weir ps`: the running tails and replays of this user, one line each.
enum ProcessesCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        if let url = arguments[.nats] { return try StreamCommand.printTails(arguments, of: url) }
        var rows: [[String]] = []
        var text = ""
        for process in RunningProcess.all {
            guard let status = try? process.call(.status, timeout: .seconds(1)) else {
                Console.note("\(process.name) does not answer")
                continue
            }
            if arguments.has(.json) {
                text += status.raw.description + "\n"
            } else {
                rows.append(row(status))
            }
        }
        if !rows.isEmpty { text = table([titles] + rows) }
        return text.isEmpty ? .done : Console.print(text)
    }

    private static let titles = [
        "NAME", "CTX", "PID", "KIND", "STATE", "ROOMS", "EVENTS", "RATE", "LAG", "RECORDING", "WHAT",
    ]

    private static func row(_ status: JSONValue) -> [String] {
        let rooms = status["rooms"].map { "\(shown($0["joined"]))/\(shown($0["wanted"]))" } ?? "-"
        let rate = status["rate"].map { shown($0) + "/s" } ?? "-"
        let lag = status["lag_ms"].map { shown($0) + "ms" } ?? "-"
        let cells = [
            shown(status["name"]), shown(status["context"]), shown(status["pid"]), shown(status["kind"]),
            shown(status["state"]), rooms, shown(status["events"]), rate, lag, shown(status["recording"]),
            shown(status["url"] ?? status["file"]),
        ]
        return cells.map { TerminalText.escaped($0) }
    }

    private static func shown(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .integer(let number)?: String(number)
        case .number(let number)?: "\((number * 10).rounded() / 10)"
        case .bool(let flag)?: flag ? "yes" : "no"
        case .text(let text)?: text.description
        case nil, .null?, .array?, .object?: "-"
        }
    }

    /// Aligns cells in columns as wide as their widest cell. The last column is not padded.
    static func table(_ rows: [[String]]) -> String {
        let columns = (rows.first ?? []).indices
        let widths = columns.map { column in rows.map { TerminalText.width(of: $0[column]) }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                guard column < row.count - 1 else { continue }
                line += String(repeating: " ", count: widths[column] - TerminalText.width(of: cell) + 2)
            }
            return line + "\n"
        }.joined()
    }
}

import Live
import Recording

/// `weir file report`: writes an HTML report of a recording.
enum FileReportCommand {
    static func run(_ arguments: Arguments) throws -> ExitCode {
        let paths = arguments.positionals
        let plan = ReportPlan(destination: arguments.destination, facts: try ReportFacts(recordings: paths))
        try plan.check()
        let collected = ReportCollector()
        let status = StatusPrinter(colour: TerminalDevice.showsColour(2), quiet: true)
        let summary = try Replay(ReplayConfiguration(paths), outlets: [collected, status]).run()
        try plan.write(collected, summary)
        let ending = Ending(summary)
        if let words = ending.words { Console.note("weir: \(words)") }
        return ending.code
    }
}

import Glibc
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording

/// The outlets of one run, created from its options.
struct Outlets {
    /// All outlets, in the order of writing.
    let all: [any Outlet]
    private let collector = SummaryCollector()
    private let status: StatusPrinter
    private let quiet: Bool
    private let failures: [FailureCause]
    private let toleratesLoss: Bool
    private let summaryForm: SummaryForm
    private let hooks: HookOutlet?
    /// The plan and the collector of the run's HTML report; `nil` without a report.
    private let report: (plan: ReportPlan, collected: ReportCollector)?
    /// The view that is drawn in place; `nil` if none is.
    let board: TerminalBoard?
    /// The filter of the view. It may change during the run.
    let filter: ViewFilter
    /// How long to wait for the reader of the output.
    let patience = WritePatience()

    /// Creates the outlets.
    ///
    /// - Parameters:
    ///   - line: The content of the status line of a live run; `nil` for a replay, which has its own.
    ///   - screen: A view that replaces the printers and applies `shared` itself.
    ///   - controls: The controls that can pause and change the view during the run.
    ///   - muted: The rooms whose events are not shown.
    init(
        _ options: OutputOptions, status line: TerminalBoard.Status? = nil, screen: (any Outlet)? = nil,
        filter shared: ViewFilter? = nil, controls: ViewControls? = nil, muted: MutedRooms? = nil
    ) throws(OutletError) {
        let form = options.form
        status = StatusPrinter(
            colour: TerminalDevice.showsColour(2), quiet: options.quiet,
            showsGaps: form?.showsGaps != true || isatty(1) == 0,
            showsIDs: options.lines.showsIDs, patience: patience)
        quiet = options.quiet
        (failures, toleratesLoss) = (options.failures, options.toleratesLoss)
        summaryForm = options.summary
        filter = shared ?? ViewFilter(options.filters.view)
        var outlets: [any Outlet] = []
        if let path = options.diffLog {
            outlets.append(try DiffLogFile(creating: path, reversible: options.reversible, patience: patience))
        }
        outlets.append(collector)
        try options.report?.check()
        report = options.report.map { ($0, ReportCollector()) }
        if let report { outlets.append(report.collected) }
        if !options.hooks.isEmpty || options.notifications != nil {
            let quiet = options.quiet
            do throws(NetworkError) {
                let hooks = try HookOutlet(options.hooks, notifying: options.notifications) { words in
                    if !quiet { Console.note(words) }
                }
                outlets.append(hooks)
                self.hooks = hooks
            } catch {
                throw .system(operation: "start", path: "hooks", code: EAGAIN)
            }
        } else {
            hooks = nil
        }
        if let screen {
            all = outlets + [screen]
            board = nil
            return
        }
        var printers: [any Outlet] = [status]
        if let controls { printers = [LeveledStatus(status, controls)] }
        if let form {
            let (form, lines) = (Outlets.safe(form), options.lines)
            // An in-place view also shows traffic, so its filter is applied in front of the whole view.
            let filter = options.view == .log ? self.filter : nil
            let makePrinter: @Sendable (OutputFormat?) -> any Outlet = { [patience] format in
                let printer = EventPrinter(
                    format.map { Outlets.safe(.format($0)) } ?? form, colour: TerminalDevice.showsColour(1), width: nil,
                    followsTerminal: true, settings: lines, patience: patience)
                let shown: any Outlet = filter.map { FilteredOutlet(printer, filter: $0) } ?? printer
                return muted.map { MutedOutlet(shown, muted: $0) } ?? shown
            }
            if let controls {
                printers.append(ControlledView(controls, makePrinter: makePrinter))
            } else {
                printers.append(makePrinter(nil))
            }
        }
        if options.view == .raw {
            printers.append(
                WirePrinter(colour: TerminalDevice.showsColour(1), settings: options.lines, patience: patience))
        }
        var shownLine = options.hasStatus ? line : nil
        shownLine?.filter = { [filter] in filter.text.isEmpty ? nil : filter.text }
        if options.view.isDrawn || (shownLine != nil && TerminalDevice.redraws(2)) {
            let board = TerminalBoard(
                options.view, status: shownLine, isLive: line != nil, settings: options.lines, patience: patience,
                around: printers)
            outlets.append(options.view.isDrawn ? FilteredOutlet(board, filter: filter) : board)
            self.board = options.view.isDrawn ? board : nil
        } else {
            outlets += printers
            board = nil
        }
        all = outlets
    }

    /// Returns a form that is safe for the terminal, which must not receive unescaped text from a peer.
    private static func safe(_ form: PrintedForm) -> PrintedForm {
        if case .format(.raw) = form, isatty(1) == 1 { .format(.jsonl) } else { form }
    }

    /// Prints the outcome and the summary of the run, and returns the exit code.
    func conclude(_ summary: TailSummary, hint: String? = nil) -> ExitCode {
        let seen = collector.summary
        var end = Ending(summary)
        if let hint { end.words = (end.words.map { $0 + "; " } ?? "") + hint }
        if let report {
            do { try report.plan.write(report.collected, summary) } catch {
                end.code = .cannotWrite
                end.words = (end.words.map { $0 + "; " } ?? "") + "no report: \(CommandError(error).sentence)"
            }
        }
        let figures = hooks?.figures
        if end.code == .done, let figures, figures.notForwarded > 0 { end.code = .loss }
        end.judge(seen, by: failures, toleratesLoss: toleratesLoss)
        var lines: [String] = []
        if let words = end.words {
            if end.code == .done {
                lines.append("weir: " + words)
            } else {
                try? status.write(badge: "weir:", isGrave: true, line: words)
            }
        }
        switch summaryForm {
        case .text where !quiet && end.hasSummary:
            lines += seen.lines(model: summary.sections, requests: summary.requests) + filter.tally.lines
        case .text, .none, .json: break
        }
        if let line = figures?.line { lines.append(line) }
        lines += figures?.absent.map { "hooks:" + $0.dropFirst() } ?? []
        lines += summary.absent
        try? status.write(lines: lines)
        if summaryForm == .json {
            var writer = JSONWriter()
            seen.write(summary, words: end.words, code: Int(end.code.rawValue), filtered: filter.tally, into: &writer)
            try? DescriptorWriter(descriptor: 2, name: "standard error", patience: patience).write(writer.bytes)
        }
        return end.code
    }
}

/// The destination of a run's HTML report, and the facts that its reports do not contain.
struct ReportPlan {
    var destination: ToolDestination
    var facts: ReportFacts

    /// Writes the HTML report of a run that has ended.
    func write(_ collected: ReportCollector, _ summary: TailSummary) throws {
        try ToolFile.write(destination) { write in try write(collected.page(facts, summary)) }
    }

    /// Throws an error if the file exists and must not be replaced, so that the run does not fail at its end.
    func check() throws(OutletError) {
        guard let path = destination.path, path != "-", !destination.replaces, access(path, F_OK) == 0 else { return }
        throw .system(operation: "create", path: path, code: EEXIST)
    }
}

extension ReportFacts {
    /// Creates the facts of a run against a server.
    init(server: String, backend: String, recording: String?) {
        self.init(title: "Weir report: \(server)", tool: Help.version)
        rows = [("server", server), ("backend", backend)]
        if let recording {
            rows.append(("recording", recording))
            if recording != "-" { allEvents = Self.command(printing: [recording]) }
        }
    }

    /// Creates the facts of recordings, from the head of the first one.
    init(recordings paths: [String]) throws(RecordingError) {
        self.init(title: "Weir report: \(paths.joined(separator: ", "))", tool: Help.version)
        allEvents = Self.command(printing: paths)
        guard let path = paths.first, path != "-" else { return }
        var reader = try RecordingReader(opening: path)
        let head = reader.head
        if let title = head.title { self.title = title }
        let configuration = try? Configuration(of: head, in: path)
        for (name, value) in [
            ("recording", paths.joined(separator: ", ")), ("server", try Self.server(&reader)),
            ("backend", configuration?.backend.rawValue), ("context", head.context),
            ("tags", head.tags.isEmpty ? nil : head.tags.joined(separator: ", ")),
            ("filter", head.filter.map { "only events that are: " + $0 }), ("written by", head.tool),
            ("id", head.recording),
            ("redacted", head.redactions.isEmpty ? "nothing" : head.redactions.joined(separator: ", ")),
        ] {
            if let value { rows.append((name, value)) }
        }
    }

    /// Returns the address of the recording's first connection, without its query.
    private static func server(_ reader: inout RecordingReader) throws(RecordingError) -> String? {
        for _ in 0..<64 {
            guard let entry = try reader.next() else { return nil }
            if case .record(.connection(let change), _) = entry, let url = change.url {
                return String(url.prefix { $0 != "?" })
            }
        }
        return nil
    }

    private static func command(printing paths: [String]) -> String {
        "weir replay --speed max --events-only " + paths.map(Self.quoted).joined(separator: " ")
    }

    /// Quotes a word for the shell if necessary.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "_"),
                UInt8(ascii: "-"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}

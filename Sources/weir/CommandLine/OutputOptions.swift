import Glibc
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirTerminal

/// The output options of `tail`, `demo`, `record` and `replay`.
struct OutputOptions {
    /// The form in which events are printed; `nil` for no printing.
    var form: PrintedForm?
    var view = ViewKind.log
    /// Whether a terminal shows a status line.
    var hasStatus = true
    /// The form of the final summary.
    var summary = SummaryForm.text
    /// The layout of the lines.
    var lines = LineSettings()
    /// The filters of the printed events.
    var filters: FilterOptions
    /// The programs and URLs that matching reports are passed to.
    var hooks: [ReportHook]
    /// The notifications for the user.
    var notifications: NotificationPlan?
    /// The path of the log of model changes.
    var diffLog: String?
    /// Whether the log also contains the deleted and replaced values.
    var reversible = false
    /// The HTML report of the run; `nil` for none.
    var report: ReportPlan?
    /// The number of shown events after which the run ends.
    var count: Int?
    /// The filter whose first match ends the run.
    var untilMatch: Filter?
    /// The conditions under which a run fails that otherwise ended well.
    var failures: [FailureCause]
    /// Whether loss is expected in this run.
    var toleratesLoss = false
    /// Whether standard error shows only warnings, errors and losses.
    var quiet = false

    private static let filters: [Option] = [
        .filter, .messages, .eventsOnly, .noChanges, .kind, .notKind, .room, .notRoom, .from, .notFrom, .grep, .exclude,
        .highlight, .sample, .tail, .since,
    ]

    /// Returns another requested output that uses standard output; `nil` if none does.
    private static func onStandardOutput(_ arguments: Arguments, _ view: ViewKind) -> String? {
        if view != .log { return "--view \(view.rawValue)" }
        if arguments.command == .watch { return "watch" }
        if arguments.command == .record, arguments.positionals.last == "-" { return "the recording" }
        return [Option.format, .template, .fields].first { arguments.isTyped($0) }?.flag
    }

    init(_ arguments: Arguments) throws(UsageError) {
        form = arguments.command == .record ? nil : try arguments.printedForm()
        view = try arguments.choice(.view) ?? .log
        hasStatus = !arguments.has(.noStatus) && !arguments.has(.quiet)
        // A quiet check prints only its verdict.
        if arguments.has(.verify), arguments.has(.quiet),
            ![Option.format, .template, .fields].contains(where: { arguments.isTyped($0) })
        {
            form = nil
        }
        if view != .log {
            if let other = [Option.format, .template, .fields].first(where: { arguments.isTyped($0) }) {
                throw arguments.error("--view \(view.rawValue) cannot be combined with \(other.flag)")
            }
            form = nil
        }
        if view == .raw, let other = Self.filters.first(where: { arguments.isTyped($0) }) {
            throw arguments.error("--view raw shows all traffic: \(other.flag) applies only to events")
        }
        summary = try arguments.choice(.summary) ?? .text
        lines = try arguments.lineSettings()
        filters = try FilterOptions(arguments)
        hooks = try arguments.hooks()
        // Events that the filter hides are not forwarded either.
        let shown = filters.view.filter
        for index in hooks.indices where hooks[index].filter == nil && !shown.isEmpty { hooks[index].filter = shown }
        notifications = try arguments.notifications()
        diffLog = arguments[.diffLog]
        reversible = arguments.has(.diffLogReversible)
        if diffLog == "-" {
            if let other = Self.onStandardOutput(arguments, view) {
                throw arguments.error("--diff-log - uses standard output, and so does \(other)")
            }
            form = nil
        }
        if reversible, diffLog == nil { throw arguments.error("--diff-log-reversible needs --diff-log FILE") }
        if let path = arguments[.report] {
            if path == "-" {
                if let other = Self.onStandardOutput(arguments, view) ?? (diffLog == "-" ? "--diff-log" : nil) {
                    throw arguments.error("--report - is standard output, and so is what \(other) shows")
                }
                form = nil
            }
            report = ReportPlan(
                destination: ToolDestination(path: path, replaces: arguments.has(.force)),
                facts: ReportFacts(title: "Weir report", tool: Help.version))
        }
        count = try arguments.count(.count)
        untilMatch = try arguments.expression(.untilMatch)
        failures = try arguments.failures()
        quiet = arguments.has(.quiet)
    }
}

/// A condition under which a run fails that otherwise ended well.
enum FailureCause: String, CaseIterable {
    case gap, unknown, denied

    /// Returns a phrase with the number of occurrences; `nil` for none.
    func words(_ summary: Summary) -> String? {
        let (count, one, many) =
            switch self {
            case .gap: (summary.gaps, "gap", "gaps")
            case .unknown: (summary.unknown, "unknown event", "unknown events")
            case .denied: (summary.denied, "room denied", "rooms denied")
            }
        return count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
    }
}

extension Arguments {
    /// Returns the values of `--fail-on`, which may be repeated or separated by commas.
    fileprivate func failures() throws(UsageError) -> [FailureCause] {
        var causes: [FailureCause] = []
        for word in all(.failOn).flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            let cause: FailureCause = try choice(of: String(word), for: "--fail-on: ")
            if !causes.contains(cause) { causes.append(cause) }
        }
        return causes
    }
}

/// The forms of the final summary.
enum SummaryForm: String, CaseIterable {
    case text, json, none
}

/// The limits, the recording and the control socket of `tail`, `record` and `demo`.
struct RunOptions {
    /// The time after which the run ends.
    var duration: Duration?
    /// The time without received events after which the run ends.
    var idleTimeout: Duration?
    /// The path of the recording; `nil` for none.
    var recording: String?
    /// The group with which the tail divides the rooms, and the time of its lease. The tail records into the group's stream.
    var share: (url: String, lease: Duration)?
    /// The settings of the recording.
    var plan: RecordingPlan
    /// Whether events and changes are published next to a recording in a stream.
    var publishesEvents = false
    /// The control socket's name; `nil` for the context's name or the process id.
    var name: String?
    /// Whether clients of the control socket may send events to the server.
    var allowsEmit = false
    /// Whether rooms that clients join and leave permanently are pinned and unpinned.
    var pinsFollow = false
    /// The folder for recordings that clients begin.
    var recordFolder: String?
    /// Whether the run opens a control socket.
    var hasControl = true
    /// The address that answers scrapes of metrics; `nil` for none.
    var metrics: (address: String, port: UInt16)?
    /// The OpenTelemetry collector that receives metrics and spans; `nil` for none.
    var collector: URLParts?

    init(_ arguments: Arguments) throws(UsageError) {
        duration = try arguments.duration(.duration)
        idleTimeout = try arguments.duration(.idleTimeout)
        recording = arguments.command == .record ? arguments.positionals[1] : arguments[.record]
        share = try SharingGroup.plan(arguments)
        plan = try arguments.recordingPlan(isRecording: recording != nil || share != nil)
        if recording == "-" { try arguments.checkStream(plan) }
        let isRemote = share != nil || recording.map(RemoteRecordings.isOne) ?? false
        if isRemote { try arguments.checkRemote(plan) }
        publishesEvents = arguments.has(.events)
        if publishesEvents, !isRemote {
            throw arguments.error("--events needs --record nats://HOST/STREAM, or --share")
        }
        name = try arguments.name(.name)
        hasControl = !arguments.has(.noControl)
        allowsEmit = arguments.has(.allowEmit)
        pinsFollow = arguments.has(.dynamicPins)
        recordFolder = arguments[.recordDir]
        if let port = arguments[.metrics].flatMap({ UInt16($0) }) {
            metrics = ("127.0.0.1", port)
        } else {
            metrics = try arguments.endpoint(.metrics)
        }
        if let text = arguments[.otlp] {
            guard let url = try? URLParts(parsing: text), ["http", "https"].contains(url.scheme) else {
                throw arguments.error("--otlp: an http or https URL is wanted, such as http://127.0.0.1:4318")
            }
            collector = url
        }
    }
}

extension Arguments {
    /// Returns the form in which events are printed.
    func printedForm() throws(UsageError) -> PrintedForm {
        let format: OutputFormat? = try choice(.format)
        if let text = self[.template] {
            if has(.fields) || isTyped(.format) {
                throw error("--template cannot be combined with \(has(.fields) ? "--fields" : "--format")")
            }
            do throws(LineTemplate.Malformed) {
                return .template(try LineTemplate(text))
            } catch {
                throw self.error("--template: \(error.message)")
            }
        }
        guard let text = self[.fields] else { return .format(format ?? .compact) }
        if isTyped(.format), format != .json { throw error("--fields requires --format json") }
        do throws(EnvelopeFields.Malformed) {
            return .fields(try EnvelopeFields(text))
        } catch {
            throw self.error("--fields: \(error.message)")
        }
    }

    /// Returns the time zone. A zone of the system's tables becomes the zone of the process, which uses no other zone.
    private func zone() throws(UsageError) -> LineSettings.Zone? {
        guard let name = self[.zone] else { return nil }
        if let zone: LineSettings.Zone = ["utc": .utc, "local": .local][name] { return zone }
        let isName = name.allSatisfy { $0.isLetter || $0.isNumber || "/_+-".contains($0) } && !name.hasPrefix("/")
        var facts = stat()
        guard isName, stat("/usr/share/zoneinfo/" + name, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw error(
                "--zone: invalid time zone \(UsageError.quoted(name)); write utc, local, or a name such as Europe/Berlin"
            )
        }
        setenv("TZ", name, 1)
        tzset()
        return .local
    }

    /// Returns the colours and styles of the output.
    func theme() throws(UsageError) -> TerminalTheme {
        var theme = TerminalTheme(try choice(.theme) ?? .auto)
        for text in all(.style) {
            do throws(TerminalTheme.Malformed) {
                try theme.set(text)
            } catch {
                throw self.error("--style: \(error.message)")
            }
        }
        return theme
    }

    /// Returns the layout of the lines.
    func lineSettings() throws(UsageError) -> LineSettings {
        var settings = LineSettings()
        settings.time = try choice(.time) ?? settings.time
        settings.zone = try zone() ?? settings.zone
        settings.roomWidth = try count(.roomWidth)
        settings.showsIDs = has(.ids)
        settings.spacer = try duration(.spacer)
        guard (4...200).contains(settings.roomWidth ?? 20) else { throw error("--room-width must be from 4 to 200") }
        return settings
    }
}

extension Arguments {
    /// Returns the hooks that run for matching reports.
    func hooks() throws(UsageError) -> [ReportHook] {
        var hooks: [ReportHook] = []
        // A profile file may declare the kinds.
        let kinds = all(.hook).isEmpty && all(.hookSh).isEmpty ? [] : try declaredKinds
        for text in all(.hook) { hooks.append(try hook(text, of: .hook, kinds)) }
        for text in all(.hookSh) { hooks.append(try hook(text, of: .hookSh, kinds)) }
        if let text = self[.forward] {
            let url = try url(text)
            guard url.scheme == "http" || url.scheme == "https" else {
                throw error("--forward requires an http or https URL")
            }
            hooks.append(ReportHook(nil, .forward(url)))
        }
        return hooks
    }

    /// Returns the notification rules and their program; `nil` without rules.
    func notifications() throws(UsageError) -> NotificationPlan? {
        let texts = all(.notify)
        guard !texts.isEmpty else {
            if self[.notifyBy] != nil, isTyped(.notifyBy) { throw error("--notify-by needs --notify RULE") }
            return nil
        }
        let kinds = texts.contains { NotificationRule(word: $0) == nil } ? try declaredKinds : []
        var rules: [NotificationRule] = []
        for text in texts {
            if let rule = NotificationRule(word: text) {
                rules.append(rule)
                continue
            }
            guard !text.hasPrefix("keyword:") else {
                throw error("--notify keyword: has no word; write it like keyword:deploy")
            }
            try filtering(.notify) { () throws(FilterError) in
                rules.append(.filter(try Filter(parsing: text, origin: Option.notify.flag, kinds: kinds)))
            }
        }
        switch self[.notifyBy] {
        case nil, "terminal": return NotificationPlan(rules)
        case "desktop": return NotificationPlan(rules, by: .desktop)
        case .some(let text):
            let words = text.split(separator: " ").map(String.init)
            guard !words.isEmpty else { throw error("--notify-by must be terminal, desktop or a COMMAND") }
            return NotificationPlan(rules, by: .command(words))
        }
    }

    /// Parses `EXPR=COMMAND`. An expression may contain equals signs, so the first one after a complete expression
    /// separates the two.
    private func hook(_ text: String, of option: Option, _ kinds: [String]) throws(UsageError) -> ReportHook {
        var complaint: FilterError?
        for index in text.indices where text[index] == "=" {
            do throws(FilterError) {
                let filter = try Filter(parsing: String(text[..<index]), origin: option.flag, kinds: kinds)
                let command = String(text[text.index(after: index)...])
                let typed = command.split(separator: " ").map(String.init)
                let words = option == .hookSh && !typed.isEmpty ? ["/bin/sh", "-c", command] : typed
                if !filter.isEmpty, !words.isEmpty { return ReportHook(filter, .command(words)) }
            } catch {
                complaint = error
            }
        }
        throw error(
            "\(option.flag): invalid EXPR=COMMAND \(UsageError.quoted(text))"
                + (complaint.map { ": \($0.message)" } ?? "")
        )
    }
}

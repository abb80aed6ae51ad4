import Live
import Pipeline
import Recording

/// What `tail`, `demo`, `record` and `replay` do with what they see.
struct OutputOptions {
    /// How events are printed; nil for not at all.
    var form: PrintedForm?
    /// What is shown of what happens.
    var view = ViewKind.log
    /// Whether there is a status line on a terminal.
    var hasStatus = true
    /// How to tell at the end what was seen.
    var summary = SummaryForm.text
    /// How lines are laid out.
    var lines = LineSettings()
    /// What of them is printed.
    var filters: FilterOptions
    /// What is done besides.
    var hooks: [ReportHook]
    /// What the user is notified of.
    var notifications: NotificationPlan?
    /// Where every change of the model is written, too.
    var diffLog: String?
    /// Whether that also holds what was deleted or replaced.
    var reversible = false
    /// After how many events that are shown to end.
    var count: Int?
    /// At what to end.
    var untilMatch: Filter?
    /// What makes a run fail that went well otherwise.
    var failures: [FailureCause]
    /// Whether what was lost belongs to the show.
    var toleratesLoss = false
    /// Only warnings, errors and losses on standard error.
    var quiet = false

    private static let filters: [Option] = [
        .filter, .messages, .eventsOnly, .noChanges, .kind, .notKind, .room, .notRoom, .from, .notFrom, .grep, .exclude,
        .highlight, .sample, .tail, .since,
    ]

    /// What else was asked for that is printed on standard output.
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
        // The verdict is all that a quiet check has to say.
        if arguments.has(.verify), arguments.has(.quiet),
            ![Option.format, .template, .fields].contains(where: { arguments.isTyped($0) })
        {
            form = nil
        }
        if view != .log {
            if let other = [Option.format, .template, .fields].first(where: { arguments.isTyped($0) }) {
                throw arguments.error("--view \(view.rawValue) is instead of \(other.flag)")
            }
            form = nil
        }
        if view == .raw, let other = Self.filters.first(where: { arguments.isTyped($0) }) {
            throw arguments.error("--view raw is all there is on the wire: \(other.flag) is about events")
        }
        summary = try arguments.choice(.summary) ?? .text
        lines = try arguments.lineSettings()
        filters = try FilterOptions(arguments)
        hooks = try arguments.hooks()
        // What is left out is not forwarded, either.
        let shown = filters.view.filter
        for index in hooks.indices where hooks[index].filter == nil && !shown.isEmpty { hooks[index].filter = shown }
        notifications = try arguments.notifications()
        diffLog = arguments[.diffLog]
        reversible = arguments.has(.diffLogReversible)
        if diffLog == "-" {
            if let other = Self.onStandardOutput(arguments, view) {
                throw arguments.error("--diff-log - is standard output, and so is what \(other) shows")
            }
            form = nil
        }
        if reversible, diffLog == nil { throw arguments.error("--diff-log-reversible needs --diff-log FILE") }
        count = try arguments.count(.count)
        untilMatch = try arguments.expression(.untilMatch)
        failures = try arguments.failures()
        quiet = arguments.has(.quiet)
    }
}

/// What makes a run fail that went well otherwise.
enum FailureCause: String, CaseIterable {
    case gap, unknown, denied

    /// How often it happened, in words; nil when it did not.
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
    /// Of `--fail-on`, given again or with commas.
    fileprivate func failures() throws(UsageError) -> [FailureCause] {
        var causes: [FailureCause] = []
        for word in all(.failOn).flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            let cause: FailureCause = try choice(of: String(word), for: "--fail-on: ")
            if !causes.contains(cause) { causes.append(cause) }
        }
        return causes
    }
}

/// How to tell at the end what was seen.
enum SummaryForm: String, CaseIterable {
    case text, json, none
}

/// What `tail`, `record` and `demo` do for how long, and who may speak to them.
struct RunOptions {
    /// After which time to end.
    var duration: Duration?
    /// Which time without anything received is too long.
    var idleTimeout: Duration?
    /// Where everything received and sent is written.
    var recording: String?
    /// How it is written.
    var plan: RecordingPlan
    /// Whether each event and change is published beside a recording in a stream.
    var publishesEvents = false
    /// The control socket's name; nil for the process id.
    var name: String?
    /// Whether clients of it may send events to the server.
    var allowsEmit = false
    /// Whether pins are kept in step with what they join and leave.
    var pinsFollow = false
    /// Where they may begin recordings.
    var recordFolder: String?
    /// Whether there is a control socket.
    var hasControl = true

    init(_ arguments: Arguments) throws(UsageError) {
        duration = try arguments.duration(.duration)
        idleTimeout = try arguments.duration(.idleTimeout)
        recording = arguments.command == .record ? arguments.positionals[1] : arguments[.record]
        plan = try arguments.recordingPlan(isRecording: recording != nil)
        if recording == "-" { try arguments.checkStream(plan) }
        let isRemote = recording.map(RemoteRecordings.isOne) ?? false
        if isRemote { try arguments.checkRemote(plan) }
        publishesEvents = arguments.has(.events)
        if publishesEvents, !isRemote { throw arguments.error("--events needs --record nats://HOST/STREAM") }
        name = try arguments.name(.name)
        hasControl = !arguments.has(.noControl)
        allowsEmit = arguments.has(.allowEmit)
        pinsFollow = arguments.has(.dynamicPins)
        recordFolder = arguments[.recordDir]
    }
}

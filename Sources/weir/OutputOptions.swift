import Live

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
    /// Where every change of the model is written, too.
    var diffLog: String?
    /// Whether that also holds what was deleted or replaced.
    var reversible = false
    /// After how many events to end.
    var count: Int?
    /// Only warnings, errors and losses on standard error.
    var quiet = false

    init(_ arguments: Arguments) throws(UsageError) {
        form = arguments.command == .record ? nil : try arguments.printedForm()
        view = try arguments.choice(.view) ?? .log
        hasStatus = !arguments.has(.noStatus) && !arguments.has(.quiet)
        if view != .log {
            if let other = [Option.format, .template, .fields].first(where: { arguments.isTyped($0) }) {
                throw arguments.error("--view \(view.rawValue) is instead of \(other.flag)")
            }
            form = nil
        }
        summary = try arguments.choice(.summary) ?? .text
        lines = try arguments.lineSettings()
        filters = try FilterOptions(arguments)
        hooks = try arguments.hooks()
        diffLog = arguments[.diffLog]
        reversible = arguments.has(.diffLogReversible)
        if reversible, diffLog == nil { throw arguments.error("--diff-log-reversible needs --diff-log FILE") }
        count = try arguments.count(.count)
        quiet = arguments.has(.quiet)
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
    /// The control socket's name; nil for the process id.
    var name: String?
    /// Whether clients of it may send events to the server.
    var allowsEmit = false
    /// Where they may begin recordings.
    var recordFolder: String?
    /// Whether there is a control socket.
    var hasControl = true

    init(_ arguments: Arguments) throws(UsageError) {
        duration = try arguments.duration(.duration)
        idleTimeout = try arguments.duration(.idleTimeout)
        recording = arguments.command == .record ? arguments.positionals[1] : arguments[.record]
        plan = try arguments.recordingPlan(isRecording: recording != nil)
        name = try arguments.name(.name)
        hasControl = !arguments.has(.noControl)
        allowsEmit = arguments.has(.allowEmit)
        recordFolder = arguments[.recordDir]
        if recordFolder == "" { throw arguments.error("--record-dir: the name of the folder is empty") }
    }
}

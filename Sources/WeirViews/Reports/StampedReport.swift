import WeirEvents
import WeirJSON
public import WeirPipeline
public import WeirWire

/// A report with the stamp of its cause.
public struct StampedReport: Sendable {
    /// The number, session time and wall clock of the record that caused the report. The number is 0 if a timer caused it.
    public var stamp: Stamp
    /// The report as the session made it; a notice may contain the time at which its wait ends.
    public var report: Report
    /// The local clock minus the server's at the time of the report, in milliseconds, as far as it is known
    /// (`ServerClock`).
    public var clockOffset: Int64
    /// The name of the context in which the session runs or was recorded; `nil` without one.
    public var context: String?
    /// Creates a report with its stamp.
    public init(stamp: Stamp, report: Report, clockOffset: Int64 = 0, context: String? = nil) {
        self.stamp = stamp
        self.report = report
        self.clockOffset = clockOffset
        self.context = context
    }

    /// The event's transit time in milliseconds: receive time minus server time, corrected for the clock offset. It is
    /// `nil` for other reports and for events without a server time.
    public var lag: Int64? {
        guard case .event(let event) = report, let difference = event.difference(at: stamp) else { return nil }
        let (lag, overflow) = difference.subtractingReportingOverflow(clockOffset)
        return overflow ? nil : lag
    }
}

extension StampedReport {
    /// Creates a report when it is made. An event updates `clock` with the difference between its receive time and
    /// server time.
    package init(stamp: Stamp, report: Report, clock: inout ServerClock, context: String?) {
        if case .event(let event) = report, let difference = event.difference(at: stamp) {
            clock.note(difference, at: stamp.time)
        }
        var report = report
        if case .notice(let notice) = report { report = .notice(notice.dated(at: stamp.wall)) }
        self.init(stamp: stamp, report: report, clockOffset: clock.offset, context: context)
    }
}

extension Notice {
    /// Returns the notice with the time at which its wait ends. `wall` is when the notice was made, in microseconds
    /// since 1970.
    package func dated(at wall: Int64) -> Notice {
        guard let wait else { return self }
        var notice = self
        notice.text += ", until \(TimeText.rfc3339(wall: wall + wait.microseconds).dropFirst(11).prefix(8)) UTC"
        return notice
    }
}

extension EventReport {
    /// Returns the receive time minus the server time in milliseconds, each on its own clock, or `nil` if the event has
    /// no server time.
    fileprivate func difference(at stamp: Stamp) -> Int64? {
        guard let sent = serverTime?.milliseconds else { return nil }
        let (difference, overflow) = (stamp.wall / 1000).subtractingReportingOverflow(sent)
        return overflow ? nil : difference
    }
}

extension Report {
    /// The bytes that the report holds, as far as a server controls them. The rows of a diff count as 0: they belong to
    /// the model, or came with an event.
    package var heldBytes: Int {
        switch self {
        case .event(let event): event.source.heldBytes
        case .emit(let emit): emit.name.utf8.count + emit.outcome.heldBytes
        case .diff, .connection(.ready): 0
        case .gap(let gap): gap.refetching.heldBytes
        case .connection(.connecting(attempt: _, let text)), .connection(.lost(let text, retryIn: _)): text.utf8.count
        case .room(let room): room.room.utf8.count + (room.why?.utf8.count ?? 0)
        case .action(let action):
            switch action.change {
            case .refused(let why, status: _), .delayed(let why, retryIn: _): why.utf8.count
            case .queued, .sending, .done, .dropped: 0
            }
        case .refetch(let refetch): refetch.resource.utf8.count
        case .typing(let typing): typing.typing.heldBytes
        case .undecodable(let text): text.subject.utf8.count + text.message.utf8.count + text.excerpt.count
        case .notice(let notice): notice.text.utf8.count
        }
    }
}

extension EmitReport.Outcome {
    fileprivate var heldBytes: Int {
        switch self {
        case .answered(let answer): answer.attachments.reduce(answer.arguments.bytes.count) { $0 + $1.count }
        case .lost(let why), .refused(let why): why.utf8.count
        case .sent, .timedOut: 0
        }
    }
}

extension [String] {
    fileprivate var heldBytes: Int { reduce(0) { $0 + $1.utf8.count } }
}

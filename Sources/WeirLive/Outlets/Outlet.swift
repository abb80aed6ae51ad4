import Glibc
public import WeirModel
public import WeirPipeline
import WeirRecording
import WeirWire

/// A destination for reports, such as a terminal or a file.
///
/// An outlet is called on one thread, never concurrently: the outlet thread of a tail or a replay, or the thread that runs a watched
/// replay. It may block. While it lags, a tail stops reading from its socket and a replay stops playing.
///
/// An outlet must not:
/// * write text of reports to a terminal without escaping it, because the text is untrusted;
/// * wait for another outlet, or for an answer of the tail that calls it: both wait for this call;
/// * keep reports longer than it needs them: they hold slices of the received data;
/// * throw anything but `OutletError`, or print secrets: the tail redacts reports only as its configuration states.
public protocol Outlet: AnyObject, Sendable {
    /// Whether batches must carry checksums of the model, which cost a little at each change; `false` by default.
    var needsChecksums: Bool { get }
    /// Whether the outlet also receives the units of the wire; `false` by default.
    var needsWire: Bool { get }
    /// The part of a replay that the outlet receives; `shown` by default.
    var replayPart: ReplayPart { get }
    /// Writes a batch of reports, in order, and flushes. An error ends the tail or replay, and this method is not
    /// called again.
    func write(_ reports: [StampedReport]) throws(OutletError)
    /// Writes a batch with a mark for each report, in which a filter has set whether and how to show it. By default
    /// hidden reports are skipped.
    func write(_ reports: [StampedReport], _ marks: [ViewMark]) throws(OutletError)
    /// Writes units of the wire, in order. Called only if `needsWire` is true, before the reports that the units cause.
    func write(units: [WireUnit]) throws(OutletError)
    /// Starts in the middle of a session with this model of this user, which contains the names to show. By default the
    /// call is ignored.
    func begin(with model: SectionedCollection<Item>, of user: String?)
    /// Ends the output. Also called after an error of `write`.
    func finish() throws(OutletError)
}

extension Outlet {
    /// `false`: most outlets do not need checksums.
    public var needsChecksums: Bool { false }
    /// `false`: most outlets do not show the wire.
    public var needsWire: Bool { false }
    /// Ignores the units, since most outlets do not show the wire.
    public func write(units: [WireUnit]) throws(OutletError) {}
    /// Ignores the model, since most outlets do not look up names.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {}
    /// The shown part, since most outlets print for a user.
    public var replayPart: ReplayPart { .shown }
    /// Writes only the reports that are shown.
    public func write(_ reports: [StampedReport], _ marks: [ViewMark]) throws(OutletError) {
        let shown = zip(reports, marks).filter(\.1.isShown).map(\.0)
        if !shown.isEmpty { try write(shown) }
    }
}

/// The part of a replay that an outlet receives. A live tail has only one part.
public enum ReplayPart: Hashable, Sendable {
    /// Everything that is shown, including repetitions.
    case shown
    /// Everything shown, but each report only once.
    case shownOnce
    /// Every report once and in order, including those skipped before anything is shown.
    case whole
    /// Every report each time it is played, including skipped ones.
    case every
}

/// The reason why an outlet cannot go on.
public enum OutletError: Error, Hashable, Sendable {
    /// The reader closed the pipe. This is a normal end.
    case closedByReader
    /// The process is ending, and the named reader has not read for this long. The rest is not written.
    case unread(String, after: Duration)
    /// A system call failed; `code` is its `errno`.
    case system(operation: String, path: String, code: Int32)

    /// The error as a phrase for the user.
    public var words: String {
        switch self {
        case .closedByReader: "the reader closed the output"
        case .unread(let name, after: let time):
            "\(name) was not read for \(time.components.seconds) s after the end: the rest was discarded"
        case .system(let operation, let path, let code):
            "cannot \(operation) \(path): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
        }
    }
}

/// Tracks the transport of a connection's messages, `ws` or `polling`, from record to record.
struct MessageCarrier {
    private var name = "ws"

    /// Updates the transport from a record. Call it with every record, in order.
    mutating func note(_ record: Record) {
        guard case .connection(let connection) = record, let transport = connection.transport else { return }
        name = transport == "websocket" ? "ws" : transport
    }

    /// Returns the unit of a record, labelled with the current transport. Returns `nil` when the record is not wire
    /// traffic, or when it only restates earlier traffic.
    func unit(of record: Record, _ stamp: Stamp) -> WireUnit? {
        var unit = WireUnit(record, stamp)
        if case .frame(let frame) = record, frame.transport == nil { unit?.channel = name }
        return unit
    }
}

extension WireUnit {
    /// Creates the unit of a record; `nil` when the record is not wire traffic, or when it only restates earlier
    /// traffic.
    init?(_ record: Record, _ stamp: Stamp) {
        if stamp.isRestated { return nil }
        switch record {
        case .frame(let frame): self.init(frame, stamp)
        case .http(let exchange): self.init(exchange, stamp)
        case .head, .connection, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync,
            .index,
            .end, .unknown:
            return nil
        }
    }

    private init(_ frame: Record.FrameRecord, _ stamp: Stamp) {
        let isBinary = if case .binary = frame.message { true } else { false }
        self.init(
            stamp: stamp, isSent: frame.direction == .out, channel: frame.transport ?? "ws",
            title: frame.isInjected ? "(injected)" : frame.isDropped ? "(left out)" : "", bytes: frame.message.bytes,
            isBinary: isBinary, size: frame.cutFrom ?? frame.message.bytes.count)
    }

    private init(_ exchange: Record.HTTPRecord, _ stamp: Stamp) {
        var (isSent, title, body) = (false, "", [UInt8]())
        switch exchange.phase {
        case .request(let method, let url, let sent):
            (isSent, title, body) = (
                true, method + " " + (Record.HTTPRecord.target(of: url[...]).map(String.init) ?? url), sent
            )
        case .response(let status, let answer, _): (title, body) = (String(status), answer)
        case .failure(let kind, let message): title = "\(kind): \(message)"
        }
        self.init(
            stamp: stamp, isSent: isSent, channel: "http", title: title, bytes: body[...], isBinary: false,
            size: exchange.cutFrom ?? body.count)
    }
}

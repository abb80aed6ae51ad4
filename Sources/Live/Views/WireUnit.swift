public import Recording
import Wire

/// What was on the wire at once, in one direction: a message of the connection, a request or its answer. Without what a recording of it would
/// hide.
public struct WireUnit: Hashable, Sendable {
    /// Number, time and wall clock of its record.
    public var stamp: Stamp
    /// Whether it was sent; else it was received.
    public var isSent: Bool
    /// What carried it: `ws`, `polling`, `http`.
    public var channel: String
    /// What stands in front of its bytes: of a request method and target, of an answer its status; empty of a message. Untrusted text.
    public var title: String
    /// Its bytes, or as many of them as a recording keeps. Untrusted.
    public var bytes: ArraySlice<UInt8>
    /// Whether the bytes are no text.
    public var isBinary: Bool
    /// How many bytes there were.
    public var size: Int
}

/// The transport of a connection's messages, `ws` or `polling`, followed from record to record.
struct MessageCarrier {
    private var name = "ws"

    /// Follows a record. To be called with each, in order.
    mutating func note(_ record: Record) {
        guard case .connection(let connection) = record, let transport = connection.transport else { return }
        name = transport == "websocket" ? "ws" : transport
    }

    /// The unit of a record, labelled with the current transport; nil if nothing was on the wire, or the record only repeats it.
    func unit(of record: Record, _ stamp: Stamp) -> WireUnit? {
        var unit = WireUnit(record, stamp)
        if case .frame(let frame) = record, frame.transport == nil { unit?.channel = name }
        return unit
    }
}

extension WireUnit {
    /// What a record says was on the wire; nil when it says nothing of the kind, or says it again.
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
            title: frame.isInjected ? "(put in)" : frame.isDropped ? "(left out)" : "", bytes: frame.message.bytes,
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

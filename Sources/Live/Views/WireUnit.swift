public import Recording
import Wire

/// One message on the wire in one direction: a message of the connection, an HTTP request or an HTTP response. Secrets
/// that a recording would hide are removed.
public struct WireUnit: Hashable, Sendable {
    /// The number, the session time and the wall clock of its record.
    public var stamp: Stamp
    /// Whether the client sent it. Otherwise the client received it.
    public var isSent: Bool
    /// The transport: `ws`, `polling` or `http`.
    public var channel: String
    /// The text before the bytes: the method and target of a request, the status of a response, or the reason of a failed
    /// request. For a message it is empty, unless the message was injected or dropped. Untrusted text.
    public var title: String
    /// The bytes, or as many as the recording keeps. Untrusted.
    public var bytes: ArraySlice<UInt8>
    /// Whether the bytes are binary and not text.
    public var isBinary: Bool
    /// The full size in bytes.
    public var size: Int
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

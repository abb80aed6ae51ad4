import CNATS
import JSONText
import Network
import Recording

/// Sends messages to a stream and receives the acknowledgements. Can be used on any thread.
final class PublishingHand: Sendable {
    typealias Ledger = PublishLedger<StreamPayload>

    private let connection: StreamConnection
    private let stream: String
    private let name: String
    private let subject: String
    /// The prefix of the subjects of the acknowledgements.
    private let inbox: String

    init(_ connection: StreamConnection, _ address: StreamAddress) throws(ClusterError) {
        self.connection = connection
        stream = address.stream ?? ""
        name = address.name ?? stream
        subject = address.subject
        var text: UnsafeMutablePointer<CChar>?
        let status = natsInbox_Create(&text)
        guard status == NATS_OK, let text else { throw ClusterError("an inbox", status) }
        inbox = String(cString: text)
        natsInbox_Destroy(text)
    }

    /// The position that marks the end of a recording that was fenced off.
    static let fenced = -2

    /// Sends a message. Returns the reason if it cannot be sent; `nil` if it was sent.
    func publish(_ message: Ledger.Message, _ ticket: Ledger.Ticket, _ expectation: Ledger.Expectation) -> String? {
        let (payload, reply) = (message.payload, "\(inbox).\(ticket.attempt).\(ticket.number)")
        var made: OpaquePointer?
        let status = payload.bytes.withUnsafeBytes { bytes in
            natsMsg_Create(
                &made, payload.subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(bytes.count))
        }
        guard status == NATS_OK, let made else { return "out of memory" }
        defer { natsMsg_Destroy(made) }
        for (name, value) in payload.headers { natsMsgHeader_Set(made, name, value) }
        natsMsgHeader_Set(made, "Nats-Msg-Id", message.id)
        natsMsgHeader_Set(made, "Nats-Expected-Stream", stream)
        switch expectation {
        case .nothing: break
        case .lastChunk(let sequence): natsMsgHeader_Set(made, "Nats-Expected-Last-Subject-Sequence", "\(sequence)")
        case .lastID(let id): natsMsgHeader_Set(made, "Nats-Expected-Last-Msg-Id", id)
        }
        let sent = natsConnection_PublishMsg(connection.connection, made)
        return sent == NATS_OK ? nil : ClusterError("the cluster takes nothing", sent).message
    }

    /// Asks for the last chunk. Blocks until the answer arrives or the request times out.
    func ask() -> Ledger.Input {
        do throws(ClusterError) {
            // Another publisher that added its own name at the same time may have removed this one's subject.
            try StreamCatalogue.take(name, in: stream, connection)
            guard let last = try connection.last(of: subject, in: stream) else { return .found(.none) }
            if last.isFence { return .found(.init(sequence: last.sequence, end: Self.fenced)) }
            guard let range = last.range else { return .found(.init(sequence: last.sequence, end: -1)) }
            return .found(.init(sequence: last.sequence, end: range.upperBound))
        } catch {
            return .unanswered(error.message)
        }
    }

    /// Calls `body` on a dedicated thread with the answers that arrived, every 200 ms at the latest and possibly with
    /// none, until `body` returns false.
    func listen(_ body: @escaping @Sendable ([Ledger.Input]) -> Bool) {
        let (connection, inbox) = (connection, inbox)
        // Subscribe before anything is sent.
        var made: OpaquePointer?
        guard natsConnection_SubscribeSync(&made, connection.connection, inbox + ".*.*") == NATS_OK else { return }
        natsSubscription_SetPendingLimits(made, -1, -1)
        let subscription = Monitor(made)
        runOnThread(named: "weir-answers") {
            defer { nats_ReleaseThreadMemory() }
            let handle = subscription.look { $0 }
            var isOpen = true
            while isOpen {
                var inputs: [Ledger.Input] = []
                var message: OpaquePointer?
                // Wait for the first message only; the others have already arrived.
                var timeout: Int64 = 200
                while inputs.count < 256, natsSubscription_NextMsg(&message, handle, timeout) == NATS_OK,
                    let found = message
                {
                    if let input = Self.input(StreamMessage(found)) { inputs.append(input) }
                    message = nil
                    timeout = 0
                }
                isOpen = body(inputs)
            }
            natsSubscription_Destroy(handle)
        }
    }

    private static func input(_ message: borrowing StreamMessage) -> Ledger.Input? {
        let numbers = message.subject.split(separator: ".").suffix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        let ticket = Ledger.Ticket(number: numbers[1], attempt: numbers[0])
        if message.isUnanswered { return .refused(ticket, .unavailable("the stream has no leader, or is not there")) }
        return answer(message.bytes).map { answer in
            switch answer {
            case .stored(let sequence): .stored(ticket, sequence: sequence)
            case .refused(let refusal): .refused(ticket, refusal)
            }
        } ?? .refused(ticket, .unavailable("the answer of the stream cannot be read"))
    }

    enum Answer: Hashable {
        case stored(UInt64)
        case refused(Ledger.Refusal)
    }

    /// Decodes a stream's answer to a message: `{"stream":"S","seq":5}`, or an object with `error`. Returns `nil` for
    /// anything else.
    static func answer(_ text: [UInt8]) -> Answer? {
        do throws(JSONError) {
            var reader = JSONReader(text.span)
            var sequence: UInt64?
            var problem: (code: Int64, words: String)?
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch reader.string(key) {
                case "seq": sequence = UInt64(exactly: try reader.int64())
                case "error":
                    var (code, words): (Int64, String) = (0, "no reason given")
                    try reader.beginObject()
                    while let key = try reader.nextKey() {
                        switch reader.string(key) {
                        case "err_code": code = try reader.int64()
                        case "description": words = try reader.string()
                        default: _ = try reader.skip()
                        }
                    }
                    problem = (code, words)
                default: _ = try reader.skip()
                }
            }
            if let problem {
                // The error codes for a wrong last message id and a wrong last sequence.
                let isOrder = [10070, 10071].contains(problem.code)
                return .refused(isOrder ? .order : .unavailable("the stream refuses: \(problem.words)"))
            }
            return sequence.map { .stored($0) }
        } catch {
            return nil
        }
    }
}

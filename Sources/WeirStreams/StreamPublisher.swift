import CWeirNATS
import Glibc
import WeirJSON
import WeirNetwork
import WeirRecording
import WeirThreads
import WeirWire

/// Publishes a recording in a stream, on a thread between the writer and the cluster. `PublishLedger` decides which
/// messages are sent and when.
///
/// `write` waits while many bytes are in flight. While the cluster is unreachable, text that does not fit into memory
/// goes to a spool file. It is published from there, in order, when the cluster is back.
///
/// Used by one thread at a time.
final class StreamPublisher: RemoteOutput {
    private typealias Ledger = PublishLedger<StreamPayload>

    /// The state shared by the writer, the publisher's thread and the thread that receives answers.
    private struct Shared {
        var cutter: ChunkCutter
        /// The messages to publish. `inputs` contains the answers for the ledger.
        var offers: [Ledger.Message] = []
        /// The number of events left out while the cluster was unreachable.
        var leftOut = 0
        var inputs: [Ledger.Input] = []
        /// The number of bytes in the ledger and `offers`.
        var held = 0
        /// Whether nothing could be stored for a while.
        var isAway = false
        var spool: Spool?
        var warnings: [String] = []
        /// The reason why nothing more can be written.
        var failure: String?
        /// Whether the failure is a fence of other members of the group.
        var isFenced = false
        /// When the writer finished; `nil` while it may write more.
        var finishing: Moment?
        /// Whether events may follow the end of the recording.
        var expectsTexts = false
        var isAbandoned = false
        var isOver = false
    }

    /// The settings that the publisher's thread needs.
    struct Plan {
        var address: String
        var name: String
        var subject: String
        var recording: String
        /// The suffix of all message ids. It keeps the server from taking a message for the duplicate of one that
        /// another run published, under this name or another, or of one that was removed since.
        var session = String(UInt64.random(in: .min ... .max), radix: 36)
        var spoolFolder: String
        /// The member's fence, published with each message; `nil` outside a group. It identifies the messages of a
        /// member that was fenced off.
        var fence: Int?
        /// How long to wait for the cluster at the end.
        var patience: Duration
    }

    /// The text that does not fit into memory. The writer appends to it and the publisher's thread reads from it.
    private struct Spool {
        var file: SpoolFile
        /// The number of bytes appended or about to be appended. `written` counts only those already appended.
        var reserved = 0
        var written = 0
        var read = 0
        var cutter: ChunkCutter
    }

    /// The maximum number of bytes in memory, in addition to one write.
    private static let most = 16 << 20
    /// The time without an acknowledgement after which the cluster counts as unreachable.
    private static let away: Duration = .seconds(2)
    /// The number of bytes of a message reserved for headers.
    private static let headers = 4096

    let offset: Int
    private let plan: Plan
    private let shared: Monitor<Shared>

    init(
        _ address: StreamAddress, recording: String, resumes: Bool, fence: Int? = nil, _ connection: StreamConnection,
        _ access: ClusterAccess
    ) throws(ClusterError) {
        let stream = address.stream ?? ""
        let name = address.name ?? stream
        let subject = address.subject
        try connection.patiently { () throws(ClusterError) in try StreamCatalogue.take(name, in: stream, connection) }
        plan = Plan(
            address: address.description, name: name, subject: subject, recording: recording,
            spoolFolder: access.spoolFolder, fence: fence, patience: access.patience)
        var last = Ledger.Last.none
        let found = try connection.patiently { () throws(ClusterError) in
            try connection.last(of: subject, in: stream)
        }
        if let message = found {
            guard resumes, message.recording == recording, let range = message.range else {
                let whose = message.recording ?? "another one"
                throw ClusterError(
                    whose == recording
                        ? "the stream has a recording \(name) already: choose another name, as in \(address)/NAME"
                        : "the stream has a recording \(name) already, of id \(whose): choose another name, as in "
                            + "nats://HOST/\(stream)/NAME")
            }
            last = Ledger.Last(sequence: message.sequence, end: range.upperBound)
        }
        offset = last.end
        let most = min(256 << 10, connection.mostBytes - Self.headers)
        shared = Monitor(Shared(cutter: ChunkCutter(recording: recording, offset: last.end, most: max(most, 1024))))
        let hand = try PublishingHand(connection, address)
        let (shared, ledger, plan) = (shared, Ledger(after: last), plan)
        hand.listen { inputs in
            shared.change { state in
                state.inputs += inputs
                return !state.isOver
            }
        }
        let presence = StreamPresence(of: address, connection)
        runOnThread(named: "weir-publisher") { Self.run(hand, ledger, presence, plan, shared) }
    }

    deinit { shared.change { $0.isAbandoned = true } }

    // MARK: - Writing

    func write(_ text: [UInt8]) throws(RecordingError) {
        let chunks = shared.change { $0.cutter.append(text) }
        for chunk in chunks { try push(chunk) }
    }

    func flush() throws(RecordingError) {
        if let chunk = shared.change({ $0.cutter.flush() }) { try push(chunk) }
    }

    func publish(_ text: [UInt8], under words: [String], id: String) throws(RecordingError) {
        let payload = StreamPayload(
            subject: "weir.\(plan.name)." + words.map(StreamPayload.word).joined(separator: "."),
            headers: StreamPayload.headers(plan), bytes: text)
        let message = Ledger.Message(
            id: "\(plan.recording)-\(id)-\(plan.session)", bytes: text.count + 256, end: nil, payload: payload)
        let failure: String? = shared.wait { state in
            if let failure = state.failure { return .some(failure) }
            guard state.held < Self.most, state.spool == nil else {
                // The recording contains the event. An event that exceeds the memory is not spooled.
                guard state.isAway || state.spool != nil else { return nil }
                state.leftOut += 1
                return .some(nil)
            }
            state.held += message.bytes
            state.offers.append(message)
            return .some(nil)
        }
        if let failure { throw .unusable(path: plan.address, message: failure) }
    }

    var isAway: Bool { shared.look { $0.isAway || $0.spool != nil } }

    func takeWarnings() -> [String] {
        shared.change { state in
            defer { state.warnings = [] }
            return state.warnings
        }
    }

    private enum Turn {
        case offered
        case spooling(SpoolFile)
        case beginsSpool
        case failed(String)
    }

    private func push(_ chunk: StreamChunk) throws(RecordingError) {
        while true {
            let turn: Turn = shared.wait { state in
                if let failure = state.failure { return .failed(failure) }
                if state.spool != nil {
                    state.spool?.reserved += chunk.text.count
                    return state.spool.map { .spooling($0.file) }
                }
                guard state.held >= Self.most else {
                    state.held += chunk.text.count
                    state.offers.append(StreamPayload.message(chunk, plan))
                    return .offered
                }
                return state.isAway ? .beginsSpool : nil
            }
            switch turn {
            case .offered: return
            case .failed(let why): throw .unusable(path: plan.address, message: why)
            case .spooling(let file):
                try file.append(chunk.text)
                return shared.change { $0.spool?.written += chunk.text.count }
            case .beginsSpool: try beginSpool(at: chunk.offset)
            }
        }
    }

    private func beginSpool(at offset: Int) throws(RecordingError) {
        let file = try SpoolFile(in: plan.spoolFolder, recording: plan.recording, offset: offset)
        shared.change { state in
            let cutter = ChunkCutter(recording: plan.recording, offset: offset, most: state.cutter.most)
            state.spool = Spool(file: file, cutter: cutter)
            state.warnings.append(
                "memory is full: new records are kept in \(file.path) until the cluster is available again")
        }
    }

    func finish() throws(RecordingError) {
        try flush()
        shared.change { $0.finishing = MachineClock.monotonic }
        try waitForAll()
    }

    func expectTexts() { shared.change { $0.expectsTexts = true } }

    func finishTexts() throws(RecordingError) {
        let isLast = shared.change { state in
            state.expectsTexts = false
            if state.finishing != nil { state.finishing = MachineClock.monotonic }
            return state.finishing != nil
        }
        if isLast { try waitForAll() }
    }

    /// Waits until everything is published, or nothing more can be.
    private func waitForAll() throws(RecordingError) {
        let failure: String? = shared.wait { state in
            if state.isOver { return .some(state.failure) }
            return state.expectsTexts && state.held == 0 && state.spool == nil ? .some(nil) : nil
        }
        if let failure { throw .unusable(path: plan.address, message: failure) }
    }

    func abandon() {
        shared.change { state in
            state.failure = state.failure ?? "others have taken over"
            state.isAbandoned = true
        }
    }

    var isFenced: Bool { shared.look { $0.isFenced } }

    // MARK: - The publisher's thread

    private enum Work {
        case inputs([Ledger.Input], [Ledger.Message])
        /// A part of the spool file is ready to be published.
        case read(SpoolFile, from: Int, count: Int)
        /// Everything is published, or nothing more can be.
        case end
    }

    /// Runs the ledger until everything is published, or nothing more can be.
    private static func run(
        _ hand: PublishingHand, _ ledger: Ledger, _ presence: StreamPresence, _ plan: Plan, _ shared: Monitor<Shared>
    ) {
        var (ledger, presence) = (ledger, presence)
        var effects: [Ledger.Effect] = []
        func handle(_ input: Ledger.Input) {
            ledger.handle(input, at: MachineClock.monotonic, into: &effects)
            while !effects.isEmpty {
                let due = effects
                effects = []
                for effect in due {
                    switch effect {
                    case .publish(let message, let ticket, let expectation):
                        if let why = hand.publish(message, ticket, expectation) {
                            ledger.handle(
                                .refused(ticket, .unavailable(why)), at: MachineClock.monotonic, into: &effects)
                        }
                    case .ask: ledger.handle(hand.ask(), at: MachineClock.monotonic, into: &effects)
                    case .fail(.foreign(let end)):
                        shared.change { state in
                            state.isFenced = end == PublishingHand.fenced
                            state.failure =
                                state.isFenced
                                ? "the recording was fenced off: others have taken over"
                                : "the stream ends at byte \(end) of a recording that was not published from here"
                        }
                    }
                }
            }
        }
        while true {
            note(ledger, plan, shared)
            presence.renew(bytes: ledger.end, at: MachineClock.monotonic)
            let take = { (state: inout Shared) -> Work? in Self.work(&state, ledger.bytes) }
            switch shared.wait(until: min(ledger.deadline ?? presence.due, presence.due), take) {
            case nil: handle(.woke)
            case .inputs(let inputs, let messages)?:
                for input in inputs { handle(input) }
                for message in messages { handle(.offered(message)) }
            case .read(let file, let start, let count)?:
                if let text = file.read(from: start, count) { shared.change { publish(text, ofSpool: &$0, plan) } }
            case .end?:
                presence.end()
                keepRest(of: ledger, plan, shared)
                shared.change { $0.isOver = true }
                return nats_ReleaseThreadMemory()
            }
        }
    }

    /// Returns the next step; `nil` if the thread must wait.
    private static func work(_ state: inout Shared, _ held: Int) -> Work? {
        if state.isAbandoned || state.failure != nil { return .end }
        if !state.inputs.isEmpty || !state.offers.isEmpty {
            defer { (state.inputs, state.offers) = ([], []) }
            return .inputs(state.inputs, state.offers)
        }
        if let spool = state.spool, held < most / 2, spool.read < spool.written {
            return .read(spool.file, from: spool.read, count: min(1 << 20, spool.written - spool.read))
        }
        return state.finishing != nil && !state.expectsTexts && held == 0 && state.spool == nil ? .end : nil
    }

    /// Publishes the state of the ledger to the writer.
    private static func note(_ ledger: Ledger, _ plan: Plan, _ shared: Monitor<Shared>) {
        let now = MachineClock.monotonic
        shared.change { state in
            state.held = ledger.bytes + state.offers.reduce(0) { $0 + $1.bytes }
            let wasAway = state.isAway
            state.isAway = ledger.trouble.map { now - $0.since >= away } ?? false
            if !wasAway, state.isAway, let why = ledger.trouble?.why {
                state.warnings.append(
                    "the cluster is unavailable (\(why)): new records wait and are published when it is available again"
                )
            } else if wasAway, !state.isAway {
                let lack =
                    state.leftOut > 0 ? "; \(state.leftOut) events were not published, and are in the records" : ""
                state.warnings.append("the cluster is back" + lack)
                state.leftOut = 0
            }
            if let finishing = state.finishing, !state.expectsTexts, let trouble = ledger.trouble,
                now - max(finishing, trouble.since) >= plan.patience
            {
                state.failure = trouble.why
            }
        }
    }

    /// Offers a part that was read from the spool file. Removes the file once all of it was read.
    private static func publish(_ text: [UInt8], ofSpool state: inout Shared, _ plan: Plan) {
        guard var spool = state.spool.take() else { return }
        spool.read += text.count
        state.offers += spool.cutter.append(text).map { StreamPayload.message($0, plan) }
        guard spool.read == spool.reserved else { return state.spool = spool }
        if let rest = spool.cutter.flush() { state.offers.append(StreamPayload.message(rest, plan)) }
        spool.file.remove()
        state.warnings.append("\(spool.read) bytes that were kept in \(spool.file.path) are on their way")
    }

    /// Writes the unpublished text to a file after a failure.
    private static func keepRest(of ledger: Ledger, _ plan: Plan, _ shared: Monitor<Shared>) {
        let (offers, spool, failure) = shared.change { state in
            defer { (state.offers, state.spool) = ([], nil) }
            return (state.offers, state.spool, state.failure)
        }
        // After a takeover the remaining text is never published, not even later.
        if shared.look({ $0.isFenced || $0.isAbandoned }) { spool?.file.remove() }
        guard let failure, !shared.look({ $0.isFenced || $0.isAbandoned }) else { return }
        do throws(RecordingError) {
            let file = try SpoolFile(in: plan.spoolFolder, recording: plan.recording, offset: ledger.end)
            // Events are left out, since the recording contains them.
            for message in ledger.unstored + offers where message.end != nil { try file.append(message.payload.bytes) }
            if let spool { try file.append(restOf: spool.file, from: spool.read) }
            let words =
                "\(failure); the unpublished rest is in \(file.path): publish it with 'weir file publish \(file.path) \(plan.address)'"
            shared.change { $0.failure = words }
        } catch {
            shared.change { $0.failure = "\(failure); the unpublished rest is lost: \(error)" }
        }
    }
}

/// A file that keeps a recording's text, from an offset on, until the cluster accepts it.
final class SpoolFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Creates the file with mode 0600. Its name identifies its content (see `StreamSpool`).
    init(in folder: String, recording: String, offset: Int) throws(RecordingError) {
        path = StreamSpool.path(in: folder, recording: recording, offset: offset)
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(operation: "create", path: path, code: errno) }
    }

    deinit { close(descriptor) }

    /// Appends the whole text, or throws.
    func append(_ text: [UInt8]) throws(RecordingError) {
        var done = 0
        while done < text.count {
            let count = text.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done)
            }
            if count > 0 {
                done += count
            } else if errno != EINTR {
                throw .system(operation: "write", path: path, code: errno)
            }
        }
    }

    /// Appends the rest of another file from an offset on, and removes that file.
    func append(restOf other: SpoolFile, from start: Int) throws(RecordingError) {
        var place = start
        while let text = other.read(from: place, 1 << 20), !text.isEmpty {
            try append(text)
            place += text.count
        }
        other.remove()
    }

    /// Reads bytes that were written; returns `nil` if the file cannot be read.
    func read(from start: Int, _ count: Int) -> [UInt8]? {
        var got = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            got = pread(descriptor, buffer.baseAddress, count, off_t(start))
            filled = max(got, 0)
        }
        return got < 0 ? nil : bytes
    }

    func remove() { unlink(path) }
}

/// The subject, headers and bytes of a message.
struct StreamPayload: Sendable {
    var subject: String
    var headers: [(name: String, value: String)]
    var bytes: [UInt8]

    /// Returns a token of a subject, with an underscore for each character that has a meaning in subjects.
    static func word(_ text: String) -> String {
        let word = text.unicodeScalars.map { scalar in
            switch scalar {
            case ".", "*", ">", " ", "\u{0}"..."\u{1f}", "\u{7f}"..."\u{a0}": "_"
            default: String(scalar)
            }
        }.joined()
        // The subject `records` is reserved for the chunks.
        return word.isEmpty || word == "records" ? word + "_" : word
    }

    /// The name of the header that contains a group member's fence.
    static let fence = "Weir-Fence"

    /// Returns the headers that every message of a publisher contains.
    static func headers(_ plan: StreamPublisher.Plan) -> [(name: String, value: String)] {
        plan.fence.map { [(fence, "\($0)")] } ?? []
    }

    static func message(_ chunk: StreamChunk, _ plan: StreamPublisher.Plan) -> PublishLedger<StreamPayload>.Message {
        let headers = zip(StreamChunk.headers, chunk.values).map { (name: $0, value: $1) } + headers(plan)
        return .init(
            id: "\(chunk.id)-\(plan.session)", bytes: chunk.text.count, end: chunk.end,
            payload: StreamPayload(subject: plan.subject, headers: headers, bytes: chunk.text))
    }
}

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
            if let handle { retire(handle) }
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

import CNATS
import Glibc
import JSONText
import Network
import Recording
import Wire

/// Publishes a recording in a stream: a thread of its own between what is written here and the cluster. `PublishLedger` decides what is sent
/// and when.
///
/// Writing waits while much is on its way. While the cluster is away, what does not fit into memory goes to a spool file, from which it is
/// published, in order, when the cluster is back.
///
/// Used by one thread at a time.
final class StreamPublisher: RemoteOutput {
    private typealias Ledger = PublishLedger<StreamPayload>

    /// What the threads share.
    private struct Shared {
        var cutter: ChunkCutter
        /// What is to be published, and what came for the ledger.
        var offers: [Ledger.Message] = []
        /// Events that were left out while the cluster was away.
        var leftOut = 0
        var inputs: [Ledger.Input] = []
        /// Bytes that the ledger and `offers` hold.
        var held = 0
        /// Whether nothing could be stored for a while.
        var isAway = false
        var spool: Spool?
        var warnings: [String] = []
        /// Why nothing more can be written.
        var failure: String?
        /// Since when nothing more is written; nil while it may be.
        var finishing: Moment?
        /// Whether events may follow the end of the recording.
        var expectsTexts = false
        var isAbandoned = false
        var isOver = false
    }

    /// What the thread must know.
    struct Plan {
        var address: String
        var name: String
        var subject: String
        var recording: String
        /// Ends the ids of all messages: what another run published, under this name or another, and what was removed since, is not taken for
        /// what is published now.
        var session = String(UInt64.random(in: .min ... .max), radix: 36)
        var spoolFolder: String
        /// At the end the cluster is waited for so long.
        var patience: Duration
    }

    /// Where text waits that does not fit into memory. The writer appends, the publisher's thread reads.
    private struct Spool {
        var file: SpoolFile
        /// Bytes that are being appended or were, and those that were.
        var reserved = 0
        var written = 0
        var read = 0
        var cutter: ChunkCutter
    }

    /// Bytes in memory at most, beside one piece of what is written.
    private static let most = 16 << 20
    /// After so long without an answer the cluster counts as away.
    private static let away: Duration = .seconds(2)
    /// Bytes of a message that are not text: the headers.
    private static let headers = 4096

    let offset: Int
    private let plan: Plan
    private let shared: Monitor<Shared>

    init(
        _ address: StreamAddress, recording: String, resumes: Bool, _ connection: StreamConnection,
        _ access: ClusterAccess
    ) throws(ClusterError) {
        let stream = address.stream ?? ""
        let name = address.name ?? stream
        let subject = address.subject
        try StreamCatalogue.take(name, in: stream, connection)
        plan = Plan(
            address: address.description, name: name, subject: subject, recording: recording,
            spoolFolder: access.spoolFolder, patience: access.patience)
        var last = Ledger.Last.none
        if let message = try connection.last(of: subject, in: stream) {
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
            subject: "weir.\(plan.name)." + words.map(StreamPayload.word).joined(separator: "."), headers: [],
            bytes: text)
        let message = Ledger.Message(
            id: "\(plan.recording)-\(id)-\(plan.session)", bytes: text.count + 256, end: nil, payload: payload)
        let failure: String? = shared.wait { state in
            if let failure = state.failure { return .some(failure) }
            guard state.held < Self.most, state.spool == nil else {
                // The recording has it; what is more than memory holds is not kept twice.
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
                "memory is full: what comes is kept in \(file.path) until the cluster is back")
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

    // MARK: - The publisher's thread

    private enum Work {
        case inputs([Ledger.Input], [Ledger.Message])
        /// A part of the spool file is to be published.
        case read(SpoolFile, from: Int, count: Int)
        /// Everything is published, or nothing more can be.
        case end
    }

    /// Works until everything is published, or nothing more can be.
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
                        shared.change {
                            $0.failure =
                                "the stream ends at byte \(end) of a recording that was not published from here"
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

    /// What is to be done next; nil for nothing.
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

    /// Lets the writer see the state of the ledger.
    private static func note(_ ledger: Ledger, _ plan: Plan, _ shared: Monitor<Shared>) {
        let now = MachineClock.monotonic
        shared.change { state in
            state.held = ledger.bytes + state.offers.reduce(0) { $0 + $1.bytes }
            let wasAway = state.isAway
            state.isAway = ledger.trouble.map { now - $0.since >= away } ?? false
            if !wasAway, state.isAway, let why = ledger.trouble?.why {
                state.warnings.append(
                    "the cluster is away (\(why)): what comes waits, and is published when it is back")
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

    /// A part of the spool file was read: it goes on its way, and the file is gone when that was all.
    private static func publish(_ text: [UInt8], ofSpool state: inout Shared, _ plan: Plan) {
        guard var spool = state.spool.take() else { return }
        spool.read += text.count
        state.offers += spool.cutter.append(text).map { StreamPayload.message($0, plan) }
        guard spool.read == spool.reserved else { return state.spool = spool }
        if let rest = spool.cutter.flush() { state.offers.append(StreamPayload.message(rest, plan)) }
        spool.file.remove()
        state.warnings.append("\(spool.read) bytes that were kept in \(spool.file.path) are on their way")
    }

    /// What cannot be published any more is kept in a file.
    private static func keepRest(of ledger: Ledger, _ plan: Plan, _ shared: Monitor<Shared>) {
        let (offers, spool, failure) = shared.change { state in
            defer { (state.offers, state.spool) = ([], nil) }
            return (state.offers, state.spool, state.failure)
        }
        guard let failure else { return }
        do throws(RecordingError) {
            let file = try SpoolFile(in: plan.spoolFolder, recording: plan.recording, offset: ledger.end)
            // Events are left out: the recording has them.
            for message in ledger.unstored + offers where message.end != nil { try file.append(message.payload.bytes) }
            if let spool { try file.append(restOf: spool.file, from: spool.read) }
            let words =
                "\(failure); what is not in the stream is in \(file.path): 'weir file publish \(file.path) \(plan.address)' publishes it"
            shared.change { $0.failure = words }
        } catch {
            shared.change { $0.failure = "\(failure); what is not in the stream is lost: \(error)" }
        }
    }
}

/// Where text waits for the cluster: the text of a recording from one of its bytes on.
final class SpoolFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Makes the file, mode 0600. Its name says what it holds (`StreamSpool`).
    init(in folder: String, recording: String, offset: Int) throws(RecordingError) {
        path = StreamSpool.path(in: folder, recording: recording, offset: offset)
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(operation: "create", path: path, code: errno) }
    }

    deinit { close(descriptor) }

    /// Adds all of it, or throws.
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

    /// Adds what another one has from a byte on, which is removed.
    func append(restOf other: SpoolFile, from start: Int) throws(RecordingError) {
        var place = start
        while let text = other.read(from: place, 1 << 20), !text.isEmpty {
            try append(text)
            place += text.count
        }
        other.remove()
    }

    /// Reads bytes that were written; nil when the file cannot be read.
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

/// What is sent: a subject, its headers and its bytes.
struct StreamPayload: Sendable {
    var subject: String
    var headers: [(name: String, value: String)]
    var bytes: [UInt8]

    /// A word of a subject: what means something else in one is an underscore.
    static func word(_ text: String) -> String {
        let word = text.unicodeScalars.map { scalar in
            switch scalar {
            case ".", "*", ">", " ", "\u{0}"..."\u{1f}", "\u{7f}"..."\u{a0}": "_"
            default: String(scalar)
            }
        }.joined()
        // The chunks have that subject for themselves.
        return word.isEmpty || word == "records" ? word + "_" : word
    }

    static func message(_ chunk: StreamChunk, _ plan: StreamPublisher.Plan) -> PublishLedger<StreamPayload>.Message {
        let headers = zip(StreamChunk.headers, chunk.values).map { (name: $0, value: $1) }
        return .init(
            id: "\(chunk.id)-\(plan.session)", bytes: chunk.text.count, end: chunk.end,
            payload: StreamPayload(subject: plan.subject, headers: headers, bytes: chunk.text))
    }
}

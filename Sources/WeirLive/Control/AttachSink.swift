import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// The viewers at the end of the queue. Each one receives the lines of the recording, which are encoded once for all of
/// them. Used on the recorder thread, except for `taken`, `attach` and `detach`.
///
/// A viewer that reads too slowly loses records. Once it has caught up it receives a gap and a restatement, from which
/// it continues.
final class AttachSink: Sendable {
    /// The maximum number of bytes waiting for a viewer, apart from a restatement.
    private let mostWaiting: Int
    private let head: Record.Head
    private let state: Monitor<State>
    private let deliver: @Sendable (UInt, [UInt8]) -> Void

    private struct State: ~Copyable {
        var stream: RecordingStream
        var viewers: [Viewer] = []
    }

    private struct Viewer {
        let id: UInt
        /// Whether the viewer received its first restatement.
        var hasBegun = false
        var posted = 0
        var taken = 0
        var lost = 0
        var firstLost: Stamp?
        var lastLost: Stamp?
    }

    /// Creates a sink without viewers. `deliver` is called on the recorder thread with lines for a viewer.
    init(
        head: Record.Head, options: RecordingWriter.Options, mostWaiting: Int,
        deliver: @escaping @Sendable (UInt, [UInt8]) -> Void
    ) {
        self.head = head
        self.mostWaiting = mostWaiting
        self.deliver = deliver
        state = Monitor(State(stream: RecordingStream(options)))
    }

    // MARK: - On the loop

    /// Adds a viewer. It begins with its next restatement.
    func attach(_ viewer: UInt) { state.change { $0.viewers.append(Viewer(id: viewer)) } }

    /// Removes a viewer that is gone.
    func detach(_ viewer: UInt) { state.change { $0.viewers.removeAll { $0.id == viewer } } }

    /// The number of attached viewers.
    var count: Int { state.change { $0.viewers.count } }

    /// Records the total number of bytes that a viewer has taken. Returns true if it lost records and can continue now.
    func taken(_ count: Int, by viewer: UInt) -> Bool {
        state.change { state in
            guard let index = state.viewers.firstIndex(where: { $0.id == viewer }) else { return false }
            state.viewers[index].taken = count
            return state.viewers[index].lost > 0 && state.viewers[index].posted == count
        }
    }

    // MARK: - On the recorder thread

    /// Sends the recordable items of a batch to the viewers.
    func write(_ batch: [OutletThread.Item]) {
        let parcels = state.change { state -> [(UInt, [UInt8])] in
            var gathered = [[UInt8]](repeating: [], count: state.viewers.count)
            for item in batch {
                switch item {
                case .record(let record, let stamp), .leftOut(let record, remainder: _, let stamp):
                    add(record, stamp, &state, &gathered)
                case .endRecording(let why, let stamp): add(.end(.init(why: why)), stamp, &state, &gathered)
                case .report(let stamped):
                    guard case .notice(let notice) = stamped.report, notice.level != .info else { continue }
                    let note = Record.NoteRecord(level: notice.level.rawValue, message: notice.text)
                    add(.note(note), stamped.stamp, &state, &gathered)
                case .redact(let secret): state.stream.redact(secret)
                case .attach(let viewer, let restatement, let stamp):
                    begin(viewer, restatement, stamp, &state, &gathered)
                case .rotate, .flightPart, .dump, .settle, .beginRecording, .stopRecording, .wire, .hold: continue
                }
            }
            return zip(state.viewers, gathered).compactMap { $1.isEmpty ? nil : ($0.id, $1) }
        }
        for (viewer, bytes) in parcels { deliver(viewer, bytes) }
    }

    private func add(_ record: Record, _ stamp: Stamp, _ state: inout State, _ gathered: inout [[UInt8]]) {
        guard state.viewers.contains(where: \.hasBegun) else { return state.stream.pass(record, stamp) }
        guard let line = state.stream.line(of: record, stamp) else { return }
        for index in state.viewers.indices where state.viewers[index].hasBegun {
            let viewer = state.viewers[index]
            let waiting = viewer.posted - viewer.taken
            guard viewer.lost == 0, waiting == 0 || waiting + line.count <= mostWaiting else {
                guard !record.isUnnumbered else { continue }
                state.viewers[index].lost += 1
                if viewer.firstLost == nil { state.viewers[index].firstLost = stamp }
                state.viewers[index].lastLost = stamp
                continue
            }
            state.viewers[index].posted += line.count
            gathered[index] += line
        }
    }

    private func begin(
        _ viewer: UInt, _ restatement: StatePreamble, _ stamp: Stamp, _ state: inout State, _ gathered: inout [[UInt8]]
    ) {
        guard let index = state.viewers.firstIndex(where: { $0.id == viewer }) else { return }
        var bytes: [UInt8] = []
        if let first = state.viewers[index].firstLost, let last = state.viewers[index].lastLost {
            let gap = Record.GapRecord(
                why: GapReport.Cause.overflow.rawValue, from: first.time, to: last.time,
                lost: state.viewers[index].lost, recovered: true)
            // The gap gets the number of the last missing record.
            bytes += state.stream.line(of: .gap(gap), last) ?? []
        }
        state.stream.begin(head, at: stamp, restating: restatement.records) { bytes += $0 }
        state.viewers[index].hasBegun = true
        state.viewers[index].lost = 0
        state.viewers[index].firstLost = nil
        state.viewers[index].lastLost = nil
        state.viewers[index].posted += bytes.count
        gathered[index] += bytes
    }
}

// Viewers: clients that receive the recording from now on, whether or not a file is written.
extension TailEngine {
    /// The maximum number of viewers. Each one costs its share of the traffic.
    private static let mostViewers = 8

    /// The maximum time that a new viewer waits for pending fetches.
    private static let longestFetch: Duration = .seconds(1)

    /// Whether records are produced at all. No records follow the end.
    var makesRecords: Bool {
        !recorder.hasEnded && (recorder.path != nil || recorder.flight != nil || !control.viewers.isEmpty || showsWire)
    }

    /// Whether to remember the connection for a session that begins in the middle.
    var remembersConnection: Bool { makesRecords || configuration.controlPath != nil }

    /// Makes a client a viewer once no fetch is pending, since its session could not use an answer it did not request.
    /// Waits at most `longestFetch`.
    func attach(_ call: ControlCall, since began: Moment? = nil) throws(ControlError) {
        let now = loop.now
        guard session.sync.isFetching, now - (began ?? now) < Self.longestFetch else {
            return call.settle(.success(try attach(call.client)))
        }
        _ = loop.schedule(at: now + .milliseconds(20)) { [weak self] in
            self?.assumeIsolated { tail in
                guard case .running = tail.phase, tail.control.service?.peer(call.client) != nil else { return }
                do throws(ControlError) {
                    try tail.attach(call, since: began ?? now)
                } catch {
                    call.answer(.failure(error))
                }
            }
        }
    }

    private func attach(_ client: UInt) throws(ControlError) -> ControlResult {
        guard let attachments = control.attachments, let service = control.service else {
            throw ControlError(.failed, "the tail accepts no viewers")
        }
        guard control.viewers.count < Self.mostViewers else {
            throw ControlError(.limit, "\(control.viewers.count) viewers are attached, which is the maximum")
        }
        service.beginStream(client)
        service.subscribed(client, by: 1)
        control.viewers[client] = 0
        attachments.attach(client)
        // The answer is sent before anything else; the restatement follows it.
        loop.run { [weak self] in self?.assumeIsolated { $0.restate(for: client) } }
        return ControlResult { writer in
            writer.beginObject()
            writer.member("stream", "recording")
            writer.endObject()
        }
    }

    /// Sends a restatement to a viewer.
    private func restate(for viewer: UInt) {
        guard case .running = phase, control.viewers[viewer] != nil else { return }
        pending.append(.attach(viewer, restatement, journal.unnumbered(at: loop.now)))
        handOver()
    }

    /// Sends lines to a viewer.
    func stream(_ bytes: [UInt8], to viewer: UInt) {
        guard let peer = control.service?.peer(viewer), let sent = control.viewers[viewer] else { return }
        peer.send(bytes)
        control.viewers[viewer] = sent + bytes.count
        _ = control.attachments?.taken(sent + bytes.count - peer.pendingBytes, by: viewer)
    }

    /// Restates the session for a viewer that lost records and has read everything since.
    func viewerDrained(_ viewer: UInt) {
        guard let sent = control.viewers[viewer], control.attachments?.taken(sent, by: viewer) == true else { return }
        restate(for: viewer)
    }

    func viewerGone(_ viewer: UInt) {
        guard control.viewers.removeValue(forKey: viewer) != nil else { return }
        control.attachments?.detach(viewer)
    }
}

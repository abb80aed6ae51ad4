import WeirEvents
import WeirJSON
import WeirLive
import WeirViews
import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

/// Checks any session: replaying its recording yields the same session, applying its diff log yields the same model,
/// and reverting that log leaves nothing.
func fuzzSession(_ input: ArraySlice<UInt8>) {
    guard let live = FuzzedSession(input) else { return }
    do {
        let replayed = try replay(live)
        require(replayed.model.checksum == live.session.model.checksum, "a replay ends with another model")
        require(replayed.model.sequence == live.session.model.sequence, "a replay makes other changes")
        require(replayed.pendingActions == live.session.pendingActions, "a replay leaves other actions undone")
        var log = try DiffLogCursor(diffLog(of: live))
        try log.seek(to: log.states.upperBound)
        require(log.model.checksum == live.session.model.checksum, "a diff log makes another model")
        try log.seek(to: log.states.lowerBound)
        require(log.model.sectionCount == 0, "a diff log that was taken back leaves something")
    } catch {
        fatalError("\(error)")
    }
}

private func diffLog(of live: FuzzedSession) -> [UInt8] {
    var writer = JSONWriter()
    for report in live.reports {
        guard case .diff(let diff) = report.report else { continue }
        DiffLog.write(diff, at: report.stamp.time, reversible: true, into: &writer)
    }
    return writer.bytes
}

/// Returns the session that a replay of the recording creates, with the events decoded in advance.
private func replay(_ live: FuzzedSession) throws -> Session {
    let file = ScratchFile("weir.jsonl")
    try live.record(at: file.path)
    var reader = try RecordingReader(opening: file.path)
    let configuration = try Configuration(json: reader.head.session)
    require(configuration == live.configuration, "a recorded configuration is another one")
    let decoder = FrameDecoder(configuration)
    var session = Session(configuration, seed: reader.head.seed, keepsChecksum: true)
    var effects: [Effect] = []
    session.handle(.start, n: 0, at: .zero, into: &effects)
    while let entry = try reader.next() {
        guard case .record(let record, let stamp) = entry else { fatalError("a record cannot be read again") }
        guard let input = Input(record) else { continue }
        session.advance(to: stamp.time, into: &effects)
        let isHandled =
            if case .message(let connection, .text(let text)) = input, let event = decoder.decode(text) {
                session.handle(event, on: connection, n: stamp.n, at: stamp.time, into: &effects)
            } else {
                false
            }
        if !isHandled { session.handle(input, n: stamp.n, at: stamp.time, into: &effects) }
        effects.removeAll(keepingCapacity: true)
    }
    return session
}

import JSONText
import Network
import Pipeline
import Recording
import Wire

// Viewers: clients that receive the recording from now on, whether or not a file is written.
extension Tail {
    /// The maximum number of viewers. Each one costs its share of the traffic.
    private static let mostViewers = 8

    /// The maximum time that a new viewer waits for pending fetches.
    private static let longestFetch: Duration = .seconds(1)

    /// Whether records are produced at all. No records follow the end.
    var makesRecords: Bool {
        !hasEndedRecords && (recordingPath != nil || flight != nil || !viewers.isEmpty || showsWire)
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
                guard case .running = tail.phase, tail.control?.peer(call.client) != nil else { return }
                do throws(ControlError) {
                    try tail.attach(call, since: began ?? now)
                } catch {
                    call.answer(.failure(error))
                }
            }
        }
    }

    private func attach(_ client: UInt) throws(ControlError) -> ControlResult {
        guard let attachments, let control else { throw ControlError(.failed, "the tail accepts no viewers") }
        guard viewers.count < Self.mostViewers else {
            throw ControlError(.limit, "\(viewers.count) viewers are attached, which is the maximum")
        }
        control.beginStream(client)
        control.subscribed(client, by: 1)
        viewers[client] = 0
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
        guard case .running = phase, viewers[viewer] != nil else { return }
        pending.append(.attach(viewer, restatement, journal.unnumbered(at: loop.now)))
        handOver()
    }

    /// Sends lines to a viewer.
    func stream(_ bytes: [UInt8], to viewer: UInt) {
        guard let peer = control?.peer(viewer), let sent = viewers[viewer] else { return }
        peer.send(bytes)
        viewers[viewer] = sent + bytes.count
        _ = attachments?.taken(sent + bytes.count - peer.pendingBytes, by: viewer)
    }

    /// Restates the session for a viewer that lost records and has read everything since.
    func viewerDrained(_ viewer: UInt) {
        guard let sent = viewers[viewer], attachments?.taken(sent, by: viewer) == true else { return }
        restate(for: viewer)
    }

    func viewerGone(_ viewer: UInt) {
        guard viewers.removeValue(forKey: viewer) != nil else { return }
        attachments?.detach(viewer)
    }
}

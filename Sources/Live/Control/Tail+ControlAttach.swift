import JSONText
import Network
import Pipeline
import Recording
import Wire

// Viewers: clients that are sent the recording from here on, whether one is written or not.
extension Tail {
    /// More viewers are a mistake, or worse: each costs what is sent.
    private static let mostViewers = 8

    /// A client waits so long for what is being fetched.
    private static let longestFetch: Duration = .seconds(1)

    /// Whether records are made at all: none behind the end.
    var makesRecords: Bool {
        !hasEndedRecords && (recordingPath != nil || flight != nil || !viewers.isEmpty || showsWire)
    }

    /// Whether somebody may want to begin in the middle, who must be told of the connection.
    var remembersConnection: Bool { makesRecords || configuration.controlPath != nil }

    /// Makes a client a viewer, once nothing is being fetched: the answer would mean nothing to a session that did not ask. But not much
    /// later.
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
        guard let attachments, let control else { throw ControlError(.failed, "nobody can be attached") }
        guard viewers.count < Self.mostViewers else {
            throw ControlError(.limit, "\(viewers.count) viewers are attached, as many as there may be")
        }
        control.beginStream(client)
        control.subscribed(client, by: 1)
        viewers[client] = 0
        attachments.attach(client)
        // Behind the answer, which is sent before anything else is done here.
        loop.run { [weak self] in self?.assumeIsolated { $0.restate(for: client) } }
        return ControlResult { writer in
            writer.beginObject()
            writer.member("stream", "recording")
            writer.endObject()
        }
    }

    /// A viewer begins here, with what it must know.
    private func restate(for viewer: UInt) {
        guard case .running = phase, viewers[viewer] != nil else { return }
        pending.append(.attach(viewer, restatement, journal.unnumbered(at: loop.now)))
        handOver()
    }

    /// Lines for a viewer.
    func stream(_ bytes: [UInt8], to viewer: UInt) {
        guard let peer = control?.peer(viewer), let sent = viewers[viewer] else { return }
        peer.send(bytes)
        viewers[viewer] = sent + bytes.count
        _ = attachments?.taken(sent + bytes.count - peer.pendingBytes, by: viewer)
    }

    /// Nothing waits for a viewer: one that lost something goes on from here.
    func viewerDrained(_ viewer: UInt) {
        guard let sent = viewers[viewer], attachments?.taken(sent, by: viewer) == true else { return }
        restate(for: viewer)
    }

    func viewerGone(_ viewer: UInt) {
        guard viewers.removeValue(forKey: viewer) != nil else { return }
        attachments?.detach(viewer)
    }
}

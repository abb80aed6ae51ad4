import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

// A tail that divides the rooms with the others of its group.
extension TailEngine {
    /// How long after a change of rooms the tail publishes them to the group.
    private static let showingPause: Duration = .milliseconds(500)
    /// The longest gap in microseconds (365 days): the maximum span that a record can contain.
    private static let longestHole: Int64 = 31_536_000_000_000
    /// The size in bytes above which the list of published rooms is cut off.
    private static let mostShown = 512 << 10

    /// Starts to handle the group's messages, from the first on.
    func takeSeat() {
        configuration.seat?.begin { [self] word in
            loop.run { self.assumeIsolated { $0.heed(word) } }
        }
    }

    private func heed(_ word: GroupWord) {
        guard case .running = phase, let seat = configuration.seat else { return }
        switch word {
        case .hold(let rivals, let epoch, let since):
            let missing = since.map { Duration.microseconds(min(max(0, MachineClock.wall - $0), Self.longestHole)) }
            feed(.share(RoomShare(of: seat.member, against: rivals), missing: missing))
            // The session reports no events of the rooms that it left, even if the server still sends them.
            seat.left(epoch)
            showRoomsSoon()
        case .lost(let why): fenceOff(why)
        case .notice(let text):
            tellNotice(Notice(.warning, text))
            handOver()
        }
    }

    /// Stops publishing and ends the tail, since other members hold its rooms.
    private func fenceOff(_ why: String) {
        if let path = recorder.path { RemoteRecordings.output(path)?.abandon() }
        conclude(.fencedOff(why))
    }

    /// Whether the recording's output failed because other members took over.
    var isFencedOff: Bool {
        guard configuration.seat != nil, let path = recorder.path else { return false }
        return RemoteRecordings.output(path)?.isFenced ?? false
    }

    /// Publishes the rooms that this tail holds to the group, after a short pause.
    func showRoomsSoon() {
        guard configuration.seat != nil, rooms.showing == nil else { return }
        rooms.showing = loop.schedule(at: loop.now + Self.showingPause) { [weak self] in
            self?.assumeIsolated { $0.showRooms() }
        }
    }

    private func showRooms() {
        rooms.showing = nil
        guard case .running = phase, let seat = configuration.seat else { return }
        var writer = JSONWriter()
        writer.beginArray()
        var isWhole = true
        for row in roomRows(matching: nil, all: false) {
            isWhole = writer.bytes.count < Self.mostShown
            guard isWhole else { break }
            row.encode(into: &writer)
        }
        // The value `true` tells the reader that rooms are missing from the list.
        if !isWhole { writer.bool(true) }
        writer.endArray()
        seat.show(writer.bytes)
    }
}

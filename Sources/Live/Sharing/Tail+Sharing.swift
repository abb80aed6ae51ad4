import JSONText
import Network
import Pipeline
import Recording
import Wire

// A tail that divides the rooms with the others of its group.
extension Tail {
    /// Rooms are told to the group this long after one of them changed.
    private static let showingPause: Duration = .milliseconds(500)
    /// Microseconds; what a record of a span can hold.
    private static let longestHole: Int64 = 31_536_000_000_000
    /// Bytes of the rooms that are told.
    private static let mostShown = 512 << 10

    /// Takes the first word of the group, and those after it.
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
            // What is left is not told of any more, whatever the server still sends.
            seat.left(epoch)
            showRoomsSoon()
        case .lost(let why): fenceOff(why)
        case .notice(let text):
            tellNotice(Notice(.warning, text))
            handOver()
        }
    }

    /// Others hold its rooms: nothing more is published.
    private func fenceOff(_ why: String) {
        if let path = recordingPath { RemoteRecordings.output(path)?.abandon() }
        conclude(.fencedOff(why))
    }

    /// Whether an outlet failed since others took over.
    var isFencedOff: Bool {
        guard configuration.seat != nil, let path = recordingPath else { return false }
        return RemoteRecordings.output(path)?.isFenced ?? false
    }

    /// Tells the group which rooms this tail holds, a moment later.
    func showRoomsSoon() {
        guard configuration.seat != nil, showing == nil else { return }
        showing = loop.schedule(at: loop.now + Self.showingPause) { [weak self] in
            self?.assumeIsolated { $0.showRooms() }
        }
    }

    private func showRooms() {
        showing = nil
        guard case .running = phase, let seat = configuration.seat else { return }
        var writer = JSONWriter()
        writer.beginArray()
        var isWhole = true
        for row in roomRows(matching: nil, all: false) {
            isWhole = writer.bytes.count < Self.mostShown
            guard isWhole else { break }
            row.encode(into: &writer)
        }
        // Who reads it says that there are more.
        if !isWhole { writer.bool(true) }
        writer.endArray()
        seat.show(writer.bytes)
    }
}

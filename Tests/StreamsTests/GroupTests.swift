import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

@testable import WeirRecording
@testable import WeirStreams

@Suite("A group in a cluster and its members", .enabled(if: hasNATSServer), .timeLimit(.minutes(3)))
struct GroupTests {
    /// Collects the messages of a seat, and answers that the rooms were left.
    private final class Ear: Sendable {
        let words = Monitor<[GroupWord]>([])

        func listen(_ seat: any GroupSeat) {
            let words = words
            seat.begin { [weak seat] word in
                words.change { $0.append(word) }
                if case .hold(_, let epoch, _) = word { seat?.left(epoch) }
            }
        }

        /// Waits until the last message is to hold the rooms won against exactly these members.
        func holds(against rivals: [String]) -> Bool {
            words.wait(until: MachineClock.monotonic + .seconds(20)) { words in
                guard case .hold(rivals, _, _)? = words.last else { return nil }
                return true
            } ?? false
        }
    }

    @Test("Each member learns its rivals when another joins and when another leaves")
    func seats() throws {
        let server = try NATSServer()
        _ = try makeStream(server.url + "/s")
        let (one, two) = (Ear(), Ear())
        let first = try RemoteRecordings.join(server.url + "/s", lease: .seconds(2))
        one.listen(first)
        #expect(one.holds(against: []))
        let second = try RemoteRecordings.join(server.url + "/s", lease: .seconds(2))
        two.listen(second)
        #expect(one.holds(against: [second.member]) && two.holds(against: [first.member]))
        second.show(Array(#"[{"room":"a"}]"#.utf8))
        let address = try StreamAddress(parsing: server.url + "/s")
        var held = try GroupRooms.held(in: address, through: door)
        let deadline = MachineClock.monotonic + .seconds(10)
        while held.last?.rooms == nil, MachineClock.monotonic < deadline {
            held = try GroupRooms.held(in: address, through: door)
        }
        #expect(held.map(\.member.id) == [first.member, second.member])
        #expect(held.last?.rooms == Array(#"[{"room":"a"}]"#.utf8))
        first.end(isFenced: false)
        #expect(two.holds(against: []))
        second.end(isFenced: false)
        #expect(try GroupRooms.held(in: address, through: door).isEmpty)
    }

    @Test("Nothing more of a fenced-off member is stored, and its recording ends at the fence")
    func fence() throws {
        let server = try NATSServer()
        _ = try makeStream(server.url + "/s")
        let folder = try temporaryFolder()
        try writeRecording(folder + "/a", frames: 100)
        let file = try text(of: folder + "/a")
        let seat = try RemoteRecordings.join(server.url + "/s", lease: .seconds(60))
        let output = try RemoteRecordings.create(seat.recording, recording: "r100")
        let half = try #require(file[(file.count / 2)...].firstIndex(of: 10)) + 1
        try output.write(Array(file[..<half]))
        try output.flush()
        let deadline = MachineClock.monotonic + .seconds(20)
        let members = { try RemoteRecordings.members(server.url + "/s") }
        while try members() == nil, MachineClock.monotonic < deadline {}
        #expect(try members() == [seat.recording])
        #expect(try text(of: seat.recording) == Array(file[..<half]))
        let address = try StreamAddress(parsing: server.url + "/s")
        let bucket = try GroupBucket(address, try door.connection(to: address))
        guard case .stands(let last) = try bucket.fence(seat.member, epoch: 9) else {
            Issue.record("no fence stands")
            return
        }
        #expect(last ?? 0 >= 1_790_000_000_000_000)
        try output.write(Array(file[half...]))
        try output.flush()
        while !output.isFenced, MachineClock.monotonic < deadline {}
        #expect(output.isFenced)
        let source = try ByteSource(opening: seat.recording)
        var piece = [UInt8](repeating: 0, count: file.count)
        var count = 0
        while case let more = try piece.withUnsafeMutableBytes({ source.read(into: $0) }).get(), more > 0 {
            count += more
        }
        #expect(count == half && source.isFenced)
        // A second attempt finds the fence in place.
        guard case .stands = try bucket.fence(seat.member, epoch: 10) else {
            Issue.record("no fence stands")
            return
        }
        seat.end(isFenced: true)
    }
}

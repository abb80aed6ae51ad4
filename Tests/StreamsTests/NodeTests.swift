import Glibc
import Testing
import TestSupport
import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

@testable import WeirRecording
@testable import WeirStreams

/// The only door of this process. Each test starts its own servers on separate ports.
let door: StreamDoor = {
    let folder = (try? temporaryFolder()) ?? "/tmp"
    let door = StreamDoor { () throws(ClusterError) in
        var access = ClusterAccess()
        access.spoolFolder = folder
        access.patience = .seconds(60)
        return access
    }
    RemoteRecordings.use(door)
    return door
}()

/// Creates a stream, retrying for up to a minute while the cluster elects its leaders.
func makeStream(
    _ url: String, _ limits: StreamCatalogue.Limits = .init()
) throws -> StreamCatalogue {
    let address = try StreamAddress(parsing: url)
    let deadline = MachineClock.monotonic + .seconds(60)
    while true {
        do {
            let streams = try StreamCatalogue(address, through: door)
            _ = try streams.create(address.stream ?? "", for: address.name ?? "", limits)
            return streams
        } catch {
            guard MachineClock.monotonic < deadline else { throw error }
        }
    }
}

/// Returns all bytes of the recording at a URL or path.
func text(of path: String) throws -> [UInt8] {
    let source = try ByteSource(opening: path)
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 100_000)
    while true {
        let count = try piece.withUnsafeMutableBytes { source.read(into: $0) }.get()
        if count == 0 { return text }
        text += piece[..<count]
    }
}

/// Writes a recording with `frames` frames of about 400 bytes each.
func writeRecording(_ path: String, frames: Int) throws {
    let head = Record.Head(
        recording: "r\(frames)", wallStart: 1_790_000_000_000_000, tool: "test", seed: 1,
        session: RawJSON(unchecked: ArraySlice(#"{"backend":"socketio"}"#.utf8)))
    var writer = try RecordingWriter(creating: path, head: head, durability: .never)
    try write(frames: 1...frames, to: &writer)
    try writer.close(why: .closed, at: Stamp(n: 0, time: Moment(microseconds: 1 << 40), wall: 1_790_000_001_000_000))
}

func write(frames: ClosedRange<Int>, to writer: inout RecordingWriter) throws {
    for number in frames {
        let payload = "42[\"hello\",{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 300) + "\"}]"
        try writer.append(
            .frame(.init(connection: 1, direction: .in, message: .text(ArraySlice(payload.utf8)))),
            at: Moment(microseconds: Int64(number) * 1000), wall: 1_790_000_000_000_000 + Int64(number) * 1000)
    }
}

@Suite("A recording in a stream of one node", .enabled(if: hasNATSServer), .timeLimit(.minutes(3)))
struct NodeTests {
    @Test("A published recording is read back byte for byte, and publishing it again adds nothing")
    func roundTrip() throws {
        let server = try NATSServer()
        let folder = try temporaryFolder()
        _ = try makeStream(server.url + "/s")
        try writeRecording(folder + "/a", frames: 20_000)
        let first = try RecordingCopy.publish(folder + "/a", to: server.url + "/s/day")
        let file = try text(of: folder + "/a")
        #expect(first.bytes == file.count)
        #expect(try text(of: server.url + "/s/day") == file)
        let second = try RecordingCopy.publish(folder + "/a", to: server.url + "/s/day")
        #expect(second.bytes == 0 && second.known == file.count)
    }

    @Test("A position is found by its offset, and the index at the end without reading everything")
    func places() throws {
        let server = try NATSServer()
        let folder = try temporaryFolder()
        _ = try makeStream(server.url + "/s")
        try writeRecording(folder + "/a", frames: 20_000)
        _ = try RecordingCopy.publish(folder + "/a", to: server.url + "/s")
        let file = try text(of: folder + "/a")
        let source = try ByteSource(opening: server.url + "/s")
        var piece = [UInt8](repeating: 0, count: 1000)
        for offset in [0, 1, 300_000, file.count - 1000, 7_000_000, 5] {
            try source.move(to: offset)
            let count = try piece.withUnsafeMutableBytes { source.read(into: $0) }.get()
            #expect(piece[..<count] == file[offset..<offset + count] && count > 0)
        }
        #expect(source.size == file.count)
        let index = try RecordingIndex(ofFile: server.url + "/s")
        #expect(index == (try RecordingIndex(ofFile: folder + "/a")))
        #expect(index.origin == .file)
    }

    @Test("Two recordings in one stream are published concurrently, each in order")
    func neighbours() throws {
        let server = try NATSServer()
        let folder = try temporaryFolder()
        _ = try makeStream(server.url + "/s")
        try writeRecording(folder + "/a", frames: 10_000)
        try writeRecording(folder + "/b", frames: 10_001)
        let isDone = Monitor(0)
        for name in ["a", "b"] {
            let url = server.url
            runOnThread(named: name) {
                do { _ = try RecordingCopy.publish(folder + "/" + name, to: url + "/s/" + name) } catch {
                    Issue.record("\(error)")
                }
                isDone.change { $0 += 1 }
            }
        }
        isDone.wait { $0 == 2 ? () : nil }
        for name in ["a", "b"] {
            #expect(try text(of: server.url + "/s/" + name) == text(of: folder + "/" + name))
        }
    }

    @Test("A recording is published again under another name, and under its old name after a removal")
    func again() throws {
        let server = try NATSServer()
        let folder = try temporaryFolder()
        let streams = try makeStream(server.url + "/s")
        try writeRecording(folder + "/a", frames: 3_000)
        let file = try text(of: folder + "/a")
        for name in ["a", "b"] { _ = try RecordingCopy.publish(folder + "/a", to: server.url + "/s/" + name) }
        try streams.remove(StreamAddress(parsing: server.url + "/s/a"))
        _ = try RecordingCopy.publish(folder + "/a", to: server.url + "/s/a")
        for name in ["a", "b"] { #expect(try text(of: server.url + "/s/" + name) == file) }
    }

    @Test("A deleted message is reported as damage of its length, and later offsets do not change")
    func missing() throws {
        let server = try NATSServer()
        let folder = try temporaryFolder()
        let address = try StreamAddress(parsing: server.url + "/s")
        _ = try makeStream(server.url + "/s")
        try writeRecording(folder + "/a", frames: 5_000)
        _ = try RecordingCopy.publish(folder + "/a", to: server.url + "/s")
        try door.connection(to: address).delete(3, in: "s")
        let (file, stream) = (try text(of: folder + "/a"), try text(of: server.url + "/s"))
        #expect(stream.count == file.count)
        #expect(stream != file)
        #expect(stream.suffix(1000) == file.suffix(1000))
        var reader = try RecordingReader(opening: server.url + "/s")
        var damaged = 0
        var holes = 0
        while let entry = try reader.next() {
            if case .damage = entry { damaged += 1 }
            if case .discontinuity = entry { holes += 1 }
        }
        #expect(damaged == 1)
        #expect(holes == 1)
    }

    @Test("While the node is down, records are spooled to a file and published in order once it is back")
    func spool() throws {
        let server = try NATSServer()
        let folder = try temporaryFolder()
        _ = try makeStream(server.url + "/s")
        try writeRecording(folder + "/a", frames: 150_000)
        let file = try text(of: folder + "/a")
        let output = try RemoteRecordings.create(server.url + "/s", recording: "r150000")
        var place = 0
        func write(_ bytes: Int) throws {
            let end = min(file.count, place + bytes)
            try output.write(Array(file[place..<end]))
            try output.flush()
            place = end
        }
        for _ in 0..<20 { try write(50_000) }
        server.signal(0, SIGKILL)
        var warnings: [String] = []
        while place < file.count - 100_000 {
            try write(100_000)
            warnings += output.takeWarnings()
        }
        #expect(warnings.contains { $0.contains("the cluster is unavailable") })
        try server.start(0)
        try write(.max / 2)
        try output.finish()
        warnings += output.takeWarnings()
        #expect(warnings.contains { $0.contains("are on their way") })
        #expect(try text(of: server.url + "/s") == file)
    }

    @Test("Records that cannot be published by the end stay in a file and can be published later")
    func rest() throws {
        let server = try NATSServer()
        let folder = try temporaryFolder()
        _ = try makeStream(server.url + "/s")
        try writeRecording(folder + "/a", frames: 3_000)
        let file = try text(of: folder + "/a")
        let impatient = StreamDoor { () throws(ClusterError) in
            var access = ClusterAccess()
            (access.spoolFolder, access.patience) = (folder, .seconds(3))
            return access
        }
        let output = try impatient.create(
            StreamAddress(parsing: server.url + "/s"), recording: "r3000", resumes: false)
        try output.write(Array(file[..<300_000]))
        try output.flush()
        server.signal(0, SIGKILL)
        try output.write(Array(file[300_000...]))
        let error = #expect(throws: RecordingError.self) { try output.finish() }
        guard case .unusable(_, let message)? = error else { return }
        let path = try #require(
            message.firstRange(of: "file publish ").map { String(message[$0.upperBound...].prefix { $0 != " " }) })
        try server.start(0)
        _ = try RecordingCopy.publish(path, to: server.url + "/s")
        #expect(try text(of: server.url + "/s") == file)
    }
}

@Suite("A recording in a stream of three nodes", .enabled(if: hasNATSServer), .timeLimit(.minutes(5)))
struct ClusterTests {
    @Test("The leader is killed five times during publishing: nothing is lost, doubled or out of order")
    func leaders() throws {
        let server = try NATSServer(nodes: 3)
        let folder = try temporaryFolder()
        let streams = try makeStream(server.url + "/s")
        #expect(try streams.info("s").replicas == 3)
        try writeRecording(folder + "/a", frames: 200_000)
        let file = try text(of: folder + "/a")
        let output = try RemoteRecordings.create(server.url + "/s", recording: "r200000")
        var (place, kills) = (0, 0)
        for part in 1...6 {
            while place < file.count * part / 6 {
                let end = min(file.count, place + 64 << 10)
                try output.write(Array(file[place..<end]))
                place = end
            }
            guard part < 6 else { break }
            let leader = try #require(try leader(streams))
            server.signal(leader, SIGKILL)
            kills += 1
            try server.start(leader)
        }
        try output.flush()
        try output.finish()
        #expect(kills == 5)
        #expect(try text(of: server.url + "/s") == file)
        let facts = try streams.info("s")
        #expect(facts.recordings.map(\.missing) == [0])
    }

    @Test("With a majority stopped the recorder reports it and goes on: nothing is lost, doubled or out of order")
    func majority() throws {
        let server = try NATSServer(nodes: 3)
        let folder = try temporaryFolder()
        _ = try makeStream(server.url + "/s")
        try writeRecording(folder + "/a", frames: 30_000)
        let file = try text(of: folder + "/a")
        let output = try RemoteRecordings.create(server.url + "/s", recording: "r30000")
        try output.write(Array(file[..<5_000_000]))
        for node in [1, 2] { server.signal(node, SIGSTOP) }
        try output.write(Array(file[5_000_000..<10_000_000]))
        var warnings: [String] = []
        while !warnings.contains(where: { $0.contains("the cluster is unavailable") }) {
            warnings += output.takeWarnings()
            usleep(10_000)
        }
        for node in [1, 2] { server.signal(node, SIGCONT) }
        try output.write(Array(file[10_000_000...]))
        while !warnings.contains(where: { $0.contains("the cluster is back") }) {
            warnings += output.takeWarnings()
            usleep(10_000)
        }
        try output.flush()
        try output.finish()
        #expect(try text(of: server.url + "/s") == file)
    }

    /// Returns the node that leads the stream, once both followers are current and one node may be stopped.
    private func leader(_ streams: StreamCatalogue) throws -> Int? {
        let deadline = MachineClock.monotonic + .seconds(60)
        while MachineClock.monotonic < deadline {
            guard let facts = try? streams.info("s"), let leader = facts.leader,
                facts.followers.count == 2, facts.followers.allSatisfy({ $0.isCurrent && !$0.isOffline })
            else { continue }
            return (0..<3).first { NATSServer.name(of: $0) == leader }
        }
        return nil
    }
}

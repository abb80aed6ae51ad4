import Glibc
import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `Writer` {
    @Test func `the file is private, needs an existing folder, and is never overwritten`() throws {
        try withTemporaryFolder { folder in
            let missing = folder + "/a/x.weir.jsonl"
            #expect(throws: RecordingError.system(operation: "create", path: missing, code: ENOENT)) {
                _ = try RecordingWriter(creating: missing, head: testHead)
            }
            #expect(access(folder + "/a", F_OK) != 0)
            let path = folder + "/x.weir.jsonl"
            let writer = try RecordingWriter(creating: path, head: testHead)
            try writer.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: 0))
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600)
            let before = try contents(of: path)
            #expect(throws: RecordingError.exists(path: path)) {
                _ = try RecordingWriter(creating: path, head: testHead)
            }
            #expect(try contents(of: path) == before)
        }
    }

    @Test func `errors of the system are reported`() throws {
        try withTemporaryFolder { folder in
            try write([], to: folder + "/file")
            #expect(throws: RecordingError.system(operation: "create", path: folder + "/file/x", code: ENOTDIR)) {
                _ = try RecordingWriter(creating: folder + "/file/x", head: testHead)
            }
            #expect(throws: RecordingError.system(operation: "open", path: folder + "/none", code: ENOENT)) {
                _ = try RecordingReader(opening: folder + "/none")
            }
            #expect(throws: RecordingError.system(operation: "read", path: folder, code: EISDIR)) {
                _ = try RecordingReader(opening: folder)
            }
        }
    }

    @Test func `another program cannot lock the file while it is being written`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/x.weir.jsonl"
            let writer = try RecordingWriter(creating: path, head: testHead)
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX | LOCK_NB) == -1)
            try writer.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: 0))
            #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        }
    }

    @Test func `a full disk is a system error`() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        #expect(throws: RecordingError.system(operation: "write", path: "/dev/full", code: ENOSPC)) {
            _ = try RecordingWriter(file: AppendFile(descriptor: descriptor, path: "/dev/full"), head: testHead)
        }
    }

    @Test func `bytes refused by a full pipe are kept, and written once when there is room again`() throws {
        let ends = try makePipe(waits: false)
        defer { close(ends.output) }
        var writer = try RecordingWriter(
            file: AppendFile(descriptor: ends.input, path: "pipe"), head: testHead, options: .init(durability: .never))
        var received: [UInt8] = []
        var refusals = 0
        let payload = String(repeating: "x", count: 10_000)
        for number in 0..<100 {
            let record = Record.frame(.init(connection: number, direction: .in, message: .text(payload)))
            do throws(RecordingError) {
                try writer.append(record, at: .zero, wall: 0)
            } catch {
                refusals += 1
                #expect(error == .system(operation: "write", path: "pipe", code: EAGAIN))
                received += drain(ends.output)
                try writer.flush()
            }
        }
        received += drain(ends.output)
        try writer.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: 0))
        received += drain(ends.output)
        #expect(refusals > 0)
        let read = try entries(of: received)
        #expect(read.allSatisfy { if case .record = $0 { true } else { false } })
        // An append that could not begin was not accepted; the test does not repeat it.
        #expect((90...100).contains(records(read).count))
    }

    @Test func `records that the caller could not write leave a gap in the numbers`() throws {
        let bytes = try recording { writer in
            for number in [1, 2, 5, 6] {
                try writer.append(.token(.init(renewed: true)), Stamp(n: number, time: .zero, wall: 0))
            }
        }
        let problems = try entries(of: bytes).filter { if case .record = $0 { false } else { true } }
        #expect(problems == [.discontinuity(expected: 3, found: 5, line: 4)])
    }

    private func drain(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &part, part.count)
            if count <= 0 { return bytes }
            bytes += part[..<count]
        }
    }

    @Test func `lines are written completely after a flush`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/x.weir.jsonl"
            var writer = try RecordingWriter(creating: path, head: testHead)
            try writer.append(.token(.init(renewed: true)), at: .zero, wall: 0)
            #expect(lines(of: try contents(of: path)).count == 1)
            try writer.flush()
            #expect(lines(of: try contents(of: path)).count == 2)
            for _ in 0..<2_000 { try writer.append(.token(.init(renewed: true)), at: .zero, wall: 0) }
            let bytes = try contents(of: path)
            #expect(bytes.count > 64 << 10)
            #expect(bytes.last == UInt8(ascii: "\n"))
        }
    }

    @Test func `times never go backwards, and stay within the range of every JSON reader`() throws {
        let times: [Int64] = [5, 3, -7, 900, 899, .max, .min]
        let bytes = try recording { writer in
            for time in times {
                try writer.append(.token(.init(renewed: true)), at: Moment(microseconds: time), wall: .min)
            }
        }
        var read: [Int64] = []
        for case .record(.token, let stamp) in try entries(of: bytes) {
            read.append(stamp.time.microseconds)
            #expect(stamp.wall == WallClock.range.lowerBound)
        }
        #expect(read == [5, 5, 5, 900, 900, 1 << 53, 1 << 53])
    }

    @Test func `an idle recording ends its chunk when the time advances`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/x.weir.jsonl"
            var writer = try RecordingWriter(creating: path, head: testHead, durability: .interval)
            try writer.append(.token(.init(renewed: true)), at: .zero, wall: 0)
            try writer.flush(at: Moment(microseconds: 999_999))
            #expect(lines(of: try contents(of: path)).count == 2)
            try writer.flush(at: Moment(microseconds: 1_000_000))
            #expect(lines(of: try contents(of: path))[2].hasPrefix(#"{"k":"sync","n":1,"t":0,"off":0,"#))
            try writer.flush(at: Moment(microseconds: 9_000_000))
            #expect(lines(of: try contents(of: path)).count == 3)
            #expect(writer.nextNumber == 2)
        }
    }

    @Test(arguments: RecordingWriter.Durability.allCases)
    func `every durability writes the same file`(durability: RecordingWriter.Durability) throws {
        func make(_ durability: RecordingWriter.Durability) throws -> [UInt8] {
            var generator = RecordGenerator(seed: 9)
            return try recording(durability: durability) { writer in
                for index in 0..<50 {
                    try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * 300_000), wall: 0)
                    if index % 10 == 0 { try writer.flush() }
                }
            }
        }
        #expect(try make(durability) == make(.never))
    }

    @Test func `a sync contains the offset of its chunk in the file`() throws {
        let bytes = try recording { writer in
            for index in 0..<20 {
                try writer.append(
                    .token(.init(renewed: true)), at: Moment(microseconds: Int64(index) * 400_000), wall: 0)
            }
        }
        var chunks = 0
        for case .record(.sync(let sync), _) in try entries(of: bytes) {
            chunks += 1
            let chunk = bytes[sync.offset..<sync.offset + sync.bytes]
            var crc = CRC32C()
            crc.update(chunk.span)
            #expect(crc.value == sync.crc)
            #expect(lines(of: Array(chunk)).count == sync.records)
            #expect(chunk.last == UInt8(ascii: "\n"))
            #expect(sync.firstTime <= sync.lastTime)
        }
        #expect(chunks > 3)
    }
}

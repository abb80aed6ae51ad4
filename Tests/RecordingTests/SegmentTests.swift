import Glibc
import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `Segments` {
    private let second: Int64 = 1_000_000

    private func frame(_ number: Int) -> Record {
        .frame(.init(connection: 1, direction: .in, message: .text("42[\"x\",\(number)]")))
    }

    private let restated: [Record] = [
        .connection(.init(connection: 1, state: .open)),
        .frame(.init(connection: 1, direction: .in, message: .text("0{}"))),
        .memory(.init(user: "u", rows: Array("{}\n".utf8))),
    ]

    /// Writes 60 records, with a new segment after every ten.
    private func write(
        _ folder: String, keep: SegmentPlan.Keep? = nil, compressesClosed: Bool = false,
        options: RecordingWriter.Options = .init(durability: .never)
    ) throws {
        mkdir(folder, 0o700)
        let plan = SegmentPlan(
            path: folder + "/mon.weir.jsonl", rotation: .init(), keep: keep, options: options,
            compressesClosed: compressesClosed)
        var writer = try SegmentedWriter(plan, head: testHead)
        for number in 1...60 {
            let stamp = Stamp(n: number, time: Moment(microseconds: Int64(number) * 100_000), wall: 0)
            try writer.append(frame(number), stamp)
            if number % 10 == 0, number < 60 { try writer.rotate(at: stamp, restating: restated) }
        }
        try writer.close(why: .closed, at: Stamp(n: 0, time: Moment(microseconds: 9 * second), wall: 0))
        let warnings = writer.warnings
        #expect(warnings == [])
    }

    private func read(_ path: String) throws -> (head: Record.Head, entries: [RecordingReader.Entry]) {
        var reader = try RecordingReader(opening: path)
        var entries: [RecordingReader.Entry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return (reader.head, entries)
    }

    private func names(in folder: String) -> [String] {
        var names: [String] = []
        guard let listing = opendir(folder) else { return [] }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        closedir(listing)
        return names.sorted()
    }

    @Test func `each segment is readable, begins with the earlier state, and names its predecessor's digest`() throws {
        try withTemporaryFolder { folder in
            try write(folder)
            #expect(names(in: folder) == (1...6).map { "mon.000\($0).weir.jsonl" })
            var numbers: [Int] = []
            var digest: String?
            for segment in 1...6 {
                let path = "\(folder)/mon.000\(segment).weir.jsonl"
                let (head, entries) = try read(path)
                #expect(head.segment == segment)
                #expect(head.recording == testHead.recording)
                #expect(head.previous == digest)
                digest = try sha256(of: path)
                var again: [Record] = []
                for entry in entries {
                    guard case .record(let record, let stamp) = entry else {
                        Issue.record("\(entry)")
                        continue
                    }
                    if stamp.isRestated {
                        again.append(record)
                        #expect(stamp.n == (segment - 1) * 10)
                    } else if !record.isUnnumbered {
                        numbers.append(stamp.n)
                    }
                }
                #expect(again == (segment == 1 ? [] : restated))
                guard case .record(.end(let end), _) = entries.last else {
                    Issue.record("no end")
                    continue
                }
                #expect(end.why == (segment == 6 ? .closed : .rotated))
                #expect(try RecordingIndex(ofFile: path).origin == .file)
            }
            #expect(numbers == Array(1...61))
        }
    }

    private func sha256(of path: String) throws -> String {
        let pipe = try #require(popen("sha256sum \(path)", "r"))
        var text = [UInt8](repeating: 0, count: 64)
        #expect(fread(&text, 1, 64, pipe) == 64)
        pclose(pipe)
        return String(decoding: text, as: UTF8.self)
    }

    @Test func `a ring is limited by count, size or age`() throws {
        try withTemporaryFolder { folder in
            try write(folder + "/count", keep: .segments(3))
            #expect(names(in: folder + "/count") == (4...6).map { "mon.000\($0).weir.jsonl" })
            try write(folder + "/age", keep: .age(.milliseconds(1_500)))
            #expect(names(in: folder + "/age").last == "mon.0006.weir.jsonl")
            #expect(names(in: folder + "/age").count < 4)
            try write(folder + "/size", keep: .bytes(4_000))
            #expect((1...3).contains(names(in: folder + "/size").count))
        }
    }

    @Test func `closed segments are compressed, and the digest is that of their text`() throws {
        try withTemporaryFolder { folder in
            try write(folder, compressesClosed: true)
            #expect(names(in: folder) == (1...6).map { "mon.000\($0).weir.jsonl.zst" })
            let second = try read(folder + "/mon.0002.weir.jsonl.zst")
            let pipe = try #require(popen("zstd -dcq \(folder)/mon.0001.weir.jsonl.zst | sha256sum", "r"))
            var text = [UInt8](repeating: 0, count: 64)
            #expect(fread(&text, 1, 64, pipe) == 64)
            pclose(pipe)
            #expect(second.head.previous == String(decoding: text, as: UTF8.self))
        }
    }

    @Test func `a file compressed while it is written reads like an uncompressed one`() throws {
        try withTemporaryFolder { folder in
            try write(folder + "/a")
            try write(folder + "/b", options: .init(durability: .never, isCompressed: true))
            for segment in 1...6 {
                let plain = try read("\(folder)/a/mon.000\(segment).weir.jsonl")
                let compressed = try read("\(folder)/b/mon.000\(segment).weir.jsonl")
                #expect(plain.entries == compressed.entries)
                #expect(plain.head == compressed.head)
                #expect(try contents(of: "\(folder)/b/mon.000\(segment).weir.jsonl").starts(with: Zstd.magic))
            }
        }
    }

    @Test func `size and age trigger a new segment`() throws {
        try withTemporaryFolder { folder in
            let plan = SegmentPlan(
                path: folder + "/x", rotation: .init(size: 5_000, age: .seconds(10)),
                options: .init(durability: .never))
            var writer = try SegmentedWriter(plan, head: testHead)
            var number = 1
            while !writer.isRotationDue {
                try writer.append(frame(number), Stamp(n: number, time: .zero, wall: 0))
                number += 1
            }
            #expect(number > 20)
            try writer.rotate(at: Stamp(n: 0, time: .zero, wall: 0), restating: [])
            var due = [writer.isRotationDue]
            try writer.append(frame(number), Stamp(n: number, time: Moment(microseconds: 9 * second), wall: 0))
            due.append(writer.isRotationDue)
            try writer.append(frame(number), Stamp(n: number + 1, time: Moment(microseconds: 10 * second), wall: 0))
            due.append(writer.isRotationDue)
            #expect(due == [false, false, true])
            try writer.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: 0))
            #expect(names(in: folder) == ["x.0001", "x.0002"])
        }
    }

    @Test func `a size below that of the initial state counts new records, warns once, and doubles`()
        throws
    {
        try withTemporaryFolder { folder in
            let plan = SegmentPlan(
                path: folder + "/x", rotation: .init(size: 1_000), keep: .segments(3),
                options: .init(durability: .never))
            var writer = try SegmentedWriter(plan, head: testHead)
            var segments = 1
            var stamp = Stamp(n: 0, time: .zero, wall: 0)
            for number in 1...1_000 {
                stamp.n = number
                try writer.append(frame(number), stamp)
                guard writer.isRotationDue else { continue }
                // The state grows, too.
                let row = #"{"x":"\#(String(repeating: "y", count: 3_000 * segments))"}"#
                try writer.rotate(at: stamp, restating: [.memory(.init(user: "u", rows: Array("\(row)\n".utf8)))])
                let isDueAgain = writer.isRotationDue
                #expect(!isDueAgain)
                segments += 1
            }
            try writer.close(why: .closed, at: stamp)
            let warnings = writer.warnings
            #expect(
                warnings.count == 1 && warnings[0].contains("--rotate requests segments of 1000 bytes"), "\(warnings)")
            // 1,000 records of at least 60 bytes: nearly 80 segments of 1,000 bytes, if the size were not doubled.
            #expect((4...12).contains(segments), "\(segments)")
            #expect(names(in: folder).count == 3)
        }
    }

    @Test func `an existing file is replaced only on request, and never while it is being written`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/x.weir.jsonl"
            let first = try RecordingWriter(creating: path, head: testHead)
            #expect(throws: RecordingError.exists(path: path)) {
                _ = try RecordingWriter(creating: path, head: testHead)
            }
            #expect(throws: RecordingError.system(operation: "replace", path: path, code: EWOULDBLOCK)) {
                _ = try RecordingWriter(creating: path, head: testHead, options: .init(overwrites: true))
            }
            try first.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: 0))
            var other = testHead
            other.title = "the second"
            let second = try RecordingWriter(creating: path, head: other, options: .init(overwrites: true))
            try second.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: 0))
            #expect(try read(path).head.title == "the second")
        }
    }

    @Test func `a sync counts its kinds and names the open connections`() throws {
        let bytes = try recording { writer in
            let second = Moment(microseconds: 1_000_000)
            try writer.append(.connection(.init(connection: 1, state: .connecting)), at: .zero, wall: 0)
            try writer.append(.connection(.init(connection: 1, state: .open)), at: .zero, wall: 0)
            try writer.append(frame(1), at: second, wall: 0)
            try writer.append(frame(2), at: second, wall: 0)
            try writer.append(.connection(.init(connection: 1, state: .closed)), at: second, wall: 0)
        }
        var syncs: [Record.SyncRecord] = []
        for case .record(.sync(let sync), _) in try entries(of: bytes) { syncs.append(sync) }
        #expect(syncs.map(\.connections) == [[1], []])
        #expect(
            syncs.map(\.kinds) == [
                [.init(name: "head", count: 1), .init(name: "conn", count: 2), .init(name: "f", count: 1)],
                [.init(name: "f", count: 1), .init(name: "conn", count: 1)],
            ])
    }
}

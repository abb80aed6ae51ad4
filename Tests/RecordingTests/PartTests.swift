import Testing
import WeirWire

@testable import WeirRecording

@Suite struct `Parts of recordings` {
    /// The records of a file without problems.
    private func stamped(_ path: String) throws -> [(Record, Stamp)] {
        try entries(of: contents(of: path)).compactMap { entry in
            guard case .record(let record, let stamp) = entry else {
                Issue.record("\(entry)")
                return nil
            }
            return record.isWritersOwn ? nil : (record, stamp)
        }
    }

    private func kept(_ selection: RecordSelection) throws -> [(Record, Stamp)] {
        try withTemporaryFolder { folder in
            _ = try RecordingCopy.filter(SampleRecording.path, selection, to: ToolDestination(path: folder + "/a"))
            #expect(try findings(folder + "/a") == [])
            return try stamped(folder + "/a")
        }
    }

    @Test func `a filter by event keeps the connections' records and renumbers the kept ones`() throws {
        var selection = RecordSelection()
        selection.events.included = ["pri*"]
        let records = try kept(selection)
        #expect(records.compactMap { $0.0.contents?.event } == ["price"])
        #expect(records.filter { $0.0.kind == "conn" }.count == 7)
        #expect(records.filter { $0.0.kind == "f" }.count == 10)
        let numbers = records.filter { !$0.0.isUnnumbered }.map(\.1.n)
        #expect(numbers == Array(1...numbers.count))
    }

    @Test func `a filter by kind keeps only these kinds, and an excluding filter drops only these`() throws {
        var selection = RecordSelection()
        selection.kinds.included = ["gap", "mark"]
        #expect(try kept(selection).map(\.0.kind) == ["gap", "mark"])
        selection.kinds = .init(excluded: ["f", "http", "conn", "sub", "clock"])
        #expect(try kept(selection).map(\.0.kind) == ["token", "gap", "note", "mark"])
    }

    @Test func `a filter selects by direction or by position`() throws {
        var selection = RecordSelection()
        selection.direction = .out
        #expect(try kept(selection).filter { $0.0.kind == "f" }.count == 3)
        selection = RecordSelection()
        selection.span = RecordingSpan(start: .record(10), end: .offset(2_000_000))
        #expect(try kept(selection).map(\.1.time.microseconds) == [700_123, 1_020_123, 1_031_123])
    }

    @Test func `a request keeps the number of its cause when the cause is kept, and otherwise has none`() throws {
        var selection = RecordSelection()
        selection.kinds.excluded = ["clock", "conn"]
        let causes = try kept(selection).compactMap { record, _ in
            if case .http(let exchange) = record { exchange.cause } else { nil as Int? }
        }
        #expect(causes == [4, 4, 17])
        selection.events.excluded = ["hello"]
        let none = try kept(selection).compactMap { record, _ in
            if case .http(let exchange) = record { exchange.cause } else { nil as Int? }
        }
        #expect(none == [15])
    }

    @Test
    func `a part restates the open connection and its handshake, and its times can begin at 0`()
        throws
    {
        try withTemporaryFolder { folder in
            let destination = ToolDestination(path: folder + "/a", replaces: true)
            let span = RecordingSpan(start: .offset(4_350_000))
            _ = try RecordingCopy.cut(SampleRecording.path, span, to: destination)
            let records = try stamped(folder + "/a")
            #expect(
                records.map(\.0.kind) == ["sub", "conn", "conn", "f", "f", "f", "f", "f", "note", "mark"])
            #expect(records.dropFirst().compactMap(\.0.connection).allSatisfy { $0 == 3 })
            #expect(records.map(\.1.isRestated) == Array(repeating: true, count: 5) + Array(repeating: false, count: 5))
            #expect(records[5].1.time.microseconds == 4_400_123 && records[4].1.time.microseconds == 4_400_123)
            _ = try RecordingCopy.cut(SampleRecording.path, span, ripples: true, to: destination)
            #expect(
                try stamped(folder + "/a").map(\.1.time.microseconds) == [
                    0, 0, 0, 0, 0, 0, 100_000, 100_000, 110_000, 120_000,
                ])
            #expect(try findings(folder + "/a") == [])
        }
    }

    @Test func `a part ends before its end, given as a number, a time or a mark`() throws {
        try withTemporaryFolder { folder in
            let ends: [(RecordingPosition, Int)] = [
                (.record(4), 4), (.wall(1_767_323_045_500_000), 7), (.mark("back again"), 32),
            ]
            for (end, count) in ends {
                let destination = ToolDestination(path: folder + "/a", replaces: true)
                let report = try RecordingCopy.cut(SampleRecording.path, RecordingSpan(end: end), to: destination)
                #expect(report.written == count)
            }
        }
    }

    @Test func `recordings are merged by wall clock, with new numbers for their connections`() throws {
        try withTemporaryFolder { folder in
            for (name, recording, start) in [("a", "a", 1_000_000), ("b", "b", 1_500_000)] {
                var head = testHead
                head.recording = String(repeating: recording, count: 32)
                head.wallStart += Int64(start)
                let bytes = try marked(head, name)
                try write(bytes, to: folder + "/" + name)
            }
            let report = try RecordingMerge.merge(
                [folder + "/b", folder + "/a"], to: ToolDestination(path: folder + "/c"))
            #expect(report.written == 8 && report.problems == 0)
            let records = try stamped(folder + "/c")
            let labels = records.compactMap { if case .mark(let mark) = $0.0 { mark.label } else { nil as String? } }
            #expect(labels == ["a0", "a1", "b0", "a2", "b1", "b2"])
            #expect(
                records.map(\.1.time.microseconds) == [0, 0, 400_000, 500_000, 500_000, 800_000, 900_000, 1_300_000])
            #expect(records.compactMap(\.0.connection) == [1_000_001, 1])
            #expect(try findings(folder + "/c") == [])
            let head = try RecordingReader(opening: folder + "/c").head
            #expect(head.recording == String(repeating: "1", count: 32))
            #expect(head.wallStart == testHead.wallStart + 1_000_000)
        }
    }

    private func marked(_ head: Record.Head, _ name: String) throws -> [UInt8] {
        try recording(head: head) { writer in
            let opened = Record.connection(.init(connection: 1, state: .open))
            try writer.append(opened, at: .zero, wall: head.wallStart)
            for number in 0...2 {
                let time = Moment(microseconds: Int64(number) * 400_000)
                try writer.append(.mark(.init(label: "\(name)\(number)")), at: time, wall: head.wallStart)
            }
        }
    }

    @Test func `a mark is inserted at the requested place, and later records are renumbered`() throws {
        try withTemporaryFolder { folder in
            let wishes = [
                RecordingMarks.Wish(label: "x", at: .offset(2_000_000)), .init(label: "y", at: .record(14)),
                .init(label: "never", at: .record(99)),
            ]
            let result = try RecordingMarks.add(
                wishes, to: SampleRecording.path, writing: ToolDestination(path: folder + "/a"))
            #expect(result.unset == ["never"])
            let marks = try RecordingMarks.list(folder + "/a")
            #expect(marks.map(\.label) == ["x", "y", "back again"])
            #expect(marks.map(\.stamp.n) == [13, 15, 33])
            #expect(marks[0].stamp.time.microseconds == 2_000_000)
            #expect(try findings(folder + "/a") == [])
        }
    }
}

import Glibc
import Testing
import TestSupport
import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Tests viewers of a running tail: the stream that they receive, and the handling of viewers that do not read.
@Suite(.serialized, .timeLimit(.minutes(3))) struct AttachTests {
    /// Attaches to the tail, and returns the stream that it sends from now on.
    private func attach(_ path: String) throws -> Int32 {
        let stream = try LocalSocketStream(path: path)
        try stream.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"attach"}"#.utf8))
        let line = try #require(try stream.readLine(timeout: .seconds(20)))
        #expect(try JSONValue(parsing: line[...])["result"]?["stream"] == .string("recording"))
        return dup(stream.descriptor)
    }

    /// Plays a stream. `watcher` receives the reports shown.
    private func play(_ descriptor: Int32, _ watcher: Watcher) {
        let replay = Replay(ReplayConfiguration(stream: descriptor, name: "t"), outlets: [watcher])
        runOnThread(named: "weir-viewer") {
            _ = try? replay.play()
            close(descriptor)
        }
    }

    @Test func `a viewer that attaches later sees the same events in the same order, and none twice`()
        async throws
    {
        let viewer = Watcher()
        let (watcher, _) = try await ControlledTail.run { path, _, watcher in
            try await look(path, watcher, viewer)
        }
        let events = viewer.reports.all.filter { $0.isEvent }.map(\.stamp.n)
        let all = watcher.reports.all.filter { $0.isEvent }.map(\.stamp.n)
        let first = try #require(events.first)
        #expect(events.count >= 4)
        #expect(Array(all.drop { $0 < first }.prefix(events.count)) == events)
        // The viewer's initial state is not reported as news.
        #expect(viewer.reports.all.allSatisfy { $0.stamp.n == 0 || $0.stamp.n >= first - 50 })
    }

    private func look(_ path: String, _ watcher: Watcher, _ viewer: Watcher) async throws {
        let before = await watcher.reports.wait { $0.events.count >= 3 }
        play(try attach(path), viewer)
        await viewer.reports.wait { $0.events.count >= 4 }
        #expect(before.events.count >= 3)
    }

    @Test
    func
        `Check 8: a viewer that does not read stalls nothing, and learns of the gap and the next record once it reads`()
        async throws
    {
        _ = try await ControlledTail.run {
            $0.mostWaitingForViewers = 1 << 12
        } _: { path, _, watcher in
            try await overflow(path, watcher)
        }
    }

    private func overflow(_ path: String, _ watcher: Watcher) async throws {
        let slow = try UnixClient(path)
        slow.send(line: #"{"method":"attach"}"#)
        #expect(slow.readLine()?.contains("recording") == true)
        try mark(path, times: 3000)
        let seen = watcher.reports.all.events.count
        await watcher.reports.wait { $0.events.count > seen }
        var kinds: [String] = []
        while let line = slow.readLine(seconds: 20) {
            let value = try JSONValue(parsing: Array(line.utf8)[...])
            guard case .string(let kind)? = value["k"] else { continue }
            kinds.append(kind)
            if kind == "gap", value["why"] == .string("overflow") {
                guard case .integer(let lost)? = value["lost"] else { break }
                #expect(lost > 0)
            }
            if kind == "head", kinds.count > 1 { break }
        }
        #expect(kinds.first == "head")
        #expect(kinds.suffix(2) == ["gap", "head"])
    }

    /// Sets marks and reads each answer. They exceed what is buffered for a viewer that does not read.
    private func mark(_ path: String, times: Int) throws {
        let client = try UnixClient(path)
        let label = String(repeating: "x", count: 190)
        for start in stride(from: 0, to: times, by: 100) {
            let numbers = start..<min(start + 100, times)
            for number in numbers {
                client.send(line: #"{"method":"mark","id":\#(number),"params":{"label":"\#(label)"}}"#)
            }
            for number in numbers { #expect(client.readLine()?.contains("\"id\":\(number),") == true) }
        }
    }

    @Test func `a viewer that lost records learns what happened to rooms meanwhile`() async throws {
        let viewer = Watcher()
        _ = try await ControlledTail.run {
            $0.mostWaitingForViewers = 1 << 12
        } _: { path, _, watcher in
            // Uses a room that the viewer knows from the start. For any other room it may have lost every record.
            await watcher.reports.wait { !$0.rooms(.joined).isEmpty }
            let room = try #require(watcher.reports.all.rooms(.joined).last)
            let stream = try attach(path)
            try mark(path, times: 3000)
            _ = try call(path, "rooms.leave", #"{"rooms":["\#(room)"]}"#)
            await watcher.reports.wait { !$0.rooms(.left).isEmpty }
            play(stream, viewer)
            while viewer.reports.all.rooms(.left).isEmpty {
                let seen = viewer.reports.all.count
                // The next record comes after the point where the viewer continues.
                try mark(path, times: 1)
                await viewer.reports.wait { $0.count > seen }
            }
            #expect(viewer.reports.all.rooms(.left) == [room])
            #expect(!viewer.reports.all.gaps.isEmpty)
        }
    }

    @Test func `a client starts and stops a recording, only in the recordings folder, and the recording can be played`()
        async throws
    {
        let folder = try temporaryFolder()
        let patience = WritePatience()
        _ = try await ControlledTail.run {
            $0.recordFolder = folder
            $0.patience = patience
        } _: { path, _, watcher in
            try await record(path, folder, watcher, patience)
        }
        var reader = try RecordingReader(opening: folder + "/incident.weir.jsonl")
        var kinds: [String] = []
        while let entry = try reader.next() {
            guard case .record(let record, _) = entry else {
                Issue.record("\(entry)")
                continue
            }
            kinds.append(record.kind)
        }
        #expect(kinds.contains("mem") && kinds.contains("f") && kinds.last == "end")
        let shown = Watcher()
        let summary = try Replay(path: folder + "/incident.weir.jsonl", outlets: [shown]).play()
        #expect(summary.events > 2 && summary.gaps == 0 && summary.undecodable == 0)
    }

    private func record(
        _ path: String, _ folder: String, _ watcher: Watcher, _ patience: WritePatience
    ) async throws {
        await watcher.reports.wait { $0.events.count > 2 }
        for name in ["../x", "a/b", "/etc/x", ".hidden", "x y", String(repeating: "x", count: 200)] {
            #expect(try refusal(path, "record.start", #"{"name":"\#(name)"}"#).code == -32001)
        }
        #expect(try refusal(path, "record.stop").code == -32002)
        symlink("/tmp/elsewhere-\(getpid())", folder + "/link.weir.jsonl")
        #expect(try refusal(path, "record.start", #"{"name":"link"}"#).code == -32000)
        #expect(access("/tmp/elsewhere-\(getpid())", F_OK) != 0)
        #expect(!patience.keepsUnread)
        let file = try call(path, "record.start", #"{"name":"incident"}"#)
        #expect(file == .string(folder + "/incident.weir.jsonl"))
        #expect(patience.keepsUnread, "as with --record, an output that nobody reads holds nothing up")
        var facts = stat()
        #expect(lstat(folder + "/incident.weir.jsonl", &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        #expect(try refusal(path, "record.start", #"{"name":"other"}"#).code == -32002)
        let seen = watcher.reports.all.events.count
        await watcher.reports.wait { $0.events.count >= seen + 3 }
        let stopped = try call(path, "record.stop")
        #expect(stopped == .bool(true))
        #expect(!patience.keepsUnread)
        #expect(try refusal(path, "record.start", #"{"name":"incident"}"#).message.contains("already exists"))
    }

    @Test func `rows of the model are returned by section and by id`() async throws {
        _ = try await ControlledTail.run { path, _, watcher in
            await watcher.reports.wait { $0.diffs.count > 5 }
            try rows(path)
        }
    }

    private func rows(_ path: String) throws {
        guard case .array(let sections) = try call(path, "model.sections"), let last = sections.indices.last else {
            Issue.record("no sections")
            return
        }
        let rows = try call(path, "model.get", #"{"section":\#(last),"limit":1}"#)
        guard case .array(let elements)? = rows["rows"], let row = elements.first else {
            Issue.record("no rows in \(rows)")
            return
        }
        #expect(elements.count == 1 && rows["section"] == sections[last]["section"])
        guard case .array(let parts)? = row["id"], case .string(let id)? = parts.dropFirst().first else {
            Issue.record("no id in \(row)")
            return
        }
        #expect(try call(path, "model.item", #"{"id":"\#(id)"}"#)["id"] != nil)
        #expect(try refusal(path, "model.item", #"{"id":"nobody"}"#).code == -32002)
        #expect(try refusal(path, "model.get", #"{"section":99999}"#).code == -32002)
    }

    @Test func `a property is observed until it changes or until its timeout`() async throws {
        _ = try await ControlledTail.run { path, _, watcher in try await observe(path, watcher) }
    }

    private func observe(_ path: String, _ watcher: Watcher) async throws {
        let client = try UnixClient(path)
        client.send(line: #"{"method":"observe","id":1,"params":{"properties":["events"],"once":true}}"#)
        #expect(client.readLine()?.contains(#""observation":1"#) == true)
        #expect(client.readLine()?.contains(#""method":"changed""#) == true)
        #expect(client.readLine()?.contains(#""why":"once""#) == true)
        client.send(line: #"{"method":"observe","id":2,"params":{"properties":["recording"],"timeout":"200ms"}}"#)
        #expect(client.readLine()?.contains(#""values":{"recording":null}"#) == true)
        #expect(client.readLine()?.contains(#""why":"timeout""#) == true)
        #expect(try refusal(path, "observe", #"{"properties":["stat"]}"#).message.contains("did you mean 'state'"))
        #expect(try refusal(path, "emit", #"{"event":"x"}"#).code == -32001)
        #expect(try refusal(path, "pause").code == -32002)
        #expect(try refusal(path, "snapshot.dump").code == -32002)
    }
}

extension StampedReport {
    fileprivate var isEvent: Bool { if case .event = report { true } else { false } }
}

/// Tests views that are paused and changed.
@Suite struct ViewControlsTests {
    private func events(_ count: Int, from number: Int) -> [StampedReport] {
        (number..<(number + count)).map { n in
            let stamp = Stamp(n: n, time: Moment(microseconds: Int64(n)), wall: 0)
            return StampedReport(stamp: stamp, report: .notice(Notice(.info, "\(n)")))
        }
    }

    @Test func `reports wait while the view is paused, and beyond the limit the oldest are dropped with a gap`() throws
    {
        let (controls, shown) = (ViewControls(), Watcher())
        let view = ControlledView(controls) { _ in shown }
        try view.write(events(2, from: 1))
        #expect(shown.reports.all.count == 2)
        controls.pause(true)
        try view.write(events(5, from: 3))
        #expect(controls.waiting == 5 && shown.reports.all.count == 2)
        controls.pause(false)
        try view.write(events(1, from: 8))
        #expect(shown.reports.all.map(\.stamp.n) == Array(1...8))
        controls.pause(true)
        try view.write(events(ViewControls.mostWaiting + 3, from: 9))
        #expect(controls.waiting == ViewControls.mostWaiting)
        try view.finish()
        #expect(shown.reports.all.gaps.map(\.cause) == [.paused])
        #expect(shown.reports.all.count == 8 + 1 + ViewControls.mostWaiting)
    }

    @Test func `beyond the limit of bytes the oldest reports are dropped, and an oversized report waits alone`()
        throws
    {
        let (controls, shown) = (ViewControls(), Watcher())
        let view = ControlledView(controls) { _ in shown }
        func report(_ n: Int, bytes: Int) -> StampedReport {
            let text = String(repeating: "x", count: bytes)
            return StampedReport(
                stamp: Stamp(n: n, time: Moment(microseconds: Int64(n)), wall: 0), report: .notice(Notice(.info, text)))
        }
        controls.pause(true)
        for n in 1...20 { try view.write([report(n, bytes: 1 << 20)]) }
        #expect(controls.waiting == 8)
        try view.write((21...40).map { report($0, bytes: 1 << 20) })
        #expect(controls.waiting == 8)
        controls.pause(false)
        try view.write([])
        #expect(shown.reports.all.map(\.stamp.n) == [32] + Array(33...40))
        #expect(shown.reports.all.gaps.map(\.cause) == [.paused])
        controls.pause(true)
        try view.write([report(41, bytes: 9 << 20)])
        #expect(controls.waiting == 1)
        try view.write([report(42, bytes: 1)])
        #expect(controls.waiting == 1)
        try view.finish()
        #expect(shown.reports.all.last?.stamp.n == 42)
    }

    @Test func `a new format creates a new printer`() throws {
        let controls = ViewControls()
        let formats = Mailbox<OutputFormat?>()
        let view = ControlledView(controls) { format in
            formats.put(format)
            return Watcher()
        }
        try view.write(events(1, from: 1))
        controls.print(as: .json)
        try view.write(events(1, from: 2))
        try view.write(events(1, from: 3))
        #expect(formats.all == [nil, .json])
    }
}

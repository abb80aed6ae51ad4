import Testing
import TestSupport
@testable import WeirLive
@testable import WeirViews
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

private func report(_ number: Int) -> [StampedReport] {
    [StampedReport(stamp: Stamp(n: number, time: .zero, wall: 0), report: .notice(Notice(.info, "")))]
}

@Suite struct `A replay's outlets` {
    @Test func `the outlets accept a limited number of reports during a write, and further writers wait`() async {
        let outlet = GatedOutlet(permits: 0)
        let outlets = ReplayOutlets([outlet], onThread: true)
        let told = Mailbox<Int>()
        runOnThread(named: "weir-test") {
            for number in 1...20 {
                do { try outlets.write(report(number), to: [.shown]) } catch { return }
                told.put(number)
            }
        }
        for written in 0...20 {
            let bound = min(written + ReplayOutlets.limit, 20)
            await told.wait { $0.count >= bound }
            // Another report is accepted only after another was written.
            #expect(told.all.count == bound)
            outlet.permit(1)
            if written < 20 { await outlet.written.wait { $0.count > written } }
        }
        #expect(throws: Never.self) { try outlets.end() }
        #expect(outlet.numbers == Array(1...20))
    }

    @Test(arguments: [true, false])
    func `a drain writes all reports, each to its outlets, in order`(onThread: Bool) throws {
        let (shown, whole) = (GatedOutlet(), GatedOutlet(part: .whole))
        let outlets = ReplayOutlets([shown, whole], onThread: onThread)
        try outlets.write(report(1), to: [.shown, .whole])
        try outlets.write(report(2), to: [.whole])
        try outlets.write(report(3), to: [.shown])
        try outlets.drain()
        #expect(shown.numbers == [1, 3])
        #expect(whole.numbers == [1, 2])
        try outlets.end()
    }

    @Test func `after a failure no outlet is called, and every writer gets the error`() throws {
        let outlet = GatedOutlet(failingAt: (2, .closedByReader))
        let outlets = ReplayOutlets([outlet], onThread: true)
        try outlets.write(report(1), to: [.shown])
        try outlets.write(report(2), to: [.shown])
        #expect(throws: OutletError.closedByReader) { try outlets.drain() }
        #expect(throws: OutletError.closedByReader) { try outlets.write(report(3), to: [.shown]) }
        #expect(throws: OutletError.closedByReader) { try outlets.end() }
        #expect(outlet.numbers == [1])
    }

    @Test func `a failed write ends a replay that was played ahead`() throws {
        let recording = try PlayedRecording(in: try temporaryFolder(), events: 2000, interval: .milliseconds(100))
        var configuration = ReplayConfiguration([recording.path])
        configuration.pace = .maximum
        let gone = GatedOutlet(failingAt: (1000, .closedByReader))
        #expect(try Replay(configuration, outlets: [gone]).play().outcome == .outputClosed)
        #expect(gone.numbers.allSatisfy { $0 < 1000 })
        // Only the last report is left to write.
        let late = GatedOutlet(failingAt: (PlayedRecording.firstEvent + 1999, .unread("it", after: .zero)))
        let outcome = try Replay(configuration, outlets: [late]).play().outcome
        #expect(outcome == .cannotWrite(.unread("it", after: .zero)))
    }
}

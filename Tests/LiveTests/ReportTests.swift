import Testing
import TestSupport
import WeirEvents
import WeirJSON
import WeirModel
import WeirNetwork
import WeirRecording
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirPipeline

@Suite("The report of a run")
struct ReportTests {
    private static let hostile = #"</script><img src=x onerror="alert('1')"><style>*{}</style>&amp;"#
    private static let samples = packageFolder + "/samples/recordings/"

    private func event(_ name: String, _ payload: String, at milliseconds: Int64) -> StampedReport {
        let raw = Sample.raw(payload)
        return StampedReport(
            stamp: Sample.stamp(Int(milliseconds), milliseconds),
            report: .event(
                EventReport(
                    event: .socketIO(UntypedEvent(name: name, arguments: [raw])),
                    source: SocketIO.Event(array: Sample.raw("[\(JSONValue.string(name).compact),\(payload)]")))))
    }

    private func page(_ figures: ReportFigures, title: String = "A run") -> String {
        let facts = ReportFacts(title: title, tool: "weir test")
        return String(decoding: ReportPage.bytes(figures, facts, digest: TextDigest.base64), as: UTF8.self)
    }

    /// Replays a sample and returns the figures of its report, and the summary of the replay.
    private func figures(of sample: String) throws -> (ReportFigures, TailSummary) {
        let persistence = KeptFigures()
        let summary = try Replay(path: Self.samples + sample, outlets: [persistence]).play()
        return (persistence.figures.look { $0 }, summary)
    }

    @Test("Text of others is text wherever it stands")
    func hostileText() throws {
        var figures = ReportFigures(scrubbing: SecretScrubber().scrubbed)
        figures.add(event(Self.hostile, JSONValue.string(Self.hostile).compact, at: 1))
        for report: Report in [
            .gap(GapReport(cause: .reconnect, from: .zero, to: Moment(microseconds: 5), refetching: [Self.hostile])),
            .connection(.lost(why: Self.hostile, retryIn: .seconds(1))),
            .connection(.connecting(attempt: 1, target: Self.hostile)),
            .room(RoomReport(change: .refused, room: Self.hostile, source: "cli", why: Self.hostile)),
            .undecodable(
                UndecodableReport(
                    layer: .event, subject: Self.hostile, message: Self.hostile, excerpt: Array(Self.hostile.utf8)[...])
            ),
            .refetch(
                RefetchReport(resource: Self.hostile, outcome: .failed, status: 500, cause: 1, duration: .seconds(2))),
            .notice(Notice(.error, Self.hostile + "\u{202E}\u{1B}[31m")),
            .notice(Notice(Notice.Mark(label: Self.hostile, author: "x"))),
        ] {
            figures.add(StampedReport(stamp: Sample.stamp(2, 5), report: report))
        }
        var model = SectionedCollection<Item>()
        try model.upsert(Sample.channel(Sample.channel, Self.hostile))
        _ = model.commit()
        var facts = ReportFacts(title: Self.hostile, tool: Self.hostile)
        facts.rows = [(Self.hostile, Self.hostile)]
        let text = String(
            decoding: ReportPage.bytes(figures, facts, model: model, digest: TextDigest.base64), as: UTF8.self)
        #expect(!text.contains("<img") && !text.contains("</style>&") && !text.contains("onerror=\""))
        #expect(text.components(of: "<script>") == 1 && text.components(of: "</script>") == 1)
        #expect(text.components(of: "<style>") == 1)
        #expect(text.components(of: "&lt;/script&gt;&lt;img") >= 12)
        #expect(!text.contains("\u{202E}") && !text.contains("\u{1B}"))
    }

    @Test("The page asks nobody for anything, and only its own style and script may run")
    func policy() throws {
        let text = page(try figures(of: "twake-day.weir.jsonl").0)
        let policy = try #require(text.firstMatch(of: /content="(default-src 'none';[^"]*)"/)?.1)
        #expect(policy.contains("style-src 'sha256-\(TextDigest.base64(of: "\(ReportStyle.sheet)"))'"))
        #expect(policy.contains("script-src 'sha256-\(TextDigest.base64(of: "\(ReportStyle.script)"))'"))
        #expect(!policy.contains("unsafe"))
        for word in [" src=", " style=", "url(", "@import", "<link", "fetch(", " onload="] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.matches(of: /href="[^#]/).isEmpty)
    }

    @Test(
        "Its numbers are those of 'weir file info'",
        arguments: ["twake-day.weir.jsonl", "groups.weir.jsonl", "reconnect.weir.jsonl"])
    func numbers(_ sample: String) throws {
        let (figures, summary) = try figures(of: sample)
        let overview = try RecordingOverview(reading: Self.samples + sample)
        let expected = overview.events.map { "\($0.name) \($0.count)" }.sorted()
        #expect(figures.wireNames.top(1000).names.map { "\($0.name) \($0.count)" }.sorted() == expected)
        let total = overview.events.reduce(0) { $0 + $1.count }
        #expect(figures.summary.events == total)
        #expect(figures.history.byKind(most: 7).reduce(0) { $0 + $1.total } == total)
        #expect(figures.connections.count { $0.change == .connected } == overview.connections)
        #expect(figures.gaps.count == overview.gaps.reduce(0) { $0 + $1.count })
        #expect(summary.model.count == summary.sections.reduce(0) { $0 + $1.count })
        let text = page(figures)
        for (name, count) in figures.wireNames.top(20).names {
            #expect(text.contains(">\(name)<td class=\"n\"><data value=\"\(count)\">"), "\(name)")
        }
    }

    @Test("However much passes, figures and page stay small, and the page says how to get the rest")
    func bounds() {
        var figures = ReportFigures(scrubbing: SecretScrubber().scrubbed)
        let long = String(repeating: "<&\u{202E}", count: 80)
        for number in 0..<40_000 {
            figures.add(
                event("event \(number % 3000)", JSONValue.string(long).compact, at: Int64(number) * 7919))
        }
        #expect(figures.events.count == 5000 && figures.summary.events == 40_000)
        #expect(figures.history.columns.count <= ReportHistory.mostColumns)
        #expect(figures.history.columns.reduce(0) { $0 + $1.events } == 40_000)
        #expect(figures.history.byKind(most: 7).reduce(0) { $0 + $1.total } == 40_000)
        let text = page(figures)
        #expect(text.utf8.count < 2_000_000)
        #expect(text.contains("This run was not recorded"))
    }

    @Test("A gap is mended by what was fetched after it, and stands on the time line with its cause")
    func mended() {
        var figures = ReportFigures(scrubbing: SecretScrubber().scrubbed)
        func add(_ report: Report, _ milliseconds: Int64) {
            figures.add(StampedReport(stamp: Sample.stamp(0, milliseconds), report: report))
        }
        let (from, to) = (Moment(microseconds: 1_000_000), Moment(microseconds: 4_000_000))
        add(.connection(.lost(why: "reset", retryIn: nil)), 1000)
        add(.gap(GapReport(cause: .reconnect, from: from, to: to, refetching: ["channels"])), 4000)
        add(.gap(GapReport(cause: .refetched, from: from, to: to, missed: 3)), 4500)
        #expect(figures.gaps.count == 1 && figures.gapCauses[.reconnect] == 1)
        #expect(figures.gaps.first?.repair?.missed == 3)
        let text = page(figures)
        #expect(text.contains("<td>reconnect<td>3.0s<td>3.0s without a connection"))
        #expect(text.contains("fetched at 03:04:09.623: 3 messages had been missed"))
        #expect(text.contains("class=\"hole\"") && text.contains("class=\"mended\""))
    }

    @Test("The same figures give the same page")
    func deterministic() throws {
        let pages = try (0..<2).map { _ in page(try figures(of: "groups.weir.jsonl").0) }
        #expect(pages[0] == pages[1])
    }
}

/// Collects the figures of all reports.
private final class KeptFigures: Outlet {
    let figures = Monitor(ReportFigures(scrubbing: SecretScrubber().scrubbed))
    var replayPart: ReplayPart { .shownOnce }
    func write(_ reports: [StampedReport]) throws(OutletError) {
        figures.change { figures in for report in reports { figures.add(report) } }
    }
    func finish() throws(OutletError) {}
}

extension JSONValue {
    /// The value as JSON without white space.
    fileprivate var compact: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension String {
    /// Returns how often the string contains `text`.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

import Testing
import WeirEvents
import WeirJSON
import WeirNetwork
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirPipeline

@Suite("Metrics")
struct MetricsTests {
    private func event(_ payload: String, at milliseconds: Int64 = 0) -> StampedReport {
        StampedReport(
            stamp: Sample.stamp(7, milliseconds),
            report: .event(
                EventReport(
                    event: .socketIO(UntypedEvent(name: "x", arguments: [Sample.raw(payload)])),
                    source: SocketIO.Event(array: Sample.raw("[\"x\",\(payload)]")))))
    }

    private func refetch(
        _ outcome: RefetchReport.Outcome, _ milliseconds: Int64, cause: Int = 1
    ) -> StampedReport {
        let report = RefetchReport(
            resource: "channels", outcome: outcome, status: 200, cause: cause, duration: .milliseconds(milliseconds))
        return StampedReport(stamp: Sample.stamp(8, 1000), report: .refetch(report))
    }

    @Test(
        "The class of a room is the last word of its path, and never an id",
        arguments: [
            ("/companies/c920712e-b49d-11eb/workspaces/W1/channels/5828c718/feed", "feed"),
            ("/notifications?type=private&user=1", "notifications"), ("/group/10000001", "group"), ("ops", "named"),
            ("/5828c718-b49e/17", "other"), ("", "named"),
        ])
    func roomClasses(_ room: String, _ expected: String) {
        #expect(Metrics.roomClass(room) == expected)
    }

    @Test("A peer that invents kinds, rooms and sections makes no more series than there are places")
    func bounds() {
        var metrics = Metrics()
        for number in 0..<5000 {
            var letters = ""
            var rest = number
            repeat {
                letters.append(Character(UnicodeScalar(UInt8(97 + rest % 26))))
                rest /= 26
            } while rest > 0
            let resource = Twake.SocketIOResource(
                action: .created, room: "/x/\(letters)", type: .unknown(letters), path: nil,
                resource: .other(Sample.raw("{}")))
            metrics.add(
                StampedReport(
                    stamp: Sample.stamp(number, 0),
                    report: .event(
                        EventReport(
                            event: .twake(.resource(resource)), source: SocketIO.Event(array: Sample.raw("[\"x\"]"))))))
        }
        let events = metrics.families(MetricGauges()).first { "\($0.name)" == "weir_events" }
        #expect(events.map { $0.samples.count <= Metrics.mostSeries + 1 } == true)
        let sum = events?.samples.reduce(0) { sum, sample in
            if case .integer(let count) = sample.value { sum + count } else { sum }
        }
        #expect(sum == 5000)
    }

    @Test("The text is OpenMetrics: names, units, sums of buckets, escapes, and an end")
    func text() {
        var metrics = Metrics()
        metrics.add(event("{}"))
        metrics.add(refetch(.fetched, 3))
        metrics.add(refetch(.fetched, 700))
        metrics.add(refetch(.failed, 90_000))
        var gauges = MetricGauges()
        gauges.tool = "weir \"x\\\n"
        let families = metrics.families(gauges)
        let open = MetricsText.text(of: families, as: .openMetrics)
        #expect(open.hasSuffix("\n# EOF\n"))
        #expect(open.contains("# TYPE weir_events counter\n# HELP weir_events Events received"))
        #expect(open.contains("weir_events_total{kind=\"event\",room_class=\"none\"} 1\n"))
        #expect(open.contains("# UNIT weir_refetch_duration_seconds seconds\n"))
        #expect(open.contains("weir_refetch_duration_seconds_bucket{outcome=\"fetched\",le=\"0.005\"} 1\n"))
        #expect(open.contains("weir_refetch_duration_seconds_bucket{outcome=\"fetched\",le=\"+Inf\"} 2\n"))
        #expect(open.contains("weir_refetch_duration_seconds_bucket{outcome=\"failed\",le=\"60.0\"} 0\n"))
        #expect(open.contains("weir_refetch_duration_seconds_sum{outcome=\"fetched\"} 0.703\n"))
        #expect(open.contains(#"weir_info{version="weir \"x\\\n",backend=""} 1"#))
        let old = MetricsText.text(of: families, as: .prometheus)
        #expect(old.contains("# TYPE weir_events_total counter\n") && !old.contains("# UNIT") && !old.contains("# EOF"))
        #expect(
            MetricsText.Form(accepting: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5") == .openMetrics)
        #expect(MetricsText.Form(accepting: nil) == .prometheus)
    }

    @Test("A request is a span, a child of the span that the event before it names")
    func spans() throws {
        var book = SpanBook(RandomSource(seed: 1))
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        book.add(event(#"{"a":1,"traceparent":"\#(parent)"}"#))
        book.add(refetch(.fetched, 250, cause: 7))
        book.add(refetch(.failed, 10, cause: 6))
        #expect(book.finished.count == 2)
        #expect(book.finished[0].trace == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(book.finished[0].parent == "00f067aa0ba902b7" && book.finished[0].problem == nil)
        #expect(book.finished[0].end - book.finished[0].start == 250_000)
        #expect(book.finished[1].parent == nil && book.finished[1].trace.utf8.count == 32)
        #expect(book.finished[1].problem == "failed")
        book.take(1)
        #expect(book.finished.count == 1)
        for wrong in [
            "", "00-4bf92f", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473X-00f067aa0ba902b7-01",
        ] {
            #expect(SpanBook.parent(in: Array(#"{"traceparent":"\#(wrong)"}"#.utf8)[...]) == nil, "\(wrong)")
        }
    }

    @Test("A request and an action are children of the span that their answer names")
    func answeredSpans() throws {
        var book = SpanBook(RandomSource(seed: 1))
        book.add(event(#"{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}"#))
        book.note(traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", of: 8)
        book.note(traceparent: "nonsense", of: 8)
        book.add(refetch(.fetched, 250, cause: 7))
        let action = Action(id: "a", .markRead(channel: "c"), asked: Timestamp(milliseconds: 1))
        book.add(
            StampedReport(stamp: Sample.stamp(8, 1000), report: .action(ActionReport(action, .done(subject: nil)))))
        book.add(
            StampedReport(stamp: Sample.stamp(9, 1000), report: .action(ActionReport(action, .done(subject: nil)))))
        #expect(book.finished.map(\.parent) == ["b7ad6b7169203331", "b7ad6b7169203331", nil])
        #expect(book.finished[0].trace == "0af7651916cd43dd8448eb211c80319c")
    }

    @Test("Spans that nobody takes go, the oldest first")
    func forgottenSpans() {
        var book = SpanBook(RandomSource(seed: 1))
        for _ in 0..<SpanBook.mostFinished + 5 { book.add(refetch(.fetched, 1)) }
        #expect(book.finished.count == SpanBook.mostFinished && book.dropped == 5)
    }
}

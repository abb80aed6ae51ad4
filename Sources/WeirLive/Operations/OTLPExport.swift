import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

/// Sends metrics and spans to an OpenTelemetry collector: OTLP over HTTP, as JSON. It uses the HTTP client of the tail, and runs on the
/// tail's loop. After a failure it sends everything again with the next export: metrics are cumulative, and spans wait.
final class OTLPExport: Sendable {
    /// The time between two exports.
    static let interval: Duration = .seconds(10)
    private static let mostSpans = 512

    private let url: URLParts
    private let collector: MetricsCollector
    private let http: HTTPClient
    private let resource: [(name: String, value: String)]
    private let startWall: Int64
    /// Why the last export failed; `nil` if it succeeded.
    private let problem = Monitor<String?>(nil)

    /// Creates an exporter. It posts to `/v1/metrics` and `/v1/traces` below `url`.
    init(
        to url: URLParts, _ collector: MetricsCollector, by http: HTTPClient, tool: String, name: String,
        startWall: Int64
    ) {
        (self.url, self.collector, self.http, self.startWall) = (url, collector, http, startWall)
        let words = tool.split(separator: " ")
        resource = [
            ("service.name", "weir"), ("service.version", words.last.map(String.init) ?? tool),
            ("service.instance.id", name),
        ]
    }

    /// Sends the metrics and the finished spans. It calls `then` on the loop, with a sentence for the user if the collector has just failed
    /// or recovered, otherwise with `nil`.
    func export(_ families: [MetricFamily], at wall: Int64, then: @escaping @Sendable (String?) -> Void) {
        let spans = Array(collector.spans.prefix(Self.mostSpans))
        post("/v1/metrics", metrics(families, wall)) { [self] result in
            guard result == nil, !spans.isEmpty else { return then(change(result)) }
            post("/v1/traces", traces(spans)) { [self] result in
                if result == nil { collector.takeSpans(spans.count) }
                then(change(result))
            }
        }
    }

    private func change(_ new: String?) -> String? {
        problem.change { problem in
            defer { problem = new }
            if let new { return problem == nil ? "the collector takes nothing: \(new)" : nil }
            return problem == nil ? nil : "the collector takes metrics and spans again"
        }
    }

    private func post(_ path: String, _ body: [UInt8], then: @escaping @Sendable (String?) -> Void) {
        var target = url
        target.path = (url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path) + path
        let request = HTTPRequest(
            method: "POST", url: target, headers: [("Content-Type", "application/json")], body: body,
            timeout: .seconds(5), maximumBody: 1 << 16)
        _ = http.send(request) { result in
            switch result {
            case .success(let answer): then((200..<300).contains(answer.status) ? nil : "HTTP \(answer.status)")
            case .failure(let failure): then(failure.message)
            }
        }
    }

    // MARK: - JSON

    /// Returns the JSON of an `ExportMetricsServiceRequest`, with one data point for each sample.
    func metrics(_ families: [MetricFamily], _ wall: Int64) -> [UInt8] {
        request("resourceMetrics", "scopeMetrics", "metrics") { writer in
            for family in families where !family.samples.isEmpty { write(family, wall, &writer) }
        }
    }

    /// Returns the JSON of an `ExportTraceServiceRequest`, with the finished spans.
    func traces(_ spans: [TraceSpan]) -> [UInt8] {
        request("resourceSpans", "scopeSpans", "spans") { writer in
            for span in spans { write(span, &writer) }
        }
    }

    private func request(
        _ outer: StaticString, _ scope: StaticString, _ items: StaticString, _ body: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key(outer)
        writer.beginArray()
        writer.beginObject()
        writer.key("resource")
        writer.beginObject()
        Self.write(resource, &writer)
        writer.endObject()
        writer.key(scope)
        writer.beginArray()
        writer.beginObject()
        writer.key("scope")
        writer.beginObject()
        writer.member("name", "weir")
        writer.endObject()
        writer.key(items)
        writer.beginArray()
        body(&writer)
        writer.endArray()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ attributes: [(name: String, value: String)], _ writer: inout JSONWriter) {
        writer.key("attributes")
        writer.beginArray()
        for (name, value) in attributes {
            writer.beginObject()
            writer.member("key", "\(name)")
            writer.key("value")
            writer.beginObject()
            writer.member("stringValue", value)
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ family: MetricFamily, _ wall: Int64, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", "\(family.name)")
        writer.member("description", "\(family.help)")
        if let unit = family.unit { writer.member("unit", "\(unit)" == "seconds" ? "s" : "By") }
        switch family.kind {
        case .counter, .histogram: writer.key(family.kind == .counter ? "sum" : "histogram")
        case .gauge, .info: writer.key("gauge")
        }
        writer.beginObject()
        if family.kind == .counter || family.kind == .histogram { writer.member("aggregationTemporality", 2) }
        if family.kind == .counter { writer.member("isMonotonic", true) }
        writer.key("dataPoints")
        writer.beginArray()
        for sample in family.samples { write(sample, wall, &writer) }
        writer.endArray()
        writer.endObject()
        writer.endObject()
    }

    /// The JSON of Protocol Buffers writes 64-bit numbers as strings.
    private func write(_ sample: MetricFamily.Sample, _ wall: Int64, _ writer: inout JSONWriter) {
        writer.beginObject()
        Self.write(sample.labels, &writer)
        writer.member("startTimeUnixNano", "\(startWall)000")
        writer.member("timeUnixNano", "\(wall)000")
        switch sample.value {
        case .integer(let value): writer.member("asInt", String(value))
        case .number(let value): writer.member("asDouble", value)
        case .histogram(let histogram):
            writer.member("count", String(histogram.count))
            writer.member("sum", Double(histogram.sum) / 1e6)
            writer.key("bucketCounts")
            writer.beginArray()
            for count in histogram.counts { writer.string(String(count)) }
            writer.endArray()
            writer.key("explicitBounds")
            writer.beginArray()
            for bound in SpanHistogram.bounds { writer.number(Double(bound) / 1e6) }
            writer.endArray()
        }
        writer.endObject()
    }

    private func write(_ span: TraceSpan, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("traceId", span.trace)
        writer.member("spanId", span.id)
        if let parent = span.parent { writer.member("parentSpanId", parent) }
        writer.member("name", span.name)
        // The span kind of a client.
        writer.member("kind", 3)
        writer.member("startTimeUnixNano", "\(span.start)000")
        writer.member("endTimeUnixNano", "\(span.end)000")
        Self.write(span.attributes, &writer)
        writer.key("status")
        writer.beginObject()
        writer.member("code", span.problem == nil ? 1 : 2)
        if let problem = span.problem { writer.member("message", problem) }
        writer.endObject()
        writer.endObject()
    }
}

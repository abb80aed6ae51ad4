import Glibc
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// An outlet that counts the reports of a tail for its metrics and traces.
package final class MetricsCollector: Outlet {
    private struct State {
        var metrics = Metrics()
        /// The book of spans; `nil` without tracing.
        var spans: SpanBook?
    }

    private let state: Monitor<State>

    /// Creates an empty collector. With `traces`, requests and actions become spans, which wait for `takeSpans(_:)`.
    package init(traces: Bool = false) {
        state = Monitor(State(spans: traces ? SpanBook(RandomSource(seed: .random(in: 0 ... .max))) : nil))
    }

    /// A replay feeds each report to the collector once, so that it counts no report twice.
    package var replayPart: ReplayPart { .shownOnce }

    /// Adds the reports to the counters and, with tracing, to the spans. Any thread.
    package func write(_ reports: [StampedReport]) throws(OutletError) {
        state.change { state in
            for report in reports {
                state.metrics.add(report)
                state.spans?.add(report)
            }
        }
    }

    /// Notes the `traceparent` of an answer, before the reports of the answer. Any thread.
    func note(traceparent: String, of record: Int) {
        state.change { $0.spans?.note(traceparent: traceparent, of: record) }
    }

    /// Does nothing, since the collector buffers nothing.
    package func finish() throws(OutletError) {}

    /// Returns all families. Any thread.
    func families(_ gauges: MetricGauges) -> [MetricFamily] { state.look { $0.metrics }.families(gauges) }

    /// The finished spans, which stay until `takeSpans(_:)` removes them. Any thread.
    var spans: [TraceSpan] { state.look { $0.spans?.finished ?? [] } }

    /// Removes the oldest `count` spans, after a collector has accepted them. Any thread.
    func takeSpans(_ count: Int) { state.change { $0.spans?.take(count) } }
}

/// Answers scrapes of `/metrics`, on the loop of its tail.
final class MetricsServer: HTTPServerHandler {
    private let families = Monitor<(@Sendable () -> [MetricFamily])?>(nil)
    private let server = Monitor<HTTPServer?>(nil)

    /// Listens on an address and a port. With port 0 the system chooses one. Blocks, so the loop must not call it.
    init(_ address: String, _ port: UInt16, on loop: EventLoop) throws(NetworkError) {
        let made = try HTTPServer(on: loop, address: address, port: port, maximumBody: 1 << 16, handler: self)
        server.change { $0 = made }
    }

    /// The port that the server listens on; 0 after `close()`.
    var port: UInt16 { server.look { $0?.port } ?? 0 }

    /// Starts to answer scrapes with the result of `families`, which the server calls on the loop.
    func serve(_ families: @escaping @Sendable () -> [MetricFamily]) { self.families.change { $0 = families } }

    /// Stops listening. Blocks, so the loop must not call it.
    func close() {
        families.change { $0 = nil }
        server.change { server in
            defer { server = nil }
            return server
        }?.close()
    }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        let isMetrics = request.path == "/metrics"
        guard isMetrics, ["GET", "HEAD"].contains(request.method), let families = families.look({ $0 }) else {
            let status = isMetrics ? (families.look { $0 == nil } ? 503 : 405) : 404
            return respond(
                HTTPResponse(
                    status: status, headers: [("Content-Type", "text/plain")], body: Array("see /metrics\n".utf8)))
        }
        let form = MetricsText.Form(accepting: request.header("accept"))
        respond(
            HTTPResponse(
                status: 200, headers: [("Content-Type", form.contentType)],
                body: Array(MetricsText.text(of: families(), as: form).utf8)))
    }

    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { HTTPResponse(status: 404) }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {}
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}

// The metrics of a running tail: a server for scrapes, and an exporter.
extension TailEngine {
    /// The number of section names that `weir_model_rows` lists. Others count as `other`.
    private static let mostSections = 48

    /// All metrics with their current values.
    var metricFamilies: [MetricFamily] { configuration.metrics?.families(gauges) ?? [] }

    /// Starts to answer scrapes and to export.
    func startMetrics() {
        if let server = operations.metricsServer {
            server.serve { [weak self] in self?.assumeIsolated { $0.metricFamilies } ?? [] }
            if let address = configuration.metricsAddress {
                let host = address.address.contains(":") ? "[\(address.address)]" : address.address
                tellNotice(Notice(.info, "metrics at http://\(host):\(server.port)/metrics"))
            }
        }
        guard let collector = configuration.metrics, let url = configuration.otlp else { return }
        let name = configuration.controlPath == nil ? configuration.server.host : configuration.controlName
        operations.otlp = OTLPExport(
            to: url, collector, by: http, tool: configuration.tool, name: name, startWall: journal.wallStart)
        exportLater()
    }

    private func exportLater() {
        operations.exporting = loop.schedule(at: loop.now + OTLPExport.interval) { [weak self] in
            self?.assumeIsolated { tail in
                tail.export {}
                tail.exportLater()
            }
        }
    }

    /// Sends metrics and spans. It calls `then` on the loop once the export has succeeded or failed.
    private func export(then: @escaping @Sendable () -> Void) {
        guard let otlp = operations.otlp else { return then() }
        otlp.export(metricFamilies, at: MachineClock.wall) { [weak self] words in
            if let words { self?.assumeIsolated { $0.tellOfExport(words) } }
            then()
        }
    }

    private func tellOfExport(_ words: String) {
        guard case .running = phase else { return }
        tellNotice(Notice(.warning, words))
        handOver()
    }

    /// Exports for the last time and waits up to three seconds for the collector. Must not run on the loop.
    nonisolated func endMetrics(_ server: MetricsServer?) {
        let isDone = Monitor(false)
        loop.run { [self] in
            assumeIsolated { tail in
                tail.operations.exporting?.cancel()
                tail.export { isDone.change { $0 = true } }
            }
        }
        let end = MachineClock.monotonic + .seconds(3)
        while MachineClock.monotonic < end, !isDone.look({ $0 }) { usleep(2_000) }
        server?.close()
    }

    private var gauges: MetricGauges {
        var gauges = MetricGauges()
        gauges.tool = configuration.tool
        gauges.backend = configuration.session.backend.rawValue
        gauges.isConnected = connection.status.state == .ready
        let rooms = session.subscriptions
        gauges.rooms = (rooms.entries.count, rooms.joined, rooms.refused)
        gauges.queues = outletThread?.depths ?? []
        gauges.viewers = control.viewers.count
        var rows: [String: Int] = [:]
        for (index, section) in session.model.sectionKeys.enumerated() {
            let name = rows[section.name] != nil || rows.count < Self.mostSections ? section.name : "other"
            rows[name, default: 0] += session.model.elementCount(at: index)
        }
        gauges.rows = rows.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
        gauges.residentBytes = ProcessMemory.resident
        (gauges.recordedBytes, gauges.syncs, gauges.syncTime) = DiskFigures.now
        gauges.startWall = journal.wallStart
        return gauges
    }
}

/// The memory use of the process.
enum ProcessMemory {
    /// The resident memory in bytes; 0 if the system does not report it.
    static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = fread(&text, 1, text.count, file)
        let words = String(decoding: text.prefix(count), as: UTF8.self).split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }
}

import Glibc
import Testing
import TestSupport
import WeirJSON
import WeirThreads

private let hasPrometheus = access("/usr/bin/prometheus", X_OK) == 0 && access("/usr/bin/promtool", X_OK) == 0

@Suite("Metrics of a running tail", .serialized, .timeLimit(.minutes(3)))
struct MetricsRunTests {
    /// A server, and a tail of it with metrics.
    private struct Measured {
        let server: Peer
        let tail: Peer
        /// The address for scrapes: `127.0.0.1:PORT`.
        let address: String
        let folder: String

        init(_ options: [String] = []) throws {
            folder = try temporaryFolder()
            server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--rate", "20", "--quiet"])
            let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
            let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
            tail = try Peer(
                [
                    try pathOfWeir(), "record", url, folder + "/a.weir.jsonl", "--token", "env:TOKEN", "--store",
                    "none",
                    "--name", "measured", "--metrics", "0", "--fsync", "always",
                ] + options, environment: ["TOKEN": token, "XDG_RUNTIME_DIR": folder], errorsToo: true)
            var address = ""
            while let line = tail.readLine() {
                if let place = line.firstRange(of: "metrics at http://") {
                    address = String(line[place.upperBound...].prefix { $0 != "/" })
                }
                if line.contains("+ room") { break }
            }
            self.address = address
            tail.drain()
        }

        func scrape(_ accept: String = "text/plain") throws -> String {
            try TestSupport.run(["curl", "-sf", "-H", "Accept: \(accept)", "http://\(address)/metrics"])
        }
    }

    /// The sum of the samples whose lines begin with `prefix`.
    private func sum(_ text: String, _ prefix: String) -> Double {
        text.split(separator: "\n").filter { $0.hasPrefix(prefix) }
            .reduce(0) { $0 + (Double($1.split(separator: " ").last ?? "") ?? 0) }
    }

    @Test("A scrape tells events, lag, rooms, requests, queues, the recorder, memory and the model")
    func scrape() throws {
        let measured = try Measured()
        var text = ""
        repeat { text = try measured.scrape() } while sum(text, "weir_events_total{kind=\"message\"") < 3
        #expect(sum(text, "weir_connected ") == 1 && sum(text, "weir_rooms{state=\"joined\"}") > 0)
        for name in [
            "weir_event_lag_seconds_count", "weir_refetch_duration_seconds_count{outcome=\"fetched\"}",
            "weir_recorded_bytes_total", "weir_recorder_syncs_total", "process_resident_memory_bytes",
            "process_start_time_seconds", "weir_model_rows{section=\"messages\"}",
        ] {
            #expect(sum(text, name) > 0, "\(name)")
        }
        for name in ["weir_queue_items{queue=\"recorder\"}", "weir_gaps_total{cause=\"reconnect\"} 0"] {
            #expect(text.contains(name), "\(name)")
        }
        let open = try measured.scrape("application/openmetrics-text")
        #expect(open.hasSuffix("# EOF"))
        let called = try weir("ctl", "measured", "metrics", environment: ["XDG_RUNTIME_DIR": measured.folder])
        #expect(called.status == 0 && called.output.contains("weir_events"), "\(called.errors)")
        let other = try TestSupport.run([
            "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://\(measured.address)/",
        ])
        #expect(other == "404")
        kill(measured.tail.pid, SIGTERM)
        #expect(measured.tail.wait() == 143)
    }

    @Test(
        "Prometheus scrapes it, and its tools find the metrics, the rules and the configuration right",
        .enabled(if: hasPrometheus, "Prometheus is not installed: run Tests/run"))
    func prometheus() throws {
        let measured = try Measured()
        let text = measured.folder + "/metrics.txt"
        try writeFile(text, try measured.scrape() + "\n")
        try TestSupport.run(["sh", "-c", "promtool check metrics <\(text)"])
        let samples = packageFolder + "/samples/metrics"
        try TestSupport.run(["promtool", "check", "config", samples + "/prometheus.yml"])
        try TestSupport.run(["promtool", "check", "rules", samples + "/weir-alerts.yml"])
        let config = measured.folder + "/prometheus.yml"
        try writeFile(
            config,
            "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [\(samples)/weir-alerts.yml]\n"
                + "scrape_configs: [{job_name: weir, static_configs: [{targets: ['\(measured.address)']}]}]\n")
        // A port that was free a moment ago.
        let port = try TestSupport.run([
            "python3", "-c", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])",
        ])
        let prometheus = try Peer(
            [
                "prometheus", "--config.file", config, "--storage.tsdb.path", measured.folder + "/data",
                "--web.listen-address", "127.0.0.1:\(port)", "--log.level", "error",
            ], errorsToo: true)
        defer { prometheus.stop() }
        let query = [
            "curl", "-s", "--retry", "60", "--retry-delay", "1", "--retry-connrefused",
            "http://127.0.0.1:\(port)/api/v1/query?query=",
        ]
        func ask(_ expression: String) throws -> JSONValue? {
            let answer = try TestSupport.run(query.dropLast() + [(query.last ?? "") + expression])
            guard case .array(let rows)? = (try JSONValue(parsing: Array(answer.utf8)[...]))["data"]?["result"] else {
                return nil
            }
            return rows.first?["value"]
        }
        var value: JSONValue?
        while value == nil { value = try ask("sum(weir_events_total)%3E0") }
        #expect(try ask("up%7Bjob=%22weir%22%7D==1") != nil)
        #expect(try ask("weir_info") != nil && ask("weir_event_lag_seconds_bucket") != nil)
    }

    /// The peer accepts every post, as an OTLP server does.
    @Test("Metrics and spans go to a collector of OpenTelemetry, as its JSON, at the latest when the tail ends")
    func collector() throws {
        let collector = try Peer(["python3", peersFolder + "/otlp_collector.py"])
        defer { collector.stop() }
        let port = try collector.listeningPort()
        let measured = try Measured(["--otlp", "http://127.0.0.1:\(port)"])
        kill(measured.tail.pid, SIGINT)
        #expect(measured.tail.wait() == 130)
        let metrics = try JSONValue(
            parsing: Array(try collector.readLine(startingWith: "/v1/metrics ").dropFirst(12).utf8)[...])
        let traces = try JSONValue(
            parsing: Array(try collector.readLine(startingWith: "/v1/traces ").dropFirst(11).utf8)[...])
        func first(_ value: JSONValue?) -> JSONValue? { if case .array(let all)? = value { all.first } else { nil } }
        let scope = first(first(metrics["resourceMetrics"])?["scopeMetrics"])
        let event = first(scope?["metrics"])
        #expect(event?["name"] == .string("weir_events"))
        #expect(event?["sum"]?["isMonotonic"] == .bool(true))
        let span = first(first(first(traces["resourceSpans"])?["scopeSpans"])?["spans"])
        #expect(span?["name"] == .string("refetch") && span?["kind"] == .integer(3))
        if case .string(let id)? = span?["traceId"] { #expect(id.utf8.count == 32) } else { Issue.record("no trace") }
    }

    @Test("An address that is none, and a port that is taken, are told before anything is asked of the server")
    func refusals() throws {
        for wrong in ["x", "1.2.3.4", "127.0.0.1:99999"] {
            let tail = try weir("tail", "http://127.0.0.1:1", "--metrics", wrong)
            #expect(tail.status == 2 && tail.errors.contains("--metrics: "), "\(tail.errors)")
        }
        let foreign = try weir("tail", "http://127.0.0.1:1", "--metrics", "192.0.2.1:1", "--no-ctl", "--store", "none")
        #expect(foreign.status == 1 && foreign.errors.contains("192.0.2.1:1"), "\(foreign.errors)")
        let url = try weir("tail", "http://127.0.0.1:1", "--otlp", "ftp://x")
        #expect(url.status == 2 && url.errors.contains("--otlp: "))
    }
}

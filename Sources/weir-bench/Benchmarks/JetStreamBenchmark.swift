#if NATS
    import CWeirNATS
    import Glibc
    import WeirJSON
    import WeirNetwork
    import WeirRecording
    import WeirThreads
    import WeirWire

    extension Benchmark {
        private static let events = BenchmarkOption(
            "events", "N", "events of the recording", standard: 200_000, range: 1000...10_000_000)
        private static let rate = BenchmarkOption(
            "rate", "N", "events per second of the tailed server", standard: 1000, range: 1...1000)
        private static let seconds = BenchmarkOption(
            "seconds", "S", "duration of the tail in seconds", standard: 10, range: 1...3600)
        private static let readers = BenchmarkOption(
            "readers", "R", "maximum number of simultaneous readers", standard: 16, range: 1...64)

        /// Measures recordings in a stream of one node and of three, next to the plain library.
        static let jetstream = Benchmark(
            name: "jetstream", summary: "recordings in a NATS JetStream cluster, next to plain publishing and reading",
            details: [
                "Starts Debian's nats-server on the loopback interface: one node, then three. In each cluster:",
                "the floor: messages of the same size, published and fetched by libnats with the same window, with no recording;",
                "a recording: published by `weir file publish`, read by `weir file doctor` and replayed by `weir replay`, from the",
                "stream and from the file; a tail of `weir serve`: the time between a line of the tail and the same line of a",
                "follower of its stream, and the tail's processor time and memory with and without --record;",
                "several readers of the whole recording at the same time. All processes share this machine.",
            ],
            options: [events, rate, seconds, readers, .seed]
        ) { arguments throws(BenchmarkError) in
            let file = try TwakeRecording.file(
                events: arguments[events], channels: 200, messages: 2000, isTerse: false,
                seed: UInt64(arguments[.seed]))
            for nodes in [1, 3] {
                let run = try ClusterRun(nodes: nodes, weir: ChildProcess.program(builtAs: "weir"))
                print("\(nodes) \(nodes == 1 ? "node" : "nodes")")
                try run.rates(of: file, events: arguments[events])
                try run.latency(rate: arguments[rate], seconds: arguments[seconds])
                try run.readers(of: file, most: arguments[readers])
                print("")
            }
            print("Again: \(arguments.commandLine)")
        }
    }

    /// The measurements in one cluster.
    private struct ClusterRun {
        private static let chunk = 256 << 10
        let weir: String
        private let url: String
        private let folder: TemporaryFolder
        private let servers: [ChildProcess]

        init(nodes: Int, weir: String) throws(BenchmarkError) {
            self.weir = weir
            folder = try TemporaryFolder()
            let ports = (0..<nodes * 2).map { _ in Self.freePort() }
            url = "nats://" + ports[..<nodes].map { "127.0.0.1:\($0)" }.joined(separator: ",")
            let routes = ports[nodes...].map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
            var servers: [ChildProcess] = []
            for node in 0..<nodes {
                var lines = [
                    "server_name: n\(node)", "listen: 127.0.0.1:\(ports[node])",
                    "log_file: \"\(folder.path)/\(node).log\"",
                    "jetstream { store_dir: \"\(folder.path)/\(node)\", max_file_store: 100GB }",
                ]
                if nodes > 1 {
                    let own = "127.0.0.1:\(ports[nodes + node])"
                    lines.append("cluster { name: bench, listen: \(own), routes: [\(routes)] }")
                }
                try folder.write(lines.joined(separator: "\n") + "\n", to: "\(node).conf")
                servers.append(try ChildProcess(["nats-server", "-c", "\(folder.path)/\(node).conf"]))
            }
            self.servers = servers
            // The cluster refuses requests until it has elected a leader.
            let deadline = Clock.wall.nanoseconds + 30e9
            let create = ["sh", "-c", "\(weir) stream create \(url)/bench 2>/dev/null"]
            while (try? MeasuredProcess(create, keepsOutput: false)) == nil {
                guard Clock.wall.nanoseconds < deadline else {
                    throw .failed("the cluster does not start; is nats-server installed (Debian: nats-server)?")
                }
            }
        }

        private static func freePort() -> UInt16 {
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(socket, $0, length)
                    _ = getsockname(socket, $0, &length)
                }
            }
            return UInt16(bigEndian: address.sin_port)
        }

        // MARK: - Rates

        /// Prints the rates of publishing and reading one recording.
        func rates(of file: RecordedFile, events: Int) throws(BenchmarkError) {
            let plain = try PlainMessages(url).measure(bytes: file.size, chunk: Self.chunk)
            let stream = url + "/bench"
            let published = try MeasuredProcess([weir, "file", "publish", file.path, stream], keepsOutput: false)
            var table = Table(["", "seconds", "MB/s", "events/s", "CPU s", "peak MB"])
            func add(_ name: String, _ seconds: Double, _ measured: MeasuredProcess? = nil) {
                table.add([
                    name, seconds.fixed(2), (Double(file.size) / 1e6 / seconds).fixed(0),
                    (Double(events) / seconds).fixed(0), measured?.span.processor.fixed(2) ?? "-",
                    measured?.peak.fixed(0) ?? "-",
                ])
            }
            add("publish: plain messages", plain.publish)
            add("publish: weir file publish", published.span.seconds, published)
            add("read: plain messages", plain.read)
            for (name, path) in [("file", file.path), ("stream", stream)] {
                let index = try MeasuredProcess([weir, "file", "doctor", path], keepsOutput: false)
                add("read: weir file doctor, \(name)", index.span.seconds, index)
            }
            for (name, path) in [("file", file.path), ("stream", stream)] {
                let replay = try MeasuredProcess(replay(path), keepsOutput: false)
                add("replay: weir replay, \(name)", replay.span.seconds, replay)
            }
            for line in table.lines { print("  " + line) }
        }

        private func replay(_ path: String) -> [String] {
            [weir, "replay", path, "--speed", "max", "--format", "chat", "--quiet", "--no-ctl"]
        }

        // MARK: - Latency

        /// Prints what recording into the cluster adds to a tail.
        func latency(rate: Int, seconds: Int) throws(BenchmarkError) {
            let server = try ChildProcess([weir, "serve", "--quiet", "--rate", "\(rate)", "--listen", "127.0.0.1:0"])
            func word(_ name: String) throws(BenchmarkError) -> String {
                while let line = server.readLine() {
                    if line.hasPrefix(name + " ") { return String(line.dropFirst(name.count + 1)) }
                }
                throw .failed("weir serve does not start")
            }
            let web = try word("url")
            let token = try word("token")
            func tail(_ more: [String]) throws(BenchmarkError) -> (ChildProcess, LineTimes) {
                let process = try ChildProcess(
                    [
                        weir, "tail", web, "--token", "env:TOKEN", "--format", "json", "--events-only", "--quiet",
                        "--no-ctl", "--store", "none",
                    ] + more, variables: ["TOKEN=\(token)"])
                return (process, LineTimes(of: process))
            }
            var table = Table(["", "CPU s", "peak MB", "events"])
            func wait(_ process: ChildProcess, _ times: LineTimes, _ name: String) {
                let facts = ProcessFacts(pid: process.pid)
                usleep(UInt32(seconds) * 1_000_000)
                table.add([
                    name, (facts.processorSeconds ?? 0).fixed(2), (facts.megabytes("VmHWM") ?? 0).fixed(0),
                    "\(times.count)",
                ])
                kill(process.pid, SIGTERM)
                times.finish()
            }
            let (alone, aloneTimes) = try tail([])
            wait(alone, aloneTimes, "tail")
            let (toFile, fileTimes) = try tail(["--record", folder.path + "/tail\(rate).weir.jsonl"])
            wait(toFile, fileTimes, "tail --record FILE")
            let name = url + "/bench/tail"
            let (recording, recordingTimes) = try tail(["--record", name])
            recordingTimes.waitForFirst()
            let follower = try ChildProcess([
                weir, "replay", "--follow", name, "--speed", "max", "--format", "json", "--events-only", "--quiet",
                "--no-ctl",
            ])
            let followed = LineTimes(of: follower)
            wait(recording, recordingTimes, "tail --record nats://")
            followed.finish()
            for line in table.lines { print("  " + line) }
            let delays = Series(recordingTimes.delays(until: followed))
            let words: [String] = [(50.0, "median"), (95, "95 of 100"), (100, "slowest")].map { percent, name in
                "\(delays.percentile(percent).fixed(1)) ms (\(name))"
            }
            print("  from a line of the tail to the same line of a follower: " + words.joined(separator: ", "))
        }

        // MARK: - Readers

        /// Prints how the cost grows with the readers of one recording.
        func readers(of file: RecordedFile, most: Int) throws(BenchmarkError) {
            var table = Table(["readers at a time", "seconds", "CPU s of each", "MB/s of all"])
            var count = 1
            while count <= most {
                let words = [weir, "file", "doctor", url + "/bench"]
                let results = Monitor<[Result<MeasuredProcess, BenchmarkError>]>([])
                let watch = Stopwatch()
                for number in 0..<count {
                    runOnThread(named: "reader-\(number)") {
                        let result: Result<MeasuredProcess, BenchmarkError>
                        do throws(BenchmarkError) {
                            result = .success(try MeasuredProcess(words, keepsOutput: false))
                        } catch {
                            result = .failure(error)
                        }
                        results.change { $0.append(result) }
                    }
                }
                let all = results.wait { $0.count == count ? $0 : nil }
                let seconds = watch.elapsed.seconds
                var processor = 0.0
                for result in all { processor += try result.get().span.processor }
                table.add([
                    "\(count)", seconds.fixed(2), (processor / Double(count)).fixed(2),
                    (Double(file.size * count) / 1e6 / seconds).fixed(0),
                ])
                count *= 2
            }
            for line in table.lines { print("  " + line) }
        }
    }

    /// The times at which a program wrote each numbered line of JSON. A thread reads the program's output to its end.
    private final class LineTimes: Sendable {
        private struct State {
            var times: [Int: Double] = [:]
            var isOver = false
        }

        private let state = Monitor(State())

        init(of process: ChildProcess) {
            let (state, descriptor) = (state, process.output)
            runOnThread(named: "lines") {
                var (block, rest) = ([UInt8](repeating: 0, count: 1 << 16), [UInt8]())
                while case let count = read(descriptor, &block, block.count), count > 0 {
                    let now = Clock.wall.nanoseconds
                    rest += block[..<count]
                    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                    let lines = String(decoding: rest[...end], as: UTF8.self).split(separator: "\n")
                    rest.removeSubrange(...end)
                    state.change { state in
                        for line in lines {
                            guard let start = line.firstRange(of: "\"n\":")?.upperBound,
                                let number = Int(line[start...].prefix { $0.isNumber }), state.times[number] == nil
                            else { continue }
                            state.times[number] = now
                        }
                    }
                }
                state.change { $0.isOver = true }
            }
        }

        var count: Int { state.look { $0.times.count } }

        func waitForFirst() { state.wait { $0.isOver || !$0.times.isEmpty ? () : nil } }

        func finish() { state.wait { $0.isOver ? () : nil } }

        /// Returns the milliseconds until the other program wrote each line.
        func delays(until other: LineTimes) -> [Double] {
            let (mine, others) = (state.look { $0.times }, other.state.look { $0.times })
            // The follower received the earlier lines with a delay that is not the stream's.
            let begun = others.values.min() ?? 0
            return mine.compactMap { number, time in
                guard time >= begun, let seen = others[number] else { return nil }
                return (seen - time) / 1e6
            }
        }
    }

    /// Publishes and fetches messages with only the library, as the floor of the comparison.
    private struct PlainMessages {
        private let url: String

        init(_ url: String) { self.url = url }

        func measure(bytes: Int, chunk: Int) throws(BenchmarkError) -> (publish: Double, read: Double) {
            var connection: OpaquePointer?
            var options: OpaquePointer?
            let servers = url.dropFirst("nats://".count).split(separator: ",").map { strdup("nats://" + $0) }
            defer { for server in servers { free(server) } }
            var names = servers.map { UnsafePointer<CChar>($0) }
            var status = natsOptions_Create(&options)
            if status == NATS_OK { status = natsOptions_SetServers(options, &names, Int32(names.count)) }
            if status == NATS_OK { status = natsConnection_Connect(&connection, options) }
            natsOptions_Destroy(options)
            defer { natsConnection_Destroy(connection) }
            var settings = jsOptions()
            jsOptions_Init(&settings)
            settings.PublishAsync.MaxPending = 32
            var streams: OpaquePointer?
            if status == NATS_OK { status = natsConnection_JetStream(&streams, connection, &settings) }
            guard status == NATS_OK else { throw .failed("libnats: \(String(cString: natsStatus_GetText(status)))") }
            defer { jsCtx_Destroy(streams) }
            let count = (bytes + chunk - 1) / chunk
            let text = [CChar](repeating: 120, count: chunk)
            var watch = Stopwatch()
            for _ in 0..<count where status == NATS_OK {
                status = js_PublishAsync(streams, "weir.bench.plain", text, Int32(chunk), nil)
            }
            if status == NATS_OK { status = js_PublishAsyncComplete(streams, nil) }
            guard status == NATS_OK else { throw .failed("libnats: \(String(cString: natsStatus_GetText(status)))") }
            let publish = watch.elapsed.seconds
            watch = Stopwatch()
            var subscription: OpaquePointer?
            status = js_PullSubscribe(&subscription, streams, "weir.bench.plain", nil, nil, nil, nil)
            defer { natsSubscription_Destroy(subscription) }
            var read = 0
            while status == NATS_OK, read < count {
                var list = natsMsgList()
                status = natsSubscription_Fetch(&list, subscription, 32, 5000, nil)
                read += Int(list.Count)
                for place in 0..<Int(list.Count) { natsMsg_Ack(list.Msgs[place], nil) }
                natsMsgList_Destroy(&list)
            }
            guard status == NATS_OK else { throw .failed("libnats: \(String(cString: natsStatus_GetText(status)))") }
            return (publish, watch.elapsed.seconds)
        }
    }
#endif

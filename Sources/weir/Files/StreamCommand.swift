import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

#if NATS
    import WeirStreams
#endif

/// The commands `weir stream` and `weir file publish`, and the setup for all commands that open a `nats://` URL.
extension Command {
    static let stream = Command(
        "stream", "", "keep recordings in a NATS JetStream cluster",
        details: """
            A recording can be in a stream: chunks of its lines, in order, each with a checksum. Every command
            that reads a FILE also reads nats://HOST[:PORT][,HOST…]/STREAM[/NAME[/SEGMENT]]. NAME is the
            recording; without it, the recording is named like the stream. 'weir file publish' copies a file
            there. 'weir tail URL --record nats://…' records there, with --rotate in segments (NAME/0001).
            While the cluster is away, a tail keeps its records in a file and publishes them later, in order.

            The --nats options apply to every command, as a variable (WEIR_NATS_CREDS) or in the config file.
            """,
        examples: "weir stream create nats://localhost/team --max-age 30d",
        "weir file publish mon.weir.jsonl nats://localhost/team/mon", "weir replay nats://localhost/team/mon")

    static let streamCreate = Command(
        "stream create", "URL", "make a stream for recordings",
        run: StreamCommand.verb(StreamCommand.create),
        details: """
            The stream is kept in files, on three nodes if the cluster has that many, otherwise on one. Without
            --max-size and --max-age nothing is ever removed; with them the oldest chunks go first. A recording
            whose beginning is gone cannot be replayed: record with --rotate to begin new segments.
            """,
        examples: "weir stream create nats://localhost/team --max-age 30d --max-size 50G")

    static let streamLs = Command(
        "stream ls", "URL", "list the streams with recordings in a cluster",
        run: StreamCommand.verb(StreamCommand.list), examples: "weir stream ls nats://localhost")

    static let streamInfo = Command(
        "stream info", "URL", "show what a stream contains, and its nodes",
        run: StreamCommand.verb(StreamCommand.info), examples: "weir stream info nats://localhost/team")

    static let streamRm = Command(
        "stream rm", "URL", "remove a stream, or a recording in it",
        run: StreamCommand.verb(StreamCommand.remove),
        details: "The removal affects all users: --force is required.",
        examples: "weir stream rm nats://localhost/team/mon --force")

    static let filePublish = Command(
        "file publish", "FILE URL", "put a recording into a stream of a NATS cluster",
        run: FileCommand.verb(StreamCommand.publish),
        details: """
            URL is nats://HOST[:PORT][,HOST…]/STREAM[/NAME] (weir help stream). The text is published byte for
            byte. Parts of this recording that are already in the stream are not published again: an interrupted
            run continues where it stopped.
            """,
        examples: "weir file publish mon.weir.jsonl nats://localhost/team/mon")
}

extension Option {
    /// The options for reaching a cluster.
    static let cluster: [Option] = [
        .natsCreds, .natsUser, .natsPassword, .natsNkey, .natsTLS, .natsCA, .natsCert, .natsKey,
    ]
}

enum StreamCommand {
    static let lack = "this weir was built without NATS; build it with libnats-dev, and without WEIR_WITHOUT_NATS"

    static func publish(_ arguments: Arguments, _ complaints: FileComplaints) throws -> ExitCode {
        let (path, url) = (arguments.positionals[0], arguments.positionals[1])
        guard RemoteRecordings.isOne(url) else {
            throw arguments.error("URL: write nats://HOST:PORT/STREAM or nats://HOST:PORT/STREAM/NAME")
        }
        guard path != "-" else { throw arguments.error("standard input cannot be published; give a FILE") }
        try checkAccess(arguments)
        let (bytes, known) = try RecordingCopy.publish(path, to: url)
        let before = known > 0 ? "; \(known) bytes were already published" : ""
        Console.note("weir: \(bytes) bytes published\(before)")
        return complaints.code
    }

    #if NATS
        /// Lets every command open recordings in streams.
        static func open(_ arguments: Arguments) {
            RemoteRecordings.use(door(arguments))
        }

        /// Checks the settings for reaching the cluster before connecting.
        private static func checkAccess(_ arguments: Arguments) throws(UsageError) {
            _ = try access(arguments, Settings.read(for: arguments))
        }

        private static func door(_ arguments: Arguments) -> StreamDoor {
            StreamDoor { () throws(ClusterError) in
                do throws(UsageError) {
                    return try access(arguments, Settings.read(for: arguments))
                } catch {
                    throw ClusterError(error.message)
                }
            }
        }

        /// Returns the members of a group by their display names, with the rooms that each published.
        static func held(
            in url: String, _ arguments: Arguments
        ) throws(CommandError) -> [(member: String, rooms: [UInt8]?)] {
            do {
                let address = try StreamAddress(parsing: url)
                let found = try GroupRooms.held(in: address, through: door(arguments))
                return found.map { ("\($0.member.name) (\($0.member.id))", $0.rooms) }
            } catch let error as ClusterError {
                throw CommandError(error.message)
            } catch {
                throw CommandError("the group cannot be asked")
            }
        }

        /// Returns the cluster settings: the typed values, otherwise those of the environment or the config file.
        private static func access(_ arguments: Arguments, _ settings: Settings) throws(UsageError) -> ClusterAccess {
            func value(_ option: Option) -> String? {
                arguments[option] ?? settings.find(option, for: arguments.command)?.values.last
            }
            func secret(_ option: Option, _ text: String, _ name: String) throws(UsageError)
                -> @Sendable () throws(ClusterError) -> Secret
            {
                guard let reference = TokenReference(text) else {
                    throw arguments.error(
                        "\(option.flag) takes a reference, not the \(name) itself: write env:NAME, file:PATH or cmd:COMMAND"
                    )
                }
                return { () throws(ClusterError) in
                    do throws(TokenError) {
                        return try reference.resolve(name)
                    } catch {
                        throw ClusterError(error.message)
                    }
                }
            }
            var access = ClusterAccess()
            if let path = value(.natsCreds) {
                access.identity = .credentials(path: path)
            } else if let text = value(.natsNkey) {
                access.identity = .key(seed: try secret(.natsNkey, text, "nkey seed"))
            } else if let user = value(.natsUser) {
                guard let text = value(.natsPassword) else {
                    throw arguments.error("--nats-user needs --nats-password env:NAME, file:PATH or cmd:COMMAND")
                }
                access.identity = .user(user, password: try secret(.natsPassword, text, "password"))
            }
            access.isSecure =
                arguments.has(.natsTLS)
                || settings.find(.natsTLS, for: arguments.command)?.values.last.flatMap(Arguments.truth) ?? false
            access.authority = value(.natsCA)
            access.certificate = value(.natsCert).map { ($0, value(.natsKey) ?? $0) }
            access.spoolFolder = StateFolder.spoolPath
            return access
        }

        static func verb(
            _ body: @escaping @Sendable (Arguments, StreamAddress, StreamCatalogue) throws -> ExitCode
        ) -> Command.Run {
            FileCommand.verb { arguments in
                let address: StreamAddress
                do throws(StreamAddress.Malformed) {
                    address = try StreamAddress(parsing: arguments.positionals[0])
                } catch {
                    throw arguments.error("URL: \(error.message)")
                }
                if arguments.command != .streamLs, address.stream == nil {
                    throw arguments.error("URL: a stream is missing; write nats://HOST:PORT/STREAM")
                }
                try checkAccess(arguments)
                do {
                    return try body(arguments, address, try StreamCatalogue(address, through: door(arguments)))
                } catch let error as ClusterError {
                    throw CommandError(error.message)
                }
            }
        }

        static func create(_ arguments: Arguments, _ address: StreamAddress, _ streams: StreamCatalogue) throws
            -> ExitCode
        {
            var limits = StreamCatalogue.Limits()
            if let text = arguments[.replicas] {
                guard let count = Int(text), [1, 3, 5].contains(count) else {
                    throw arguments.error("--replicas: write 1, 3 or 5")
                }
                limits.replicas = count
            }
            if let text = arguments[.maxSize] {
                guard let size = RecordingOptions.size(text) else {
                    throw arguments.error(
                        "--max-size: invalid size \(UsageError.quoted(text)); write it like 500M or 50G")
                }
                limits.bytes = size
            }
            if let age = try arguments.duration(.maxAge) { limits.age = age }
            limits.isInMemory = arguments.has(.memory)
            let name = address.stream ?? ""
            let facts = try streams.create(name, for: address.name ?? name, limits)
            Console.note("weir: created the stream \(name): \(kept(facts))")
            return .done
        }

        static func list(_ arguments: Arguments, _ address: StreamAddress, _ streams: StreamCatalogue) throws
            -> ExitCode
        {
            let output = StandardOutput()
            for facts in try streams.list() {
                try output.write([arguments.has(.json) ? json(facts) : line(facts)])
            }
            return .done
        }

        static func info(_ arguments: Arguments, _ address: StreamAddress, _ streams: StreamCatalogue) throws
            -> ExitCode
        {
            let facts = try streams.info(address.stream ?? "")
            if arguments.has(.json) {
                try StandardOutput().write([json(facts)])
                return .done
            }
            var lines = ["stream      \(facts.name)", "kept        \(kept(facts))"]
            lines.append(
                "messages    \(facts.messages), \(facts.bytes) bytes, \(facts.firstSequence) to \(facts.lastSequence)")
            if facts.messages > 0 {
                lines.append(
                    "stored      \(RecordingTime.text(facts.firstTime)) to \(RecordingTime.text(facts.lastTime))")
            }
            if let leader = facts.leader { lines.append("leader      \(leader)") }
            for node in facts.followers {
                let state = node.isOffline ? "offline" : node.isCurrent ? "current" : "catching up"
                lines.append("follower    \(node.name), \(state)")
            }
            for held in facts.recordings {
                let what = held.recording.map { "\(held.bytes) bytes in \(held.chunks) chunks, id \($0)" }
                let gone = held.missing > 0 ? "; the first \(held.missing) bytes were removed" : ""
                lines.append("recording   \(held.name): \(what ?? "not a recording")\(gone)")
            }
            try StandardOutput().write(lines.map(StandardOutput.escaped))
            return .done
        }

        static func remove(_ arguments: Arguments, _ address: StreamAddress, _ streams: StreamCatalogue) throws
            -> ExitCode
        {
            let stream = address.stream ?? ""
            let isWhole = address.name == stream && address.segment == nil
            let part = (address.name ?? "") + (address.segment.map { ", segment \($0)," } ?? "")
            let what = isWhole ? "the stream \(stream)" : "\(part) of the stream \(stream)"
            guard arguments.has(.force) else {
                throw arguments.error("removing \(what) affects all users: add --force")
            }
            if isWhole { try streams.remove(stream) } else { try streams.remove(address) }
            Console.note("removed \(what)")
            return .done
        }

        private static func kept(_ facts: StreamCatalogue.Facts) -> String {
            var words = [
                facts.isInMemory ? "in memory" : "in files",
                facts.replicas == 1 ? "on one node" : "on \(facts.replicas) nodes",
            ]
            if let most = facts.mostBytes { words.append("at most \(most) bytes") }
            if let age = facts.mostAge { words.append("for \(age.components.seconds) s") }
            return words.joined(separator: ", ")
        }

        private static func line(_ facts: StreamCatalogue.Facts) -> String {
            StandardOutput.escaped("\(facts.name)  \(facts.messages) messages, \(facts.bytes) bytes, \(kept(facts))")
        }

        private static func json(_ facts: StreamCatalogue.Facts) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            func member(_ key: StaticString, _ value: String) {
                writer.key(key)
                writer.string(value)
            }
            func member(_ key: StaticString, _ value: some BinaryInteger) {
                writer.key(key)
                writer.integer(value)
            }
            member("stream", facts.name)
            member("messages", facts.messages)
            member("bytes", facts.bytes)
            member("first", facts.firstSequence)
            member("last", facts.lastSequence)
            member("replicas", facts.replicas)
            writer.member("memory", facts.isInMemory)
            if let most = facts.mostBytes { member("max_bytes", most) }
            if let age = facts.mostAge { member("max_age", age.components.seconds) }
            if let leader = facts.leader { member("leader", leader) }
            writer.key("recordings")
            writer.beginArray()
            for held in facts.recordings {
                writer.beginObject()
                member("name", held.name)
                if let id = held.recording { member("rec", id) }
                member("chunks", held.chunks)
                member("bytes", held.bytes)
                member("missing", held.missing)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        /// Prints the tails that publish to a cluster.
        static func printTails(_ arguments: Arguments, of url: String) throws(UsageError) -> ExitCode {
            let address: StreamAddress
            do throws(StreamAddress.Malformed) { address = try StreamAddress(parsing: url) } catch {
                throw arguments.error("--nats: \(error.message)")
            }
            do {
                let tails = try StreamCatalogue(address, through: door(arguments)).tails()
                let output = StandardOutput()
                if arguments.has(.json) {
                    try output.write(tails.map { String(decoding: $0.json, as: UTF8.self) })
                } else if !tails.isEmpty {
                    let rows = tails.map { tail in
                        [
                            tail.recording, tail.host, String(tail.process), RecordingTime.text(tail.since),
                            String(tail.bytes), "\(tail.rate)/s",
                        ]
                    }
                    let titles = ["RECORDING", "HOST", "PID", "SINCE", "BYTES", "RATE"]
                    let table = ProcessesCommand.table([titles] + rows)
                    try output.write(table.split(separator: "\n").map { StandardOutput.escaped(String($0)) })
                }
                return .done
            } catch {
                return Console.fail(error)
            }
        }

        /// Makes a replay begin after the records that earlier replays of that name showed. Returns the outlet that
        /// stores the progress.
        static func durable(
            _ arguments: Arguments, _ name: String, _ replay: inout ReplayConfiguration
        ) throws -> (any Outlet)? {
            do {
                let address = try StreamAddress(parsing: replay.paths[0])
                guard try RemoteRecordings.members(replay.paths[0]) == nil else {
                    throw CommandError("--durable is for one recording, and this is a group of several")
                }
                let mark = try StreamMark(address, called: name, through: door(arguments))
                if let record = try mark.record() {
                    replay.start = .record(record + 1)
                    replay.startMayComeLater = true
                }
                return DurableMark(mark)
            } catch let error as ClusterError {
                throw CommandError(error.message)
            } catch let error as StreamAddress.Malformed {
                throw CommandError("the nats:// URL: " + error.message)
            }
        }
    #else
        static func open(_ arguments: Arguments) {}

        static func held(
            in url: String, _ arguments: Arguments
        ) throws(CommandError) -> [(member: String, rooms: [UInt8]?)] {
            throw CommandError(lack)
        }

        private static func checkAccess(_ arguments: Arguments) throws(UsageError) {}

        /// The operations that this build lacks.
        enum Lacking { case library }
        static let create = Lacking.library
        static let list = Lacking.library
        static let info = Lacking.library
        static let remove = Lacking.library

        static func printTails(_ arguments: Arguments, of url: String) throws(UsageError) -> ExitCode {
            Console.fail(CommandError(lack))
        }

        static func verb(_ body: Lacking) -> Command.Run {
            FileCommand.verb { _ in throw CommandError(lack) }
        }

        static func durable(
            _ arguments: Arguments, _ name: String, _ replay: inout ReplayConfiguration
        ) throws -> (any Outlet)? {
            throw CommandError(lack)
        }
    #endif
}

#if NATS
    /// Stores the progress of a replay, once a second and at its end. Only shown records are stored, so a replay that
    /// was killed shows the last second again.
    private final class DurableMark: Outlet {
        private let mark: StreamMark
        /// The number of the last shown record, the number of the last stored one, and the time of the last attempt to
        /// store.
        private let state = Monitor((shown: 0, noted: 0, time: Moment.zero))

        init(_ mark: StreamMark) { self.mark = mark }

        func write(_ reports: [StampedReport]) throws(OutletError) {
            let now = MachineClock.monotonic
            let isDue = state.change { state in
                for report in reports { state.shown = max(state.shown, report.stamp.n) }
                guard now - state.time >= .seconds(1) else { return false }
                state.time = now
                return true
            }
            if isDue { note() }
        }

        func write(_ reports: [StampedReport], _ marks: [ViewMark]) throws(OutletError) { try write(reports) }

        func finish() throws(OutletError) { note() }

        /// Stores the progress. If the cluster is unreachable, the next attempt follows a second later.
        private func note() {
            let (shown, noted, _) = state.look { $0 }
            guard shown > noted, (try? mark.keep(shown)) != nil else { return }
            state.change { $0.noted = shown }
        }
    }
#endif

import Glibc
import WeirJSON
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirWire

// The control socket of a running tail.
extension TailEngine {
    /// Starts serving the control socket if one is configured. Must not be called on the loop, which must answer.
    nonisolated func openControl() -> Result<ControlService?, NetworkError> {
        guard let path = configuration.controlPath else { return .success(nil) }
        var identity = ControlService.Identity(server: .tail, tool: configuration.tool, name: configuration.controlName)
        if configuration.allowsEmit { identity.capabilities.append("emit") }
        if configuration.recording.flight != nil { identity.capabilities.append("flight") }
        let (gone, drained): (@Sendable (UInt) -> Void, @Sendable (UInt) -> Void) = (
            { [weak self] client in self?.assumeIsolated { $0.clientGone(client) } },
            { [weak self] client in self?.assumeIsolated { $0.viewerDrained(client) } }
        )
        return Result { () throws(NetworkError) in
            try ControlService(on: loop, path: path, identity, onGone: gone, onDrained: drained) {
                [weak self] call throws(ControlError) in
                guard let self else { throw ControlError(.failed, "the tail is ending") }
                return try assumeIsolated { tail in
                    Result { () throws(ControlError) in try tail.perform(call) }
                }.get()
            }
        }
    }

    /// Takes over the control socket. On failure the tail continues without one and shows a notice.
    func adopt(_ opened: Result<ControlService?, NetworkError>) {
        do {
            control.service = try opened.get()
            if control.service != nil { control.observer = makeObserver() }
        } catch {
            tellNotice(Notice(.warning, "no control socket: \(error)"))
        }
    }

    /// Handles a request; returns `nil` if the request is answered later.
    private func perform(_ call: ControlCall) throws(ControlError) -> ControlResult? {
        guard case .running = phase else { throw ControlError(.failed, "the tail is ending") }
        switch call.method {
        // `hello` is answered before; the others belong to replays and are refused before.
        case .hello, .position, .seek, .step, .speed, .loop: return nil
        case .status: return status
        case .stats: return stats
        case .metrics: return try metricsText()
        case .globals:
            let value = globalsValue
            return ControlResult { $0.raw(value.raw) }
        case .roomsList, .roomsResolve, .roomsJoin, .roomsLeave, .roomsOnly, .roomsReset, .roomsSelect, .roomsPin,
            .roomsUnpin, .roomsMute, .roomsUnmute, .roomsWho, .roomsHistory, .roomsContext:
            performRooms(call)
            return nil
        case .attach: try attach(call)
        case .observe, .unobserve: try control.observer?.perform(call)
        case .pause, .resume: return try pause(call.method == .pause)
        case .viewSet, .logLevel: return try setView(call)
        case .filterGet, .filterSet, .filterPush, .filterPop: return try performFilter(call)
        case .recordStart, .recordStop: try perform(recording: call)
        case .recordRotate: return try rotateByControl()
        case .recordStatus: return recordStatus
        case .snapshotDump: return try dumpByControl()
        case .modelSections: return sections
        case .modelGet: return try rows(call.arguments)
        case .modelItem: return try row(call.arguments.text("id") ?? "")
        case .refetch: return try refetch(call.arguments)
        case .act: try act(call)
        case .push: return try push(call.arguments)
        case .draftGet, .draftSet: try performDraft(call)
        case .cancel: return try cancel(call.arguments.text("tag") ?? "")
        case .mark:
            mark(call.arguments.text("label") ?? "mark")
            return .done
        case .emit, .ack: try emit(call)
        case .reconnect: return try reconnect()
        case .quit:
            // Conclude after the answer is sent.
            loop.run { [self] in assumeIsolated { $0.conclude(.limitReached) } }
            return .done
        }
        return nil
    }

    private func cancel(_ tag: String) throws(ControlError) -> ControlResult {
        let tags = session.tags
        guard tags.contains(tag) else {
            let running = tags.isEmpty ? "nothing runs with a tag" : "running: " + tags.joined(separator: ", ")
            throw ControlError(.nothing, "nothing runs with the tag '\(tag)'; \(running)")
        }
        feed(.cancel(tag: tag))
        return .done
    }

    private func perform(recording call: ControlCall) throws(ControlError) {
        if call.method == .recordStart { try startRecording(call) } else { try stopRecording(call) }
    }

    // MARK: - What is done

    private func dumpByControl() throws(ControlError) -> ControlResult {
        guard recorder.flight != nil else {
            throw ControlError(.nothing, "no flight recorder: start the tail with --flight-recorder 10m")
        }
        dump()
        return .done
    }

    private func pause(_ isPaused: Bool) throws(ControlError) -> ControlResult {
        guard let view = configuration.view else { throw ControlError(.nothing, "the tail shows nothing") }
        let waiting = view.waiting
        view.pause(isPaused)
        // The waiting reports are shown with the next report, which is this notice.
        tellNotice(Notice(.info, isPaused ? "the view is paused" : "the view is resumed"))
        handOver()
        return ControlResult { writer in
            writer.beginObject()
            writer.member("paused", isPaused)
            writer.member("waiting", waiting)
            writer.endObject()
        }
    }

    private func setView(_ call: ControlCall) throws(ControlError) -> ControlResult {
        guard let view = configuration.view else { throw ControlError(.nothing, "the tail shows nothing") }
        guard view.prints else {
            throw ControlError(.nothing, "the full-screen view has a fixed format and shows all notices")
        }
        if let format = call.arguments.text("format").flatMap(OutputFormat.init) { view.print(as: format) }
        if let level = call.arguments.text("level").flatMap(Notice.Level.init) { view.tell(from: level) }
        return .done
    }

    /// Writes a mark into the recording and shows it.
    func mark(_ label: String, author: String = "ctl") {
        let label = shown(String(label.prefix(200)))
        let stamp = journal.stamp(at: loop.now)
        if makesRecords { pending.append(.record(.mark(Record.MarkRecord(label: label, author: author)), stamp)) }
        let notice = Notice(Notice.Mark(label: label, author: author))
        pending.append(
            .report(StampedReport(stamp: stamp, report: .notice(notice), context: configuration.context)))
        handOver()
    }

    /// Closes the connection, so that the session reconnects.
    private func reconnect() throws(ControlError) -> ControlResult {
        guard let socket = connection.socket else {
            throw ControlError(.nothing, "no connection: the next attempt is in progress")
        }
        socket.close(WebSocketClose(code: 1000, reason: "requested by a client of the control socket"))
        return .done
    }

    /// Shows a notice to the user.
    func tellNotice(_ notice: Notice) {
        pending.append(.report(StampedReport(stamp: journal.unnumbered(at: loop.now), report: .notice(notice))))
    }
}

// The status and statistics of a running tail.
extension TailEngine {
    /// The result of the method `status`.
    var status: ControlResult {
        let now = loop.now
        let rooms = session.subscriptions
        return ControlResult { writer in
            writer.beginObject()
            writer.member("name", configuration.controlName)
            writer.member("kind", ControlMethod.Server.tail.rawValue)
            writer.member("pid", Int(getpid()))
            writer.member("tool", configuration.tool)
            writer.member("context", configuration.context)
            writer.member("url", configuration.server.description)
            writer.member("backend", configuration.session.backend.rawValue)
            writer.member("state", connection.status.state.rawValue)
            writer.member("why", connection.status.why)
            writer.member("uptime_ms", now.microseconds / 1000)
            writer.key("rooms")
            writer.beginObject()
            writer.member("wanted", rooms.entries.count)
            writer.member("joined", rooms.joined)
            writer.member("refused", rooms.refused)
            writer.endObject()
            writer.member("events", counts.events)
            writer.member("gaps", counts.gaps)
            writer.member("rate", control.rates.rate(over: 1, at: now))
            writer.member("rate_60s", control.rates.rate(over: 60, at: now))
            if let lag { writer.member("lag_ms", Int(clamping: lag)) }
            writer.member("recording", recorder.path)
            writer.member("paused", configuration.view?.isPaused ?? false)
            writer.member("waiting", configuration.view?.waiting ?? 0)
            writer.member("viewers", control.viewers.count)
            writer.endObject()
        }
    }

    /// The result of the method `stats`.
    var stats: ControlResult {
        let now = loop.now
        let sections = session.model.sectionKeys
        return ControlResult { writer in
            writer.beginObject()
            writer.member("uptime_ms", now.microseconds / 1000)
            for (name, count) in statistics {
                writer.key(name)
                writer.integer(count)
            }
            writer.member("rate", control.rates.rate(over: 1, at: now))
            writer.member("rate_60s", control.rates.rate(over: 60, at: now))
            writer.member("sections", sections.count)
            writer.member("items", sections.indices.reduce(0) { $0 + session.model.elementCount(at: $1) })
            writer.endObject()
        }
    }

    /// Returns the result of the control method `metrics`: an object with the OpenMetrics text.
    func metricsText() throws(ControlError) -> ControlResult {
        guard configuration.metrics != nil else { throw ControlError(.nothing, "the tail measures nothing") }
        let text = MetricsText.text(of: metricFamilies, as: .openMetrics)
        return ControlResult { writer in
            writer.beginObject()
            writer.member("text", text)
            writer.endObject()
        }
    }

    /// The counters, in the order of display.
    private var statistics: [(name: String, count: Int)] {
        [("records", journal.last)] + counts.statistics + [("clients", control.service?.count ?? 0)]
    }

    /// Shows the counters to the user. Can be called on any thread; ignored while the tail does not run.
    package nonisolated func tellStatistics() {
        loop.run { [self] in assumeIsolated { $0.tellStatisticsNow() } }
    }

    private func tellStatisticsNow() {
        guard case .running = phase else { return }
        let numbers = statistics.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        let rate = control.rates.rate(over: 60, at: loop.now)
        let tenths = Int((rate * 10).rounded())
        tellNotice(Notice(.info, "statistics: \(numbers); \(tenths / 10).\(tenths % 10) events per second"))
        handOver()
    }

    /// Updates the connection's connectionStatus from a report of the session.
    func note(_ report: ConnectionReport) {
        switch report {
        case .connecting:
            connection.status = ConnectionStatus(state: .connecting)
            counts.connections += 1
        case .ready: connection.status = ConnectionStatus(state: .ready)
        case .lost(let why, _): connection.status = ConnectionStatus(state: .waiting, why: why)
        }
    }

    /// The state of the connection.
    struct ConnectionStatus {
        enum State: String {
            case connecting, ready, waiting
        }

        var state = State.connecting
        /// The reason for a missing connection. Untrusted text.
        var why: String?
    }
}

extension TailEngine.Counts {
    /// The counters with their names, in the order of display.
    var statistics: [(name: String, count: Int)] {
        [
            ("events", events), ("changes", changes), ("gaps", gaps), ("undecodable", undecodable),
            ("connections", connections), ("requests", requests.answered),
        ]
    }
}

// The properties that clients observe.
extension TailEngine {
    /// Creates the observer of the control socket's clients.
    func makeObserver() -> ControlObserver {
        ControlObserver(on: loop, run: recorder.head.recording) { [weak self] property in
            self?.assumeIsolated { $0.value(of: property) } ?? .null
        }
    }

    func clientGone(_ client: UInt) {
        control.observer?.clientGone(client)
        viewerGone(client)
    }

    private func value(of property: ControlObservations.Property) -> JSONValue {
        switch property {
        case .state: .string(connection.status.state.rawValue)
        case .rooms:
            .object([
                .init("wanted", .integer(Int64(session.subscriptions.entries.count))),
                .init("joined", .integer(Int64(session.subscriptions.joined))),
                .init("refused", .integer(Int64(session.subscriptions.refused))),
            ])
        case .events: .integer(Int64(counts.events))
        case .gaps: .integer(Int64(counts.gaps))
        case .rate: .number(control.rates.rate(over: 1, at: loop.now))
        case .recording: recorder.path.map { .string($0) } ?? .null
        case .paused: .bool(configuration.view?.isPaused ?? false)
        case .muted:
            .object([
                .init("rooms", .integer(Int64(rooms.muted.count))),
                .init("changes", .integer(Int64(rooms.muteChanges))),
            ])
        case .filter: configuration.filter.map { .string($0.text) } ?? .null
        case .globals: globalsValue
        case .sync: syncValue
        case .actions: actionsValue
        case .position: .null
        }
    }
}

extension RoomSubscriptions {
    /// The number of joined rooms.
    var joined: Int { entries.count { if case .joined = $0.state { true } else { false } } }
    /// The number of refused rooms.
    var refused: Int { entries.count { if case .refused = $0.state { true } else { false } } }
}

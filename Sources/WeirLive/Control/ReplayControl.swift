import Glibc
import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

/// The progress of a replay, for clients of its control socket.
struct ReplayFigures: Hashable, Sendable {
    /// The states of a replay.
    enum State: String, Sendable {
        case playing, paused
        /// The replay waits for a followed file to grow.
        case waiting
    }

    var state = State.playing
    var position = TimelinePosition()
    /// The pace in the format of the `speed` method.
    var pace = ""
    var round = 1
    /// The number of rounds; `nil` for endless repetition.
    var rounds: Int? = 1
    var marks = 0
    /// The numbers of shown items, each counted once.
    var events = 0
    var gaps = 0
    var undecodable = 0

    /// Writes the position and pace of the replay as a JSON object.
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("state", state.rawValue)
        writer.member("record", position.number)
        writer.member("time_us", Int(position.time.microseconds))
        if let wall = position.wall { writer.member("wall_us", Int(wall)) }
        writer.member("events", position.events)
        writer.member("speed", pace)
        writer.member("round", round)
        writer.member("rounds", orNull: rounds)
        writer.member("marks", marks)
        writer.endObject()
    }
}

/// The control socket of a replay. It answers from the last reported figures, and passes other requests to the replay's
/// thread.
final class ReplayControl: Sendable {
    private struct State {
        var figures = ReplayFigures()
        var rates: EventRates
        var service: ControlService?
        var observer: ControlObserver?
    }

    private let loop: EventLoop
    private let stopping: Stopping
    private let paths: [String]
    private let state: Monitor<State>

    /// Creates the socket and starts serving at `path`.
    init(_ configuration: ReplayConfiguration, at path: String, _ stopping: Stopping, canGoBack: Bool)
        throws(NetworkError)
    {
        let loop = try EventLoop(name: "weir-ctl")
        self.loop = loop
        self.stopping = stopping
        paths = configuration.paths
        let figures = ReplayFigures(state: configuration.isStepping ? .paused : .playing)
        state = Monitor(State(figures: figures, rates: EventRates(from: loop.now)))
        let file = path.split(separator: "/").last ?? ""
        let identity = ControlService.Identity(
            server: .replay, tool: configuration.tool,
            name: String(file.hasSuffix(".sock") ? file.dropLast(5) : file), capabilities: canGoBack ? ["back"] : [])
        let observer = ControlObserver(on: loop, run: TailEngine.newIdentity()) { [weak self] in
            self?.value(of: $0) ?? .null
        }
        do throws(NetworkError) {
            let service = try ControlService(on: loop, path: path, identity) {
                observer.clientGone($0)
            } handler: {
                [weak self] call throws(ControlError) in
                try self?.perform(call)
            }
            state.change { ($0.service, $0.observer) = (service, observer) }
        } catch {
            loop.shutDown()
            throw error
        }
    }

    /// Removes the socket and ends the thread. Must not be called on that thread.
    func close() {
        state.change { $0.service }?.close()
        loop.shutDown()
    }

    /// Records the replay's figures. Called on the replay's thread.
    func note(_ figures: ReplayFigures) {
        let now = loop.now
        state.change { state in
            if figures.events > state.figures.events {
                state.rates.note(figures.events - state.figures.events, at: now)
            }
            state.figures = figures
        }
    }

    private func perform(_ call: ControlCall) throws(ControlError) -> ControlResult? {
        let (figures, observer) = state.change { ($0.figures, $0.observer) }
        switch call.method {
        case .status: return status(call.service.identity)
        case .stats: return stats(clients: call.service.count)
        case .position: return ControlResult { figures.encode(into: &$0) }
        case .observe, .unobserve: try observer?.perform(call)
        default: try stopping.ask(call)
        }
        return nil
    }

    // MARK: - How it stands

    private func status(_ identity: ControlService.Identity) -> ControlResult {
        let now = loop.now
        let (figures, rates) = state.change { ($0.figures, $0.rates) }
        return ControlResult { writer in
            writer.beginObject()
            writer.member("name", identity.name)
            writer.member("kind", identity.server.rawValue)
            writer.member("pid", Int(getpid()))
            writer.member("tool", identity.tool)
            writer.member("file", paths.first ?? "")
            writer.member("files", names: paths)
            writer.member("state", figures.state.rawValue)
            writer.member("uptime_ms", Int(now.microseconds / 1000))
            writer.member("events", figures.events)
            writer.member("gaps", figures.gaps)
            writer.member("rate", rates.rate(over: 1, at: now))
            writer.member("rate_60s", rates.rate(over: 60, at: now))
            writer.member("paused", figures.state == .paused)
            writer.key("position")
            figures.encode(into: &writer)
            writer.endObject()
        }
    }

    private func stats(clients: Int) -> ControlResult {
        let now = loop.now
        let (figures, rates) = state.change { ($0.figures, $0.rates) }
        return ControlResult { writer in
            writer.beginObject()
            writer.member("uptime_ms", Int(now.microseconds / 1000))
            writer.member("records", figures.position.entries)
            writer.member("events", figures.events)
            writer.member("gaps", figures.gaps)
            writer.member("undecodable", figures.undecodable)
            writer.member("clients", clients)
            writer.member("rate", rates.rate(over: 1, at: now))
            writer.member("rate_60s", rates.rate(over: 60, at: now))
            writer.endObject()
        }
    }

    private func value(of property: ControlObservations.Property) -> JSONValue {
        let now = loop.now
        return state.change { state in
            switch property {
            case .state: .string(state.figures.state.rawValue)
            case .events: .integer(Int64(state.figures.events))
            case .gaps: .integer(Int64(state.figures.gaps))
            case .rate: .number(state.rates.rate(over: 1, at: now))
            case .paused: .bool(state.figures.state == .paused)
            case .position:
                .object([
                    .init("record", .integer(Int64(state.figures.position.number))),
                    .init("time_us", .integer(state.figures.position.time.microseconds)),
                ])
            case .rooms, .recording, .filter, .muted, .globals, .sync, .actions: .null
            }
        }
    }
}

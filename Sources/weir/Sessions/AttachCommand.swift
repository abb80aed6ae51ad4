import Glibc
import WeirEvents
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads

/// The command `weir attach`: a second viewer of a running tail, with its own format and filters. It sends the server
/// nothing: the tail sends the recording, which is played like a file.
enum AttachCommand {
    static func run(_ arguments: Arguments) async throws(UsageError) -> ExitCode {
        let options = try OutputOptions(arguments)
        let name = arguments.positionals.first
        guard name.map(ControlSocket.isName) != false else {
            throw arguments.error("no tail is named \(UsageError.quoted(name ?? "")); 'weir ps' lists them")
        }
        do {
            let process = try RunningProcess.find(name)
            return try await run(process, options)
        } catch {
            return Console.fail(error)
        }
    }

    private static func run(_ process: RunningProcess, _ options: OutputOptions) async throws -> ExitCode {
        let descriptor = try process.attach()
        defer { close(descriptor) }
        let outlets = try Outlets(options)
        var configuration = ReplayConfiguration(stream: descriptor, name: process.name)
        (configuration.count, configuration.untilMatch) = (options.count, options.untilMatch)
        configuration.filter = outlets.filter
        let replay = Replay(configuration, outlets: outlets.all)
        Signals.onFirst(ending: outlets.patience) { signal in
            replay.stop(signal: signal)
            // Wake up the replay, which waits for the next line.
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
        if !options.quiet { Console.note("attached to \(process.name)") }
        return outlets.conclude(try await replay.run())
    }
}

/// The full-screen view of a tail that runs in another process. It plays the recording that the tail sends to viewers,
/// and sends the user's actions to the tail's control socket. It does not contact the server.
struct WatchedTail {
    private let process: RunningProcess

    init(_ process: RunningProcess) { self.process = process }

    func run(_ output: OutputOptions, on terminal: RawTerminal) async throws -> ExitCode {
        let descriptor = try process.attach()
        defer { close(descriptor) }
        let filter = ViewFilter(output.filters.view)
        let desk = WatchDriver(try settings(output), filter: filter)
        let outlets = try Outlets(output, screen: desk, filter: filter)
        var console = ReplayConsole()
        console.watcher = desk
        let replay = Replay(
            ReplayConfiguration(stream: descriptor, name: process.name), console: console, outlets: outlets.all)
        // Wake up the replay, which may wait long for the next line.
        let end: @Sendable () -> Void = { shutdown(descriptor, Int32(SHUT_RDWR)) }
        Signals.onFirst(ending: outlets.patience) { signal in
            replay.stop(signal: signal)
            end()
        }
        followMutes(desk)
        let wishes = try wishes(of: desk)
        let result = await WatchCommand.show(desk, on: terminal) { effect in
            replay.perform(effect)
            if effect == .quit { end() } else { _ = wishes.push([effect]) }
        } while: {
            try await replay.run()
        }
        return outlets.conclude(try result.get())
    }

    private func settings(_ output: OutputOptions) throws(CommandError) -> Watch.Settings {
        var settings = WatchCommand.settings(process.name, output)
        settings.steersRooms = true
        let status = try process.call(.status)
        if case .string(let path)? = status["recording"] { settings.file = path }
        if case .string(let url)? = status["url"] { settings.title += "  " + url }
        if case .string(let name)? = status["context"] {
            let context = try? ContextFolder.context(name)
            (settings.badge, settings.isGuarded) = (context?.badge ?? "[\(name)]", context?.isGuarded ?? false)
        }
        return settings
    }

    /// Creates the thread that sends the user's actions to the tail, one after the other. The view shows refusals.
    private func wishes(of desk: WatchDriver) throws -> BatchThread<Watch.Effect> {
        try BatchThread(name: "weir-wishes", highWater: 100, onDrained: {}) { [process] effects in
            for effect in effects {
                do {
                    guard let (method, parameters) = try Self.request(effect) else { continue }
                    let patience = method == .act ? RunningProcess.actionPatience : .seconds(5)
                    let result = try process.call(method, timeout: patience, parameters)
                    if case .findDraft(let place) = effect, case .string(let text)? = result["text"] {
                        desk.tell(.draft(place, text))
                    }
                } catch {
                    desk.tell(.said(CommandError(error).sentence))
                }
            }
            return true
        } atEnd: {
        }
    }

    /// Returns the request for an effect; `nil` if the effect needs none.
    private static func request(_ effect: Watch.Effect) throws -> (ControlMethod, [JSONValue.Member])? {
        func rooms(_ room: String) -> [JSONValue.Member] { [.init("rooms", .array([.string(room)]))] }
        switch effect {
        case .join(let room): return (.roomsJoin, rooms(room))
        case .leave(let room): return (.roomsLeave, rooms(room))
        case .mute(let room, let isMuted): return (isMuted ? .roomsMute : .roomsUnmute, rooms(room))
        case .mark(let label): return (.mark, [.init("label", .string(label))])
        case .emit, .answer: return try effect.emit(patience: nil).map { ($0.isAnswer ? .ack : .emit, $0.parameters) }
        case .act(let operation):
            let action = Action(id: EntityID("watch"), operation, asked: Timestamp(milliseconds: 0))
            return (.act, action.parameters)
        case .findDraft(let place): return (.draftGet, Self.members(of: place))
        case .keepDraft(let place, let text):
            return (.draftSet, Self.members(of: place) + (text.map { [.init("text", .string($0))] } ?? []))
        case .copy, .play, .quit: return nil
        }
    }

    private static func members(of place: WritingPlace) -> [JSONValue.Member] {
        [.init("channel", .string(place.channel.description))]
            + (place.thread.map { [.init("thread", .string($0.description))] } ?? [])
    }

    /// Hides the rooms that the tail hides, and follows changes until the tail or this process ends.
    private func followMutes(_ desk: WatchDriver) {
        runOnThread(named: "weir-mutes") { [process] in
            do {
                let stream = try LocalSocketStream(path: process.path)
                let properties = JSONValue.array([.string("muted")])
                try stream.send(RunningProcess.request(.observe, [.init("properties", properties)]))
                // Each line, whatever its content, means that the set of rooms may have changed.
                while try stream.readLine(timeout: nil) != nil {
                    guard case .array(let rows) = try process.call(.roomsList) else { continue }
                    desk.tell(.mutes(Set(rows.compactMap { RoomRow($0) }.filter(\.isMuted).map(\.room))))
                }
            } catch {
                // The tail has ended or does not support this. The view then hides nothing.
            }
        }
    }
}

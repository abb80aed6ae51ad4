import WeirPipeline
import WeirWire

// A readable log of a run, for finding the cause of a divergence.
extension Simulation {
    /// Runs a history and returns its events, one line each.
    package static func story(of history: History) -> [String] {
        var lines: [String] = []
        withoutActuallyEscaping({ lines.append($0) }) { tell in
            var simulation = Simulation(history)
            simulation.tell = tell
            simulation.run()
        }
        return lines
    }

    func say(_ what: @autoclosure () -> String) {
        guard let tell else { return }
        let milliseconds = now.microseconds / 1_000
        tell("\(milliseconds) \(what())")
    }

    func say(_ input: Input) {
        guard tell != nil else { return }
        switch input {
        case .message(_, let message): say("<- \(String(decoding: message.bytes, as: UTF8.self))")
        case .answered(let request, .response(let status, let body, _)):
            say("answer \(request): \(status) \(String(decoding: body, as: UTF8.self))")
        case .answered(let request, .failure(_, let message)): say("answer \(request): \(message)")
        case .opened(let connection, _, _): say("connection \(connection) is open")
        case .remembered(let memory): say("remembered: \(memory.rows.count) bytes")
        case .start, .failed, .closed, .reading, .tokenRenewed, .act, .dropAction, .retryAction, .cancel,
            .restoreOutbox, .want,
            .unwant, .only, .resetRooms, .share, .withdraw, .look, .refetch, .select, .emit, .pushed, .stop:
            say("\(input)")
        }
    }

    func say(_ request: FetchRequest) {
        say(
            "request \(request.id): \(request.method) \(request.target) \(String(decoding: request.body, as: UTF8.self))"
        )
    }
}

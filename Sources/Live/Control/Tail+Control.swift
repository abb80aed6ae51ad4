import JSONText
import Network
import Pipeline
import Recording
import Wire

// What a running tail does for the clients of its control socket.
extension Tail {
    /// Serves the control socket, when one is wanted. Not on the loop, which has to answer.
    nonisolated func openControl() -> Result<ControlService?, NetworkError> {
        guard let path = configuration.controlPath else { return .success(nil) }
        let identity = ControlService.Identity(server: .tail, tool: configuration.tool, name: configuration.controlName)
        return Result { () throws(NetworkError) in
            try ControlService(on: loop, path: path, identity) { [weak self] call throws(ControlError) in
                guard let self else { throw ControlError(.failed, "it is ending") }
                return try assumeIsolated { tail in
                    Result { () throws(ControlError) in try tail.perform(call) }
                }.get()
            }
        }
    }

    /// Without a control socket the tail goes on, with a notice.
    func adopt(_ opened: Result<ControlService?, NetworkError>) {
        do {
            control = try opened.get()
        } catch {
            tellNotice(Notice(.warning, "no control socket: \(error)"))
        }
    }

    /// Does what a client wants; nil when it is answered later.
    private func perform(_ call: ControlCall) throws(ControlError) -> ControlResult? {
        guard case .running = phase else { throw ControlError(.failed, "it is ending") }
        switch call.method {
        case .hello: return nil
        case .status: return status
        case .stats: return stats
        case .roomsList, .roomsJoin, .roomsLeave, .roomsSelect: return try performRooms(call)
        case .mark:
            mark(call.arguments.text("label") ?? "mark")
            return .done
        case .reconnect: return try reconnect()
        case .quit:
            // Once it is answered.
            loop.run { [self] in assumeIsolated { $0.conclude(.limitReached) } }
            return .done
        }
    }

    // MARK: - What is done

    /// Marks this place in the recording.
    func mark(_ label: String, author: String = "ctl") {
        let label = String(label.prefix(200))
        record(.mark(Record.MarkRecord(label: label, author: author)), journal.unnumbered(at: loop.now))
        tellNotice(Notice(.info, "marked: \(label)"))
        handOver()
    }

    /// Closes the connection as if it had been lost.
    private func reconnect() throws(ControlError) -> ControlResult {
        guard let socket else { throw ControlError(.nothing, "there is no connection; the next attempt is under way") }
        socket.close(WebSocketClose(code: 1000, reason: "asked for by a client of the control socket"))
        return .done
    }

    /// Tells the user something.
    func tellNotice(_ notice: Notice) {
        pending.append(.report(StampedReport(stamp: journal.unnumbered(at: loop.now), report: .notice(notice))))
    }
}

import JSONText
import Network
import Pipeline
import Recording

// The properties that clients observe.
extension Tail {
    /// Creates the observer of the control socket's clients.
    func makeObserver() -> ControlObserver {
        ControlObserver(on: loop, run: head.recording) { [weak self] property in
            self?.assumeIsolated { $0.value(of: property) } ?? .null
        }
    }

    func clientGone(_ client: UInt) {
        observer?.clientGone(client)
        viewerGone(client)
    }

    private func value(of property: ControlObservations.Property) -> JSONValue {
        switch property {
        case .state: .string(connectionStatus.state.rawValue)
        case .rooms:
            .object([
                .init("wanted", .integer(Int64(session.subscriptions.entries.count))),
                .init("joined", .integer(Int64(session.subscriptions.joined))),
                .init("refused", .integer(Int64(session.subscriptions.refused))),
            ])
        case .events: .integer(Int64(counts.events))
        case .gaps: .integer(Int64(counts.gaps))
        case .rate: .number(rates.rate(over: 1, at: loop.now))
        case .recording: recordingPath.map { .string($0) } ?? .null
        case .paused: .bool(configuration.view?.isPaused ?? false)
        case .muted:
            .object([
                .init("rooms", .integer(Int64(mutedRooms.count))), .init("changes", .integer(Int64(muteChanges))),
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

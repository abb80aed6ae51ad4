package import Pipeline
package import Recording

/// Maps the records of a recording that a new session plays from its middle.
///
/// Restated records fill the session, and connections are renumbered. Answers are matched to requests by method and
/// target, since the session numbers its requests differently. An answer to a request that the session did not make is
/// ignored.
package struct MidRecordingReplay {
    /// The recorded number of a connection minus the session's number.
    private var offset = 0
    /// The recorded number of the restated connection. A merged recording may have several; the session uses the first.
    private var restated: Int?
    /// The session's unanswered requests, by method and target.
    private var asked: [String: [Int]] = [:]
    /// The method and target of recorded requests, by their recorded number.
    private var recorded: [Int: String] = [:]

    /// Creates a continuation without any connection or request.
    package init() {}

    /// Notes a request of the session.
    package mutating func note(_ request: FetchRequest) {
        asked["\(request.method) \(request.target)", default: []].append(request.id)
    }

    /// Returns the session's input for a record, or `nil` if the record is not an input.
    package mutating func input(_ record: Record, isRestated: Bool) -> Input? {
        switch record {
        case .connection(var change):
            if isRestated {
                guard restated == nil || restated == change.connection else { return nil }
                restated = change.connection
                // The session's first connection is the current one, or the next one if this one is closed.
                let isAtHand = change.state == .open || change.state == .connecting
                offset = isAtHand ? change.connection - 1 : change.connection
                guard change.state == .open else { return nil }
            }
            change.connection -= offset
            return Input(.connection(change))
        case .frame(var frame):
            frame.connection -= offset
            return Input(.frame(frame))
        case .subscription(let wish):
            guard isRestated, wish.act == .want else { return Input(record) }
            // A room without a recorded source was announced by the backend and wanted by the session itself.
            let source = wish.source.flatMap(RoomSource.init(rawValue:)) ?? .list
            return .want(rooms: [wish.room], source: source, lasting: wish.span)
        case .http(var exchange):
            if case .request(let method, let url, _) = exchange.phase {
                recorded[exchange.id] = "\(method) \(Self.target(of: url))"
                return nil
            }
            guard let key = recorded.removeValue(forKey: exchange.id), let id = asked[key]?.first else { return nil }
            asked[key]?.removeFirst()
            exchange.id = id
            return Input(.http(exchange))
        case .head, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index, .end, .unknown:
            return Input(record)
        }
    }

    /// Returns the path and query of a URL.
    private static func target(of url: String) -> Substring {
        var slashes = 0
        for place in url.indices where url[place] == "/" {
            slashes += 1
            if slashes == 3 { return url[place...] }
        }
        return "/"
    }
}

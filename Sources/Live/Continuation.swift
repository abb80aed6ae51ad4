package import Pipeline
package import Recording

/// A recording that is played from its middle, by a fresh session: what is restated fills it, its connections have other numbers, and
/// answers reach it by what was asked, since its requests have other numbers, too. An answer to what it did not ask is passed over.
package struct Continuation {
    /// Recorded number of a connection minus the session's.
    private var offset = 0
    /// The connection that is restated. Of several, which a merged recording has, the first is the session's.
    private var restated: Int?
    /// Requests of the session that have no answer, by what is asked.
    private var asked: [String: [Int]] = [:]
    /// What was asked, by the recorded number.
    private var recorded: [Int: String] = [:]

    /// Nothing is known yet.
    package init() {}

    /// Notes a request of the session.
    package mutating func note(_ request: FetchRequest) {
        asked["\(request.method) \(request.target)", default: []].append(request.id)
    }

    /// The input that a record is for the fresh session.
    package mutating func input(_ record: Record, isRestated: Bool) -> Input? {
        switch record {
        case .connection(var change):
            if isRestated {
                guard restated == nil || restated == change.connection else { return nil }
                restated = change.connection
                // The fresh session's first connection is the one at hand, or the next one.
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
            // What the backend told of, a session wanted by itself, and its tail noted no source.
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

    /// Path and query of an address.
    private static func target(of url: String) -> Substring {
        var slashes = 0
        for place in url.indices where url[place] == "/" {
            slashes += 1
            if slashes == 3 { return url[place...] }
        }
        return "/"
    }
}

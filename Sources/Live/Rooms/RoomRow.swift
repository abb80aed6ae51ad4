package import JSONText

/// A room in a room list, with its wanted and its actual state.
package struct RoomRow: Hashable, Sendable {
    /// The room's name at the backend.
    package var room: String
    /// The title shown to users. Untrusted text.
    package var title: String?
    /// The kind of events in the room (`RoomFacts.kind`).
    package var kind: String
    /// The source of the subscription: `cli`, `list`, `ctl` or `pin`; empty for an unwanted room.
    package var source: String
    /// Whether the room is wanted: `yes`, `no`, or `limit` if only `--max-rooms` prevents it.
    package var want: String
    /// The state of the subscription: `wanted`, `joining`, `joined`, `refused`, `lost` (with the connection), `left`
    /// (excluded by a rule), `listed` for an unwanted room, or `former` if the user left the channel.
    package var state: String
    /// The server's reason for a refusal. Untrusted text.
    package var why: String?
    /// The rule that decided, as written; `nil` if no rule did.
    package var rule: String?
    /// The time of the join, or of its request while it is pending, in microseconds since 1970.
    package var since: Int64?
    /// The number of events in the room since the start of the tail.
    package var events = 0
    /// The events per second over roughly the last minute.
    package var rate = 0.0
    /// The time of the last event, in microseconds since 1970.
    package var last: Int64?
    /// The delay of the last event, in milliseconds.
    package var lag: Int64?
    /// The number of times the room was lost with its connection.
    package var gaps = 0
    /// The number of unread messages (`RoomFacts.unread`).
    package var unread: Int?
    /// The member of the group that holds the room; `nil` outside a group.
    package var member: String?
    /// Whether the view hides the room.
    package var isMuted = false

    /// Creates a row without figures.
    package init(room: String, kind: String = "room", source: String = "", want: String = "yes", state: String) {
        self.room = room
        self.kind = kind
        self.source = source
        self.want = want
        self.state = state
    }

    /// Writes the row as a JSON object. Unknown values are omitted.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        for (key, value) in texts {
            guard let value else { continue }
            writer.key(key)
            writer.string(value)
        }
        for (key, value) in numbers {
            guard let value else { continue }
            writer.key(key)
            writer.integer(value)
        }
        writer.member("rate", (rate * 1000).rounded() / 1000)
        writer.member("muted", isMuted)
        writer.endObject()
    }

    private var texts: [(String, String?)] {
        [
            ("room", room), ("title", title), ("kind", kind), ("source", source), ("want", want), ("state", state),
            ("why", why), ("rule", rule), ("member", member),
        ]
    }

    private var numbers: [(String, Int64?)] {
        [
            ("since_us", since), ("events", Int64(events)), ("last_us", last), ("lag_ms", lag), ("gaps", Int64(gaps)),
            ("unread", unread.map { Int64($0) }),
        ]
    }

    /// Creates a row from the JSON that `encode` wrote, or returns `nil` for anything else.
    package init?(_ value: JSONValue) {
        func text(_ key: String) -> String? { if case .string(let text)? = value[key] { text } else { nil } }
        func number(_ key: String) -> Int64? { if case .integer(let number)? = value[key] { number } else { nil } }
        guard let room = text("room"), let state = text("state") else { return nil }
        self.room = room
        self.state = state
        title = text("title")
        kind = text("kind") ?? "room"
        source = text("source") ?? ""
        want = text("want") ?? "yes"
        why = text("why")
        rule = text("rule")
        member = text("member")
        since = number("since_us")
        events = Int(clamping: number("events") ?? 0)
        last = number("last_us")
        lag = number("lag_ms")
        gaps = Int(clamping: number("gaps") ?? 0)
        unread = number("unread").map { Int(clamping: $0) }
        switch value["rate"] {
        case .number(let rate)?: self.rate = rate
        case .integer(let rate)?: self.rate = Double(rate)
        case _: break
        }
        isMuted = value["muted"] == .bool(true)
    }
}

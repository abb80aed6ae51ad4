package import JSONText

/// A room as lists of rooms tell of it: what is wanted and what is so, side by side.
package struct RoomRow: Hashable, Sendable {
    /// The room's name.
    package var room: String
    /// What people call it; untrusted text.
    package var title: String?
    /// What it carries (`RoomFacts.kind`).
    package var kind: String
    /// Who wants it: `cli`, `list`, `ctl`, `pin`; empty for a room that nobody wants.
    package var source: String
    /// Whether it is wanted: `yes`, `no`, or `limit` where only `--max-rooms` speaks against it.
    package var want: String
    /// `wanted`, `joining`, `joined`, `refused`, `lost` (with its connection), `left` (by a wish), `listed` where nobody wants it, or `former`
    /// where the user left the channel.
    package var state: String
    /// Why it was refused: the server's words, untrusted.
    package var why: String?
    /// The wish that decided, as it was written; nil where none did.
    package var rule: String?
    /// Since when it is joined, or asked for; microseconds since 1970.
    package var since: Int64?
    /// Events in it since the tail began.
    package var events = 0
    /// Events a second over about the last minute.
    package var rate = 0.0
    /// When the last one came; microseconds since 1970.
    package var last: Int64?
    /// How late that was, in milliseconds.
    package var lag: Int64?
    /// How often it was lost with its connection.
    package var gaps = 0
    /// How many messages are not read (`RoomFacts.unread`).
    package var unread: Int?
    /// Whether the view hides it.
    package var isMuted = false

    /// A row.
    package init(room: String, kind: String = "room", source: String = "", want: String = "yes", state: String) {
        self.room = room
        self.kind = kind
        self.source = source
        self.want = want
        self.state = state
    }

    /// Writes the row as a JSON object; what is not known is left out.
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
            ("why", why), ("rule", rule),
        ]
    }

    private var numbers: [(String, Int64?)] {
        [
            ("since_us", since), ("events", Int64(events)), ("last_us", last), ("lag_ms", lag), ("gaps", Int64(gaps)),
            ("unread", unread.map { Int64($0) }),
        ]
    }

    /// Reads what `encode` wrote; nil for something else.
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

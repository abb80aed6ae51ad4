import Events
import Terminal

/// What a clause of a filter asks about.
public enum FilterField: Hashable, Sendable {
    case type, kind, room, actor, event, namespace, direction, size, lag, known, isUser, mentions, text
    case title, actorName, isRead, time
    case diffOperation, diffSection, diffKind, diffID, diffField
    /// A value in the event's payload; the way to it has one step at least.
    case payload([Step])

    /// One step into a JSON value.
    public enum Step: Hashable, Sendable {
        case key(String)
        case element(Int)
    }

    /// What a field's values are.
    package enum Domain {
        /// One of these words.
        case words([String])
        case text
        /// Bytes.
        case size
        /// How long something takes.
        case span
        /// A point in time.
        case instant
        case truth
        /// Whatever the peer sends.
        case json
    }

    /// The fields that have a name of their own, in the order they are told.
    package static let named: [(name: String, field: FilterField)] = [
        ("type", .type), ("kind", .kind), ("room", .room), ("actor", .actor), ("event", .event),
        ("namespace", .namespace), ("dir", .direction), ("size", .size), ("lag", .lag), ("known", .known),
        ("is_user", .isUser), ("mentions", .mentions), ("title", .title),
        ("room_title", .title), ("actor_name", .actorName), ("is_read", .isRead), ("text", .text),
        ("time", .time),
        ("diff.op", .diffOperation),
        ("diff.section", .diffSection), ("diff.kind", .diffKind), ("diff.id", .diffID), ("diff.field", .diffField),
    ]

    package var domain: Domain {
        switch self {
        case .type: .words(Report.typeNames)
        case .kind: .words(Self.kinds)
        case .direction: .words(["in", "out"])
        case .diffOperation: .words(DiffOperation.allCases.map(\.rawValue))
        case .diffKind: .words(Item.Kind.all.map(\.rawValue))
        case .room, .title, .actor, .actorName, .event, .namespace, .mentions, .text, .diffSection, .diffID, .diffField:
            .text
        case .size: .size
        case .lag: .span
        case .time: .instant
        case .known, .isUser, .isRead: .truth
        case .payload: .json
        }
    }

    /// Of events, and of rows: a change that no event caused is of its rows' kinds.
    private static let kinds =
        BackendModule.allEventKinds + Item.Kind.all.map(\.rawValue).filter { !BackendModule.allEventKinds.contains($0) }

    /// The words that its values are, with those of a profile where it asks for a kind; nil where they are no closed list.
    func words(with kinds: [String]) -> [String]? {
        guard case .words(let words) = domain else { return nil }
        return self == .kind || self == .diffKind ? words + kinds.filter { !words.contains($0) } : words
    }

    /// Whether it is asked of each row of a change on its own.
    package var isOfRows: Bool {
        switch self {
        case .diffOperation, .diffSection, .diffKind, .diffID, .diffField, .isRead, .time: true
        case .type, .kind, .room, .actor, .event, .namespace, .direction, .size, .lag, .known, .isUser, .mentions,
            .text, .title, .actorName, .payload:
            false
        }
    }
}

/// What a change does to a row.
package enum DiffOperation: String, CaseIterable, Sendable {
    case delete, insert, move, update
}

extension FilterField: CustomStringConvertible {
    /// The field as it is written.
    public var description: String {
        guard case .payload(let steps) = self else {
            return Self.named.first { $0.field == self }?.name ?? ""
        }
        return steps.reduce(into: "payload") { text, step in
            switch step {
            case .key(let key) where FilterSyntax.isPlainKey(key): text += "." + key
            case .key(let key): text += "." + FilterSyntax.quoted(key)
            case .element(let index): text += "[\(index)]"
            }
        }
    }
}

extension Report {
    /// What reports are called, as in the objects of `--format json`.
    package static let typeNames = [
        "event", "diff", "gap", "conn", "room", "action", "emit", "refetch", "typing", "undecodable", "notice", "mark",
    ]

    /// What this one is called.
    package var typeName: String {
        switch self {
        case .event: "event"
        case .diff: "diff"
        case .gap: "gap"
        case .connection: "conn"
        case .room: "room"
        case .action: "action"
        case .emit: "emit"
        case .refetch: "refetch"
        case .typing: "typing"
        case .undecodable: "undecodable"
        case .notice(let notice): notice.mark == nil ? "notice" : "mark"
        }
    }
}

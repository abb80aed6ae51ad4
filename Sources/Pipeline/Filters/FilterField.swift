import Events
import Terminal

/// A field that a filter can test.
public enum FilterField: Hashable, Sendable {
    case type, kind, room, actor, event, namespace, direction, size, lag, known, isUser, mentions, text
    case title, actorName, isRead, time
    case diffOperation, diffSection, diffKind, diffID, diffField
    /// A value in the event's payload. The path has at least one step.
    case payload([Step])

    /// One step of a path into a JSON value.
    public enum Step: Hashable, Sendable {
        case key(String)
        case element(Int)
    }

    /// The type of a field's values.
    package enum Domain {
        /// A closed list of words.
        case words([String])
        case text
        /// A size in bytes, such as `64K`.
        case size
        /// A duration, such as `500ms`.
        case span
        /// A point in time, such as `2026-07-29`.
        case instant
        case truth
        /// Any JSON value that the peer sends.
        case json
    }

    /// The fields that have a fixed name, in the order of the documentation. A field may have more than one name.
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

    /// The kinds of events and of rows. A change without an event has the kinds of its rows.
    private static let kinds =
        BackendModule.allEventKinds + Item.Kind.all.map(\.rawValue).filter { !BackendModule.allEventKinds.contains($0) }

    /// Returns the words that the field accepts, or `nil` when its values are not a closed list.
    ///
    /// - Parameter kinds: The kinds that a profile declares, appended for `kind` and `diff.kind`.
    func words(with kinds: [String]) -> [String]? {
        guard case .words(let words) = domain else { return nil }
        return self == .kind || self == .diffKind ? words + kinds.filter { !words.contains($0) } : words
    }

    /// Whether a test of the field applies to each row of a change separately.
    package var isOfRows: Bool {
        switch self {
        case .diffOperation, .diffSection, .diffKind, .diffID, .diffField, .isRead, .time: true
        case .type, .kind, .room, .actor, .event, .namespace, .direction, .size, .lag, .known, .isUser, .mentions,
            .text, .title, .actorName, .payload:
            false
        }
    }
}

/// The effect of a change on a row.
package enum DiffOperation: String, CaseIterable, Sendable {
    case delete, insert, move, update
}

extension FilterField: CustomStringConvertible {
    /// The name of the field in filter syntax.
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
    /// The names of the report types, as in the objects of `--format json`.
    package static let typeNames = [
        "event", "diff", "gap", "conn", "room", "action", "emit", "refetch", "typing", "undecodable", "notice", "mark",
    ]

    /// The name of this report's type, one of `typeNames`.
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

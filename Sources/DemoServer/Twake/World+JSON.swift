import Events
import JSONText

/// The entities in the form of frames (Twake TW-29). Era B's answers extend these forms.
extension World {
    func json(_ channel: Channel) -> JSONValue {
        let value = sharedJSON(channel)
        guard edition == .last else { return value }
        let count = channel.threads.reduce(0) { $0 + 1 + (threads[$1]?.replies.count ?? 0) }
        return value.adding([
            "default": .bool(channel.isDefault), "is_readonly": .bool(false),
            "stats": .fields([
                "members": .integer(Int64(channel.memberships.count)), "messages": .integer(Int64(count)),
            ]),
        ])
    }

    private func sharedJSON(_ channel: Channel) -> JSONValue {
        .fields([
            "is_default": .bool(channel.isDefault), "archived": .bool(false), "members": .ids(channel.participants),
            "connectors": .array([]), "last_activity": .integer(channel.lastActivity), "company_id": .id(company.id),
            "workspace_id": .id(channel.workspace), "id": .id(channel.id), "archivation_date": .integer(0),
            "channel_group": .string(""), "description": .string(channel.description), "icon": .string(channel.icon),
            "name": .string(channel.name), "owner": .id(channel.owner),
            "visibility": .string(channel.visibility.rawValue),
            "updated_at": .integer(channel.updatedAt), "created_at": .integer(channel.createdAt),
        ])
    }

    /// Returns a deleted channel: its key and the defaults of the server's class.
    func sparseJSON(_ channel: Channel) -> JSONValue {
        .fields([
            "is_default": .bool(false), "archived": .bool(false), "members": .array([]), "connectors": .array([]),
            "last_activity": .integer(0), "company_id": .id(company.id), "workspace_id": .id(channel.workspace),
            "id": .id(channel.id),
        ])
    }

    func json(_ summary: MessageSummary) -> JSONValue {
        .fields([
            "date": .integer(summary.date), "sender": .id(summary.sender), "sender_name": .string(summary.senderName),
            "title": .string(summary.title), "text": .string(summary.text),
        ])
    }

    func json(_ membership: Membership, in channel: Channel) -> JSONValue {
        .fields([
            "company_id": .id(company.id), "workspace_id": .id(channel.workspace), "user_id": .id(membership.user),
            "channel_id": .id(channel.id), "id": .id(membership.user), "type": .string("member"),
            "last_access": .integer(membership.lastAccess), "last_increment": .integer(0),
            "favorite": .bool(membership.isFavorite), "notification_level": .string(membership.level.rawValue),
            "expiration": .null, "updated_at": .integer(membership.updatedAt),
            "created_at": .integer(membership.createdAt),
        ])
    }

    func json(_ message: Message) -> JSONValue {
        let deleted = message.isDeleted
        return .fields([
            "thread_id": .id(message.thread), "id": .id(message.id), "ephemeral": .null, "type": .string("message"),
            "subtype": .text(deleted ? "deleted" : nil), "created_at": .integer(message.createdAt),
            "updated_at": .integer(message.updatedAt), "user_id": .id(message.user), "application_id": .null,
            "text": .string(message.text),
            "blocks": .array(
                deleted ? [] : [.fields(["type": .string("twacode"), "elements": .array(pieces(of: message.text))])]),
            "files": deleted ? .array([]) : json(filesOf: message), "context": message.context ?? .null,
            "edited": message.editedAt.map { .fields(["edited_at": .integer($0)]) } ?? .null,
            "pinned_info": message.pin.map { .fields(["pinned_at": .integer($0.at), "pinned_by": .id($0.by)]) }
                ?? .null,
            "reactions": message.reactions.isEmpty && !deleted ? .null : json(message.reactions), "bookmarks": .null,
            "override": .null,
        ])
    }

    /// Splits a text as the sender's client does: mentions, and the text between them (Twake TW-75). An unknown name
    /// remains text.
    func pieces(of text: String) -> [JSONValue] {
        var pieces: [JSONValue] = []
        var plain = ""
        for piece in Twake.Twacode.pieces(ofText: text) {
            switch piece {
            case .text(let text): plain += text
            case .mention(let name, let id):
                guard let word = mention(name, id) else {
                    plain += "@" + name + (id.map { ":\($0)" } ?? "")
                    continue
                }
                if !plain.isEmpty { pieces.append(.string(plain)) }
                plain = ""
                pieces.append(.fields(["start": .string("@"), "content": .string(word)]))
            case .lineBreak, .file, .group, .other: break
            }
        }
        return plain.isEmpty && !pieces.isEmpty ? pieces : pieces + [.string(plain)]
    }

    /// Returns `name:id` for a user; `all` and `here` stay unchanged.
    private func mention(_ name: String, _ id: EntityID?) -> String? {
        if name == "all" || name == "here" { return name }
        return (id.flatMap { user($0) } ?? user(login: name)).map { "\($0.username):\($0.id)" }
    }

    func json(_ reactions: [Message.Reaction]) -> JSONValue {
        .array(
            reactions.map {
                .fields(["name": .string($0.name), "count": .integer(Int64($0.users.count)), "users": .ids($0.users)])
            })
    }

    func json(_ badge: Badge) -> JSONValue {
        .fields([
            "company_id": .id(company.id), "user_id": .id(badge.user), "workspace_id": .id(badge.workspace),
            "channel_id": .id(badge.channel), "thread_id": .id(badge.thread), "message_id": .id(badge.message),
            "id": .id(badge.id),
        ])
    }
}

import Events
import JSONText

/// The JSON bodies for GroupMe's REST service (GroupMe GM-29 to GM-43).
enum GroupMeBodies {
    /// Returns the body of a message to a group or, with a recipient, to a direct. Replies and pictures are
    /// attachments.
    static func message(
        _ text: String, re thread: EntityID?, pictures: [String] = [], as id: EntityID, to recipient: GroupMe.UserID?
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key(recipient == nil ? "message" : "direct_message")
        writer.beginObject()
        writer.member("source_guid", id.description)
        writer.member("recipient_id", recipient?.description)
        if !text.isEmpty { writer.member("text", text) }
        writer.key("attachments")
        writer.beginArray()
        if let thread {
            writer.beginObject()
            writer.member("type", "reply")
            writer.member("reply_id", thread.description)
            writer.member("base_reply_id", thread.description)
            writer.endObject()
        }
        for address in pictures { picture(at: address, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// Appends a picture as an attachment.
    static func picture(at address: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", "image")
        writer.member("url", address)
        writer.endObject()
    }

    /// Returns the body that creates a group or changes one. Fields that are `nil` are left out.
    static func group(changedBy change: Action.ChannelChange) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", change.name)
        writer.member("description", change.description)
        writer.member("image_url", change.icon?.unlessEmpty)
        writer.member("share", change.visibility.map { $0 == .public })
        writer.endObject()
        return writer.bytes
    }

    /// Returns the body that adds members. Each gets a `guid` derived from `id`, which the results repeat.
    static func newMembers(_ users: [(id: EntityID, nickname: String)], guid id: EntityID) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("members")
        writer.beginArray()
        for user in users {
            writer.beginObject()
            writer.member("nickname", user.nickname)
            writer.member("user_id", user.id.description)
            writer.member("guid", "\(id)-\(user.id)")
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Returns the body that rejoins a former group.
    static func rejoining(_ group: GroupMe.GroupID) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("group_id", group.entity.description)
        writer.endObject()
        return writer.bytes
    }

    /// Returns the body of a reaction with an emoji.
    static func reaction(_ code: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("like_icon")
        GroupMe.ReactionSymbol.unicode(code).encode(into: &writer)
        writer.endObject()
        return writer.bytes
    }
}

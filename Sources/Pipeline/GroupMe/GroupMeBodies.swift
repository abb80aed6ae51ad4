import Events
import JSONText

/// What is sent to GroupMe's REST service (3.3 to 3.5).
enum GroupMeBodies {
    /// A message to a group, or, with a recipient, in a direct. A reply is an attachment, as pictures are.
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

    /// A picture as an attachment.
    static func picture(at address: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", "image")
        writer.member("url", address)
        writer.endObject()
    }

    /// A group to be made, or changed as far as something is named.
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

    /// Users to be added; the `guid` of each, made of `id`, is in the results again.
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

    /// A group that the user goes back into.
    static func rejoining(_ group: GroupMe.GroupID) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("group_id", group.entity.description)
        writer.endObject()
        return writer.bytes
    }

    /// A reaction with an emoji.
    static func reaction(_ code: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("like_icon")
        GroupMe.ReactionSymbol.unicode(code).encode(into: &writer)
        writer.endObject()
        return writer.bytes
    }
}

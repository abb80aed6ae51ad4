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
        add("source_guid", id.description, to: &writer)
        if let recipient { add("recipient_id", recipient.description, to: &writer) }
        if !text.isEmpty { add("text", text, to: &writer) }
        writer.key("attachments")
        writer.beginArray()
        if let thread {
            writer.beginObject()
            add("type", "reply", to: &writer)
            add("reply_id", thread.description, to: &writer)
            add("base_reply_id", thread.description, to: &writer)
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
        add("type", "image", to: &writer)
        add("url", address, to: &writer)
        writer.endObject()
    }

    /// A group to be made, or changed as far as something is named.
    static func group(name: String?, description: String?, picture: String?, isShared: Bool?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if let name { add("name", name, to: &writer) }
        if let description, !description.isEmpty || isShared == nil { add("description", description, to: &writer) }
        if let picture, !picture.isEmpty { add("image_url", picture, to: &writer) }
        writer.member("share", isShared)
        writer.endObject()
        return writer.bytes
    }

    /// A user to be added; the `guid` is in the results again.
    static func newMember(_ user: EntityID, nickname: String, guid: EntityID) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("members")
        writer.beginArray()
        writer.beginObject()
        add("nickname", nickname, to: &writer)
        add("user_id", user.description, to: &writer)
        add("guid", guid.description, to: &writer)
        writer.endObject()
        writer.endArray()
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

    private static func add(_ name: StaticString, _ text: String, to writer: inout JSONWriter) {
        writer.key(name)
        writer.string(text)
    }
}

package import Events

// Channels have names. A backend may call them groups, directs or conversations.
extension Item {
    /// The name of the channel that the row describes, or of the other user of a direct conversation. Untrusted text;
    /// `nil` if the row is not a channel or has no name.
    public var channelName: String? {
        let name = entity.value.channelName
        return name?.isEmpty == false ? name : nil
    }

    /// The part of a room's name that identifies the channel which the row describes.
    public var roomPart: String {
        entity.value.roomPart ?? id.id.description
    }

    /// The time of the message that the row describes; `nil` if the row is not a message, or if neither its entity nor
    /// its position contains a time.
    package var saidAt: Timestamp? {
        guard id.kind == .message else { return nil }
        if let time = entity.value.saidAt { return time }
        // A declared backend may order its rows by something other than time.
        return sortKey > 100_000_000_000 ? Timestamp(milliseconds: sortKey) : nil
    }

    /// Whether the user has left the channel. It is then not a room, and no message can be sent to it.
    public var isFormerChannel: Bool { sectionKey == .formerGroups }
}

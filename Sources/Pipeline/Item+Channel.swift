package import Events

// Channels have names, whatever a backend calls them: groups, directs, conversations.
extension Item {
    /// What people call the channel that the row is: its name, or that of the one a direct is with. Untrusted text; nil for a row that
    /// is no channel, and for one without a name.
    public var channelName: String? {
        let name = entity.value.channelName
        return name?.isEmpty == false ? name : nil
    }

    /// The part of rooms' names that stands for the channel which the row is.
    public var roomPart: String {
        entity.value.roomPart ?? id.id.description
    }

    /// When the message was said that the row is; nil for a row that is no message, and where neither it nor its place says it.
    package var saidAt: Timestamp? {
        guard id.kind == .message else { return nil }
        if let time = entity.value.saidAt { return time }
        // A row of a declared backend may be ordered by something else than time.
        return sortKey > 100_000_000_000 ? Timestamp(milliseconds: sortKey) : nil
    }

    /// Whether the user is in it no more: it is no room, and nothing can be said in it.
    public var isFormerChannel: Bool { sectionKey == .formerGroups }
}

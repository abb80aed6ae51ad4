import Events

// Channels have names, whatever a backend calls them: groups, directs, conversations.
extension Item {
    /// What people call the channel that the row is: its name, or that of the one a direct is with. Untrusted text; nil for a row that
    /// is no channel, and for one without a name.
    public var channelName: String? {
        let name: String? =
            switch entity {
            case .twakeChannel(let channel): channel.name
            case .groupMe(.group(let group)): group.name
            case .groupMe(.chat(let chat)): chat.partner.name
            case .twakeMessage, .twakeMember, .twakeBadge, .twakeBadgeCount, .twakeAccount, .twakeCompany,
                .twakeWorkspace, .twakePresence, .hole, .groupMe:
                nil
            }
        return name?.isEmpty == false ? name : nil
    }

    /// The part of rooms' names that stands for the channel which the row is.
    public var roomPart: String {
        guard case .groupMe(.chat(let chat)) = entity else { return id.id.description }
        // A direct's channel is spelled otherwise than its id (`reference/groupme.md` 1.6).
        let channel = GroupMe.Channel.conversation(chat.conversation).description
        return String(channel.split(separator: "/").last ?? "")
    }

    /// Whether the user is in it no more: it is no room, and nothing can be said in it.
    public var isFormerChannel: Bool { sectionKey == .formerGroups }
}

import Events

/// The names of the server's rooms (`reference/twake.md` 2.1). They are opaque texts: the query is part of the name.
struct RoomNames: Sendable {
    let company: EntityID

    /// `channel` and `channel_activity` of a workspace's public and private channels.
    func publicList(_ workspace: EntityID) -> String {
        "/companies/\(company)/workspaces/\(workspace)/channels?type=public"
    }

    /// `channel_member` of one user in a workspace.
    func privateList(_ workspace: EntityID, user: EntityID) -> String {
        "/companies/\(company)/workspaces/\(workspace)/channels?type=private&user=\(user)"
    }

    /// Everything about one user's directs.
    func directList(user: EntityID) -> String {
        "/companies/\(company)/workspaces/\(World.directWorkspace)/channels?type=direct&user=\(user)"
    }

    /// `channel_member` of every member of one channel.
    func members(_ channel: Channel) -> String {
        "/companies/\(company)/workspaces/\(channel.workspace)/channels/\(channel.id)?type=public"
    }

    /// Era B: messages of one channel.
    func feed(_ channel: Channel) -> String {
        "/companies/\(company)/workspaces/\(channel.workspace)/channels/\(channel.id)/feed"
    }

    /// Era B: messages of one thread.
    func thread(_ id: EntityID) -> String { "/companies/\(company)/threads/\(id)" }

    /// Era A: ids of messages of one channel.
    func messageUpdates(_ channel: EntityID) -> String { "previous::channels/\(channel)/messages/updates" }

    /// Badges and desktop notifications of one user.
    func notifications(user: EntityID) -> String { "/notifications?type=private&user=\(user)" }

    /// A user's own account.
    func me(_ user: EntityID) -> String { "/me/\(user)" }

    /// Who is writing.
    var writing: String { "/companies/\(company)/workspaces" }

    /// Who is present.
    var online: String { "/users/online/\(company)" }

    /// Where the real server tells who left: it does not know the company by then, so nobody ever hears it (1.6).
    var offline: String { "/users/online/toBeFetched" }

    /// The list room that tells a user of memberships in a channel.
    func memberList(_ channel: Channel, user: EntityID) -> String {
        channel.isDirect ? directList(user: user) : privateList(channel.workspace, user: user)
    }

    /// The list rooms that tell of a channel itself and of its activity.
    func channelLists(_ channel: Channel) -> [String] {
        channel.isDirect ? channel.participants.map { directList(user: $0) } : [publicList(channel.workspace)]
    }
}

extension World {
    /// Whether a user has a right to what a room is about: the company is theirs, the channel is public or they are in it, and nothing in it
    /// is another user's.
    func hasRight(_ user: EntityID, to room: String) -> Bool {
        let parts = room.split(separator: "?", maxSplits: 1)
        let path = parts[0].split(separator: "/").map(String.init)
        func id(after word: String) -> EntityID? {
            path.firstIndex(of: word).flatMap { $0 + 1 < path.count ? EntityID(path[$0 + 1]) : nil }
        }
        for item in parts.dropFirst().flatMap({ $0.split(separator: "&") }) where item.hasPrefix("user=") {
            guard item.dropFirst(5) == user.description else { return false }
        }
        if let company = id(after: "companies"), company != self.company.id { return false }
        if let workspace = id(after: "workspaces"), workspace != Self.directWorkspace, self.workspace(workspace) == nil
        {
            return false
        }
        let channel =
            id(after: "channels") ?? id(after: "previous::channels")
            ?? id(after: "threads").flatMap { threads[$0]?.channel }
        return channel.map { self.channel($0).map { isVisible($0, to: user) } ?? false } ?? true
    }
}

import WeirEvents
package import WeirJSON

/// An event that the server sends to every client in a room.
package struct Frame: Hashable, Sendable {
    /// The Socket.IO events that carry frames.
    package enum Name: String, Hashable, Sendable {
        case resource = "realtime:resource"
        case event = "realtime:event"
    }

    /// The change to a resource (Twake TW-26).
    enum Action: String, Hashable, Sendable {
        case created, saved, updated, deleted, event
    }

    package var room: String
    package var name: Name
    package var payload: JSONValue

    /// Creates a `realtime:resource` frame about one resource.
    static func resource(_ action: Action, _ type: String, room: String, path: String? = "/", _ resource: JSONValue)
        -> Frame
    {
        Frame(
            room: room, name: .resource,
            payload: .fields([
                "action": .string(action.rawValue), "room": .string(room), "type": .string(type), "path": .text(path),
                "resource": resource,
            ]))
    }

    /// Creates a `realtime:event` frame with the room as its name.
    static func event(room: String, data: JSONValue) -> Frame {
        Frame(room: room, name: .event, payload: .fields(["name": .string(room), "data": data]))
    }
}

/// The names of the server's rooms (Twake TW-14). They are opaque texts; the query is part of the name.
struct RoomNames: Sendable {
    let company: EntityID

    /// Returns the room for `channel` and `channel_activity` of a workspace's public and private channels.
    func publicList(_ workspace: EntityID) -> String {
        "/companies/\(company)/workspaces/\(workspace)/channels?type=public"
    }

    /// Returns the room for `channel_member` of one user in a workspace.
    func privateList(_ workspace: EntityID, user: EntityID) -> String {
        "/companies/\(company)/workspaces/\(workspace)/channels?type=private&user=\(user)"
    }

    /// Returns the room for all events of a user's direct channels.
    func directList(user: EntityID) -> String {
        "/companies/\(company)/workspaces/\(World.directWorkspace)/channels?type=direct&user=\(user)"
    }

    /// Returns the room for `channel_member` of all members of a channel.
    func members(_ channel: Channel) -> String {
        "/companies/\(company)/workspaces/\(channel.workspace)/channels/\(channel.id)?type=public"
    }

    /// Returns era B's room for the messages of a channel.
    func feed(_ channel: Channel) -> String {
        "/companies/\(company)/workspaces/\(channel.workspace)/channels/\(channel.id)/feed"
    }

    /// Returns era B's room for the messages of a thread.
    func thread(_ id: EntityID) -> String { "/companies/\(company)/threads/\(id)" }

    /// Returns era A's room for the ids of changed messages in a channel.
    func messageUpdates(_ channel: EntityID) -> String { "previous::channels/\(channel)/messages/updates" }

    /// Returns the room for the badges and desktop notifications of a user.
    func notifications(user: EntityID) -> String { "/notifications?type=private&user=\(user)" }

    /// Returns the room for a user's own account.
    func me(_ user: EntityID) -> String { "/me/\(user)" }

    /// The room for typing events, and for changes to workspaces.
    var writing: String { "/companies/\(company)/workspaces" }

    /// The room for users who come online.
    var online: String { "/users/online/\(company)" }

    /// The room for users who go offline. The real server has lost the company by then, so the room has no members
    /// (Twake TW-21).
    var offline: String { "/users/online/toBeFetched" }

    /// Returns the list room that reports a user's memberships in a channel.
    func memberList(_ channel: Channel, user: EntityID) -> String {
        channel.isDirect ? directList(user: user) : privateList(channel.workspace, user: user)
    }

    /// Returns the list rooms that report changes to a channel and its activity.
    func channelLists(_ channel: Channel) -> [String] {
        channel.isDirect ? channel.participants.map { directList(user: $0) } : [publicList(channel.workspace)]
    }
}

extension World {
    /// Returns whether a user has a right to a room's subject. The company must be the user's, a channel must be public
    /// or one of the user's, and a `user` parameter must be the user's id.
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

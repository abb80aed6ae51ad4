import WeirEvents
import WeirJSON

/// Actions on channels, direct channels and workspaces (Twake TW-54 to TW-57, TW-59).
extension World {
    /// Creates a channel (Twake TW-56). The owner's membership is sent before the channel, then its first activity,
    /// then each invited member.
    mutating func createChannel(_ new: NewChannel<EntityID>, by user: User, at now: Int64, id: EntityID)
        throws(WorldError) -> Outcome
    {
        guard workspace(new.workspace) != nil else { throw .notFound("Workspace not found") }
        try check(name: new.name, icon: new.icon, description: new.description)
        guard channels.count < Limit.channels else { throw .refused("There are \(Limit.channels) channels already") }
        var channel = Channel(
            id: id, workspace: new.workspace, visibility: new.isPrivate ? .private : .public, name: new.name,
            icon: new.icon,
            description: new.description, owner: user.id, isDefault: new.isDefault, createdAt: now, updatedAt: now)
        channel.memberships = [membership(of: user.id, at: now)]
        channels.append(channel)
        var frames = memberFrames(.saved, user.id, in: channel)
        frames += channelFrames(.saved, channel)
        channel.lastActivity = now
        store(channel)
        frames += activityFrames(channel)
        let invited = new.isDefault ? users.map(\.id) : new.members
        for member in invited where self.user(member) != nil && self.channel(id)?.membership(of: member) == nil {
            frames += join(member, id, at: now)
        }
        return Outcome(frames: frames, subject: id)
    }

    /// Changes a channel (Twake TW-57), with one `channel saved` that contains the real last activity. Only the owner
    /// and the workspace's moderator may change its visibility. As in the core, the other changes of another user are
    /// still made.
    mutating func changeChannel(
        _ id: EntityID, name: String?, icon: String?, description: String?, isPrivate: Bool?, by user: User,
        at now: Int64
    ) throws(WorldError) -> Outcome {
        var channel = try visibleChannel(id, to: user)
        guard !channel.isDirect else { throw .badRequest("A direct channel has no name") }
        try check(name: name ?? channel.name, icon: icon ?? "", description: description ?? "")
        let before = channel
        channel.name = name ?? channel.name
        channel.icon = icon ?? channel.icon
        channel.description = description ?? channel.description
        let visibility = isPrivate.map { $0 ? Channel.Visibility.private : .public } ?? channel.visibility
        if [channel.owner, workspace(channel.workspace)?.owner].contains(user.id) {
            channel.visibility = visibility
        } else if channel == before, visibility != channel.visibility {
            throw .badRequest("Current user can not update requested fields")
        }
        guard channel != before else { throw .badRequest("Nothing to update") }
        channel.updatedAt = now
        store(channel)
        return Outcome(frames: channelFrames(.saved, channel), subject: id)
    }

    /// Deletes a channel (Twake TW-59), with one `channel deleted` and the removal of its badges. Members get no
    /// individual frames.
    mutating func deleteChannel(_ id: EntityID, by user: User) throws(WorldError) -> Outcome {
        let channel = try visibleChannel(id, to: user)
        guard !channel.isDirect else { throw .badRequest("A direct channel cannot be deleted") }
        guard channel.membership(of: user.id) != nil else { throw .forbidden("You are not a member of this channel") }
        return Outcome(frames: channelFrames(.deleted, channel) + forget(channel), subject: id)
    }

    /// Removes a channel with its messages. Returns the frames of the removed badges.
    private mutating func forget(_ channel: Channel) -> [Frame] {
        channels.removeAll { $0.id == channel.id }
        for thread in channel.threads {
            for message in messages(ofThread: thread) { messages[message.id] = nil }
            threads[thread] = nil
        }
        delayed.removeAll { messages[$0.message] == nil }
        return users.flatMap { removeBadges(of: $0.id, in: channel.id) }
    }

    /// Opens a direct channel (Twake TW-54), or finds it (Twake TW-55). Only the user who opens it becomes a member
    /// now.
    mutating func openDirect(with others: [EntityID], by user: User, at now: Int64, id: EntityID) throws(WorldError)
        -> Outcome
    {
        var participants = [user.id]
        for other in others where !participants.contains(other) {
            guard self.user(other) != nil else { throw .notFound("User \(other) not found") }
            participants.append(other)
        }
        if let known = channels.first(where: { $0.isDirect && Set($0.participants) == Set(participants) }) {
            let frames = rooms.channelLists(known).map { channelFrame(.saved, "channels", known, room: $0) }
            return Outcome(frames: frames, subject: known.id)
        }
        guard channels.count < Limit.channels else { throw .refused("There are \(Limit.channels) channels already") }
        var channel = Channel(
            id: id, workspace: Self.directWorkspace, visibility: .direct, name: "", icon: "", description: "",
            owner: user.id,
            participants: participants, createdAt: now, updatedAt: now)
        channel.memberships = [membership(of: user.id, at: now)]
        channels.append(channel)
        var frames = memberFrames(.saved, user.id, in: channel)
        frames += channelFrames(.saved, channel)
        channel.lastActivity = now
        store(channel)
        frames += activityFrames(channel)
        return Outcome(frames: frames, subject: id)
    }

    /// Creates a workspace with all users as members, and reports it in the company's room (from 2021.Q4 on).
    mutating func createWorkspace(_ name: String, by user: User, at now: Int64, id: EntityID) throws(WorldError)
        -> Outcome
    {
        guard !name.isEmpty, name.count <= Limit.title else {
            throw .badRequest("The workspace has no name, or a long one")
        }
        guard workspaces.count < Limit.workspaces else {
            throw .refused("There are \(Limit.workspaces) workspaces already")
        }
        let workspace = Workspace(id: id, name: name, createdAt: now, owner: user.id)
        workspaces.append(workspace)
        return Outcome(
            frames: [.resource(.saved, "workspace", room: rooms.writing, json(workspace))], subject: id)
    }

    /// Renames a workspace, and reports it in the company's room (from 2021.Q4 on).
    mutating func renameWorkspace(_ id: EntityID, name: String) throws(WorldError) -> Outcome {
        guard let index = workspaces.firstIndex(where: { $0.id == id }) else { throw .notFound("Workspace not found") }
        guard !name.isEmpty, name.count <= Limit.title else {
            throw .badRequest("The workspace has no name, or a long one")
        }
        workspaces[index].name = name
        return Outcome(
            frames: [.resource(.saved, "workspace", room: rooms.writing, json(workspaces[index]))], subject: id)
    }

    /// Deletes a workspace. The real server sends no event; clients notice it in the lists.
    mutating func deleteWorkspace(_ id: EntityID) throws(WorldError) -> Outcome {
        guard workspace(id) != nil else { throw .notFound("Workspace not found") }
        for channel in channels where channel.workspace == id { _ = forget(channel) }
        workspaces.removeAll { $0.id == id }
        return Outcome(subject: id)
    }

    /// Adds or removes a member of a workspace. Only its moderator may do so, and the moderator cannot be removed.
    mutating func changeMember(
        _ id: EntityID, ofWorkspace workspace: EntityID, isMember: Bool, by user: User
    ) throws(WorldError) -> Outcome {
        guard let index = workspaces.firstIndex(where: { $0.id == workspace }) else {
            throw .notFound("Workspace not found")
        }
        guard workspaces[index].owner == user.id else {
            throw .forbidden("Only workspace moderators can perform this action")
        }
        let isThere = self.user(id) != nil && !workspaces[index].removed.contains(id)
        guard self.user(id) != nil, isMember || isThere else { throw .notFound("User \(id) not found") }
        guard isMember || id != user.id else { throw .forbidden("The last moderator cannot be removed") }
        if isMember { workspaces[index].removed.remove(id) } else { workspaces[index].removed.insert(id) }
        return Outcome(subject: id)
    }

    /// Returns the users of a workspace.
    func members(of workspace: Workspace) -> [User] { users.filter { !workspace.removed.contains($0.id) } }

    /// Returns the workspaces of which a user is a member.
    func workspaces(of user: EntityID) -> [Workspace] { workspaces.filter { !$0.removed.contains(user) } }

    // MARK: -

    /// Returns a `channel` frame for every list room of the channel.
    private func channelFrames(_ action: Frame.Action, _ channel: Channel) -> [Frame] {
        rooms.channelLists(channel).map { channelFrame(action, "channel", channel, room: $0) }
    }

    private func channelFrame(_ action: Frame.Action, _ type: String, _ channel: Channel, room: String) -> Frame {
        let resource = action == .deleted ? sparseJSON(channel) : json(channel)
        return .resource(action, type, room: room, path: channelPath(channel), resource)
    }

    /// Returns a `channel_activity` frame for every list room of the channel.
    func activityFrames(_ channel: Channel) -> [Frame] {
        let resource = JSONValue.fields([
            "company_id": .id(company.id), "workspace_id": .id(channel.workspace), "id": .id(channel.id),
            "last_activity": .integer(channel.lastActivity),
            "last_message": channel.lastMessage.map { json($0) } ?? .null,
        ])
        return rooms.channelLists(channel).map {
            .resource(.updated, "channel_activity", room: $0, path: channelPath(channel), resource)
        }
    }

    func channelPath(_ channel: Channel) -> String {
        "/companies/\(company.id)/workspaces/\(channel.workspace)/channels/\(channel.id)"
    }

    /// Returns the title of a message in lists and notifications (Twake TW-33).
    func title(of channel: Channel, sender: User, withIcon: Bool) -> String {
        if channel.isDirect { return "\(sender.fullName) in \(company.name)" }
        let icon = withIcon && !channel.icon.isEmpty ? "\(channel.icon) " : ""
        return "\(icon)\(channel.name) in \(company.name) • \(workspace(channel.workspace)?.name ?? "")"
    }

    func membership(of user: EntityID, at now: Int64) -> Membership {
        Membership(user: user, lastAccess: now, createdAt: now, updatedAt: now)
    }

    private func check(name: String, icon: String, description: String) throws(WorldError) {
        guard !name.isEmpty else { throw .badRequest("The channel has no name") }
        guard max(name.count, icon.count, description.count) <= Limit.title else {
            throw .badRequest("A channel's name, icon or description has more than \(Limit.title) characters")
        }
    }
}

import Events
import JSONText

/// Memberships: joining, leaving, read markers (Twake TW-53, TW-58), and typing.
extension World {
    mutating func addMember(
        _ member: EntityID, to id: EntityID, by user: User, at now: Int64
    ) throws(WorldError) -> Outcome {
        let channel = try visibleChannel(id, to: user)
        guard !channel.isDirect else { throw .badRequest("A direct channel has no other members") }
        guard self.user(member) != nil else { throw .notFound("User \(member) not found") }
        guard channel.membership(of: member) == nil else {
            throw .badRequest("User is already a member of the channel")
        }
        return Outcome(frames: join(member, id, at: now), subject: id)
    }

    /// Removes a member (Twake TW-58), with frames in the member's list and the channel's room, and without `channel
    /// deleted`.
    mutating func removeMember(_ member: EntityID, from id: EntityID, by user: User) throws(WorldError) -> Outcome {
        var channel = try visibleChannel(id, to: user)
        guard !channel.isDirect else { throw .badRequest("A direct channel cannot be left") }
        guard channel.membership(of: member) != nil else { throw .notFound("Channel member not found") }
        let frames = memberFrames(.deleted, member, in: channel)
        channel.memberships.removeAll { $0.user == member }
        store(channel)
        delayed.removeAll { $0.recipient == member && messages[$0.message]?.channel == id }
        return Outcome(frames: frames + removeBadges(of: member, in: id), subject: id)
    }

    /// Changes the user's settings of a channel. The frames are sent even when nothing changed (Twake TW-57).
    mutating func changeMembership(
        of user: User, in id: EntityID, isFavorite: Bool?, level: NotificationLevel?, at now: Int64
    ) throws(WorldError) -> Outcome {
        try changeMembership(of: user, in: id, at: now) { membership in
            membership.isFavorite = isFavorite ?? membership.isFavorite
            membership.level = level ?? membership.level
        }
    }

    /// Marks a channel as read (Twake TW-53): the read marker, then one frame for each removed badge.
    mutating func markRead(_ id: EntityID, by user: User, at now: Int64) throws(WorldError) -> Outcome {
        var outcome = try changeMembership(of: user, in: id, at: now) { $0.lastAccess = now }
        outcome.frames += removeBadges(of: user.id, in: id)
        return outcome
    }

    /// Sets the read marker to just before the last activity.
    mutating func markUnread(_ id: EntityID, by user: User, at now: Int64) throws(WorldError) -> Outcome {
        let lastActivity = try visibleChannel(id, to: user).lastActivity
        return try changeMembership(of: user, in: id, at: now) { $0.lastAccess = max(0, lastActivity - 1) }
    }

    func typing(in id: EntityID, message: EntityID?, isWriting: Bool, by user: User) throws(WorldError) -> Outcome {
        let channel = try visibleChannel(id, to: user)
        let thread = message.flatMap { messages[$0]?.thread }
        let data = JSONValue.fields([
            "type": .string("writing"),
            "event": .fields([
                "thread_id": .string(thread?.description ?? ""), "channel_id": .id(channel.id), "user_id": .id(user.id),
                "name": .string(user.fullName), "is_writing": .bool(isWriting),
            ]),
        ])
        return Outcome(frames: [.event(room: rooms.writing, data: data)], subject: id)
    }

    // MARK: -

    /// Makes `user` a member (Twake TW-58). Messages after `lastAccess` are unread for the user.
    mutating func join(_ user: EntityID, _ id: EntityID, at now: Int64, lastAccess: Int64? = nil) -> [Frame] {
        guard var channel = channel(id) else { return [] }
        var new = membership(of: user, at: now)
        new.lastAccess = lastAccess ?? now
        channel.memberships.append(new)
        store(channel)
        return memberFrames(.saved, user, in: channel)
    }

    /// Makes the other users of a direct channel members with its first message, which is unread for them
    /// (Twake TW-54).
    mutating func admitParticipants(of channel: Channel, at now: Int64) -> [Frame] {
        var frames: [Frame] = []
        for participant in channel.participants where channel.membership(of: participant) == nil {
            frames += join(participant, channel.id, at: now, lastAccess: now - 1)
        }
        return frames
    }

    /// Returns the `channel_member` frames for the member's list (with the membership nested) and for the channel's
    /// room (with the membership bare) (Twake TW-34).
    func memberFrames(_ action: Frame.Action, _ user: EntityID, in channel: Channel) -> [Frame] {
        guard let membership = channel.membership(of: user) else { return [] }
        let bare = json(membership, in: channel)
        var nested = JSONValue.fields([
            "company_id": .id(company.id), "workspace_id": .id(channel.workspace), "id": .id(channel.id),
            "user_member": action == .deleted ? .null : bare,
        ])
        if edition == .last, action == .deleted { nested = nested.adding(["user_id": .id(user)]) }
        return [
            .resource(action, "channel_member", room: rooms.memberList(channel, user: user), nested),
            .resource(
                action, "channel_member", room: rooms.members(channel), path: "\(channelPath(channel))/members/\(user)",
                bare),
        ]
    }

    private mutating func changeMembership(
        of user: User, in id: EntityID, at now: Int64, _ change: (inout Membership) -> Void
    ) throws(WorldError) -> Outcome {
        var channel = try visibleChannel(id, to: user)
        guard let index = channel.memberships.firstIndex(where: { $0.user == user.id }) else {
            throw .notFound("Channel member not found")
        }
        change(&channel.memberships[index])
        channel.memberships[index].updatedAt = now
        store(channel)
        return Outcome(frames: memberFrames(.saved, user.id, in: channel), subject: id)
    }
}

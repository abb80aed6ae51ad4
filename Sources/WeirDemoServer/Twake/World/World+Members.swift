package import WeirEvents
import WeirJSON

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

/// Badges and desktop notifications. A badge is one unread thread of one user (Twake TW-43).
extension World {
    /// The time that the server waits before it notifies of a direct message, in milliseconds (Twake TW-54).
    static let directDelay: Int64 = 2_000

    /// Notifies members of a new message, in the order of their memberships. In a direct channel the notifications are
    /// delayed.
    mutating func notify(of message: Message) -> [Frame] {
        guard let channel = channel(message.channel) else { return [] }
        let recipients = channel.memberships.filter {
            $0.user != message.user && isNotified($0, of: message, in: channel)
        }
        if channel.isDirect {
            delayed += recipients.map {
                DelayedNotification(due: message.createdAt + Self.directDelay, message: message.id, recipient: $0.user)
            }
            return []
        }
        return recipients.flatMap { notify($0.user, of: message, in: channel) }
    }

    /// The time of the next delayed notification, in milliseconds since 1970.
    var nextDelayed: Int64? { delayed.first?.due }

    /// Sends the delayed notifications that are due by `now`.
    mutating func advance(to now: Int64) -> [Frame] {
        var frames: [Frame] = []
        while let next = delayed.first, next.due <= now {
            delayed.removeFirst()
            guard let message = messages[next.message], !message.isDeleted, let channel = channel(message.channel),
                let membership = channel.membership(of: next.recipient), membership.lastAccess < message.createdAt
            else { continue }
            frames += notify(next.recipient, of: message, in: channel)
        }
        return frames
    }

    /// Removes a user's badges of a channel, with one frame each (Twake TW-53).
    mutating func removeBadges(of user: EntityID, in channel: EntityID) -> [Frame] {
        removeBadges(of: user) { $0.channel == channel }
    }

    /// Removes the badges of a user that satisfy `goes`.
    mutating func removeBadges(of user: EntityID, where goes: (Badge) -> Bool) -> [Frame] {
        guard let mine = badges[user] else { return [] }
        badges[user] = mine.filter { !goes($0) }
        return mine.filter(goes).map { badgeFrame(.deleted, $0) }
    }

    /// Returns a user's badges, in the order of creation.
    func badges(of user: EntityID) -> [Badge] { badges[user] ?? [] }

    // MARK: -

    private mutating func notify(_ user: EntityID, of message: Message, in channel: Channel) -> [Frame] {
        let badge = Badge(
            id: badgeIDs.badge(user: user, thread: message.thread), user: user, workspace: channel.workspace,
            channel: channel.id,
            thread: message.thread, message: message.id)
        var mine = badges[user] ?? []
        if let index = mine.firstIndex(where: { $0.thread == message.thread }) {
            mine[index] = badge
        } else if mine.count < Limit.badges {
            mine.append(badge)
        } else {
            return []
        }
        badges[user] = mine
        return [badgeFrame(.saved, badge), desktopFrame(message, in: channel, to: user)]
    }

    private func badgeFrame(_ action: Frame.Action, _ badge: Badge) -> Frame {
        .resource(action, "user_notification_badges", room: rooms.notifications(user: badge.user), json(badge))
    }

    private func desktopFrame(_ message: Message, in channel: Channel, to user: EntityID) -> Frame {
        let sender = self.user(message.user)
        return .resource(
            .event, "notification:desktop", room: rooms.notifications(user: user), path: nil,
            .fields([
                "company_id": .id(company.id), "workspace_id": .id(channel.workspace), "channel_id": .id(channel.id),
                "user": .id(user), "thread_id": .id(message.thread), "message_id": .id(message.id),
                "title": .text(sender.map { title(of: channel, sender: $0, withIcon: false) }),
                "text": .string("\(sender?.fullName ?? ""): \(message.text)"),
            ]))
    }

    private func isNotified(_ membership: Membership, of message: Message, in channel: Channel) -> Bool {
        if channel.isDirect { return membership.level != .none }
        let name = user(membership.user)?.username ?? ""
        switch membership.level {
        case .all: return true
        case .mentions:
            return message.text.mentions(name) || message.text.mentions("all") || message.text.mentions("here")
        case .me: return message.text.mentions(name)
        case .none: return false
        }
    }
}

extension String {
    /// Returns whether the text contains `@name`, or `@name:id`, as a whole word.
    fileprivate func mentions(_ name: String) -> Bool {
        Twake.Twacode.pieces(ofText: self).contains {
            if case .mention(name, _) = $0 { true } else { false }
        }
    }
}

/// Language and status of accounts, and presence (Twake TW-19). The company's room reports users who come online. As on
/// the real server, users who go offline are reported to a room without members.
extension World {
    /// Sets the presence of a user without a client here. Sends no frame when nothing changes.
    mutating func presence(of user: EntityID, isOnline: Bool) -> Outcome {
        guard isOnline != present.contains(user) else { return Outcome() }
        if isOnline { present.append(user) } else { present.removeAll { $0 == user } }
        return Outcome(frames: [presenceFrame(user, isOnline: isOnline)])
    }

    /// Changes an account. The frame goes to the user's own clients (from 2021.Q4 on).
    mutating func changeAccount(of user: EntityID, language: String?, status: String?) -> Outcome {
        guard let index = users.firstIndex(where: { $0.id == user }) else { return Outcome() }
        users[index].language = language ?? users[index].language
        users[index].status = status ?? users[index].status
        return Outcome(
            frames: [.resource(.saved, "user", room: rooms.me(user), account(users[index]))], subject: user)
    }

    package func presenceFrame(_ user: EntityID, isOnline: Bool) -> Frame {
        let place: JSONValue = isOnline ? .id(company.id) : .string("toBeFetched")
        return .resource(
            .event, "user:online", room: isOnline ? rooms.online : rooms.offline, path: nil,
            .fields([
                "online": .array([
                    .fields(["company_id": place, "user_id": .id(user), "is_online": .bool(isOnline)])
                ])
            ]))
    }
}

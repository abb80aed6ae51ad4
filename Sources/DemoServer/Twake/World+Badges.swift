import Events
import JSONText

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

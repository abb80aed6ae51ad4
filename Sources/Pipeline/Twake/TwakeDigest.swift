import Events
import JSONText
package import SectionedModel

// Feeds the fields of Twake's rows into a checksum. The order of the fields must never change, or old logs would not
// verify.

// The fields of channels and messages have functions of their own, so that they are read in place and not copied.

extension Twake.Channel {
    package func feed(_ digest: inout ElementDigest) { fields.feed(&digest) }
}

extension Twake.Channel.Fields {
    fileprivate func feed(_ digest: inout ElementDigest) {
        profile.feedLook(&digest)
        digest.feed(lastActivity)
        digest.feed(lastMessage == nil ? 0 : 1)
        lastMessage?.feed(&digest)
        digest.feed(lastAccess)
        profile.feedState(&digest)
    }
}

extension Twake.Channel.Profile {
    fileprivate func feedLook(_ digest: inout ElementDigest) {
        digest.feed(1)
        digest.feed(id)
        digest.feed(company)
        digest.feed(workspace)
        digest.feed(visibility?.wireName)
        digest.feed(name)
        digest.feed(icon)
        digest.feed(description)
        digest.feed(owner)
        digest.feed(isArchived ? 1 : 0)
        digest.feed(members)
    }

    fileprivate func feedState(_ digest: inout ElementDigest) {
        digest.feed(updatedAt)
        feedDetails(&digest)
    }
}

extension Twake.MessageSummary {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(self.date)
        digest.feed(self.sender)
        digest.feed(self.senderName)
        digest.feed(self.title)
        digest.feed(self.text)
    }
}

extension Twake.Message {
    package func feed(_ digest: inout ElementDigest) { fields.feed(&digest) }
}

extension Twake.Message.Fields {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(2)
        digest.feed(id)
        digest.feed(thread)
        digest.feed(channel)
        digest.feed(user)
        digest.feed(senderName)
        digest.feed(text)
        digest.feed(subtype?.wireName)
        digest.feed(createdAt)
        digest.feed(updatedAt)
        digest.feed(editedAt)
        digest.feed(isPinned ? 1 : 0)
        digest.feed(reactions.count)
        for reaction in reactions {
            digest.feed(reaction.name)
            digest.feed(reaction.count)
            digest.feed(reaction.users)
        }
        digest.feed(replies)
        feedDetails(&digest)
    }
}

extension Twake.ChannelMember {
    package func feed(_ digest: inout ElementDigest) {
        digest.feed(3)
        digest.feed(channel)
        digest.feed(company)
        digest.feed(workspace)
        digest.feed(user)
        digest.feed(type?.wireName)
        digest.feed(lastAccess)
        digest.feed(isFavorite)
        digest.feed(notificationLevel?.wireName)
        digest.feed(updatedAt)
        digest.feed(1, ifAny: createdAt)
        digest.feed(2, ifAny: expiration)
        digest.feed(3, ifAny: lastIncrement)
        digest.feed(4, ifAny: email)
    }
}

extension Twake.Badge {
    package func feed(_ digest: inout ElementDigest) {
        digest.feed(4)
        digest.feed(company)
        digest.feed(workspace)
        digest.feed(channel)
        digest.feed(thread)
        digest.feed(user)
        digest.feed(message)
    }
}

extension Twake.BadgeCount {
    package func feed(_ digest: inout ElementDigest) {
        digest.feed(5)
        digest.feed(level.wireName)
        digest.feed(id)
        digest.feed(count)
    }
}

extension Twake.Channel.Profile {
    fileprivate func feedDetails(_ digest: inout ElementDigest) {
        digest.feed(1, ifAny: createdAt)
        if isDefault { digest.feed(2) }
        guard hasDetails else { return }
        digest.feed(3, ifAny: memberType?.wireName)
        digest.feed(4, ifAny: isFavorite)
        digest.feed(5, ifAny: notificationLevel?.wireName)
        digest.feed(6, ifAny: isMember)
        digest.feed(8, ifAny: role?.wireName)
        for permission in permissions { digest.feed(9, ifAny: permission.wireName) }
        digest.feed(10, ifAny: statedMembersCount)
        digest.feed(11, ifAny: messagesCount)
        digest.feed(12, ifAny: isReadOnly)
        digest.feed(13, ifAny: archivedAt)
        digest.feed(14, ifAny: group)
        digest.feed(15, ifAny: connectors)
    }
}

extension Twake.Message.Fields {
    fileprivate func feedDetails(_ digest: inout ElementDigest) {
        digest.feed(1, ifAny: threadActivity)
        guard hasDetails else { return }
        digest.feed(2, ifAny: type == .message ? nil : type.wireName)
        digest.feed(3, ifAny: application)
        digest.feed(4, ifAny: senderPicture)
        digest.feed(5, ifAny: blocks)
        for file in files { file.feed(&digest) }
        digest.feed(7, ifAny: pin?.at)
        digest.feed(8, ifAny: pin?.by)
        digest.feed(9, ifAny: override?.title)
        digest.feed(10, ifAny: override?.picture)
        if let ephemeral {
            digest.feed(11)
            digest.feed(ephemeral.id)
            digest.feed(ephemeral.version)
            digest.feed(ephemeral.recipient)
            digest.feed(ephemeral.context)
        }
        digest.feed(12, ifAny: status?.wireName)
        if let quoted {
            digest.feed(13)
            quoted.feed(&digest)
        }
        digest.feed(14, ifAny: links)
        digest.feed(15, ifAny: context)
        digest.feed(16, ifAny: bookmarks)
    }
}

extension Twake.File {
    fileprivate func feed(_ digest: inout ElementDigest) {
        digest.feed(6)
        digest.feed(id)
        digest.feed(company)
        digest.feed(message)
        digest.feed(source)
        digest.feed(externalID)
        digest.feed(name)
        digest.feed(self.extension)
        digest.feed(size)
        digest.feed(mime)
        digest.feed(preview)
        digest.feed(download)
        digest.feed(thumbnails.count)
        for thumbnail in thumbnails {
            digest.feed(thumbnail.index)
            digest.feed(thumbnail.url)
            digest.feed(thumbnail.type)
            digest.feed(thumbnail.size)
            digest.feed(thumbnail.width)
            digest.feed(thumbnail.height)
        }
    }
}

import Events
import JSONText
import SectionedModel

// What few rows have, in a checksum. A field that is not there feeds nothing, so that rows without any of them count as they did before
// there were such fields; one that is there feeds its number and its value, so that no two rows that differ feed the same.
extension ElementDigest {
    mutating func feed(_ number: Int, ifAny id: EntityID?) {
        guard let id else { return }
        feed(number)
        feed(id)
    }

    mutating func feed(_ number: Int, ifAny text: String?) {
        guard let text else { return }
        feed(number)
        feed(text)
    }

    mutating func feed(_ number: Int, ifAny time: Timestamp?) {
        guard let time else { return }
        feed(number)
        feed(time.milliseconds)
    }

    mutating func feed(_ number: Int, ifAny value: Int?) {
        guard let value else { return }
        feed(number)
        feed(value)
    }

    mutating func feed(_ number: Int, ifAny flag: Bool?) {
        guard let flag else { return }
        feed(number)
        feed(flag ? 1 : 0)
    }

    mutating func feed(_ number: Int, ifAny text: RawJSON?) {
        guard let text else { return }
        feed(number)
        text.bytes.withUnsafeBytes { feed(bytes: $0) }
    }
}

extension Twake.Channel.Profile {
    func feedDetails(_ digest: inout ElementDigest) {
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
    func feedDetails(_ digest: inout ElementDigest) {
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

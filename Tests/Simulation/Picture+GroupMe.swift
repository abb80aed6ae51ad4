import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline

// The contents of GroupMe's model, and the truth to compare it with.
extension Picture {
    /// The number of messages of a conversation that the pipeline fetches at once.
    private static let pageLength = 100

    // MARK: - The model

    /// Creates a picture of the model. GroupMe reports no changes of groups that the user has left, so their details
    /// are compared only if the session repeats its full look.
    init(groupMe model: SectionedCollection<Item>, isLookedAtAgain: Bool) {
        self.init()
        for section in model.sectionKeys {
            let place = "\(section.name) \(section.parent?.description ?? "-")"
            // A hole describes missing messages; it is not compared.
            for item in model.elements(in: section) where item.hole == nil {
                switch item.entity.value {
                case let group as GroupMe.Group:
                    let isFormer = section.name == "former_groups"
                    add("group \(group.id)", "in \(place)" + (isFormer && !isLookedAtAgain ? "" : text(group)))
                case let chat as GroupMe.Chat: add("direct \(chat.conversation)", "in \(place)\(text(chat))")
                case let message as GroupMe.Message: add(Self.key(message), "in \(place), \(text(message))")
                case let member as GroupMe.Member:
                    add("member \(member.user) of \(member.group)", "in \(place), \(text(member))")
                case let user as GroupMe.User: add("account \(user.id)", "in \(place): \(user.name ?? "-")")
                case let receipt as GroupMe.ReadReceipt:
                    add(
                        "receipt \(receipt.conversation) \(receipt.user?.description ?? "-")",
                        "in \(place): \(text(receipt))")
                default: add("\(item.id)", "in \(place)")
                }
            }
        }
    }

    private static func key(_ message: GroupMe.Message) -> String { "message \(message.conversation) \(message.id)" }

    private func text(_ group: GroupMe.Group) -> String {
        [
            "", "name \(group.name ?? "-")", "about \(group.description ?? "")", "picture \(group.imageURL ?? "-")",
            "by \(group.creator?.description ?? "-")", group.type?.wireName ?? "-", "made \(text(group.createdAt))",
            "changed \(text(group.updatedAt))", "\(group.messagesCount ?? -1) messages",
            "last \(group.lastMessage?.description ?? "-") \(text(group.lastMessageAt)) \(text(group.lastMessageUpdatedAt))",
            "preview \(group.preview?.nickname ?? "-") \(group.preview?.text ?? "-")",
            "most \(group.mostMembers ?? -1)", "shared \(group.shareURL ?? "-")",
        ].joined(separator: ", ")
    }

    private func text(_ chat: GroupMe.Chat) -> String {
        [
            "", "with \(chat.partner.id) \(chat.partner.name ?? "-")", "begun \(text(chat.createdAt))",
            "changed \(text(chat.updatedAt))", "\(chat.messagesCount ?? -1) messages",
            "last \(chat.lastMessage.map { "\($0.id) \(text($0))" } ?? "-")",
        ].joined(separator: ", ")
    }

    private func text(_ message: GroupMe.Message) -> String {
        let attachments = message.attachments.map { String(decoding: $0.json.bytes, as: UTF8.self) }
        let reactions = (message.reactions ?? []).map { "\($0.symbol) \($0.users.map(\.description).sorted())" }
        return [
            "by \(message.sender?.description ?? "-") \(message.senderName ?? "-")", message.isSystem ? "system" : "",
            "to \(message.recipient?.description ?? "-")", "at \(text(message.createdAt))", message.text ?? "-",
            "attachments \(attachments)", "reactions \(reactions.sorted())",
            "from \((message.favoritedBy ?? []).map(\.description).sorted())",
            message.isEdited ? "edited \(text(message.updatedAt))" : "",
            message.pin.map { "pinned \(text($0.at)) \($0.by?.description ?? "-")" } ?? "",
            message.deletion.map { "deleted \(text($0.at)) \($0.actor?.wireName ?? "-")" } ?? "",
            "guid \(message.sourceGUID ?? "-")",
            message.event.map { String(decoding: $0.json.bytes, as: UTF8.self) } ?? "",
        ].joined(separator: ", ")
    }

    private func text(_ member: GroupMe.Member) -> String {
        "\(member.id?.description ?? "-") \(member.nickname ?? "-") \(member.name ?? "-") "
            + "\((member.roles ?? []).map(\.wireName))"
    }

    private func text(_ receipt: GroupMe.ReadReceipt) -> String { "\(receipt.message) \(text(receipt.readAt))" }

    // MARK: - The truth

    /// Creates a picture of what the watching user must see. `model`, the picture to compare with, decides how far back
    /// messages are required: the newest page must be present, and after the oldest message in the model none may be
    /// missing.
    init(
        groupMe truth: GroupMeTruth, seenBy server: GroupMeSimulatedServer, of history: History, known model: Picture,
        showsAll: Bool
    ) {
        self.init()
        let following = history.watching.following
        if following.contains(.accounts) { add("account \(server.me)", "in accounts -: Mia") }
        for record in truth.groups {
            let group = record.group
            add("group \(group.id)", "in groups -\(text(group))")
            add(truth.messages[.group(group.id)] ?? [], of: history, known: model, showsAll)
            for member in record.members ?? [] {
                add("member \(member.user) of \(group.id)", "in members \(group.id), \(text(member))")
            }
            // If members are not followed, the members of a group that an event mentioned are shown nevertheless.
            let isSeen = model.rows.keys.contains { $0.hasPrefix("member ") && $0.hasSuffix(" of \(group.id)") }
            if !following.contains(.members), !isSeen {
                for member in record.members ?? [] { makeOptional("member \(member.user) of \(group.id)") }
            }
        }
        for group in truth.former {
            add("group \(group.id)", "in former_groups -" + (history.resyncInterval == nil ? "" : text(group)))
        }
        for chat in truth.chats {
            add("direct \(chat.conversation)", "in directs -\(text(chat))")
            add(truth.messages[chat.conversation] ?? [], of: history, known: model, showsAll)
        }
        for receipt in truth.receipts {
            add(
                "receipt \(receipt.conversation) \(receipt.user?.description ?? "-")",
                "in receipts \(receipt.conversation): \(text(receipt))")
        }
    }

    private mutating func add(
        _ messages: [GroupMe.Message], of history: History, known model: Picture, _ showsAll: Bool
    ) {
        let oldest = messages.firstIndex { model.rows[Self.key($0)] != nil } ?? messages.count
        let page = messages.count - max(Self.pageLength, history.depth)
        for (index, message) in messages.enumerated() {
            add(
                Self.key(message), "in messages \(message.conversation), \(text(message))",
                isOptional: !showsAll && index < min(oldest, page))
        }
    }
}

import WeirDemoServer
import WeirEvents
import WeirModel
import WeirPipeline

// The contents of Twake's model, and the truth to compare it with.
extension Picture {
    // MARK: - The model

    init(
        _ model: SectionedCollection<Item>, era: History.Era, me: EntityID, following: Configuration.Following
    ) {
        self.init()
        namesWriters = following.contains(.accounts)
        for section in model.sectionKeys {
            let place = "\(section.name) \(section.parent?.description ?? "-")"
            for item in model.elements(in: section) {
                switch item.entity.value {
                case let channel as Twake.Channel: add(channel, in: place, era, me)
                case let message as Twake.Message: add(message, in: place, era)
                case let member as Twake.ChannelMember: add(member, in: place)
                case let account as Twake.Account: add("account \(account.id)", "in \(place): \(account.name)")
                case let company as Twake.Company: add("company \(company.id)", "in \(place): \(company.name)")
                case let workspace as Twake.Workspace:
                    add("workspace \(workspace.id)", "in \(place): \(workspace.name)")
                // A user who went offline keeps a row with that state.
                case let presence as Twake.OnlineStatus:
                    if presence.isOnline { add("online \(presence.user)", "in \(place)") }
                case let badge as Twake.Badge:
                    let message = badge.message?.description ?? "-"
                    add("badge \(badge.channel) \(badge.thread)", "in \(place) of \(badge.workspace): \(message)")
                case let count as Twake.BadgeCount:
                    add("count \(count.level.wireName) \(count.id)", "in \(place): \(count.count)")
                // A hole describes missing messages; it is not compared.
                case is Hole: break
                default: add("\(item.entity.typeName) \(item.id)", "in \(place)")
                }
            }
        }
    }

    private mutating func add(_ channel: Twake.Channel, in place: String, _ era: History.Era, _ me: EntityID) {
        let isDirect = channel.visibility == .direct
        let last = channel.lastMessage.map {
            "\(text($0.date)) \($0.sender?.description ?? "-") \($0.text ?? "-")"
        }
        add(
            "channel \(channel.id)",
            [
                "in \(place)", channel.visibility?.wireName ?? "-", "name \(channel.name ?? "-")",
                "icon \(channel.icon ?? "")", "about \(channel.description ?? "")",
                era != .a ? "owner \(channel.owner?.description ?? "-")" : "",
                isDirect ? "members \(channel.members.filter { $0 != me }.map(\.description).sorted())" : "",
                "activity \(text(channel.lastActivity))", "last \(last ?? "-")",
                "read \(text(channel.lastAccess))",
                era != .a ? "changed \(text(channel.updatedAt))" : "",
                // No answer of era A contains these.
                era != .a
                    ? "\(channel.memberType?.wireName ?? "-"), \(channel.notificationLevel?.wireName ?? "-"), "
                        + "favorite \(channel.isFavorite.map { "\($0)" } ?? "-"), default \(channel.isDefault)" : "",
            ].joined(separator: ", "))
    }

    private mutating func add(_ member: Twake.ChannelMember, in place: String) {
        add(
            "member \(member.user?.description ?? "-") of \(member.channel)",
            "in \(place), read \(text(member.lastAccess)), \(member.notificationLevel?.wireName ?? "-"), "
                + "favorite \(member.isFavorite.map { "\($0)" } ?? "-")")
    }

    private mutating func add(_ message: Twake.Message, in place: String, _ era: History.Era) {
        let reactions = message.reactions.map { "\($0.name) \($0.count) \($0.users)" }
        add(
            "message \(message.id)",
            [
                "in \(place)", "by \(message.user?.description ?? "-")",
                namesWriters ? "called \(message.senderName ?? "-")" : "", "at \(text(message.createdAt))",
                message.text,
                // The event of a new message has no count of replies, since there are none yet.
                message.isHead ? "replies \(message.replies ?? 0)" : "",
                "reactions \(reactions)",
                era != .a
                    ? "changed \(text(message.updatedAt)), edited \(text(message.editedAt)), \(message.isPinned)" : "",
            ].joined(separator: ", "))
    }

    // MARK: - The truth

    /// Creates a picture of what the watching user of `workspace` must see. `page` is the number of threads of a
    /// channel that are fetched at once. `hasForgotten` means that the client has restarted; in era A it then cannot
    /// see the replies to deleted heads, since no list contains them.
    init(
        _ truth: WorldTruth, era: History.Era, company: EntityID, workspace: EntityID, page: Int,
        following: Configuration.Following, hasForgotten: Bool, knownSince: (WorldTruth.Channel) -> Int64?
    ) {
        self.init()
        namesWriters = following.contains(.accounts)
        names = truth.names
        if following.contains(.places) {
            add("company \(company)", "in companies -: \(truth.companyName)")
            for workspace in truth.workspaces {
                add("workspace \(workspace.id)", "in workspaces \(company): \(workspace.name)")
            }
        }
        for channel in truth.channels where channel.visibility == "direct" || channel.workspace == workspace {
            add(channel, truth, era, company)
            for member in channel.memberships where following.contains(.members) {
                add(
                    "member \(member.user) of \(channel.id)",
                    "in members \(channel.id), read \(text(member.lastAccess)), \(member.notificationLevel), "
                        + "favorite \(member.isFavorite)")
            }
            // Everything that the session claims to know must be present, however old.
            let start = knownSince(channel) ?? .max
            for (index, thread) in channel.threads.enumerated() {
                let isOptional = channel.threads.count - index > page && thread.lastActivity.milliseconds <= start
                let isHeadless = era == .a && thread.messages.first?.subtype == "deleted"
                add(thread, of: channel, era, isOptional: isOptional || (hasForgotten && isHeadless))
            }
        }
        if following.contains(.accounts) {
            // The account of a writer remains after the writer's messages are no longer shown.
            for (user, name) in truth.names {
                let isShown = user == truth.user || writers.contains(user)
                add("account \(user)", "in accounts -: \(name)", isOptional: !isShown)
            }
        }
        guard era == .a else {
            for badge in truth.badges {
                add(
                    "badge \(badge.channel) \(badge.thread)",
                    "in badges \(company) of \(badge.workspace): \(badge.message)")
            }
            return
        }
        guard !truth.badges.isEmpty else { return }
        add("count company \(company)", "in badges \(company): \(truth.badges.count)")
        for badge in truth.badges {
            for (level, id) in [("workspace", badge.workspace), ("channel", badge.channel)] {
                let count = truth.badges.count { (level == "channel" ? $0.channel : $0.workspace) == id }
                add("count \(level) \(id)", "in badges \(company): \(count)")
            }
        }
    }

    /// Adds the users who are online. They are optional without an account row, since the session does not ask for
    /// their presence.
    mutating func add(present users: Set<EntityID>, in company: EntityID, known model: Picture) {
        for user in users {
            add("online \(user)", "in online \(company)", isOptional: model.rows["account \(user)"] == nil)
        }
    }

    private mutating func add(
        _ channel: WorldTruth.Channel, _ truth: WorldTruth, _ era: History.Era, _ company: EntityID
    ) {
        let isDirect = channel.visibility == "direct"
        let others = channel.participants.filter { $0 != truth.user }
        // A direct conversation of a user with themselves has the user's own name.
        let named = others.isEmpty ? channel.participants : others
        let name = isDirect ? named.compactMap { truth.names[$0] }.joined(separator: ", ") : channel.name
        let last = channel.lastMessage.map {
            "\(text(channel.lastDate)) \(channel.lastSender?.description ?? "-") \($0)"
        }
        add(
            "channel \(channel.id)",
            [
                "in \(isDirect ? "directs \(company)" : "channels \(channel.workspace)")", channel.visibility,
                "name \(name)", "icon \(channel.icon)", "about \(channel.description)",
                era != .a ? "owner \(channel.owner)" : "",
                isDirect ? "members \(others.map(\.description).sorted())" : "",
                "activity \(text(channel.lastActivity))", "last \(last ?? "-")", "read \(text(channel.lastAccess))",
                era != .a ? "changed \(text(channel.updatedAt))" : "",
                era != .a
                    ? "member, \(channel.notificationLevel), favorite \(channel.isFavorite), "
                        + "default \(channel.isDefault)" : "",
            ].joined(separator: ", "))
    }

    private mutating func add(
        _ thread: WorldTruth.Thread, of channel: WorldTruth.Channel, _ era: History.Era, isOptional: Bool
    ) {
        for (index, message) in thread.messages.enumerated() {
            let isHead = message.id == thread.id
            // Era A's answers omit deleted messages.
            if era == .a, message.subtype == "deleted" { continue }
            let reactions = message.reactions.map { "\($0.name) \($0.users.count) \($0.users)" }
            // In era B, the list of a channel contains the last three messages of a thread. The session reads the whole
            // thread only when the count of replies does not match, and that count excludes deleted messages.
            let isLate = era == .a || isHead || index >= thread.messages.count - 20 || message.subtype != "deleted"
            if isLate, !isOptional { writers.insert(message.user) }
            add(
                "message \(message.id)",
                [
                    "in \(isHead ? "messages \(channel.id)" : "thread \(thread.id)")", "by \(message.user)",
                    namesWriters ? "called \(names[message.user] ?? "-")" : "",
                    "at \(text(message.createdAt))", message.text, isHead ? "replies \(thread.replies)" : "",
                    "reactions \(reactions)",
                    era != .a
                        ? "changed \(text(message.updatedAt)), edited \(text(message.editedAt)), \(message.isPinned)"
                        : "",
                ].joined(separator: ", "), isOptional: isOptional || !isLate)
        }
    }
}

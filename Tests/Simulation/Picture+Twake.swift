import DemoServer
import Events
import Pipeline
import SectionedModel

// What Twake's model shows, and what is true there.
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
                // Whoever left stays as a row that says so.
                case let presence as Twake.OnlineStatus:
                    if presence.isOnline { add("online \(presence.user)", "in \(place)") }
                case let badge as Twake.Badge:
                    let message = badge.message?.description ?? "-"
                    add("badge \(badge.channel) \(badge.thread)", "in \(place) of \(badge.workspace): \(message)")
                case let count as Twake.BadgeCount:
                    add("count \(count.level.wireName) \(count.id)", "in \(place): \(count.count)")
                // It says what is left out, which is not looked for.
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
                // No answer of era A's says these.
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
                // An event of a new message does not count its replies: there is none yet.
                message.isHead ? "replies \(message.replies ?? 0)" : "",
                "reactions \(reactions)",
                era != .a
                    ? "changed \(text(message.updatedAt)), edited \(text(message.editedAt)), \(message.isPinned)" : "",
            ].joined(separator: ", "))
    }

    // MARK: - The truth

    /// What the watcher of `workspace` must see. `page` is how many threads of a channel are fetched at once. Who `hasForgotten` what was
    /// there before cannot see the replies of heads that were deleted in era A: no list mentions them.
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
            // What the session says to know is there, however old.
            let start = knownSince(channel) ?? .max
            for (index, thread) in channel.threads.enumerated() {
                let isOptional = channel.threads.count - index > page && thread.lastActivity.milliseconds <= start
                let isHeadless = era == .a && thread.messages.first?.subtype == "deleted"
                add(thread, of: channel, era, isOptional: isOptional || (hasForgotten && isHeadless))
            }
        }
        if following.contains(.accounts) {
            // Of whoever wrote something that is not shown any more, it is left.
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

    /// Who is there. Of whoever has no row nobody asks.
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
        // The direct of somebody with themselves is called by their own name.
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
            // Era A's answers leave deleted messages out.
            if era == .a, message.subtype == "deleted" { continue }
            let reactions = message.reactions.map { "\($0.name) \($0.users.count) \($0.users)" }
            // Of a thread, era B's list of a channel shows the last three; what makes it be read as a whole is a count that does not fit,
            // and deleted messages are not counted.
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

extension SystemEventFields {
    /// The contents of the event; `nil` for an unknown type, and for a known type that lacks a required value.
    var content: GroupMe.SystemEvent.Content? {
        let parts = type.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let rest = parts[1]
        switch parts[0] {
        case "membership": return membership(rest).map { .membership($0) }
        case "group":
            if rest.hasPrefix("call.") { return call(rest.dropFirst(5)).map { .call($0) } }
            if rest.hasPrefix("subgroup_") { return topic(rest.dropFirst(9)).map { .topic($0, by: by) } }
            return (group(rest) ?? setting(rest)).map { .group($0, by: by) }
        case "message": return message(rest).map { .message($0) }
        case "poll": return poll(rest).map { .poll($0) }
        case "calendar": return rest.hasPrefix("event.") ? calendar(rest.dropFirst(6)).map { .calendar($0) } : nil
        case "bot": return bot(rest).map { .bot($0, by: by) }
        case "copilot": return rest == "group.privacy_notice" ? .privacyNotice(id("trigger_message")) : nil
        default: return nil
        }
    }

    /// The author of the change.
    private var by: GroupMe.Person? { users["user"] }

    private func id<Subject>(_ name: String) -> GroupMe.ID<Subject>? {
        texts[name]?.unlessEmpty.map { GroupMe.ID($0) }
    }

    private func membership(_ type: Substring) -> GroupMe.MembershipChange? {
        // The names after the first come from other clients or older servers and mean the same.
        switch type {
        case "announce.added", "announce.coco.added", "notifications.added":
            let added = added.isEmpty ? [users["added_user"] ?? by].compactMap { $0 } : added
            return added.isEmpty ? nil : .added(added, by: users["adder_user"])
        case "announce.joined": return by.map { .joined($0) }
        case "announce.rejoined": return by.map { .rejoined($0) }
        case "notifications.exited": return (users["removed_user"] ?? by).map { .exited($0) }
        case "notifications.removed", "announce.removed":
            return (users["removed_user"] ?? by).map { .removed($0, by: users["remover_user"]) }
        case "notifications.autokicked": return (by ?? users["removed_user"]).map { .autokicked($0) }
        case "nickname_changed", "name_change":
            guard let person = by, let name = texts["name"] else { return nil }
            return .renamed(person, to: name)
        case "avatar_changed": return by.map { .pictured($0, url: texts["avatar_url"]?.unlessEmpty) }
        case "notifications.admin.new_pending_user": return .pending(users["pending_user"] ?? by)
        default: return nil
        }
    }

    /// Decodes a change of a group's name, appearance, type or roles.
    private func group(_ type: Substring) -> GroupMe.GroupChange? {
        switch type {
        case "name_change": texts["name"].map { .name($0) }
        case "topic_change": .description(texts["topic"]?.unlessEmpty)
        case "topic_removed": .description(nil)
        case "avatar_change": .picture(url: texts["avatar_url"]?.unlessEmpty)
        case "type_change": groupType.map { .type($0, editPeriod: numbers["message_edit_period"]) }
        case "role_change_admin": role
        case "owner_changed": users["new_owner"].map { .owner(from: users["old_owner"], to: $0) }
        default: nil
        }
    }

    private var groupType: GroupMe.GroupType? { texts["type"].map { GroupMe.GroupType(wire: $0) } }

    private var role: GroupMe.GroupChange? {
        guard let role = texts["role"], let member = users["member"] else { return nil }
        return .role(GroupMe.Role(wire: role), of: member)
    }

    /// Decodes a change of any other setting of a group.
    private func setting(_ type: Substring) -> GroupMe.GroupChange? {
        switch type {
        case "theme_change", "chat_theme_settings_change": .theme(texts["theme_name"]?.unlessEmpty)
        case "chat_theme_settings_removed": .theme(nil)
        case "like_icon_set": likeIcon.map { .likeIcon($0) }
        case "like_icon_removed": .likeIcon(nil)
        case "shared": .shared(url: texts["share_url"]?.unlessEmpty)
        case "unshared": .shared(url: nil)
        case "requires_approval_enabled": .requiresApproval(true)
        case "requires_approval_disabled": .requiresApproval(false)
        case "office_mode_enabled": .officeMode(true)
        case "office_mode_disabled": .officeMode(false)
        case "added_to_directory": texts["directory_name"].map { .directory($0) }
        default: type.hasPrefix("visibility_set.") ? .visibility(String(type.dropFirst(15))) : nil
        }
    }

    private func topic(_ type: Substring) -> GroupMe.TopicChange? {
        let action: GroupMe.TopicChange.Action? =
            switch type {
            case "created": .created
            case "removed": .removed
            case "name_change": .renamed
            case "description_change": .description(texts["subgroup_description"]?.unlessEmpty)
            case "description_removed": .description(nil)
            case "avatar_change": .picture(url: texts["subgroup_avatar_url"]?.unlessEmpty)
            case "type_change": groupType.map { .type($0, editPeriod: numbers["message_edit_period"]) }
            case "like_icon_change": .likeIcon(likeIcon)
            case "attribute_change": .attribute
            default: nil
            }
        return action.map {
            GroupMe.TopicChange(
                action: $0, name: texts["subgroup_topic"], topic: id("subgroup_id"), parent: id("parent_id"))
        }
    }

    private func message(_ type: Substring) -> GroupMe.MessageChange? {
        guard let message: GroupMe.MessageID = id("message_id") else { return nil }
        switch type {
        case "deleted":
            return .deleted(
                GroupMe.DeletionNotice(
                    message: message, at: times["deleted_at"],
                    actor: texts["deletion_actor"]?.unlessEmpty.map { GroupMe.DeletionActor(wire: $0) },
                    deleter: id("deleter_id")))
        case "update":
            return .edited(
                GroupMe.EditNotice(
                    message: message, sender: id("sender_id"), at: times["updated_at"], text: edit?.text,
                    attachments: edit?.attachments))
        case "pinned":
            return .pinned(message, flags["pinned"] ?? true, at: times["pinned_at"], by: id("pinned_by"))
        case "unpinned": return .pinned(message, false, at: times["pinned_at"], by: id("pinned_by"))
        default: return nil
        }
    }

    private func call(_ type: Substring) -> GroupMe.CallChange? {
        switch type {
        case "started": .started(meeting: texts["meeting_id"], by: by)
        case "ended": .ended(duration: numbers["call_duration"])
        default: nil
        }
    }

    private func poll(_ type: Substring) -> GroupMe.PollChange? {
        let action: GroupMe.PollChange.Action? =
            switch type {
            case "created": .created
            case "reminder": .reminder
            case "finished": .finished
            default: nil
            }
        guard let action, var poll else { return nil }
        poll.options = options
        return GroupMe.PollChange(action: action, poll: poll, by: by)
    }

    private func calendar(_ type: Substring) -> GroupMe.CalendarChange? {
        let action: GroupMe.CalendarChange.Action? =
            switch type {
            case "created": .created
            case "updated": .updated(updatedFields)
            case "cancelled": .cancelled
            case "starting": .starting(minutes: numbers["minutes"], isCall: flags["call_started"] ?? false)
            case "user.going": .going
            case "user.not_going": .notGoing
            case "user.undecided": .undecided
            default: nil
            }
        return action.map {
            GroupMe.CalendarChange(
                action: $0, id: calendar?.id, name: calendar?.name ?? texts["event_name"], url: texts["url"], by: by)
        }
    }

    private func bot(_ type: Substring) -> GroupMe.BotChange? {
        switch type {
        case "add": texts["bot"].map { .added($0) }
        case "del": texts["bot"].map { .removed($0) }
        case "rename": texts["bot_name_new"].map { .renamed(from: texts["bot_name_old"], to: $0) }
        default: nil
        }
    }
}

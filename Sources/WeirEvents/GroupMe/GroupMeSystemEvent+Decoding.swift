import WeirJSON

/// The fields of an `event` while it is being read: those of the data of all types, each under its own name. Ids
/// are numbers or strings (GroupMe GM-24).
struct SystemEventFields {
    var type = ""
    var users: [String: GroupMe.Person] = [:]
    var added: [GroupMe.Person] = []
    var texts: [String: String] = [:]
    var numbers: [String: Int] = [:]
    var times: [String: Timestamp] = [:]
    var flags: [String: Bool] = [:]
    var likeIcon: GroupMe.ReactionSymbol?
    var edit: (text: String?, attachments: [GroupMe.Attachment]?)?
    var poll: GroupMe.Poll?
    var options: [GroupMe.Poll.Option] = []
    var calendar: (id: GroupMe.CalendarID?, name: String?)?
    var updatedFields: [String] = []

    init() {}

    /// Reads an object of `type` and `data`.
    init(reading reader: inout JSONReader) throws(Mismatch) {
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "type") {
                type = try reader.textIfAny() ?? ""
            } else if reader.isNamed(key, "data") {
                try takeData(from: &reader)
            } else {
                try reader.pass()
            }
        }
    }

    private mutating func takeData(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            switch try reader.kind() {
            case .object: try takeObject(key, from: &reader)
            case .array: try takeList(key, from: &reader)
            case .bool: flags[reader.string(key)] = try reader.flagIfAny()
            case .string, .number: try takeScalar(reader.string(key), from: &reader)
            case .null: try reader.pass()
            }
        }
    }

    /// Reads a string or a number. It is stored as text, and as a number or a time if it can be one.
    private mutating func takeScalar(_ name: String, from reader: inout JSONReader) throws(Mismatch) {
        let start = reader.offset
        let text = try reader.kind() == .string ? try reader.text() : try reader.idIfAny()?.description ?? ""
        texts[name] = text
        if let number = Int(text) { numbers[name] = number }
        guard name.hasSuffix("_at") || name == "expiration" else { return }
        let end = reader.offset
        reader.seek(to: start)
        times[name] = try reader.deletionTime(.wire)
        reader.seek(to: end)
    }

    private mutating func takeObject(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) {
        if reader.isNamed(key, "like_icon") {
            likeIcon = try GroupMe.ReactionSymbol.ifAny(reading: &reader)
        } else if reader.isNamed(key, "message") {
            try takeEdit(from: &reader)
        } else if reader.isNamed(key, "poll") {
            poll = try GroupMe.Poll.ifAny(reading: &reader)
        } else if reader.isNamed(key, "event") {
            try takeCalendar(from: &reader)
        } else {
            users[reader.string(key)] = try GroupMe.Person.ifAny(reading: &reader)
        }
    }

    private mutating func takeList(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) {
        if reader.isNamed(key, "added_users") || reader.isNamed(key, "users") {
            guard try reader.openListIfAny() else { return }
            while try reader.another() {
                if let person = try GroupMe.Person.ifAny(reading: &reader) { added.append(person) }
            }
        } else if reader.isNamed(key, "options") {
            guard try reader.openListIfAny() else { return }
            while try reader.another() { options.append(try GroupMe.Poll.Option(reading: &reader)) }
        } else if reader.isNamed(key, "updated_fields") {
            updatedFields = try reader.loggedTexts()
        } else {
            try reader.pass()
        }
    }

    private mutating func takeEdit(from reader: inout JSONReader) throws(Mismatch) {
        var edit: (text: String?, attachments: [GroupMe.Attachment]?)
        _ = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "text") {
                edit.text = try reader.text()
            } else if reader.isNamed(key, "attachments") {
                edit.attachments = try GroupMe.Attachment.list(reading: &reader)
            } else {
                try reader.pass()
            }
        }
        self.edit = edit
    }

    private mutating func takeCalendar(from reader: inout JSONReader) throws(Mismatch) {
        var event: (id: GroupMe.CalendarID?, name: String?)
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                event.id = try reader.groupMeID()
            } else if reader.isNamed(key, "name") {
                event.name = try reader.textIfAny()
            } else {
                try reader.pass()
            }
        }
        calendar = event
    }
}

extension GroupMe.Poll {
    fileprivate static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        var poll = Self(id: "")
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "id") {
                poll.id = try reader.groupMeID() ?? poll.id
            } else if reader.isNamed(key, "subject") {
                poll.subject = try reader.text()
            } else if reader.isNamed(key, "expiration") {
                poll.expiration = try reader.instantIfAny(.wire)
            } else {
                try reader.pass()
            }
        }
        try poll.id.entity.require("id", at: start)
        return poll
    }
}

extension GroupMe.Poll.Option {
    fileprivate init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: "", title: nil, votes: 0, voters: [])
        _ = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "id") {
                id = try reader.idIfAny()?.description ?? ""
            } else if reader.isNamed(key, "title") {
                title = try reader.text()
            } else if reader.isNamed(key, "votes") {
                votes = try reader.countIfAny() ?? 0
            } else if reader.isNamed(key, "voter_ids") {
                voters = try reader.groupMeIDs()
            } else {
                try reader.pass()
            }
        }
    }
}

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

// The server's messages before there were events (2013 and 2014): English sentences. Only the kind of change can be
// trusted, because a nickname may contain any of their words (GroupMe GM-21).
extension GroupMe.SystemEvent.Content {
    /// Decodes `sentence`, the text of a message of the server without an event; returns `nil` for an unknown sentence.
    init?(sentence: String) {
        let text = sentence[...]
        if let (actor, rest) = text.parted(by: " removed "), let name = rest.before(" from the group") {
            self = .membership(.removed(.named(name), by: .named(actor)))
        } else if let (actor, rest) = text.parted(by: " added "), let names = rest.before(" to the group") {
            self = .membership(.added(names.people, by: .named(actor)))
        } else if let (actor, name) = text.parted(by: " changed the group's name to ") {
            self = .group(.name(String(name)), by: .named(actor))
        } else if let (actor, _) = text.parted(by: " changed the group's avatar") {
            self = .group(.picture(url: nil), by: .named(actor))
        } else if let (person, name) = text.parted(by: " changed name to ") {
            self = .membership(.renamed(.named(person), to: String(name)))
        } else {
            return nil
        }
    }
}

extension GroupMe.Person {
    fileprivate static func named(_ name: Substring) -> Self { Self(nickname: String(name)) }
}

extension Substring {
    /// Returns the text before and after the first `words`; `nil` if they do not occur, or if nothing precedes them.
    fileprivate func parted(by words: String) -> (Substring, Substring)? {
        guard let range = firstRange(of: words), range.lowerBound > startIndex else { return nil }
        return (self[..<range.lowerBound], self[range.upperBound...])
    }

    /// Returns the text before `words`; `nil` if they do not occur.
    fileprivate func before(_ words: String) -> Substring? {
        guard let range = firstRange(of: words) else { return nil }
        return self[..<range.lowerBound]
    }

    /// The people listed as in `A, B and C`.
    fileprivate var people: [GroupMe.Person] {
        split(separator: ", ").flatMap { $0.split(separator: " and ") }.map { part in
            GroupMe.Person.named(part.hasPrefix("and ") ? part.dropFirst(4) : part)
        }
    }
}

import WeirEvents
import WeirJSON

// Actions on groups and their members. The list of members is the truth; pushes report only what the real service
// reports (GroupMe GM-22).
extension GroupMeWorld {
    mutating func make(
        _ name: String, _ description: String, _ imageURL: String?, isShared: Bool, by user: GroupMe.UserID,
        at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        guard groups.count < Limit.groups else { throw .forbidden }
        try check(name: name, description: description)
        lastGroup += 1
        let id = GroupMe.GroupID(String(lastGroup))
        let owner = newMembership(user, self.user(user)?.name ?? user.description, ["admin", "owner"])
        var group = Group(
            id: id, name: name, creator: user, createdAt: now / 1000, updatedAt: now / 1000, isShared: isShared,
            members: [owner])
        group.description = description
        group.imageURL = imageURL
        groups.append(group)
        return GroupMeOutcome(group: id)
    }

    private func check(name: String?, description: String?) throws(GroupMeRefusal) {
        if let name, name.isEmpty || name.count > Limit.name {
            throw .bad("Name is too long (maximum is \(Limit.name) characters) or blank")
        }
        if let description, description.count > Limit.description {
            throw .bad("Description is too long (maximum is \(Limit.description) characters)")
        }
    }

    /// Returns the index of a group of which the user is a member.
    private func find(
        _ group: GroupMe.GroupID, for user: GroupMe.UserID
    ) throws(GroupMeRefusal) -> Int {
        guard let index = index(of: group), groups[index].membership(of: user) != nil else { throw .notFound }
        return index
    }

    /// Returns the actor of an event, in which ids are numbers (GroupMe GM-24).
    func person(_ user: GroupMe.UserID, _ nickname: String) -> JSONValue {
        .fields(["id": .integer(Int64(user.description) ?? 0), "nickname": .string(nickname)])
    }

    mutating func change(
        _ id: GroupMe.GroupID, name: String?, description: String?, imageURL: String?, isShared: Bool?,
        by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        let index = try find(id, for: user)
        try check(name: name, description: description)
        let title = self.name(of: user, in: .group(id))
        let actor = person(user, title)
        let before = groups[index]
        defer { if groups[index] != before { groups[index].updatedAt = now / 1000 } }
        var publications: [GroupMePublication] = []
        if let name, name != groups[index].name {
            groups[index].name = name
            publications += announce(
                "\(title) changed the group's name to \(name)", "group.name_change",
                .fields(["user": actor, "name": .string(name)]), in: .group(id), at: now)
        }
        if let description, description != groups[index].description {
            groups[index].description = description
            publications += announce(
                "\(title) changed the topic to: \(description)", "group.topic_change",
                .fields(["user": actor, "topic": .string(description)]), in: .group(id), at: now)
        }
        if let imageURL, imageURL != groups[index].imageURL {
            groups[index].imageURL = imageURL
            publications += announce(
                "\(title) changed the group's avatar", "group.avatar_change",
                .fields(["user": actor, "avatar_url": .string(imageURL)]), in: .group(id), at: now)
        }
        if let isShared, isShared != groups[index].isShared {
            groups[index].isShared = isShared
            publications += announce(
                "\(title) \(isShared ? "enabled" : "disabled") sharing of the group",
                isShared ? "group.shared" : "group.unshared",
                .fields(["user": actor]).adding(isShared ? ["share_url": .text(shareURL(groups[index]))] : [:]),
                in: .group(id), at: now)
        }
        return GroupMeOutcome(publications: publications, group: id)
    }

    /// Deletes a group and notifies every member, in a form that clients understand although it was never captured
    /// (GroupMe GM-9).
    mutating func destroy(
        _ id: GroupMe.GroupID, by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        let index = try find(id, for: user)
        guard groups[index].creator == user else { throw .forbidden }
        let group = groups.remove(at: index)
        threads[.group(id)] = nil
        let publications = group.members.map { membership in
            let subject = JSONValue.fields([
                "id": .string(membership.id.description), "group_id": .string(id.description),
                "user_id": .string(membership.user.description),
            ])
            return GroupMePublication(
                channel: .user(membership.user), data: push("membership.destroy", alert: "", subject: subject, at: now))
        }
        return GroupMeOutcome(publications: publications, group: id)
    }

    mutating func add(
        _ users: [GroupMe.UserID], _ nicknames: [String], to id: GroupMe.GroupID, by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        let index = try find(id, for: user)
        var added: [Membership] = []
        for (place, candidate) in users.enumerated() {
            // A user who cannot be added is silently left out (GroupMe GM-42).
            guard let known = self.user(candidate), groups[index].membership(of: candidate) == nil,
                groups[index].members.count < Limit.members
            else { continue }
            let nickname = place < nicknames.count && !nicknames[place].isEmpty ? nicknames[place] : known.name
            let membership = newMembership(candidate, nickname)
            groups[index].members.append(membership)
            forget(candidate, in: index)
            added.append(membership)
        }
        guard !added.isEmpty else { return GroupMeOutcome(group: id) }
        let title = name(of: user, in: .group(id))
        var publications = announce(
            "\(title) added \(added.map(\.nickname).joined(separator: ", ")) to the group.",
            "membership.announce.added",
            .fields([
                "added_users": .array(added.map { person($0.user, $0.nickname) }), "adder_user": person(user, title),
            ]), in: .group(id), at: now)
        let group = groups[index]
        publications += added.map { membership in
            GroupMePublication(
                channel: .user(membership.user),
                data: push(
                    "membership.create", alert: "You've been added to \"\(group.name)\" with \(title).",
                    subject: cutDown(group), at: now))
        }
        return GroupMeOutcome(publications: publications, group: id)
    }

    private mutating func forget(_ user: GroupMe.UserID, in index: Int) {
        groups[index].former.removeAll { $0.user == user }
        groups[index].removed.removeAll { $0.user == user }
    }

    /// Removes a member, or lets the user leave. The group's creator cannot leave or be removed (GroupMe GM-43).
    mutating func remove(
        _ member: GroupMe.UserID, from id: GroupMe.GroupID, by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        let index = try find(id, for: user)
        guard let membership = groups[index].membership(of: member) else { throw .notFound }
        guard groups[index].creator != member else { throw .forbidden }
        let title = name(of: user, in: .group(id))
        groups[index].members.removeAll { $0.user == member }
        let removed = person(member, membership.nickname)
        let publications: [GroupMePublication]
        if member == user {
            groups[index].former.append(membership)
            publications = announce(
                "\(membership.nickname) has left the group.", "membership.notifications.exited",
                .fields(["removed_user": removed]), in: .group(id), and: [member], at: now)
        } else {
            groups[index].removed.append(membership)
            publications = announce(
                "\(title) removed \(membership.nickname) from the group.", "membership.notifications.removed",
                .fields(["remover_user": person(user, title), "removed_user": removed]), in: .group(id),
                and: [member], at: now)
        }
        return GroupMeOutcome(publications: publications, group: id)
    }

    mutating func rejoin(
        _ id: GroupMe.GroupID, by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        guard let index = index(of: id), let old = groups[index].former.first(where: { $0.user == user }) else {
            throw .notFound
        }
        groups[index].members.append(newMembership(user, old.nickname))
        forget(user, in: index)
        let publications = announce(
            "\(old.nickname) has rejoined the group", "membership.announce.rejoined",
            .fields(["user": person(user, old.nickname)]), in: .group(id), at: now)
        return GroupMeOutcome(publications: publications, group: id)
    }

    mutating func rename(
        to nickname: String, in id: GroupMe.GroupID, by user: GroupMe.UserID, at now: Int64
    ) throws(GroupMeRefusal) -> GroupMeOutcome {
        let index = try find(id, for: user)
        guard (1...50).contains(nickname.count) else { throw .bad("Nickname must be 1 to 50 characters") }
        guard let place = groups[index].members.firstIndex(where: { $0.user == user }) else { throw .notFound }
        let old = groups[index].members[place].nickname
        groups[index].members[place].nickname = nickname
        let publications = announce(
            "\(old) changed name to \(nickname)", "membership.nickname_changed",
            .fields(["user": person(user, old), "name": .string(nickname)]), in: .group(id), at: now)
        return GroupMeOutcome(publications: publications, group: id)
    }
}

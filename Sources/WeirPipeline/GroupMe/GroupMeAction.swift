import WeirEvents
import WeirJSON
import WeirModel
import WeirTerminal

// Chooses the next step of an action: a fetch of missing data, or the request itself (GroupMe GM-29 to GM-43).
extension GroupMeBackend {
    /// The maximum length of a message, in characters (GroupMe GM-37).
    private static let longestText = 1000

    func step(for action: Action, fetched: [ResourceKey], in model: SectionedCollection<Item>) -> ActionStep {
        guard let user else {
            let key = ResourceKey.groupMe(.me)
            return fetched.contains(key) ? .impossible("the server does not identify you") : .fetch([key])
        }
        switch action.operation {
        case .createWorkspace, .changeWorkspace: return .impossible("GroupMe has no workspaces")
        case .changeAccount: return .impossible("GroupMe has no language and no status of an account")
        case .createChannel(let draft): return step(making: draft, action, fetched, model)
        case .rejoinChannel(let name): return step(rejoining: name, fetched, model)
        default: break
        }
        guard let name = action.operation.channel else { return .impossible("it names no group") }
        guard let place = conversation(named: name, in: model) else { return finding(name, fetched, model) }
        if let group = place.group, model.group(group) == nil {
            let key = ResourceKey.groupMe(.group(group))
            return fetched.contains(key) ? .impossible("you are not a member of group \(group)") : .fetch([key])
        }
        if place.group == nil, place.partner(of: user) == nil { return .impossible("the direct \(place) is not yours") }
        var known = action
        known.operation = action.operation.replacing(name, by: place.entity)
        return step(for: known, in: place, user, fetched, model)
    }

    /// Returns the step that resolves a name: fetching the lists of groups and directs to their last pages.
    private func finding(_ name: EntityID, _ fetched: [ResourceKey], _ model: SectionedCollection<Item>) -> ActionStep {
        let pages = [GroupMeResource.groups(page: 1), .chats(page: 1)] + memory.listingPages
        let wanted = pages.map { ResourceKey.groupMe($0) }.filter { !fetched.contains($0) }
        guard wanted.isEmpty else { return .fetch(wanted) }
        let names =
            model.rows(in: .groups).compactMap { $0.group?.name }
            + model.rows(in: .chats).compactMap { $0.chat?.partner.name }
        return .impossible(
            "none of your groups and direct conversations is named \(name)"
                + Suggestion.phrase(for: name.description, among: names.map { "#" + $0 }))
    }

    /// Returns the conversation with an id, with the form `lo+hi`, or with `#` and the name of a group or partner.
    /// Names are compared without regard to case.
    func conversation(named name: EntityID, in model: SectionedCollection<Item>) -> GroupMe.ConversationID? {
        let text = name.description
        guard text.hasPrefix("#") else { return GroupMe.ConversationID(text) }
        let wanted = text.dropFirst().lowercased()
        if let group = model.rows(in: .groups).lazy.compactMap(\.group).first(where: { $0.name?.lowercased() == wanted }
        ) {
            return .group(group.id)
        }
        return model.rows(in: .chats).lazy.compactMap(\.chat).first { $0.partner.name?.lowercased() == wanted }?
            .conversation
    }

    /// Creates a group first and adds its members afterwards, because the service accepts no members at creation
    /// (GroupMe GM-31).
    private func step(
        making draft: Action.ChannelDraft, _ action: Action, _ fetched: [ResourceKey],
        _ model: SectionedCollection<Item>
    ) -> ActionStep {
        guard draft.kind != .direct else { return .impossible("a direct begins with its first message: send one") }
        if let why = problem(withPicture: draft.icon) { return .impossible(why) }
        if let made = draft.made {
            return step(adding: draft.members, to: GroupMe.GroupID(made), by: action, fetched, model)
        }
        let body = GroupMeBodies.group(
            changedBy: .init(
                name: draft.name, icon: draft.icon, description: draft.description.unlessEmpty, visibility: draft.kind))
        return .request(action.operation, post("/v3/groups", body))
    }

    /// Returns an error message for a picture outside GroupMe's image service, since groups show only its pictures.
    private func problem(withPicture address: String?) -> String? {
        guard let address, !address.isEmpty, !address.hasPrefix(GroupMePictures.addresses) else { return nil }
        return "the picture of a group must have an address of the image service, \(GroupMePictures.addresses)…"
    }

    /// Returns the step that rejoins a group. If the user is already in the group, the action is finished.
    private func step(
        rejoining name: EntityID, _ fetched: [ResourceKey], _ model: SectionedCollection<Item>
    ) -> ActionStep {
        if let group = formerGroup(named: name, in: model) {
            return .request(
                .rejoinChannel(channel: group.entity), post("/v3/groups/join", GroupMeBodies.rejoining(group)))
        }
        let group = conversation(named: name, in: model)?.group
        if let group, model.group(group) != nil { return .follow(.finished(group.entity)) }
        let keys = [GroupMeResource.formerGroups] + (group.map { [.group($0)] } ?? [])
        guard let next = keys.map({ ResourceKey.groupMe($0) }).first(where: { !fetched.contains($0) }) else {
            return .impossible("you left no group \(name) that you may go back into")
        }
        return .fetch([next])
    }

    /// Returns the former group with an id, or with `#` and a name, compared without regard to case.
    ///
    /// `memory.former` adds the groups of the current answer, whose rows are staged but not committed.
    private func formerGroup(named name: EntityID, in model: SectionedCollection<Item>) -> GroupMe.GroupID? {
        let title = name.description.lowercased()
        let ids = model.rows(in: .formerGroups).map(\.id) + memory.former.map { .conversation(.group($0)) }
        return ids.lazy.compactMap { model[$0] }.filter(\.isFormerChannel).compactMap(\.group).first { group in
            group.id.entity == name || group.name.map { "#" + $0.lowercased() == title } ?? false
        }?.id
    }

    /// Adds members. The service requires a nickname for each; when no known group contains the user, the list of
    /// directs is fetched for it.
    private func step(
        adding users: [EntityID], to group: GroupMe.GroupID, by action: Action, _ fetched: [ResourceKey],
        _ model: SectionedCollection<Item>
    ) -> ActionStep {
        let named = users.map { (id: $0, nickname: nickname(of: $0, model)) }
        let chats = ResourceKey.groupMe(.chats(page: 1))
        if named.contains(where: { $0.nickname == nil }), !fetched.contains(chats) { return .fetch([chats]) }
        let body = GroupMeBodies.newMembers(
            named.map { ($0.id, $0.nickname ?? $0.id.description) }, guid: action.id)
        return .request(action.operation, post("\(GroupMeEndpoints.path(group))/members/add", body))
    }

    private func step(
        for action: Action, in place: GroupMe.ConversationID, _ user: GroupMe.UserID, _ fetched: [ResourceKey],
        _ model: SectionedCollection<Item>
    ) -> ActionStep {
        switch action.operation {
        case .send(_, let thread, let text):
            guard text.count <= Self.longestText else {
                return .impossible("a message has at most \(Self.longestText) characters, this has \(text.count)")
            }
            guard !text.isEmpty || !action.pictures.isEmpty else { return .impossible("nothing to send") }
            return .request(action.operation, sending(text, re: thread, action, to: place, user))
        case .react(let reference, let names):
            guard names.count <= 1 else { return .impossible("a user has one reaction to a message") }
            return .request(action.operation, reacting(with: names.first, to: reference.message, in: place))
        case .edit: return .impossible("version 3 of GroupMe's service edits no messages")
        case .delete: return .impossible("version 3 of GroupMe's service deletes no messages")
        case .markRead: return .impossible("version 3 of GroupMe's service marks nothing as read")
        case .editChannel, .deleteChannel, .addMember, .removeMember:
            guard let group = place.group else { return .impossible("a direct has no name and no members to change") }
            return step(changing: group, by: action, fetched, model)
        case .createChannel, .rejoinChannel, .createWorkspace, .changeWorkspace, .changeAccount, .run:
            return .impossible("it names no group")
        }
    }

    private func step(
        changing group: GroupMe.GroupID, by action: Action, _ fetched: [ResourceKey], _ model: SectionedCollection<Item>
    ) -> ActionStep {
        let path = GroupMeEndpoints.path(group)
        switch action.operation {
        case .editChannel(_, let change):
            if let why = problem(withPicture: change.icon) { return .impossible(why) }
            let body = GroupMeBodies.group(changedBy: change)
            return .request(action.operation, post("\(path)/update", body))
        case .deleteChannel: return .request(action.operation, post("\(path)/destroy", nil))
        case .addMember(_, let user): return step(adding: [user], to: group, by: action, fetched, model)
        case .removeMember(_, let user):
            guard let member = model[.member(user, of: group.entity)]?.membership?.id else {
                let key = ResourceKey.groupMe(.group(group))
                return fetched.contains(key) ? .impossible("\(user) is not in group \(group)") : .fetch([key])
            }
            return .request(action.operation, post("\(path)/members/\(member.entity)/remove", nil))
        case .send, .edit, .react, .delete, .markRead, .createChannel, .rejoinChannel, .createWorkspace,
            .changeWorkspace, .changeAccount, .run:
            return .impossible("it changes no group")
        }
    }

    /// Returns the user's name in any known group or direct, or `nil` when none contains the user.
    private func nickname(of user: EntityID, _ model: SectionedCollection<Item>) -> String? {
        for section in model.sectionKeys where section.name == Item.Section.members(.none).name {
            guard let group = section.parent else { continue }
            if let title = model[.member(user, of: group)]?.membership?.title { return title }
        }
        let direct = self.user.map { GroupMe.ConversationID.direct(between: $0, and: GroupMe.UserID(user)) }
        return direct.flatMap { model[.conversation($0)]?.chat?.partner.name }
    }

    // MARK: Requests

    /// Returns the request that sends a message, with the action's id as `source_guid`. The service rejects a second
    /// message with the same guid, and the guid identifies the echo.
    private func sending(
        _ text: String, re thread: EntityID?, _ action: Action, to place: GroupMe.ConversationID,
        _ user: GroupMe.UserID
    ) -> RESTCall {
        let recipient = place.partner(of: user)
        let body = GroupMeBodies.message(
            text, re: thread, pictures: action.pictures, as: action.id, to: recipient)
        guard let group = place.group else { return post("/v3/direct_messages", body) }
        return post("\(GroupMeEndpoints.path(group))/messages", body)
    }

    private func reacting(
        with name: String?, to message: EntityID, in place: GroupMe.ConversationID
    ) -> RESTCall {
        let path: RESTTarget = "/v3/messages/\(place.entity)/\(message)"
        guard let name else { return post("\(path)/unlike", nil) }
        return post("\(path)/like", GroupMeBodies.reaction(name))
    }

    private func post(_ path: RESTTarget, _ body: [UInt8]?) -> RESTCall {
        RESTCall(.post, path, body: body ?? [])
    }

    // MARK: The own echo

    func baseline(of action: Action, in model: SectionedCollection<Item>) -> Timestamp? {
        guard case .send(let channel, _, _) = action.operation, let place = conversation(named: channel, in: model)
        else { return nil }
        return model.messages(of: place).last?.createdAt ?? Timestamp(milliseconds: 0)
    }

    mutating func evidence(
        of action: Action, since baseline: Timestamp?, in model: SectionedCollection<Item>
    ) -> ResourceKey? {
        guard case .send(let channel, _, _) = action.operation, let place = conversation(named: channel, in: model)
        else { return nil }
        if let baseline { memory.reaches[place, default: GroupMeReach.nothing].goBack(to: .beforeAll(at: baseline)) }
        return .groupMe(.window(place, before: nil))
    }

    func reachOfEvidence(in key: ResourceKey, since baseline: Timestamp?, _ model: SectionedCollection<Item>)
        -> EvidenceReach
    {
        guard case .window(let place, _)? = key.groupMe, let reach = memory.reaches[place] else { return .endsEarly }
        if let cursor = reach.cursor { return .goesOn(.groupMe(.window(place, before: cursor))) }
        guard let baseline else { return .complete }
        return reach.covers(.beforeAll(at: baseline)) ? .complete : .endsEarly
    }

    func isEcho(_ message: Item, of action: Action, since baseline: Timestamp?) -> Bool {
        action.operation.isSending && message.said?.sourceGUID == action.id.description
    }

    func echo(of action: Action, after baseline: Timestamp?, in model: SectionedCollection<Item>) -> EntityID? {
        guard case .send(let channel, _, _) = action.operation, let place = conversation(named: channel, in: model)
        else { return nil }
        return model.messages(of: place).last { $0.sourceGUID == action.id.description }?.id.entity
    }
}

// Judges the service's answers to actions, and applies them.
extension GroupMeBackend {
    func judge(_ answer: Answer, of action: Action, attempt: Int) -> ActionVerdict {
        switch answer {
        case .failure(let kind, let message):
            return .later(after: nil, why: message, mayBeDone: !Answer.neverLeft(kind))
        case .response(200..<300, let body, _):
            return verdict(on: action.operation, body)
        case .response(let status, let body, let retryAfter):
            let refusal = GroupMe.Refusal(body: body)
            let errors = refusal.errors.joined(separator: "; ")
            let words = String((errors.isEmpty ? "HTTP status \(status)" : errors).prefix(300))
            return verdict(
                on: action.operation, status,
                action.operation.made.map { "group \($0) was created, but no members were added: \(words)" } ?? words,
                isTokenRefused: refusal.isUnauthorized, wait: retryAfter.map { .seconds($0) }, attempt)
        }
    }

    private func verdict(
        on operation: Action.Operation, _ status: Int, _ why: String, isTokenRefused: Bool, wait: Duration?,
        _ attempt: Int
    ) -> ActionVerdict {
        switch (status, operation) {
        // The service already has a message with this `source_guid` (GroupMe GM-37).
        case (409, .send): .done
        // A 401 on one call does not mean that the token is invalid (GroupMe GM-46).
        case (401, _): isTokenRefused ? .tokenRefused(why: why) : .refused(why: why, status: status)
        case (420, _), (429, _): .later(after: wait, why: why, mayBeDone: false)
        case (408, _), (500..., _): .later(after: wait, why: why, mayBeDone: true)
        case (404, .deleteChannel), (404, .removeMember): attempt > 1 ? .done : .refused(why: why, status: status)
        default: .refused(why: why, status: status)
        }
    }

    /// Returns the verdict on a successful answer.
    ///
    /// The service answers with an envelope or with an empty body (GroupMe GM-27). Any other success comes from an
    /// intermediary, and so may an answer to a sent message that does not contain the message. A second reaction is
    /// answered with success but may change nothing, so the returned set of reactions decides (GroupMe GM-41).
    private func verdict(on operation: Action.Operation, _ body: ArraySlice<UInt8>) -> ActionVerdict {
        let isForeign = body.first.map { $0 != UInt8(ascii: "{") } ?? false
        let lacksMessage = operation.isSending && (try? GroupMe.message(from: body, of: .group(""))) == nil
        if isForeign || lacksMessage {
            return .later(after: nil, why: "the answer is not the service's", mayBeDone: true)
        }
        guard case .react(_, let names) = operation, let name = names.first, let user,
            let reactions = (try? GroupMe.reactions(from: body)) ?? nil
        else { return .done }
        let isTaken = reactions.contains { $0.symbol == .unicode(name) && $0.users.contains(user) }
        return isTaken
            ? .done
            : .refused(why: "the server keeps the reaction of before: take that back first", status: nil)
    }

    // MARK: Done

    /// Returns the second step of making a group: adding its members.
    mutating func follow(
        _ action: Action, _ answer: Answer, into context: inout HandlerContext
    ) -> ActionFollowing? {
        guard case .createChannel(var draft) = action.operation, !draft.members.isEmpty,
            case .response(_, let body, _) = answer
        else { return nil }
        if let made = draft.made {
            settleAddition(to: GroupMe.GroupID(made), body, into: &context)
            return .finished(made)
        }
        draft.made = settleGroup(body, nil, into: &context)
        return draft.made == nil
            ? .refused(why: "the answer does not identify the created group: no members were added")
            : .next(.createChannel(draft))
    }

    /// Fetches the group and the results of the addition. The service lists new members only some time after it accepts
    /// them.
    private func settleAddition(
        to group: GroupMe.GroupID, _ body: ArraySlice<UInt8>, into context: inout HandlerContext
    ) {
        if let results = try? GroupMe.resultsID(from: body) {
            context.fetch(.groupMe(.addedMembers(group, results: results)), after: .milliseconds(500))
        }
        context.fetch(.groupMe(.group(group)), after: .seconds(1))
    }

    mutating func settle(
        _ action: Action, body: ArraySlice<UInt8>, into context: inout HandlerContext
    ) -> EntityID? {
        switch action.operation {
        case .send(let channel, _, _): return settleMessage(body, channel, into: &context)
        case .react(let reference, _):
            settleReactions(body, reference, into: &context)
            return reference.message
        case .createChannel, .editChannel, .rejoinChannel:
            return settleGroup(body, action.operation.channel, into: &context)
        case .deleteChannel(let channel):
            leave(GroupMe.GroupID(channel), into: &context)
            return channel
        case .addMember(let channel, let user):
            settleAddition(to: GroupMe.GroupID(channel), body, into: &context)
            return user
        case .removeMember(let channel, let user):
            let group = GroupMe.GroupID(channel)
            overtake(group, into: &context)
            context.model.remove(.member(user, of: channel))
            context.fetch(.groupMe(.group(group)))
            return user
        case .edit, .delete, .markRead, .createWorkspace, .changeWorkspace, .changeAccount, .run: return nil
        }
    }

    /// Applies the answer to a sent message, so that the message is known even if its push does not arrive. An answer
    /// without a message (409) only starts the fetch that finds it.
    private mutating func settleMessage(
        _ body: ArraySlice<UInt8>, _ channel: EntityID, into context: inout HandlerContext
    ) -> EntityID? {
        guard let place = conversation(named: channel, in: context.model) else { return nil }
        context.overtake { $0.conversation == place }
        context.fetch(.groupMe(.newest(place)), after: .milliseconds(100))
        guard let sent = try? GroupMe.message(from: body, of: place) else { return nil }
        note(sent, into: &context)
        context.meet(sent)
        return sent.id.entity
    }

    private mutating func settleReactions(
        _ body: ArraySlice<UInt8>, _ reference: Action.MessageReference, into context: inout HandlerContext
    ) {
        guard let place = conversation(named: reference.channel, in: context.model) else { return }
        context.overtake { $0.conversation == place }
        context.fetch(.groupMe(.newest(place)), after: .milliseconds(100))
        guard let reactions = (try? GroupMe.reactions(from: body)) ?? nil,
            var message = context.model[.message(reference.message)]?.said
        else { return }
        message.react(reactions)
        context.say(message)
    }

    private mutating func settleGroup(
        _ body: ArraySlice<UInt8>, _ known: EntityID?, into context: inout HandlerContext
    ) -> EntityID? {
        guard let record = try? GroupMe.group(from: body) else {
            if let known { context.fetch(.groupMe(.group(GroupMe.GroupID(known)))) }
            return known
        }
        overtake(record.group.id, into: &context)
        context.show(record.group)
        context.want(GroupMe.ConversationID.group(record.group.id).room)
        context.fetch(.groupMe(.group(record.group.id)))
        return record.group.id.entity
    }
}

extension Action.Operation {
    /// The id of the created channel, while its members are still to be added; `nil` before that.
    fileprivate var made: EntityID? { if case .createChannel(let draft) = self { draft.made } else { nil } }
}

// Shows pending actions in the model.
extension GroupMeBackend {
    /// The base of the sort keys of unsent messages. It is later than any real time, so they follow all other messages
    /// in sending order.
    private static let behindEveryTime = Int64(1) << 62

    func lay(_ view: ActionView, on overlay: inout Overlay, in model: inout SectionedCollection<Item>) {
        switch view.action.operation {
        case .send(let channel, _, let text):
            guard let place = conversation(named: channel, in: model) else { return }
            lay(text, in: place, view, on: &overlay, in: &model)
        case .react(let reference, let names):
            guard let user else { return }
            overlay.change(.message(reference.message), view, in: &model) { row in
                row.said.map { Item.Entity($0.reacting(with: names.first, by: user)) }
            }
        case .createChannel(let draft):
            if let made = draft.made {
                for user in draft.members { lay(user, in: made, view, on: &overlay, in: &model) }
                return
            }
            var group = GroupMe.Group(id: GroupMe.GroupID(view.action.id), name: draft.name)
            group.description = draft.description.unlessEmpty
            group.createdAt = view.action.asked
            overlay.put(Item.group(group).shown(as: view.delivery), in: &model)
        case .editChannel(let channel, let change):
            overlay.change(Item.ID(.channel, channel), view, in: &model) { row in
                guard var group = row.group else { return nil }
                group.name = change.name ?? group.name
                if let icon = change.icon { group.imageURL = icon.unlessEmpty }
                if let description = change.description { group.description = description.unlessEmpty }
                // The service creates the share URL of a public group, so only its removal can be shown.
                if change.visibility == .private { group.shareURL = nil }
                return Item.Entity(group)
            }
        case .deleteChannel(let channel): overlay.leave(Item.ID(.channel, channel), in: &model)
        case .rejoinChannel(let channel):
            guard let group = model[Item.ID(.channel, channel)]?.group else { return }
            overlay.put(Item.group(group).shown(as: view.delivery), in: &model)
        case .addMember(let channel, let user): lay(user, in: channel, view, on: &overlay, in: &model)
        case .removeMember(let channel, let user): overlay.leave(.member(user, of: channel), in: &model)
        case .edit, .delete, .markRead, .createWorkspace, .changeWorkspace, .changeAccount, .run: break
        }
    }

    /// Shows a future member without a name. The results of the addition contain the name.
    private func lay(
        _ user: EntityID, in channel: EntityID, _ view: ActionView, on overlay: inout Overlay,
        in model: inout SectionedCollection<Item>
    ) {
        guard model[.member(user, of: channel)] == nil else { return }
        let member = GroupMe.Member(group: GroupMe.GroupID(channel), user: GroupMe.UserID(user))
        overlay.put(Item.member(member).shown(as: view.delivery), in: &model)
    }

    private func lay(
        _ text: String, in place: GroupMe.ConversationID, _ view: ActionView, on overlay: inout Overlay,
        in model: inout SectionedCollection<Item>
    ) {
        var message = GroupMe.Message(id: GroupMe.MessageID(view.action.id), conversation: place, text: text)
        message.attachments = view.action.pictures.map { address in
            var writer = JSONWriter()
            GroupMeBodies.picture(at: address, to: &writer)
            return GroupMe.Attachment(RawJSON(unchecked: writer.bytes[...]))
        }
        message.sender = user
        message.createdAt = view.action.asked
        message.sourceGUID = view.action.id.description
        let row = Item.said(message)
        overlay.put(
            Item(
                id: row.id, section: row.sectionKey, sortKey: Self.behindEveryTime + Int64(view.order),
                entity: row.entity, delivery: view.delivery), in: &model)
    }
}

extension GroupMe.Message {
    /// Returns the message with `code` as the user's only reaction, or with none when `code` is `nil`.
    fileprivate func reacting(with code: String?, by user: GroupMe.UserID) -> GroupMe.Message {
        var set: [GroupMe.Reaction] = []
        for var reaction in reactions ?? [] {
            reaction.users.removeAll { $0 == user }
            if !reaction.users.isEmpty { set.append(reaction) }
        }
        if let code {
            if let index = set.firstIndex(where: { $0.symbol == .unicode(code) }) {
                set[index].users.append(user)
            } else {
                set.append(GroupMe.Reaction(.unicode(code), users: [user]))
            }
        }
        var message = self
        message.react(set)
        return message
    }
}

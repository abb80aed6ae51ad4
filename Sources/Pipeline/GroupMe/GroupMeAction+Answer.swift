import Events
import SectionedModel

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

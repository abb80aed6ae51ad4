import WeirEvents
import WeirJSON
import WeirModel

// Judges the server's answers to actions, and applies them.
extension TwakeBackend {
    func judge(_ answer: Answer, of action: Action, attempt: Int) -> ActionVerdict {
        if let file = action.nextUpload { return judge(answer, ofUpload: file) }
        switch answer {
        case .failure(let kind, let message):
            return .later(after: nil, why: message, mayBeDone: !Answer.neverLeft(kind))
        case .response(200..<300, let body, _):
            // An intermediary, such as a gateway, may answer in the server's place. Its page is not the server's
            // answer.
            if let why = refusal(in: body, of: action.operation) { return .refused(why: why, status: nil) }
            if confirms(action.operation, body) { return .done }
            return .later(after: nil, why: "unexpected answer of the server", mayBeDone: true)
        case .response(let status, let body, let retryAfter):
            let words = Self.words(of: body)
            let why = words.isEmpty ? "HTTP status \(status)" : words
            if isTokenRefusal(status, words) { return .tokenRefused(why: why) }
            // Twake's own 404 is a JSON object (Twake TW-64). An HTML page comes from an intermediary.
            if status == 404 || status == 410, body.first != UInt8(ascii: "{") {
                return .later(after: nil, why: why, mayBeDone: true)
            }
            if isDoneAlready(action.operation, words, status, attempt) { return .done }
            if status == 429 || status == 425 {
                return .later(after: retryAfter.map { .seconds($0) }, why: why, mayBeDone: false)
            }
            if status == 408 || status >= 500, !Self.refusals.contains(words) {
                return .later(after: retryAfter.map { .seconds($0) }, why: why, mayBeDone: true)
            }
            return .refused(why: why, status: status)
        }
    }

    /// Returns the reason why an action was not done although the status reports success, or `nil`.
    ///
    /// The core applies only the permitted parts of a channel's change, and reports each invitation separately.
    private func refusal(in body: ArraySlice<UInt8>, of operation: Action.Operation) -> String? {
        switch operation {
        case .editChannel(_, let change):
            guard let wanted = change.visibility?.rawValue,
                let visibility = (try? Twake.channel(from: body, user: facts.user))?.visibility?.wireName
            else { return nil }
            return visibility == wanted
                ? nil : "the channel stays \(visibility): only its other properties can be changed, which was done"
        case .changeWorkspace(_, .addMember):
            guard case .array(let invitations)? = (try? JSONValue(parsing: body))?["resources"],
                let failed = invitations.first(where: { $0["status"]?.text == "error" })
            else { return nil }
            return String((failed["message"]?.text ?? "the server gives no reason").prefix(300))
        default: return nil
        }
    }

    /// Whether the body is what the server returns after performing the operation.
    private func confirms(_ operation: Action.Operation, _ body: ArraySlice<UInt8>) -> Bool {
        let era = facts.effectiveEra
        switch operation {
        case .send(_, let thread, _):
            return (thread == nil && era == .b ? Self.firstMessage(of: body) : try? Twake.message(from: body)) != nil
        case .edit: return (try? Twake.message(from: body)) != nil
        case .createChannel, .editChannel: return (try? Twake.channel(from: body, user: facts.user)) != nil
        case .createWorkspace, .changeWorkspace(_, .rename): return Self.createdID(in: body) != nil
        case .rejoinChannel, .run: return false
        // The answers to these are small (Twake TW-65) or empty.
        case .react, .delete, .markRead, .deleteChannel, .addMember, .removeMember, .changeWorkspace, .changeAccount:
            return body.isEmpty || (try? JSONValue(parsing: body)) != nil
        }
    }

    private static func createdID(in body: ArraySlice<UInt8>) -> EntityID? {
        guard let value = try? JSONValue(parsing: body) else { return nil }
        return value["id"]?.id ?? value["resource"]?["id"]?.id
    }

    /// Messages of plain exceptions in the core, which arrive with status 500 (Twake TW-62).
    private static let refusals: Set<String> = ["Can't write this message.", "This message doesn't exists."]

    /// Whether an answer rejects the token. Era A also answers 403 to a user who lacks a permission (Twake TW-63).
    func isTokenRefusal(_ status: Int, _ words: String) -> Bool {
        if facts.effectiveEra == .a {
            return status == 403 && ["Wrong token", "Token is not provided"].contains(words)
        }
        return status == 401
    }

    /// Whether the refusal means that the wanted state already exists: nothing had to change, or an earlier attempt did
    /// it.
    private func isDoneAlready(_ operation: Action.Operation, _ words: String, _ status: Int, _ attempt: Int) -> Bool {
        let isGone =
            status == 404 || status == 410 || ["Object not found", "This message doesn't exists."].contains(words)
        switch operation {
        case .editChannel: return words == "Nothing to update"
        case .delete, .deleteChannel, .removeMember, .changeWorkspace(_, .delete), .changeWorkspace(_, .removeMember):
            return isGone && attempt > 1
        case .addMember: return attempt > 1 && words == "User is already a member of the channel"
        case .send, .edit, .react, .markRead, .createChannel, .rejoinChannel, .createWorkspace, .changeWorkspace,
            .changeAccount, .run:
            return false
        }
    }

    /// Returns the server's error message: `message` in era B, `error` in era A. It is untrusted text.
    static func words(of body: ArraySlice<UInt8>) -> String {
        guard let value = try? JSONValue(parsing: body) else { return "" }
        return String((value["message"]?.text ?? value["error"]?.text ?? "").prefix(300))
    }

    // MARK: Done

    mutating func settle(
        _ action: Action, body: ArraySlice<UInt8>, into context: inout HandlerContext
    ) -> EntityID? {
        let era = facts.effectiveEra
        switch action.operation {
        case .send(let channel, let thread, _):
            let message = thread == nil && era == .b ? Self.firstMessage(of: body) : try? Twake.message(from: body)
            if era == .b, let message { facts.keepsContext = message.clientID == action.id }
            return settle(message, channel, thread, into: &context)
        case .edit(let reference, _):
            settle(try? Twake.message(from: body), reference, into: &context)
            return reference.message
        case .react(let reference, _):
            settle(era == .b ? try? Twake.message(from: body) : nil, reference, into: &context)
            return reference.message
        case .delete(let reference):
            settleDeletion(of: reference, era, into: &context)
            return reference.message
        case .markRead(let channel):
            settleReading(of: channel, era, into: &context)
            return channel
        case .createChannel, .editChannel:
            return settleChannel(body, action.operation.channel, into: &context)
        case .deleteChannel(let channel):
            if let path = context.model[.channel(channel)]?.channel?.path { context.overtakeLists(of: path) }
            context.removeChannel(channel, &memory)
            return channel
        case .addMember(let channel, let user), .removeMember(let channel, let user):
            context.overtake { $0.path?.channel == channel }
            if case .removeMember = action.operation { context.model.remove(.member(user, of: channel)) }
            if let path = context.model[.channel(channel)]?.channel?.path {
                context.fetch(.twake(.members(era, path)))
            }
            return user
        case .createWorkspace: return Self.createdID(in: body)
        case .changeWorkspace(let workspace, let change): return settle(change, of: workspace, into: &context)
        case .changeAccount(let change): return settle(change, into: &context)
        case .rejoinChannel, .run: return nil
        }
    }

    /// Applies a change of a workspace, and fetches the list again: no event reports a deleted workspace.
    private mutating func settle(
        _ change: Action.WorkspaceChange, of workspace: EntityID, into context: inout HandlerContext
    ) -> EntityID? {
        let company = context.model[.workspace(workspace)]?.workspace?.company ?? facts.company
        let subject =
            switch change {
            case .rename, .delete: workspace
            case .addMember(let user): EntityID(user)
            case .removeMember(let user): user
            }
        guard let company, company == facts.company, following.contains(.places) else { return subject }
        let list = TwakeResource.workspaces(facts.effectiveEra, company: company)
        context.overtake { $0 == list }
        switch change {
        case .rename(let name):
            if let known = context.model[.workspace(workspace)]?.workspace {
                context.model.put(.workspace(known.named(name), of: company))
            }
        case .delete: lose(workspace, of: company, into: &context)
        // The list contains the number of members, and omits a workspace that the user left.
        case .addMember, .removeMember: break
        }
        context.fetch(.twake(list))
        return subject
    }

    private mutating func settle(_ change: Action.AccountChange, into context: inout HandlerContext) -> EntityID? {
        guard let user = facts.user, let known = context.model[.account(user)]?.account else { return facts.user }
        let own = TwakeResource.account(facts.effectiveEra)
        context.overtake { $0 == own }
        context.learn([known.changed(by: change)])
        context.fetch(.twake(own))
        return user
    }

    /// Reads the first message of a new thread. Era B returns the thread, which contains the message (Twake TW-79).
    private static func firstMessage(of body: ArraySlice<UInt8>) -> Twake.Message? {
        guard let value = try? JSONValue(parsing: body), let message = value["resource"]?["message"] else { return nil }
        return try? Twake.message(from: message.bytes[...])
    }

    /// Applies the answer to a sent message, so that the message is known even if its echo does not arrive. An answer
    /// without the message causes a fetch of the channel or thread.
    private mutating func settle(
        _ sent: Twake.Message?, _ channel: EntityID, _ thread: EntityID?, into context: inout HandlerContext
    ) -> EntityID? {
        let era = facts.effectiveEra
        let path = context.model[.channel(channel)]?.channel?.path
        context.overtakeMessages(of: thread ?? sent?.id ?? channel, in: channel)
        guard let sent else {
            if let path { context.fetch(pageKey(path, thread, era)) }
            return nil
        }
        // Whatever the model already holds is newer than the answer. In era A a deletion leaves no trace in the model,
        // so the message is fetched.
        if context.model[.message(sent.id)] == nil, isShown(channel, context) {
            context.adopt(sent, at: path, channel: channel, era, isCurrent: true)
            if era == .a, let path {
                context.fetch(
                    .twake(.message(era, path, thread: sent.thread, id: sent.id)), after: .milliseconds(300))
            }
        }
        if let path, let thread { context.fetch(.twake(.message(era, path, thread: thread, id: thread))) }
        return sent.id
    }

    /// Whether the model shows the messages of a channel. The channel may have been left or deleted while the request
    /// was in flight.
    private func isShown(_ channel: EntityID, _ context: HandlerContext) -> Bool {
        !discoversRooms || context.model[.channel(channel)] != nil
    }

    /// Applies a changed message. The dates of era A do not order two versions, so the message is fetched again.
    private mutating func settle(
        _ changed: Twake.Message?, _ reference: Action.MessageReference, into context: inout HandlerContext
    ) {
        let era = facts.effectiveEra
        let known = context.model[.message(reference.message)]?.message
        let thread = reference.thread ?? known?.thread ?? reference.message
        context.overtakeMessages(of: thread, in: reference.channel)
        let path = context.model[.channel(reference.channel)]?.channel?.path
        if let changed, isShown(reference.channel, context),
            !isLetGo(changed, of: reference.channel, in: context.model)
        {
            context.adopt(changed, at: path, channel: reference.channel, era, isCurrent: era == .a)
        }
        guard era == .a || changed == nil, let path else { return }
        context.fetch(.twake(.message(era, path, thread: thread, id: reference.message)))
    }

    /// Applies a deletion in the form of its event (Twake TW-23, TW-39), which may have arrived before.
    private mutating func settleDeletion(
        of reference: Action.MessageReference, _ era: TwakeEra, into context: inout HandlerContext
    ) {
        guard var message = context.model[.message(reference.message)]?.message else { return }
        context.overtakeMessages(of: message.thread, in: reference.channel)
        if era == .b {
            message.update { fields in
                fields.subtype = "deleted"
                fields.text = "Deleted message"
                fields.reactions = []
            }
            if let row = Item.message(message) { context.model.put(row) }
        } else {
            // The replies of a deleted head stay in the model.
            context.model.remove(.message(message.id))
        }
        guard let path = context.model[.channel(reference.channel)]?.channel?.path else { return }
        // The answer may be a 404 that an intermediary sent, and it does not contain the time of the deletion.
        context.fetch(
            .twake(.message(era, path, thread: message.thread, id: message.id)), after: .milliseconds(300))
        guard !message.isHead else { return }
        context.fetch(.twake(.message(era, path, thread: message.thread, id: message.thread)))
    }

    /// Marks the channel as read up to the last known message. The answer does not contain the exact time; the event
    /// (Twake TW-53) and the list do.
    private mutating func settleReading(of id: EntityID, _ era: TwakeEra, into context: inout HandlerContext) {
        guard var channel = context.model[.channel(id)]?.channel else { return }
        context.overtakeLists(of: channel.path)
        context.overtake { if case .badges = $0 { true } else { false } }
        channel.lastAccess = latest(channel.lastAccess, channel.lastActivity)
        context.model.put(.channel(channel))
        context.fetch(.twake(.badges(era, company: channel.company)), after: .milliseconds(300))
        context.fetch(channel.path.list(era), after: .milliseconds(300))
        guard era == .b else { return }
        for row in context.model.rows(in: .badges(channel.company)) where row.badge?.channel == id {
            context.model.remove(row.id)
        }
    }

    /// Applies a created or changed channel. The answer lacks many fields of a channel (Twake TW-66), so the list is
    /// fetched too.
    private mutating func settleChannel(
        _ body: ArraySlice<UInt8>, _ known: EntityID?, into context: inout HandlerContext
    ) -> EntityID? {
        guard let sent = try? Twake.channel(from: body, user: facts.user) else { return known }
        let row = context.model[.channel(sent.id)]?.channel
        context.overtakeLists(of: sent.path)
        memory.listed(sent.id)
        context.model.put(.channel(row?.merged(with: sent) ?? sent))
        context.fetch(sent.path.list(facts.effectiveEra))
        return sent.id
    }
}

import Events
import JSONText
import SectionedModel

// What the server says to an action.
extension TwakeBackend {
    func judge(_ answer: Answer, of action: Action, attempt: Int) -> ActionVerdict {
        if let file = action.nextUpload { return judge(answer, ofUpload: file) }
        switch answer {
        case .failure(let kind, let message):
            return .later(after: nil, why: message, mayBeDone: !Self.neverLeft(kind))
        case .response(200..<300, let body, _):
            // Whatever stands between may answer in the server's place (a gateway's page): that is no word of the server.
            if let why = refusal(in: body, of: action.operation) { return .refused(why: why, status: nil) }
            if confirms(action.operation, body) { return .done }
            return .later(after: nil, why: "the answer is not what the server says to this", mayBeDone: true)
        case .response(let status, let body, let retryAfter):
            let words = Self.words(of: body)
            let why = words.isEmpty ? "HTTP status \(status)" : words
            if isTokenRefusal(status, words) { return .tokenRefused(why: why) }
            // Twake's own 404 is a JSON object (4.1): a page is the word of something in between.
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

    /// Whether a failure of that kind ended the request before it left.
    static func neverLeft(_ kind: String) -> Bool { ["resolve", "connect", "tls", "proxy"].contains(kind) }

    /// Why it is not done, though the status says so. Of a change by a user that may do only some of it the core does that; each
    /// invitation has a word of its own.
    private func refusal(in body: ArraySlice<UInt8>, of operation: Action.Operation) -> String? {
        switch operation {
        case .editChannel(_, let change):
            guard let wanted = change.visibility?.rawValue,
                let visibility = (try? Twake.channel(from: body, user: facts.user))?.visibility?.wireName
            else { return nil }
            return visibility == wanted
                ? nil : "the channel stays \(visibility): you may change the rest of it, which is done"
        case .changeWorkspace(_, .addMember):
            guard case .array(let invitations)? = (try? JSONValue(parsing: body))?["resources"],
                let failed = invitations.first(where: { $0["status"]?.text == "error" })
            else { return nil }
            return String((failed["message"]?.text ?? "the server does not say why").prefix(300))
        default: return nil
        }
    }

    /// Whether a body is what the server answers to an operation that it did.
    private func confirms(_ operation: Action.Operation, _ body: ArraySlice<UInt8>) -> Bool {
        let era = facts.effectiveEra
        switch operation {
        case .send(_, let thread, _):
            return (thread == nil && era == .b ? Self.firstMessage(of: body) : try? Twake.message(from: body)) != nil
        case .edit: return (try? Twake.message(from: body)) != nil
        case .createChannel, .editChannel: return (try? Twake.channel(from: body, user: facts.user)) != nil
        case .createWorkspace, .changeWorkspace(_, .rename): return Self.createdID(in: body) != nil
        case .rejoinChannel, .run: return false
        // These answer with little (4.1), or with nothing.
        case .react, .delete, .markRead, .deleteChannel, .addMember, .removeMember, .changeWorkspace, .changeAccount:
            return body.isEmpty || (try? JSONValue(parsing: body)) != nil
        }
    }

    private static func createdID(in body: ArraySlice<UInt8>) -> EntityID? {
        guard let value = try? JSONValue(parsing: body) else { return nil }
        return value["id"]?.id ?? value["resource"]?["id"]?.id
    }

    /// What the core throws as plain exceptions, which come as a status of 500 (4.1).
    private static let refusals: Set<String> = ["Can't write this message.", "This message doesn't exists."]

    /// Era A says 403 to a bad token, and to who has no right (4.1).
    func isTokenRefusal(_ status: Int, _ words: String) -> Bool {
        if facts.effectiveEra == .a {
            return status == 403 && ["Wrong token", "Token is not provided"].contains(words)
        }
        return status == 401
    }

    /// Whether the refusal says that things are as they were to be: nothing was to change, or an earlier attempt did it.
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

    /// The server's words in an error: `message` (B), `error` (A). Untrusted.
    static func words(of body: ArraySlice<UInt8>) -> String {
        guard let value = try? JSONValue(parsing: body) else { return "" }
        return String((value["message"]?.text ?? value["error"]?.text ?? "").prefix(300))
    }

    // MARK: Done

    mutating func settle(
        _ action: Action, body: ArraySlice<UInt8>, into transaction: inout Transaction
    ) -> EntityID? {
        let era = facts.effectiveEra
        switch action.operation {
        case .send(let channel, let thread, _):
            let message = thread == nil && era == .b ? Self.firstMessage(of: body) : try? Twake.message(from: body)
            if era == .b, let message { facts.keepsContext = message.clientID == action.id }
            return settle(message, channel, thread, into: &transaction)
        case .edit(let reference, _):
            settle(try? Twake.message(from: body), reference, into: &transaction)
            return reference.message
        case .react(let reference, _):
            settle(era == .b ? try? Twake.message(from: body) : nil, reference, into: &transaction)
            return reference.message
        case .delete(let reference):
            settleDeletion(of: reference, era, into: &transaction)
            return reference.message
        case .markRead(let channel):
            settleReading(of: channel, era, into: &transaction)
            return channel
        case .createChannel, .editChannel:
            return settleChannel(body, action.operation.channel, into: &transaction)
        case .deleteChannel(let channel):
            if let path = transaction.model[.channel(channel)]?.channel?.path { transaction.overtakeLists(of: path) }
            transaction.removeChannel(channel, &memory)
            return channel
        case .addMember(let channel, let user), .removeMember(let channel, let user):
            transaction.overtake { $0.path?.channel == channel }
            if case .removeMember = action.operation { transaction.model.remove(.member(user, of: channel)) }
            if let path = transaction.model[.channel(channel)]?.channel?.path {
                transaction.fetch(.twake(.members(era, path)))
            }
            return user
        case .createWorkspace: return Self.createdID(in: body)
        case .changeWorkspace(let workspace, let change): return settle(change, of: workspace, into: &transaction)
        case .changeAccount(let change): return settle(change, into: &transaction)
        case .rejoinChannel, .run: return nil
        }
    }

    /// No event says that a workspace was deleted: the list is fetched again.
    private mutating func settle(
        _ change: Action.WorkspaceChange, of workspace: EntityID, into transaction: inout Transaction
    ) -> EntityID? {
        let company = transaction.model[.workspace(workspace)]?.workspace?.company ?? facts.company
        let subject =
            switch change {
            case .rename, .delete: workspace
            case .addMember(let user): EntityID(user)
            case .removeMember(let user): user
            }
        guard let company, company == facts.company, following.contains(.places) else { return subject }
        let list = TwakeResource.workspaces(facts.effectiveEra, company: company)
        transaction.overtake { $0 == list }
        switch change {
        case .rename(let name):
            if let known = transaction.model[.workspace(workspace)]?.workspace {
                transaction.model.put(.workspace(known.named(name), of: company))
            }
        case .delete: lose(workspace, of: company, into: &transaction)
        // The list has how many they are; of a workspace that the user left it has nothing.
        case .addMember, .removeMember: break
        }
        transaction.fetch(.twake(list))
        return subject
    }

    private mutating func settle(_ change: Action.AccountChange, into transaction: inout Transaction) -> EntityID? {
        guard let user = facts.user, let known = transaction.model[.account(user)]?.account else { return facts.user }
        let own = TwakeResource.account(facts.effectiveEra)
        transaction.overtake { $0 == own }
        transaction.learn([known.changed(by: change)])
        transaction.fetch(.twake(own))
        return user
    }

    /// Era B answers a new thread; its first message is inside (4.4).
    private static func firstMessage(of body: ArraySlice<UInt8>) -> Twake.Message? {
        guard let value = try? JSONValue(parsing: body), let message = value["resource"]?["message"] else { return nil }
        return try? Twake.message(from: message.bytes[...])
    }

    /// A sent message is known from now on, whether or not its echo came. An answer that says nothing makes the place be read again.
    private mutating func settle(
        _ sent: Twake.Message?, _ channel: EntityID, _ thread: EntityID?, into transaction: inout Transaction
    ) -> EntityID? {
        let era = facts.effectiveEra
        let path = transaction.model[.channel(channel)]?.channel?.path
        transaction.overtakeMessages(of: thread ?? sent?.id ?? channel, in: channel)
        guard let sent else {
            if let path { transaction.fetch(pageKey(path, thread, era)) }
            return nil
        }
        // What came of it meanwhile is newer than the answer. Of what was deleted meanwhile era A's model has nothing, so that there it is
        // asked about.
        if transaction.model[.message(sent.id)] == nil, isShown(channel, transaction) {
            transaction.adopt(sent, at: path, channel: channel, era, isCurrent: true)
            if era == .a, let path {
                transaction.fetch(
                    .twake(.message(era, path, thread: sent.thread, id: sent.id)), after: .milliseconds(300))
            }
        }
        if let path, let thread { transaction.fetch(.twake(.message(era, path, thread: thread, id: thread))) }
        return sent.id
    }

    /// Whether the messages of a channel are shown: it may have been left, or gone, while the answer was on its way.
    private func isShown(_ channel: EntityID, _ transaction: Transaction) -> Bool {
        !discoversRooms || transaction.model[.channel(channel)] != nil
    }

    /// A change of a message. Era A's dates do not tell which of two versions is newer, so that there the message is read once more.
    private mutating func settle(
        _ changed: Twake.Message?, _ reference: Action.MessageReference, into transaction: inout Transaction
    ) {
        let era = facts.effectiveEra
        let known = transaction.model[.message(reference.message)]?.message
        let thread = reference.thread ?? known?.thread ?? reference.message
        transaction.overtakeMessages(of: thread, in: reference.channel)
        let path = transaction.model[.channel(reference.channel)]?.channel?.path
        if let changed, isShown(reference.channel, transaction),
            !isLetGo(changed, of: reference.channel, in: transaction.model)
        {
            transaction.adopt(changed, at: path, channel: reference.channel, era, isCurrent: era == .a)
        }
        guard era == .a || changed == nil, let path else { return }
        transaction.fetch(.twake(.message(era, path, thread: thread, id: reference.message)))
    }

    /// As the event will say it (3.1, 3.3), which may have come already.
    private mutating func settleDeletion(
        of reference: Action.MessageReference, _ era: TwakeEra, into transaction: inout Transaction
    ) {
        guard var message = transaction.model[.message(reference.message)]?.message else { return }
        transaction.overtakeMessages(of: message.thread, in: reference.channel)
        if era == .b {
            message.update { fields in
                fields.subtype = "deleted"
                fields.text = "Deleted message"
                fields.reactions = []
            }
            if let row = Item.message(message) { transaction.model.put(row) }
        } else {
            // The replies of a head stay where they are.
            transaction.model.remove(.message(message.id))
        }
        guard let path = transaction.model[.channel(reference.channel)]?.channel?.path else { return }
        // The answer may be a 404 that was no word of the server's, and it never says when.
        transaction.fetch(
            .twake(.message(era, path, thread: message.thread, id: message.id)), after: .milliseconds(300))
        guard !message.isHead else { return }
        transaction.fetch(.twake(.message(era, path, thread: message.thread, id: message.thread)))
    }

    /// What was there is read. Until when exactly, the answer does not say: the event does (T6), and the list.
    private mutating func settleReading(of id: EntityID, _ era: TwakeEra, into transaction: inout Transaction) {
        guard var channel = transaction.model[.channel(id)]?.channel else { return }
        transaction.overtakeLists(of: channel.path)
        transaction.overtake { if case .badges = $0 { true } else { false } }
        channel.lastAccess = latest(channel.lastAccess, channel.lastActivity)
        transaction.model.put(.channel(channel))
        transaction.fetch(.twake(.badges(era, company: channel.company)), after: .milliseconds(300))
        transaction.fetch(channel.path.list(era), after: .milliseconds(300))
        guard era == .b else { return }
        for row in transaction.model.rows(in: .badges(channel.company)) where row.badge?.channel == id {
            transaction.model.remove(row.id)
        }
    }

    /// The answer to a change leaves out much of a channel (4.1), so that the list is asked, too.
    private mutating func settleChannel(
        _ body: ArraySlice<UInt8>, _ known: EntityID?, into transaction: inout Transaction
    ) -> EntityID? {
        guard let sent = try? Twake.channel(from: body, user: facts.user) else { return known }
        let row = transaction.model[.channel(sent.id)]?.channel
        transaction.overtakeLists(of: sent.path)
        memory.listed(sent.id)
        transaction.model.put(.channel(row?.merged(with: sent) ?? sent))
        transaction.fetch(sent.path.list(facts.effectiveEra))
        return sent.id
    }
}

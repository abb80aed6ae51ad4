import WeirEvents
import WeirModel
import WeirWire

// Maintains the accounts of the user and of message senders.
extension TwakeBackend {
    /// The time for which new senders are collected before a request: one is usually followed by others.
    private static let gathering: Duration = .milliseconds(200)

    /// Requests the accounts of new senders in the handled messages.
    mutating func meetSenders(into context: inout HandlerContext) {
        guard !context.senders.isEmpty else { return }
        defer { context.senders.removeAll(keepingCapacity: true) }
        // Until the era is known no accounts can be requested. `lookForMissing` makes up for it.
        guard !facts.hasNoREST, facts.era != nil || !discoversRooms else { return }
        for resource in memory.accounts.take(context.senders, facts.effectiveEra) {
            context.fetch(.twake(resource), after: Self.gathering)
        }
    }

    /// Requests missing accounts again. They may exist by now, or the earlier answer may have been wrong.
    mutating func lookForMissing(into context: inout HandlerContext) {
        guard following.contains(.accounts) else { return }
        memory.accounts.forgetSome { context.model[.account($0)] == nil }
        for section in context.model.sectionKeys where section.holdsMessages {
            for row in context.model.rows(in: section) {
                guard let user = row.message?.user, context.model[.account(user)] == nil else { continue }
                context.senders.append(user)
            }
        }
    }

    /// Applies the user's own account, and requests the accounts that an earlier session stored.
    mutating func learn(own account: Twake.Account, into context: inout HandlerContext) {
        guard following.contains(.accounts), memory.accounts.know(account.id) else { return }
        context.learn([account])
        context.senders += context.model.rows(in: .accounts).map(\.id.id)
    }

    /// Applies the answer to a request for accounts. A user without an answer has no account, or none that is visible.
    mutating func learn(_ accounts: [Twake.Account], asked: [EntityID], into context: inout HandlerContext) {
        let wanted = Set(asked)
        let answered = accounts.filter { wanted.contains($0.id) }
        let ids = Set(answered.map(\.id))
        for user in asked where !ids.contains(user) { context.model.remove(.account(user)) }
        context.learn(answered)
        // Query the presence of these users, once no others follow for a moment.
        if following.contains(.presence), !answered.isEmpty {
            memory.presence.askSooner(by: context.now + .seconds(1))
        }
    }
}

extension HandlerContext {
    /// Puts accounts into the model, and updates the sender names of messages that have none or the old one.
    mutating func learn(_ accounts: [Twake.Account]) {
        var names: [EntityID: (old: String?, new: String)] = [:]
        for account in accounts {
            let row = Item.account(account)
            let known = model[row.id]?.account
            if known?.name != account.name { names[account.id] = (known?.name, account.name) }
            model.put(row)
            guard let seen = account.lastActivity else { continue }
            for section in model.sectionKeys where section.name == Item.Section.onlineName {
                guard let company = section.parent, var presence = model[.presence(account.id, in: company)]?.presence
                else { continue }
                presence.lastSeen = latest(presence.lastSeen, seen)
                model.put(.presence(presence, in: company))
            }
        }
        if !names.isEmpty { rename(names) }
    }

    private mutating func rename(_ names: [EntityID: (old: String?, new: String)]) {
        for section in model.sectionKeys where section.holdsMessages {
            for row in model.rows(in: section) {
                guard var message = row.message, let user = message.user, let name = names[user],
                    message.senderName == nil || message.senderName == name.old
                else { continue }
                message.senderName = name.new
                if let row = Item.message(message) { model.put(row) }
            }
        }
    }

    /// Returns the row with its sender's name from the account if the message contains none, and records the sender.
    mutating func meetSender(of row: Item) -> Item {
        guard var message = row.message, let user = message.user else { return row }
        senders.append(user)
        guard message.senderName == nil, let account = model[.account(user)]?.account else { return row }
        message.senderName = account.name
        return Item.message(message) ?? row
    }
}

extension TwakeHandler where Payload == Twake.Account {
    /// Handles `user`: applies the change to a known user, and fetches the account to verify it.
    static let accountChanged = TwakeHandler(name: "account") { sent, envelope, facts, memory, context in
        guard memory.accounts.knows(sent.id) else { return }
        let known = context.model[.account(sent.id)]?.account
        let merged = known?.merged(with: sent.publicPart)
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known == nil ? .unknown : merged == known ? .same : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .account, freshness)
        // Some fields of an account are sent to its own user only, so the own account is fetched from its own resource.
        let isOwn = sent.id == facts.user
        let resources =
            isOwn ? [.account(facts.effectiveEra)] : TwakeAccountBook.resources(for: [sent.id], facts.effectiveEra)
        for resource in resources { context.overtake { $0 == resource } }
        if treatment.applies, let merged {
            if envelope.isDeletion { context.model.remove(.account(sent.id)) } else { context.learn([merged]) }
        }
        guard treatment.refetch == .account, !facts.hasNoREST else { return }
        for resource in resources { context.fetch(.twake(resource)) }
    }
}

extension Twake.Account {
    /// Returns this account updated with `newer`. Fields that were not sent keep their values.
    func merged(with newer: Twake.Account) -> Twake.Account {
        var merged = newer
        merged.email = newer.email ?? email
        merged.username = newer.username ?? username
        merged.firstName = newer.firstName ?? firstName
        merged.lastName = newer.lastName ?? lastName
        // The full name is derived from the other names, so an old one may not match the new names.
        let isRenamed = newer.firstName != nil || newer.lastName != nil
        merged.fullName = newer.fullName ?? (isRenamed ? nil : fullName)
        merged.picture = newer.picture ?? picture
        merged.provider = newer.provider ?? provider
        merged.providerID = newer.providerID ?? providerID
        merged.status = newer.status ?? status
        merged.statusIcon = newer.statusIcon ?? statusIcon
        merged.language = newer.language ?? language
        merged.lastActivity = latest(newer.lastActivity, lastActivity)
        merged.createdAt = newer.createdAt ?? createdAt
        merged.isVerified = newer.isVerified ?? isVerified
        return merged
    }
}

extension Item.Section {
    /// Whether the section contains messages, of a channel or of a thread.
    fileprivate var holdsMessages: Bool { name == Item.Section.threadName || name == Item.Section.messagesName }
}

/// The users whose accounts were requested.
///
/// A user is requested once a session, when first seen, and again when an event reports a change. Users without an
/// account are requested again with each full look at the server.
///
/// Bounded: the book holds the first `maximum` users. Users seen later appear only as their messages name them.
struct TwakeAccountBook: Sendable {
    static let maximum = 1_000
    /// The maximum number of users in one request of era B.
    private static let batch = 50
    /// The maximum length of a user id, in bytes. A longer one is made up by a peer and is ignored.
    private static let longestID = 100

    private var asked: Set<EntityID> = []

    /// Returns the requests for the users who are new, in the order in which they were seen.
    mutating func take(_ seen: [EntityID], _ era: TwakeEra) -> [TwakeResource] {
        var new: [EntityID] = []
        for user in seen where asked.count < Self.maximum && Self.isPlausible(user) {
            if asked.insert(user).inserted { new.append(user) }
        }
        return Self.resources(for: new, era)
    }

    /// Splits users into groups that fit into one request of era B.
    static func batches(of users: [EntityID]) -> [[EntityID]] {
        stride(from: 0, to: users.count, by: batch).map { Array(users[$0..<min($0 + batch, users.count)]) }
    }

    /// Returns the requests for the accounts of `users`, whether they are in the book or not.
    static func resources(for users: [EntityID], _ era: TwakeEra) -> [TwakeResource] {
        // The proxy has no call that lists users by their ids.
        (era == .a ? users.map { [$0] } : batches(of: users)).map { .accounts(era, $0) }
    }

    /// Records a user whose account arrived without a request.
    ///
    /// - Returns: Whether the user is in the book; `false` when it is full.
    mutating func know(_ user: EntityID) -> Bool {
        guard asked.contains(user) || asked.count < Self.maximum else { return false }
        asked.insert(user)
        return true
    }

    /// Whether the user's account was requested or arrived.
    func knows(_ user: EntityID) -> Bool { asked.contains(user) }

    /// Forgets up to one batch of the users that satisfy `isMissing`, so that they can be requested once more.
    mutating func forgetSome(where isMissing: (EntityID) -> Bool) {
        asked.subtract(asked.filter(isMissing).sorted().prefix(Self.batch))
    }

    private static func isPlausible(_ user: EntityID) -> Bool {
        if case .text(let text) = user { !text.isEmpty && text.utf8.count <= longestID } else { true }
    }
}

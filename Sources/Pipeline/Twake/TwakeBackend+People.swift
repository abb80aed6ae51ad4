import Events
import SectionedModel
import Wire

// Accounts: the user's own, and those of whoever is seen to write.
extension TwakeBackend {
    /// How long senders are gathered before they are asked for: what brings one mostly brings several.
    private static let gathering: Duration = .milliseconds(200)

    /// Asks for the senders of what was handled, as far as they are new.
    mutating func meetSenders(into transaction: inout Transaction) {
        guard !transaction.senders.isEmpty else { return }
        defer { transaction.senders.removeAll(keepingCapacity: true) }
        // As long as nobody knows how to ask, nobody is asked for; once it is known, whoever is missing is.
        guard !facts.hasNoREST, facts.era != nil || !discoversRooms else { return }
        for resource in memory.accounts.take(transaction.senders, facts.effectiveEra) {
            transaction.fetch(.twake(resource), after: Self.gathering)
        }
    }

    /// Whoever wrote and has no account may have one now, or was only said to have none.
    mutating func lookForMissing(into transaction: inout Transaction) {
        guard following.contains(.accounts) else { return }
        memory.accounts.forgetSome { transaction.model[.account($0)] == nil }
        for section in transaction.model.sectionKeys where section.holdsMessages {
            for row in transaction.model.rows(in: section) {
                guard let user = row.message?.user, transaction.model[.account(user)] == nil else { continue }
                transaction.senders.append(user)
            }
        }
    }

    /// The user's own account. The rows that an earlier session left are asked for anew with it.
    mutating func learn(own account: Twake.Account, into transaction: inout Transaction) {
        guard following.contains(.accounts), memory.accounts.know(account.id) else { return }
        transaction.learn([account])
        transaction.senders += transaction.model.rows(in: .accounts).map(\.id.id)
    }

    /// What was answered about users. Of whom nothing was answered, there is no such account, or none that may be seen.
    mutating func learn(_ accounts: [Twake.Account], asked: [EntityID], into transaction: inout Transaction) {
        let wanted = Set(asked)
        let answered = accounts.filter { wanted.contains($0.id) }
        let ids = Set(answered.map(\.id))
        for user in asked where !ids.contains(user) { transaction.model.remove(.account(user)) }
        transaction.learn(answered)
        // Whether they are there is asked for when nobody else comes for a moment.
        if following.contains(.presence), !answered.isEmpty {
            memory.presence.askSooner(by: transaction.now + .seconds(1))
        }
    }
}

extension Transaction {
    /// Puts accounts in the model, and their names to the messages that have none, or an older one.
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

    /// The row with its sender's name, where only the account has it; the sender is noted.
    mutating func meetSender(of row: Item) -> Item {
        guard var message = row.message, let user = message.user else { return row }
        senders.append(user)
        guard message.senderName == nil, let account = model[.account(user)]?.account else { return row }
        message.senderName = account.name
        return Item.message(message) ?? row
    }
}

extension TwakeHandler where Payload == Twake.Account {
    /// `user`: what was sent of a known user is applied, and the account asked for to make sure.
    static let accountChanged = TwakeHandler(name: "account") { sent, envelope, facts, memory, transaction in
        guard memory.accounts.knows(sent.id) else { return }
        let known = transaction.model[.account(sent.id)]?.account
        let merged = known?.merged(with: sent.publicPart)
        let standing: TwakeStanding =
            envelope.isDeletion ? .removed : known == nil ? .unknown : merged == known ? .same : .doubtful
        let treatment = TwakeTable.treatment(of: .account, standing)
        // The server says this to the user only: it is kept.
        let isOwn = sent.id == facts.user
        let resources =
            isOwn ? [.account(facts.effectiveEra)] : TwakeAccountBook.resources(for: [sent.id], facts.effectiveEra)
        for resource in resources { transaction.overtake { $0 == resource } }
        if treatment.applies, let merged {
            if envelope.isDeletion { transaction.model.remove(.account(sent.id)) } else { transaction.learn([merged]) }
        }
        guard treatment.refetch == .account, !facts.hasNoREST else { return }
        for resource in resources { transaction.fetch(.twake(resource)) }
    }
}

extension Twake.Account {
    /// This account with what `newer` says; what was not sent is kept.
    func merged(with newer: Twake.Account) -> Twake.Account {
        var merged = newer
        merged.email = newer.email ?? email
        merged.username = newer.username ?? username
        merged.firstName = newer.firstName ?? firstName
        merged.lastName = newer.lastName ?? lastName
        // The whole name is composed of the others: one that was not sent may not fit them any more.
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
    /// Whether its rows are messages.
    fileprivate var holdsMessages: Bool { name == Item.Section.threadName || name == Item.Section.messagesName }
}

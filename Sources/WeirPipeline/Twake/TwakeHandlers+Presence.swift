import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

/// The payload of a typing event.
struct TwakeTyping: Sendable {
    var channel: EntityID
    var thread: EntityID?
    var user: EntityID
    /// The user's name; empty when it was not sent.
    var name: String
    var isWriting: Bool
}

extension TwakeHandler where Payload == TwakeTyping {
    /// Handles `writing`: reports typing at once, in the user's channels only, and never of the user themselves.
    static let typingChanged = TwakeHandler(name: "typing") { sent, envelope, facts, memory, context in
        guard facts.following.contains(.presence), sent.user != facts.user,
            let channel = context.model[.channel(sent.channel)]?.channel,
            envelope.room.company.map({ $0 == channel.company }) ?? true,
            TwakeRefetchPolicy.treatment(of: .typing, sent.isWriting ? .newer : .removed).applies
        else { return }
        guard sent.isWriting else {
            return context.endTyping(sent.user, in: sent.channel, sent.thread, &memory)
        }
        let account = context.model[.account(sent.user)]?.account
        let typist = TypingBook.Typist(
            user: sent.user, name: sent.name.isEmpty ? account?.name : String(sent.name.prefix(100)),
            channel: sent.channel, thread: sent.thread, until: context.now + TwakePresenceBook.typingLifetime)
        let (isNew, dropped) = memory.typing.begin(typist)
        if let dropped { context.tell(.expired, dropped, memory) }
        if isNew { context.tell(.started, typist, memory) }
    }
}

extension TwakeHandler where Payload == [Twake.OnlineStatus] {
    /// Handles `user:online`: applies each status as it arrives. Statuses have no time, so the last one wins.
    static let presenceChanged = TwakeHandler(name: "presence") { sent, envelope, facts, memory, context in
        guard facts.following.contains(.presence), let company = facts.company,
            envelope.room.company.map({ $0 == company }) ?? true
        else { return }
        for status in sent.prefix(TwakePresenceBook.maximum) {
            guard envelope.room.company != nil || status.company == nil || status.company == company else { continue }
            context.show(status, in: company, &memory)
            memory.presence.noteTold(status.user)
        }
    }
}

extension HandlerContext {
    /// Ends a user's typing, because the user stopped or the typed message arrived.
    mutating func endTyping(
        _ user: EntityID, in channel: EntityID, _ thread: EntityID?, _ memory: inout TwakeMemory
    ) {
        guard let typist = memory.typing.end(user, in: channel, thread) else { return }
        tell(.stopped, typist, memory)
    }

    mutating func tell(_ change: TypingReport.Change, _ typist: TypingBook.Typist, _ memory: TwakeMemory) {
        let channel = model[.channel(typist.channel)]?.channel
        plans.append(
            .typing(
                TypingReport(
                    change: change, user: typist.user, name: typist.name, channel: typist.channel,
                    channelName: channel?.name, thread: typist.thread,
                    typing: memory.typing.names(in: typist.channel, typist.thread))))
    }

    /// Shows whether a user is online. A user who was never online gets no row, since most users of a company are
    /// offline.
    mutating func show(_ sent: Twake.OnlineStatus, in company: EntityID, _ memory: inout TwakeMemory) {
        let known = model[.presence(sent.user, in: company)]?.presence
        guard known != nil || sent.isOnline else { return }
        let freshness: TwakeFreshness = known == nil ? .unknown : known?.isOnline == sent.isOnline ? .same : .newer
        guard memory.presence.note(sent.user, isOnline: sent.isOnline, at: now),
            TwakeRefetchPolicy.treatment(of: .presence, freshness).applies
        else { return }
        var row = Twake.OnlineStatus(user: sent.user, isOnline: sent.isOnline, company: company)
        row.lastSeen = latest(model[.account(sent.user)]?.account?.lastActivity, known?.lastSeen)
        model.put(.presence(row, in: company))
    }
}

extension TwakeBackend {
    var deadline: Moment? {
        guard let typing = memory.typing.deadline else { return memory.presence.deadline }
        return memory.presence.deadline.map { min($0, typing) } ?? typing
    }

    mutating func advance(to due: Moment, into context: inout HandlerContext) {
        for typist in memory.typing.expire(at: due) { context.tell(.expired, typist, memory) }
        guard let next = memory.presence.deadline, next <= due else { return }
        let expired = memory.presence.expire(at: due)
        let asks = memory.presence.takeAsk(at: due)
        guard let company = facts.company else { return }
        for user in expired {
            context.show(Twake.OnlineStatus(user: user, isOnline: false), in: company, &memory)
        }
        if asks { askWhoIsThere(of: company, into: &context) }
    }

    mutating func joined(_ room: String, into context: inout HandlerContext) {
        guard following.contains(.presence), case .online = Twake.RoomName(room) else { return }
        memory.presence.ask(by: context.now)
    }

    /// Applies the answer to `online:get`. It is as old as the question, so newer events about a user win.
    mutating func acknowledged(_ arguments: RawJSON, into context: inout HandlerContext) throws(DecodingFailure) {
        guard let company = facts.company, let answer = arguments.firstElement else { return }
        for status in try Twake.onlineStatuses(from: answer.bytes).prefix(TwakePresenceBook.maximum)
        where memory.presence.believesAnswer(about: status.user) {
            context.show(status, in: company, &memory)
        }
    }

    /// Queries the presence of all users with an account or a presence row, `TwakePresenceBook.maximum` at most.
    private func askWhoIsThere(of company: EntityID, into context: inout HandlerContext) {
        let known = context.model.rows(in: .accounts) + context.model.rows(in: .online(company))
        var users: [EntityID] = []
        var seen: Set<EntityID> = []
        for row in known where users.count < TwakePresenceBook.maximum && seen.insert(row.id.id).inserted {
            users.append(row.id.id)
        }
        guard !users.isEmpty else { return }
        let arguments = RawJSON.object {
            $0.member("name", Twake.RoomName.online(company: company).description)
            $0.member("type", "user:online")
            $0.member("data", names: users.map(\.description))
        }
        context.plans.append(.ask(.init(name: "online:get", arguments: arguments)))
    }
}

extension RawJSON {
    /// The first element of an array; `nil` when the array is empty or the value is not an array.
    fileprivate var firstElement: RawJSON? {
        var reader = JSONReader(bytes.span)
        guard (try? reader.beginArray()) != nil, (try? reader.nextElement()) == true else { return nil }
        return try? reader.raw()
    }
}

/// The online users, with the time at which each expires, and the schedule of presence queries.
///
/// Servers report that a user comes online, but never that one leaves (Twake TW-21). So presence is queried, and a user
/// without news for 15 minutes, which is the server's own rule, counts as offline. Bounded: the book holds the first
/// `maximum` online users.
struct TwakePresenceBook: Sendable {
    static let maximum = 1_000
    /// The time between queries, which is how often the mobile app reports its own presence.
    static let interval: Duration = .seconds(300)
    /// How long a user counts as online after the last news.
    static let lifetime: Duration = .seconds(900)
    /// How long a user counts as typing. Clients stop after seven seconds (Twake TW-22); one second is for the
    /// transmission.
    static let typingLifetime: Duration = .seconds(8)

    /// The users who were online at some time since the room was joined.
    private var shown: Set<EntityID> = []
    /// The online users, with the time at which each expires.
    private var until: [EntityID: Moment] = [:]
    private var nextAsk: Moment?
    /// The users with an event since the last query. Such an event is newer than the answer.
    private var heard: Set<EntityID> = []
    /// The time of the next expiry or query; `nil` when neither is pending.
    private(set) var deadline: Moment?

    /// Records a user's status.
    ///
    /// - Returns: `false` when the book is full.
    mutating func note(_ user: EntityID, isOnline: Bool, at now: Moment) -> Bool {
        guard shown.contains(user) || shown.count < Self.maximum else { return false }
        shown.insert(user)
        until[user] = isOnline ? now + Self.lifetime : nil
        renewDeadline()
        return true
    }

    /// Records that the status came as an event, not as the answer to a query.
    mutating func noteTold(_ user: EntityID) { if shown.contains(user) { heard.insert(user) } }

    /// Whether an answer about the user is at least as new as the recorded status.
    func believesAnswer(about user: EntityID) -> Bool { !heard.contains(user) }

    /// Schedules a query at `due`, or earlier if one is already scheduled.
    mutating func ask(by due: Moment) {
        nextAsk = nextAsk.map { min($0, due) } ?? due
        renewDeadline()
    }

    /// Moves a scheduled query forward to `due`. Without a joined presence room, as in era A, nothing is scheduled.
    mutating func askSooner(by due: Moment) {
        if nextAsk != nil { ask(by: due) }
    }

    /// Returns whether a query is due, and if so schedules the next one.
    mutating func takeAsk(at now: Moment) -> Bool {
        guard let due = nextAsk, due <= now else { return false }
        nextAsk = now + Self.interval
        heard = []
        renewDeadline()
        return true
    }

    /// Removes and returns the users whose status has expired, sorted by id.
    mutating func expire(at now: Moment) -> [EntityID] {
        let expired = until.filter { $0.value <= now }.keys.sorted()
        for user in expired { until[user] = nil }
        renewDeadline()
        return expired
    }

    private mutating func renewDeadline() {
        // Take the minimum, so that the iteration order does not matter.
        let next = until.values.min()
        deadline = nextAsk.map { ask in next.map { min($0, ask) } ?? ask } ?? next
    }
}

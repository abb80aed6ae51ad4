import WeirEvents
import WeirModel
import WeirWire

// Rooms: the session makes the joined rooms agree with the wanted rooms.
extension Session {
    /// How long the session collects facts before it evaluates the wishes that depend on them.
    private static let resolutionPause: Duration = .seconds(1)

    // MARK: Wishes

    mutating func want(
        _ expressions: [String], source: RoomSource, lasting span: Duration?, into effects: inout [Effect]
    ) {
        for text in expressions {
            let expression = RoomExpression(recorded: text)
            if source == .list {
                // A recording that is replayed from its middle repeats the rooms that the backend listed before.
                for term in expression.terms { if let name = term.pattern.exactName { list(name, into: &effects) } }
                continue
            }
            rooms.wishes.add(expression, source: source, until: span.map { context.now + $0 })
            let names = expression.terms.compactMap { $0.isExcluded ? nil : $0.pattern.exactName }
            // A client that names a room explicitly retries a refused one.
            for name in names { _ = rooms.askAgain(name) }
            let areAllNamed = names.count == expression.terms.count
            adopt(areAllNamed ? names : rooms.candidates, into: &effects)
        }
        joinWantedRooms(into: &effects)
    }

    mutating func unwant(_ expressions: [String], lasting span: Duration?, into effects: inout [Effect]) {
        for text in expressions {
            let expression = RoomExpression(recorded: text)
            if span == nil {
                for term in expression.terms { rooms.wishes.withdraw(term.pattern, source: .ctl) }
            }
            if span != nil || !isEnough(expression) {
                rooms.wishes.add(
                    expression, source: .ctl, until: span.map { context.now + $0 }, excludes: true)
            }
            let matcher = RoomMatcher(.group(expression))
            let left = rooms.entries.filter {
                matcher.matches(backend.facts(of: $0.name, in: context.model))
            }
            drop(left.map(\.name), into: &effects)
            adopt(rooms.candidates, into: &effects)
        }
        joinWantedRooms(into: &effects)
    }

    mutating func only(_ expression: String, into effects: inout [Effect]) {
        rooms.wishes.narrow(to: RoomExpression(recorded: expression), source: .ctl)
        resolve(into: &effects)
    }

    mutating func resetRooms(into effects: inout [Effect]) {
        rooms.wishes.reset()
        resolve(into: &effects)
    }

    mutating func withdraw(_ expression: String, source: RoomSource, into effects: inout [Effect]) {
        for term in RoomExpression(recorded: expression).terms {
            rooms.wishes.withdraw(term.pattern, source: source)
        }
        resolve(into: &effects)
    }

    /// Returns whether no wish includes the rooms of the expression any more, after the wishes for its patterns were
    /// withdrawn.
    private func isEnough(_ expression: RoomExpression) -> Bool {
        let matchers = rooms.wishes.matchers
        return expression.terms.allSatisfy { term in
            guard let name = term.pattern.exactName else { return false }
            return !rooms.verdict(on: backend.facts(of: name, in: context.model), matchers).isWanted
        }
    }

    /// Makes the wanted rooms agree with the current wishes.
    mutating func resolve(into effects: inout [Effect]) {
        let matchers = rooms.wishes.matchers
        var left: [String] = []
        for entry in rooms.entries {
            let verdict = rooms.verdict(on: backend.facts(of: entry.name, in: context.model), matchers)
            if !verdict.isWanted { left.append(entry.name) }
        }
        drop(left, into: &effects)
        adopt(rooms.candidates, into: &effects)
        joinWantedRooms(into: &effects)
    }

    /// Wants those of the rooms that the wishes include.
    private mutating func adopt(_ names: [String], into effects: inout [Effect]) {
        guard !names.isEmpty else { return }
        let matchers = rooms.wishes.matchers
        let passedOver = rooms.passedOver.count
        for name in names {
            let facts = backend.facts(of: name, in: context.model)
            let verdict = rooms.verdict(on: facts, matchers)
            guard verdict.isWanted else { continue }
            let isNamed = verdict.rule.map { rooms.rules[$0].pattern.exactName != nil } ?? facts.tellsOfRooms
            guard isNamed || rooms.hasPlace else {
                if !rooms.passedOver.contains(name) { rooms.passedOver.append(name) }
                continue
            }
            if rooms.want(name, source: verdict.source) { reportRoom(.wanted, name, into: &effects) }
        }
        // Rooms are reported one by one, and the rooms beyond the limit together.
        if rooms.passedOver.count > passedOver, rooms.nextNoticeOfLimit == nil {
            rooms.nextNoticeOfLimit = context.now + Self.resolutionPause
        }
    }

    private mutating func tellOfLimit() {
        let names = rooms.passedOver
        let some = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
        context.notice(
            .warning,
            (names.count == 1 ? "1 more room matches and is" : "\(names.count) more rooms match and are")
                + " not joined, since --max-rooms is \(rooms.limit ?? 0): \(some)")
    }

    /// Handles a room that the backend lists.
    mutating func list(_ name: String, into effects: inout [Effect]) {
        let isNew = rooms.list(name)
        if let entry = rooms[name] {
            // The room was gone and has returned, so its refusal may no longer hold.
            if isNew, case .refused = entry.state, rooms.askAgain(name) { joinWantedRooms(into: &effects) }
            return
        }
        guard isNew || rooms.wishes.dependsOnFacts else { return }
        adopt([name], into: &effects)
        if isNew, rooms[name] == nil, rooms.share?.holds(name) ?? true { reportRoom(.found, name, into: &effects) }
        joinWantedRooms(into: &effects)
    }

    /// Handles a room that the backend no longer lists. A room that the user named stays wanted, even if no other
    /// source wants it.
    mutating func unlist(_ name: String, into effects: inout [Effect]) {
        rooms.unlist(name)
        // The room was not followed, but the user's actions in it may be shown.
        guard rooms[name] != nil else { return backend.abandon(name, rooms, into: &context) }
        let isNamed = rooms.rules.last { $0.pattern.exactName == name }.map { !$0.isExcluded } ?? false
        if !isNamed { drop([name], into: &effects) }
    }

    /// Schedules an evaluation of the wishes if the committed batch changes the facts of channels.
    mutating func noteFacts(of batch: Batch<Item>) {
        guard rooms.nextResolution == nil, batch.isAboutChannels else { return }
        rooms.nextResolution = context.now + Self.resolutionPause
    }

    mutating func advanceWishes(to due: Moment, into effects: inout [Effect]) {
        if rooms.wishes.expire(at: due) { resolve(into: &effects) }
        if let next = rooms.nextNoticeOfLimit, next <= due {
            rooms.nextNoticeOfLimit = nil
            if !rooms.passedOver.isEmpty { tellOfLimit() }
        }
        guard let next = rooms.nextResolution, next <= due else { return }
        rooms.nextResolution = nil
        adopt(rooms.unwanted, into: &effects)
        joinWantedRooms(into: &effects)
    }

    // MARK: Joining and leaving

    /// Leaves rooms that are no longer wanted.
    private mutating func drop(_ names: [String], into effects: inout [Effect]) {
        for name in names {
            guard let entry = rooms.unwant(name) else { continue }
            history.followedRooms.remove(name)
            effects.append(.report(.room(RoomReport(change: .leaving, room: name, source: entry.source.rawValue))))
            forgetResources(of: name, into: &effects)
            switch entry.state {
            case .joining, .joined:
                let request = backend.leave(name, token: token)
                if let request { send(request, into: &effects) }
                // If the server does not confirm that a room was left, the room counts as left at once.
                if request?.isAnswered != true { reportRoom(.left, name, into: &effects) }
            case .wanted, .refused: break
            }
            backend.abandon(name, rooms, into: &context)
        }
    }

    /// Drops what is under way for a room, except for resources that another room also needs or that outlive the room.
    private mutating func forgetResources(of name: String, into effects: inout [Effect]) {
        for key in backend.resources(of: name, context.model) where !key.resource.outlivesRoom {
            let isShared =
                key.resource.isShared
                && rooms.entries.contains { backend.resources(of: $0.name, context.model).contains(key) }
            if !isShared, let request = context.refetcher.forget(key) { effects.append(.cancel(request: request)) }
        }
    }

    mutating func joinWantedRooms(into effects: inout [Effect]) {
        guard link.isReady else { return }
        for name in rooms.takeWanted(at: context.now) {
            join(name, into: &effects)
        }
    }

    private mutating func join(_ name: String, into effects: inout [Effect]) {
        if let request = backend.join(name, token: token) {
            reportRoom(.joining, name, into: &effects)
            switch request {
            case .emit(let emission, .acknowledgement):
                if let id = send(emission, wantsAck: true, into: &effects) { acks.joins[id] = name }
            case .emit(_, .none), .unasked:
                send(request, into: &effects)
                joined(name, into: &effects)
            case .emit, .subscribe, .unsubscribe: send(request, into: &effects)
            }
        } else {
            let why = "this backend has no rooms a client can join"
            if rooms.refused(name, why: why) { reportRoom(.refused, name, why: why, into: &effects) }
        }
    }

    private mutating func send(_ request: HandlerContext.RoomRequest, into effects: inout [Effect]) {
        switch request {
        case .emit(let emission, _): send(emission, into: &effects)
        case .unasked: break
        case .subscribe(let channel, let ext): subscribe(channel, ext, into: &effects)
        case .unsubscribe(let channel): unsubscribe(channel, into: &effects)
        }
    }

    /// Handles the server's confirmation of a room. The session fetches the room's resources, because it does not know
    /// what happened before, unless it followed the room without a gap.
    mutating func joined(_ name: String, into effects: inout [Effect]) {
        guard rooms.joined(name, at: context.now) else { return }
        reportRoom(.joined, name, into: &effects)
        joinWantedRooms(into: &effects)
        if history.followedRooms.remove(name) != nil { return }
        history.takeover?.rooms += 1
        backend.joined(name, into: &context)
        for key in backend.resources(of: name, context.model) {
            context.refetcher.invalidate(key, cause: context.cause)
        }
    }

    mutating func advanceRooms(to due: Moment, into effects: inout [Effect]) {
        let (again, refused) = rooms.advance(to: due)
        for name in again { join(name, into: &effects) }
        for name in refused where rooms.isNewRefusal(name, why: RoomSubscriptions.noAnswer) {
            reportRoom(.refused, name, why: "the server does not answer", into: &effects)
        }
        if !refused.isEmpty { joinWantedRooms(into: &effects) }
    }

    func reportRoom(_ change: RoomReport.Change, _ name: String, why: String? = nil, into effects: inout [Effect]) {
        let source = rooms[name]?.source.rawValue ?? ""
        effects.append(.report(.room(RoomReport(change: change, room: name, source: source, why: why))))
    }
}

// Information about rooms for clients, in addition to the contents of the book.
extension Session {
    /// A room and the result of the wishes for it.
    package struct RoomView: Sendable {
        /// The properties that patterns can test.
        package var facts: RoomFacts
        /// The entry of a wanted room; `nil` for any other room.
        package var entry: RoomSubscriptions.Entry?
        /// The pattern of the wish that decides, as written; `nil` if none does.
        package var rule: String?
        /// Whether that wish excludes the room.
        package var isExcluded: Bool
        /// Whether only the limit keeps the room from being wanted.
        package var isPassedOver: Bool
    }

    /// The wanted rooms, followed by the listed rooms that no wish includes.
    package var roomViews: [RoomView] {
        let matchers = rooms.wishes.matchers
        let passedOver = Set(rooms.passedOver)
        return (rooms.entries.map(\.name) + rooms.unwanted).map { name in
            let facts = backend.facts(of: name, in: context.model)
            let rule = rooms.verdict(on: facts, matchers).rule.map { rooms.rules[$0] }
            return RoomView(
                facts: facts, entry: rooms[name], rule: rule?.pattern.description,
                isExcluded: rule?.isExcluded ?? false, isPassedOver: passedOver.contains(name))
        }
    }

    /// The rooms of channels that the user left and may rejoin.
    package var formerRooms: [RoomFacts] { backend.formerRooms(in: context.model) }

    /// The rooms of companies and workspaces, which can be selected like channels.
    package var places: [RoomFacts] { backend.places }

    /// Returns the properties of a room that patterns can test, whether the room is known or not.
    package func roomFacts(of room: String) -> RoomFacts { backend.facts(of: room, in: context.model) }
}

// Queries about a single room.
extension Session {
    /// A part of a room that clients can ask for.
    package enum RoomPart: String, Hashable, Sendable, CaseIterable {
        /// The people who are in the room.
        case people = "who"
        /// The latest messages of the room.
        case messages = "history"
    }

    /// Returns the section of the model that contains a part of a room; `nil` if the backend cannot name it.
    package func section(_ part: RoomPart, of room: String) -> Item.Section? {
        backend.section(part, of: room, context.model)?.section
    }

    /// Returns whether the session is fetching a part of a room.
    package func isFetching(_ part: RoomPart, of room: String) -> Bool {
        guard let key = backend.section(part, of: room, context.model)?.key else { return false }
        return context.refetcher.isBusy(key) || part == .messages && backend.isGoingBack(in: room)
    }

    /// Returns the names of the resources of a room, of the resource with that name, or, if the name is empty, of all
    /// joined rooms.
    package func resources(named name: String) -> [String] { resourceKeys(name).map(\.resource.label) }

    /// Refetches the resources that `resources(named:)` returns.
    mutating func refetch(_ name: String) {
        for key in resourceKeys(name) { context.refetcher.invalidate(key, cause: context.cause) }
    }

    private func resourceKeys(_ name: String) -> [ResourceKey] {
        let isRoom = rooms[name] != nil
        var seen = Set<ResourceKey>()
        var keys: [ResourceKey] = []
        for room in rooms.entries {
            if isRoom { guard room.name == name else { continue } }
            guard case .joined = room.state else { continue }
            keys += backend.resources(of: room.name, context.model).filter { seen.insert($0).inserted }
        }
        return isRoom || name.isEmpty ? keys : keys.filter { $0.resource.label == name }
    }

    /// Fetches a part of a room; messages are fetched back to `since`.
    mutating func look(_ room: String, _ part: RoomPart, since: Timestamp?) {
        guard let key = backend.section(part, of: room, context.model)?.key else { return }
        if part == .messages { backend.goBack(to: since, in: room) }
        context.refetcher.invalidate(key, cause: context.cause)
    }

    /// Returns the time from which the messages of a room are known without a hole, in milliseconds since 1970; `nil`
    /// if it is unknown.
    package func messagesKnownSince(_ room: String) -> Int64? { backend.knownSince(room) }
}

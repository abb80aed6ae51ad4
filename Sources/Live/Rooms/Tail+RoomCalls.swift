import JSONText
import Network
import Pipeline
import Store
import Wire

// The room requests of control socket clients.
extension Tail {
    /// Receives the JSON text of the result, or an error. Called on the loop, possibly later.
    typealias RoomReply = @Sendable (Result<[UInt8], RoomCallError>) -> Void

    /// The maximum time to wait for an answer.
    private static let longestWait: Duration = .seconds(60)

    func perform(_ call: RoomCall, reply: @escaping RoomReply) {
        do throws(RoomCallError) {
            // Handle `select` first: a title may contain text that is not a valid pattern.
            if call.method == .select { return reply(.success(try select(call))) }
            let wish = try wish(call)
            switch call.method {
            case .list:
                let pattern = call.rooms.isEmpty ? nil : wish
                let former = call.all ? formerRows(matching: pattern) : []
                reply(.success(Self.text(of: roomRows(matching: pattern, all: call.all) + former)))
            case .resolve: reply(.success(Self.text { resolve(wish).encode(into: &$0) }))
            case .join:
                keepPinsInStep(wish, call, isPinned: true)
                join(wish, call, source: .ctl, reply)
            case .leave:
                try leave(wish, call, reply)
                keepPinsInStep(wish, call, isPinned: false)
            case .only, .reset:
                let before = session.subscriptions.entries.map(\.name)
                feed(call.method == .only ? .only(rooms: wish.description) : .resetRooms)
                let wanted =
                    call.method == .only ? meant(wish).map(\.facts.name) : session.subscriptions.entries.map(\.name)
                let left = before.filter { session.subscriptions[$0] == nil }
                settle(wanted + left, open: wanted, joining: true, call.wait, reply)
            case .pin:
                try keepPins(wish, isPinned: true)
                join(wish, call, source: .pin, reply)
            case .unpin:
                try keepPins(wish, isPinned: false)
                for term in wish.terms { feed(.withdraw(rooms: "\(term.pattern)", source: .pin)) }
                reply(.success(Self.text(of: roomRows(matching: wish, all: true))))
            case .mute, .unmute:
                mutes.add(wish, until: call.lasting.map { loop.now + $0 }, isMuted: call.method == .mute)
                keepMutes()
                applyMutes()
                reply(.success(Self.text(of: roomRows(matching: wish, all: false))))
            case .who, .history: try look(call, reply)
            case .context: reply(.success(try context))
            case .select: break
            }
        } catch {
            reply(.failure(error))
        }
    }

    /// Parses the patterns of a request.
    private func wish(_ call: RoomCall) throws(RoomCallError) -> RoomExpression {
        var terms: [RoomExpression.Term] = []
        do throws(RoomPatternError) {
            for text in call.rooms { terms += try RoomExpression(parsing: text).terms }
            if let set = RoomExpression(terms).setNames.first {
                throw RoomPatternError("@\(set): 'weir rooms' expands sets, the tail does not")
            }
        } catch {
            throw RoomCallError(error)
        }
        switch call.method {
        case .list, .reset, .context: break
        case .resolve, .join, .leave, .only, .select, .pin, .unpin, .mute, .unmute, .who, .history:
            if terms.isEmpty { throw RoomCallError(.parameters, "params.rooms must be a list of room names") }
        }
        return RoomExpression(terms)
    }

    private func meant(_ wish: RoomExpression) -> [Session.RoomView] {
        session.roomViews.filter { wish.matches($0.facts) }
    }

    // MARK: Joining and leaving

    private func join(_ wish: RoomExpression, _ call: RoomCall, source: RoomSource, _ reply: @escaping RoomReply) {
        // Feed each pattern separately, so that each is recorded separately.
        for text in call.rooms { feed(.want(rooms: [text], source: source, lasting: call.lasting)) }
        settle(meant(wish).filter { $0.entry != nil }.map(\.facts.name), joining: true, call.wait, reply)
    }

    private func leave(_ wish: RoomExpression, _ call: RoomCall, _ reply: @escaping RoomReply) throws(RoomCallError) {
        let before = meant(wish).filter { $0.entry != nil }
        if before.isEmpty, call.wait != nil {
            let near = resolve(wish).unmatched.compactMap(\.suggestion).first
            // A room that never existed counts as left.
            if near != nil || wish.terms.contains(where: { $0.pattern.exactName == nil }) {
                throw RoomCallError(
                    .nothing, "no wanted room matches \(wish)" + (near.map { "; did you mean '\($0)'?" } ?? ""))
            }
        }
        // The server confirms only the leaving of rooms whose join it had confirmed.
        let joined = before.filter { if case .joined = $0.entry?.state { true } else { false } }.map(\.facts.name)
        guard let wait = call.wait, !joined.isEmpty else {
            for text in call.rooms { feed(.unwant(rooms: [text], lasting: call.lasting)) }
            return settle(before.map(\.facts.name), joining: false, nil, reply)
        }
        settle(before.map(\.facts.name), open: joined, joining: false, wait, reply)
        for text in call.rooms { feed(.unwant(rooms: [text], lasting: call.lasting)) }
    }

    /// Answers once the outcome of each room is known, or the time is over.
    private func settle(
        _ rooms: [String], open: [String]? = nil, joining: Bool, _ wait: Duration?, _ reply: @escaping RoomReply
    ) {
        settlementNumber += 1
        let number = settlementNumber
        settlements.append(
            RoomSettlement(
                open: Set(open ?? rooms), rooms: rooms, isJoining: joining,
                reply: { rows in reply(.success(Self.text(of: rows))) }, number: number))
        settleRooms()
        guard settlements.contains(where: { $0.number == number }) else { return }
        guard let wait else { return endSettlement(number) }
        _ = loop.schedule(at: loop.now + min(wait, Self.longestWait)) { [weak self] in
            self?.assumeIsolated { $0.endSettlement(number) }
        }
    }

    /// Answers the pending requests that have nothing left to wait for.
    func settleRooms() {
        for settlement in settlements where settlement.isJoining {
            let open = settlement.open.filter { name in
                switch session.subscriptions[name]?.state {
                case .wanted?, .joining?: true
                case .joined?, .refused?, nil: false
                }
            }
            if open.isEmpty { endSettlement(settlement.number) }
        }
        for settlement in settlements where !settlement.isJoining && settlement.open.isEmpty {
            endSettlement(settlement.number)
        }
    }

    /// Answers pending requests after an input was handled.
    func tellWhoWaitsForRooms() {
        if roomsChanged {
            roomsChanged = false
            settleRooms()
        }
        answerLooks()
    }

    private func endSettlement(_ number: Int) {
        guard let place = settlements.firstIndex(where: { $0.number == number }) else { return }
        let settlement = settlements.remove(at: place)
        let rows = roomRows(matching: nil, all: true)
        var found: [String: RoomRow] = [:]
        for row in rows { found[row.room] = row }
        settlement.reply(
            settlement.rooms.map { name in
                var row = found[name] ?? RoomRow(room: name, want: "no", state: "left")
                if !settlement.isJoining, settlement.open.contains(name) { row.state = "leaving" }
                return row
            })
    }

    /// Records a room report for room lists, pending requests and muted rooms.
    func noteRoomFate(_ report: RoomReport) {
        traffic.note(report)
        switch report.change {
        case .left, .lost, .refused:
            for place in settlements.indices where !settlements[place].isJoining {
                settlements[place].open.remove(report.room)
            }
        case .wanted, .found: if !mutes.isEmpty { applyMutes() }
        case .joining, .joined, .leaving: break
        }
        roomsChanged = true
    }

    // MARK: Muting

    /// Passes the set of muted rooms to the views. Schedules the next call for when a rule expires.
    func applyMutes() {
        mutes.expire(at: loop.now)
        let rooms = Set(session.roomViews.filter { mutes.isMuted($0.facts) }.map(\.facts.name))
        if rooms != mutedRooms {
            mutedRooms = rooms
            muteChanges += 1
        }
        configuration.muted?.set(rooms)
        muteTimer?.cancel()
        muteTimer = mutes.deadline.map { due in
            loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.applyMutes() } }
        }
    }

    /// Stores the permanent mute rules in their order. Rules with an end stay in memory.
    func keepMutes() {
        let lasting = mutes.lasting
        // Until the account is known nothing is stored, and the store keeps its previous rules.
        guard persistence?.scope != nil, lasting != keptMutes else { return }
        for pattern in keptMutes where !lasting.contains(pattern) { keep(.note(.mute(pattern: pattern), nil)) }
        for (place, pattern) in lasting.enumerated() { keep(.note(.mute(pattern: pattern), "\(place)")) }
        keptMutes = lasting
    }

    /// Restores the mute rules that an earlier tail of the account stored.
    func recallMutes(_ patterns: [String]) {
        guard mutes.isEmpty, !patterns.isEmpty else { return }
        for pattern in patterns { mutes.add(RoomExpression(recorded: pattern), until: nil, isMuted: true) }
        keptMutes = mutes.lasting
        applyMutes()
    }

    // MARK: Pins

    /// Stores pins for the patterns, or removes them.
    private func keepPins(_ wish: RoomExpression, isPinned: Bool) throws(RoomCallError) {
        guard persistence?.scope != nil else {
            throw RoomCallError(.nothing, "pins require a store and a known account")
        }
        for term in wish.terms {
            keep(.note(.pin(pattern: term.isExcluded ? "-\(term.pattern)" : "\(term.pattern)"), isPinned ? "1" : nil))
        }
    }

    /// Pins or unpins rooms that are joined or left permanently, if `pinsFollow` is on and the account is known.
    private func keepPinsInStep(_ wish: RoomExpression, _ call: RoomCall, isPinned: Bool) {
        guard configuration.pinsFollow, call.lasting == nil, persistence?.scope != nil else { return }
        for term in wish.terms where !term.isExcluded {
            keep(.note(.pin(pattern: "\(term.pattern)"), isPinned ? "1" : nil))
            if !isPinned { feed(.withdraw(rooms: "\(term.pattern)", source: .pin)) }
        }
    }

    /// The store, server and user that the sets and pins of this tail belong to.
    private var context: [UInt8] {
        get throws(RoomCallError) {
            guard let persistence, let scope = persistence.scope else {
                throw RoomCallError(.nothing, "the tail has no store, or the account is not known yet")
            }
            return Self.text { writer in
                writer.beginObject()
                writer.member("store", persistence.store.path)
                writer.member("server", scope.account.server)
                writer.member("user", scope.account.user)
                writer.endObject()
            }
        }
    }

    // MARK: Text

    private static func text(of rows: [RoomRow]) -> [UInt8] {
        text { writer in
            writer.beginArray()
            for row in rows { row.encode(into: &writer) }
            writer.endArray()
        }
    }

    static func text(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        body(&writer)
        return writer.bytes
    }
}

import WeirEvents
import WeirJSON
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirStore
import WeirTerminal
import WeirWire

/// A request about the rooms of a running tail, received over the control socket.
struct RoomCall {
    /// The operations that a request can name.
    enum Method: String, CaseIterable {
        case list, resolve, join, leave, only, reset, select, pin, unpin, mute, unmute, who, history, context
    }

    var method: Method
    /// The patterns. Each one is an expression.
    var rooms: [String] = []
    /// Whether to list unwanted rooms as well.
    var all = false
    /// The lifetime of the rule that the request adds; `nil` for no limit.
    var lasting: Duration?
    /// How long to wait for the server's answers; `nil` to answer at once.
    var wait: Duration?
    /// The time of the oldest message to return, in milliseconds since 1970.
    var since: Int64?
    /// Whether to fetch the page before the oldest known message.
    var older = false
}

/// The result of a room request.
enum RoomAnswer: Sendable {
    case rows([RoomRow])
    /// A result other than rows, as JSON text.
    case json([UInt8])

    /// The result as JSON text, for clients.
    var text: [UInt8] {
        switch self {
        case .json(let text): text
        case .rows(let rows):
            TailEngine.text { writer in
                writer.beginArray()
                for row in rows { row.encode(into: &writer) }
                writer.endArray()
            }
        }
    }
}

/// The reason for which a room request fails.
struct RoomCallError: Error {
    /// The kinds of failures, each with its error code on the control socket.
    enum Kind {
        /// A parameter is missing, invalid or ambiguous.
        case parameters
        /// No target for the operation exists.
        case nothing
        /// The backend does not support the operation.
        case unsupported
    }
    var kind: Kind
    /// A sentence with the problem and its remedy.
    var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Creates an error about a malformed pattern.
    init(_ error: RoomPatternError) {
        let near = error.unknown.map { Suggestion.phrase(for: $0.word, among: $0.candidates) } ?? ""
        self.init(.parameters, error.message + near)
    }
}

/// A pending answer to a request that waits until rooms are joined or left.
struct RoomSettlement {
    /// The rooms whose outcome is still open.
    var open: Set<String>
    /// All rooms of the request, in order.
    let rooms: [String]
    /// Whether the request joins the rooms; otherwise it leaves them.
    let isJoining: Bool
    /// Called once, with the final rows of the rooms.
    let reply: @Sendable ([RoomRow]) -> Void
    let number: Int
}

// The room requests of control socket clients.
extension TailEngine {
    /// Receives the result, or an error. Called on the loop, possibly later.
    typealias RoomReply = @Sendable (Result<RoomAnswer, RoomCallError>) -> Void

    /// The maximum time to wait for an answer.
    private static let longestWait: Duration = .seconds(60)

    func perform(_ call: RoomCall, reply: @escaping RoomReply) {
        do throws(RoomCallError) {
            // Handle `select` first: a title may contain text that is not a valid pattern.
            if call.method == .select { return reply(.success(.json(try select(call)))) }
            let wish = try wish(call)
            switch call.method {
            case .list:
                let pattern = call.rooms.isEmpty ? nil : wish
                let former = call.all ? formerRows(matching: pattern) : []
                reply(.success(.rows(roomRows(matching: pattern, all: call.all) + former)))
            case .resolve: reply(.success(.json(Self.text { resolve(wish).encode(into: &$0) })))
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
                reply(.success(.rows(roomRows(matching: wish, all: true))))
            case .mute, .unmute:
                rooms.mutes.add(wish, until: call.lasting.map { loop.now + $0 }, isMuted: call.method == .mute)
                keepMutes()
                applyMutes()
                reply(.success(.rows(roomRows(matching: wish, all: false))))
            case .who, .history: try look(call, reply)
            case .context: reply(.success(.json(try context)))
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
        self.rooms.settlementNumber += 1
        let number = self.rooms.settlementNumber
        self.rooms.settlements.append(
            RoomSettlement(
                open: Set(open ?? rooms), rooms: rooms, isJoining: joining,
                reply: { rows in reply(.success(.rows(rows))) }, number: number))
        settleRooms()
        guard self.rooms.settlements.contains(where: { $0.number == number }) else { return }
        guard let wait else { return endSettlement(number) }
        _ = loop.schedule(at: loop.now + min(wait, Self.longestWait)) { [weak self] in
            self?.assumeIsolated { $0.endSettlement(number) }
        }
    }

    /// Answers the pending requests that have nothing left to wait for.
    func settleRooms() {
        for settlement in rooms.settlements where settlement.isJoining {
            let open = settlement.open.filter { name in
                switch session.subscriptions[name]?.state {
                case .wanted?, .joining?: true
                case .joined?, .refused?, nil: false
                }
            }
            if open.isEmpty { endSettlement(settlement.number) }
        }
        for settlement in rooms.settlements where !settlement.isJoining && settlement.open.isEmpty {
            endSettlement(settlement.number)
        }
    }

    /// Answers pending requests after an input was handled.
    func tellWhoWaitsForRooms() {
        if rooms.hasChanged {
            rooms.hasChanged = false
            settleRooms()
        }
        answerLooks()
    }

    private func endSettlement(_ number: Int) {
        guard let place = rooms.settlements.firstIndex(where: { $0.number == number }) else { return }
        let settlement = rooms.settlements.remove(at: place)
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
        rooms.traffic.note(report)
        switch report.change {
        case .left, .lost, .refused:
            for place in rooms.settlements.indices where !rooms.settlements[place].isJoining {
                rooms.settlements[place].open.remove(report.room)
            }
        case .wanted, .found: if !rooms.mutes.isEmpty { applyMutes() }
        case .joining, .joined, .leaving: break
        }
        rooms.hasChanged = true
    }

    // MARK: Muting

    /// Passes the set of muted rooms to the views. Schedules the next call for when a rule expires.
    func applyMutes() {
        rooms.mutes.expire(at: loop.now)
        let hidden = Set(session.roomViews.filter { self.rooms.mutes.isMuted($0.facts) }.map(\.facts.name))
        if hidden != rooms.muted {
            rooms.muted = hidden
            rooms.muteChanges += 1
        }
        configuration.muted?.set(hidden)
        rooms.muteTimer?.cancel()
        rooms.muteTimer = rooms.mutes.deadline.map { due in
            loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.applyMutes() } }
        }
    }

    /// Stores the permanent mute rules in their order. Rules with an end stay in memory.
    func keepMutes() {
        let lasting = rooms.mutes.lasting
        // Until the account is known nothing is stored, and the store keeps its previous rules.
        guard persistence?.scope != nil, lasting != rooms.keptMutes else { return }
        for pattern in rooms.keptMutes where !lasting.contains(pattern) { keep(.note(.mute(pattern: pattern), nil)) }
        for (place, pattern) in lasting.enumerated() { keep(.note(.mute(pattern: pattern), "\(place)")) }
        rooms.keptMutes = lasting
    }

    /// Restores the mute rules that an earlier tail of the account stored.
    func recallMutes(_ patterns: [String]) {
        guard rooms.mutes.isEmpty, !patterns.isEmpty else { return }
        for pattern in patterns { rooms.mutes.add(RoomExpression(recorded: pattern), until: nil, isMuted: true) }
        rooms.keptMutes = rooms.mutes.lasting
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

    static func text(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        body(&writer)
        return writer.bytes
    }
}

// Rooms over the control socket.
extension TailEngine {
    /// Performs a room request. It is answered now or later.
    func performRooms(_ call: ControlCall) {
        guard let method = RoomCall.Method(rawValue: String(call.method.rawValue.dropFirst("rooms.".count))) else {
            return call.answer(.failure(ControlError(.method, "there is no method \(call.method.rawValue)")))
        }
        let given = call.arguments
        var wish = RoomCall(method: method, rooms: given.texts("rooms"), all: given.flag("all"))
        wish.lasting = given.span("for")
        wish.wait = given.span("wait")
        wish.since = given.integer("since_ms").map { Int64($0) }
        wish.older = given.flag("older")
        perform(wish) { result in
            switch result {
            case .success(let answer):
                call.answer(.success(ControlResult { $0.raw(RawJSON(unchecked: answer.text[...])) }))
            case .failure(let error): call.answer(.failure(ControlError(error.kind.code, error.message)))
            }
        }
    }
}

extension TailEngine {
    /// Refetches the resources of the given rooms, the named resources, or everything if the request names neither.
    func refetch(_ arguments: ControlArguments) throws(ControlError) -> ControlResult {
        var names: [String] = []
        if !arguments.texts("rooms").isEmpty {
            let wish: RoomExpression
            do throws(RoomPatternError) {
                wish = try RoomExpression(words: arguments.texts("rooms"))
            } catch {
                throw ControlError(.parameters, "params.rooms: " + RoomCallError(error).message)
            }
            names = session.roomViews.filter { wish.matches($0.facts) }.map(\.facts.name)
                .filter { !session.resources(named: $0).isEmpty }
            if names.isEmpty { throw ControlError(.nothing, "no joined room with resources matches \(wish)") }
        }
        for name in arguments.texts("resources") {
            guard !session.resources(named: name).isEmpty else {
                let near = Suggestion.phrase(for: name, among: session.resources(named: ""))
                throw ControlError(.nothing, "no joined room has a resource with that name" + near)
            }
            names.append(name)
        }
        if names.isEmpty { names = [""] }
        var resources: [String] = []
        for name in names {
            for resource in session.resources(named: name) where !resources.contains(resource) {
                resources.append(resource)
            }
            feed(.refetch(name))
        }
        return ControlResult { writer in
            writer.beginObject()
            writer.member("resources", names: resources)
            writer.endObject()
        }
    }
}

extension RoomCallError.Kind {
    fileprivate var code: ControlError.Code {
        switch self {
        case .parameters: .parameters
        case .nothing: .nothing
        case .unsupported: .failed
        }
    }
}

// The members and messages of a room, requested from the backend if it supports that.
extension TailEngine {
    /// The timeout if the request contains none.
    private static let patience: Duration = .seconds(5)

    /// A pending answer about a room.
    struct RoomLook {
        let part: Session.RoomPart
        let room: String
        let since: Int64?
        /// The messages known when older ones were requested. The answer omits them and everything newer than the
        /// newest of them.
        let known: [Item]
        let reply: RoomReply
        let number: Int
    }

    func look(_ call: RoomCall, _ reply: @escaping RoomReply) throws(RoomCallError) {
        let wish = RoomExpression(call.rooms.flatMap { RoomExpression(recorded: $0).terms })
        let rooms = session.roomViews.map(\.facts).filter { wish.matches($0) }.map(\.name)
        let part: Session.RoomPart = call.method == .who ? .people : .messages
        // The rooms of one channel share one list of members and one of messages.
        var sections: Set<Item.Section> = []
        let able = rooms.filter { session.section(part, of: $0).map { sections.insert($0).inserted } ?? false }
        guard let room = able.first ?? rooms.first ?? wish.terms.first?.pattern.exactName else {
            let near = resolve(wish).unmatched.compactMap(\.suggestion).first
            throw RoomCallError(.nothing, "no room matches \(wish)" + (near.map { "; did you mean '\($0)'?" } ?? ""))
        }
        guard able.count < 2 else {
            throw RoomCallError(.parameters, "\(wish) matches \(able.count) rooms; name one")
        }
        guard session.section(part, of: room) != nil else {
            throw RoomCallError(.unsupported, "the backend cannot list \(part.question) \(room)")
        }
        self.rooms.settlementNumber += 1
        let known =
            call.older ? session.section(part, of: room).map { Array(session.model.elements(in: $0)) } ?? [] : []
        let look = RoomLook(
            part: part, room: room, since: call.since, known: known, reply: reply, number: self.rooms.settlementNumber)
        let since = call.since ?? known.first.map { $0.time - 1 }
        feed(.look(room: room, part: part, since: since.map { Timestamp(milliseconds: $0) }))
        self.rooms.looks.append(look)
        answerLooks()
        _ = loop.schedule(at: loop.now + (call.wait ?? Self.patience)) { [weak self] in
            self?.assumeIsolated { $0.answerLooks(until: look.number) }
        }
    }

    /// Sends the answers that have arrived, and the one whose timeout has expired.
    func answerLooks(until number: Int? = nil) {
        guard !rooms.looks.isEmpty else { return }
        let due = rooms.looks.filter { $0.number == number || !session.isFetching($0.part, of: $0.room) }
        rooms.looks.removeAll { look in due.contains { $0.number == look.number } }
        for look in due {
            let isFresh = !session.isFetching(look.part, of: look.room)
            look.reply(.success(.json(answer(to: look, isFresh: isFresh))))
        }
    }

    private func answer(to look: RoomLook, isFresh: Bool) -> [UInt8] {
        let items = session.section(look.part, of: look.room).map { session.model.elements(in: $0) } ?? []
        // Compare the position: the sort key of a message may differ from the time it was said.
        let (ids, newest) = (Set(look.known.map(\.id)), look.known.last?.sortKey ?? .max)
        let shown = items.filter {
            $0.time >= look.since ?? .min && $0.sortKey <= newest && !ids.contains($0.id)
        }
        return Self.text { writer in
            writer.beginObject()
            writer.member("room", look.room)
            // Whether the rows are from the server's answer just now; otherwise they were known before.
            writer.member("fresh", isFresh)
            writer.key("items")
            writer.beginArray()
            for item in shown { item.encode(into: &writer, askedBy: session.user) }
            writer.endArray()
            writer.endObject()
        }
    }
}

extension Item {
    /// The time the message was said, in milliseconds since 1970.
    fileprivate var time: Int64 { entity.value.saidAt?.milliseconds ?? sortKey }
}

extension Session.RoomPart {
    fileprivate var question: String {
        switch self {
        case .people: "the members of"
        case .messages: "the messages of"
        }
    }
}

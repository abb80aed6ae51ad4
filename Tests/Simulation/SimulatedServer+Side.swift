import WeirDemoServer
import WeirEvents
import WeirModel
import WeirPipeline
import WeirWire

extension SimulatedServer: Side {
    /// The number of threads of a channel that the pipeline fetches at once.
    private static let pageLength = 20

    var firstLook: Globals {
        var globals = Globals()
        globals.company = company.description
        globals.workspaces = [company.description: workspaces[0].description]
        return globals
    }

    func place(_ number: Int) -> (id: EntityID, room: String)? {
        let id = workspaces[number % workspaces.count]
        return (id, "/companies/\(company)/workspaces/\(id)/channels?type=public")
    }

    func configuration(of history: History) -> Configuration {
        var configuration = Configuration(
            backend: .twake, revision: history.revision, maximumAttempts: .max, history: history.depth,
            following: history.watching.following, resyncInterval: history.resyncInterval)
        if let catchUp = history.catchUp { configuration.catchUp = catchUp }
        return configuration
    }

    func holdNumber(of publication: SimulatedPublication) -> Int {
        switch publication.kind {
        case "channel", "channels": 0
        case "channel_activity": 1
        case "channel_member": 2
        case "message": 3
        case "user_notification_badges": 4
        default: 5
        }
    }

    mutating func stray(_ number: Int, to client: Int, into outputs: inout [SimulatedOutput]) {
        let (name, argument) = Stray.all[number % Stray.all.count]
        let filled = argument.replacing("COMPANY", with: company.description)
            .replacing("WORKSPACE", with: workspaces[0].description).replacing("USER", with: me.description)
        emit(name, filled, to: client, into: &outputs)
    }

    /// A 404 to the first request is a valid answer (the server has no era B), not a fault. Until the process has joined a room, a proxy's
    /// 404 page rightly means that the service does not exist.
    func isSpared(_ request: FetchRequest, from spoil: Spoil, isFresh: Bool) -> Bool {
        request.target.hasSuffix("/server") || spoil == .missingPage && isFresh
    }

    func fixedAnswer(to request: FetchRequest, _ spoil: Spoil?, in history: History) -> FixedAnswer? {
        func fastify(_ status: Int, _ error: String) -> FixedAnswer {
            FixedAnswer(status: status, body: #"{"statusCode":\#(status),"error":"\#(error)","message":"\#(error)"}"#)
        }
        switch spoil {
        case .unauthorized: return fastify(401, "Unauthorized")
        case .forbidden: return FixedAnswer(status: 403, body: #"{"error":"Wrong token"}"#)
        case .missing: return fastify(404, "Not Found")
        case .conflict: return fastify(409, "Conflict")
        case .busy:
            var answer = fastify(429, "Too Many Requests")
            answer.retryAfter = 3
            return answer
        case .broken: return fastify(500, "Internal Server Error")
        case .missingPage, .gatewayPage, .welcomePage: return spoil?.page
        case .truncated, .nonsense, .lostRequest, .lostAnswer, .reset, .slowRequest, .slowAnswer, nil: break
        }
        guard history.era == .a, request.target.hasPrefix("/internal/services") else { return nil }
        return FixedAnswer(
            status: 404, body: #"{"message":"Route not found","error":"Not Found","statusCode":404}"#)
    }

    func asksForDirects(_ request: FetchRequest) -> Bool {
        request.target.contains("/direct/channels?") || request.target.contains("/direct?")
    }

    // MARK: - What the user can want

    func operation(_ deed: Deed, _ a: Int, _ b: Int, text: String, on session: Session) -> Action.Operation? {
        func message(own: Bool) -> Action.MessageReference? { self.message(a, own: own, on: session) }
        switch deed {
        case .send: return channel(a, on: session).map { .send(channel: $0, thread: nil, text: text) }
        case .answer:
            return message(own: false).map {
                .send(channel: $0.channel, thread: $0.thread ?? $0.message, text: text)
            }
        case .amend: return message(own: true).map { .edit($0, text: text) }
        case .retract: return message(own: true).map { .delete($0) }
        case .cheer: return message(own: false).map { .react($0, names: b % 3 == 0 ? [] : [b % 3 == 1 ? "👍" : "🎉"]) }
        case .see: return channel(a, on: session).map { .markRead(channel: $0) }
        case .look, .pause, .invite, .expel, .title: return nil
        }
    }

    private func channel(_ number: Int, on session: Session) -> EntityID? {
        let ids: [EntityID] = session.model.sectionKeys.flatMap { session.model.elements(in: $0) }.compactMap { item in
            item.entity.as(Twake.Channel.self)?.id
        }
        return ids.isEmpty ? nil : ids[number % ids.count]
    }

    /// Returns one of the messages that the model shows, newest first. Includes unsent ones.
    private func message(_ number: Int, own: Bool, on session: Session) -> Action.MessageReference? {
        var found: [Action.MessageReference] = []
        for item in session.model.sectionKeys.flatMap({ session.model.elements(in: $0) }) {
            guard let message = item.entity.as(Twake.Message.self), let channel = message.channel,
                message.text != "Deleted message", !own || message.user == me
            else { continue }
            found.append(
                Action.MessageReference(
                    channel: channel, message: item.id.id, thread: message.isHead ? nil : message.thread))
        }
        return found.isEmpty ? nil : found[found.count - 1 - number % found.count]
    }

    // MARK: - What must be true

    func differences(from simulation: Simulation) -> [String] {
        let history = simulation.history
        let following = history.watching.following
        let model = Picture(simulation.session.model, era: history.era, me: me, following: following)
        let (session, company) = (simulation.session, company)
        var truth = Picture(
            self.truth, era: history.era, company: company, workspace: simulation.place ?? workspaces[0],
            page: simulation.showsAll ? .max : max(Self.pageLength, history.depth), following: following,
            hasForgotten: simulation.life > 0
        ) { session.messagesKnownSince("/companies/\(company)/workspaces/\($0.workspace)/channels/\($0.id)/feed") }
        // Era A has no room for presence.
        if following.contains(.presence), history.era != .a { truth.add(present: present, in: company, known: model) }
        return Picture.differences(model, truth)
    }

    /// Returns all messages, except for replies to deleted heads: in era A no list contains them.
    func said(in simulation: Simulation) -> [(place: EntityID, message: EntityID, at: Timestamp)] {
        let workspace = simulation.place ?? workspaces[0]
        return truth.channels.filter { $0.visibility == "direct" || $0.workspace == workspace }.flatMap { channel in
            channel.threads.filter { $0.messages.first?.subtype != "deleted" }.flatMap(\.messages)
                .filter { $0.subtype != "deleted" }.map { (channel.id, $0.id, $0.createdAt) }
        }
    }

    /// A joined room causes at most two requests, and a new connection five before it joins rooms. An event causes at
    /// most three. Failed requests are repeated, and listed items may be requested one by one. Catching up may need
    /// every existing page, and every thread on it as a whole; so does each full look.
    func mostRequests(of simulation: Simulation) -> Int {
        let (figures, history) = (simulation.figures, simulation.history)
        let pages = 1 + history.depth / (Self.pageLength - 1)
        let starts = figures.connections + figures.looks + simulation.resyncs + 1
        let all = truth.channels.reduce(0) { sum, channel in
            sum + channel.threads.count / (Self.pageLength - 1)
                + channel.threads.count { $0.messages.count > 20 || $0.messages.first?.subtype == "deleted" }
        }
        return 3 * figures.events + (1 + pages) * figures.joins + starts * (8 + all) + figures.spoiled
    }
}

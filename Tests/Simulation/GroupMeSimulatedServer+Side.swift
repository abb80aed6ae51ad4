import WeirDemoServer
import WeirEvents
import WeirModel
import WeirPipeline
import WeirWire

extension GroupMeSimulatedServer: Side {
    func configuration(of history: History) -> Configuration {
        var configuration = Configuration(
            backend: .groupme, maximumAttempts: .max, history: history.depth, following: history.watching.following,
            resyncInterval: history.resyncInterval)
        if let catchUp = history.catchUp { configuration.catchUp = catchUp }
        return configuration
    }

    /// Publications on the user's channel have number 0, those on groups' channels 1, and those on directs' channels 2.
    func holdNumber(of publication: SimulatedPublication) -> Int {
        if publication.path.hasPrefix("/user/") { return 0 }
        return publication.path.hasPrefix("/group/") ? 1 : 2
    }

    mutating func stray(_ number: Int, to client: Int, into outputs: inout [SimulatedOutput]) {
        let frame = Stray.ofGroupMe[number % Stray.ofGroupMe.count]
        emit(frame.replacing("USER", with: me.description), to: client, into: &outputs)
    }

    /// A server that already has a message with this GUID answers 409 truthfully, so that answer is not faked. The
    /// request for the token's user is never refused: the session rightly treats that refusal as final.
    func isSpared(_ request: FetchRequest, from spoil: Spoil, isFresh: Bool) -> Bool {
        switch spoil {
        case .conflict: request.method == "POST"
        case .unauthorized, .forbidden: request.target.hasSuffix("/users/me")
        default: false
        }
    }

    /// Answers in the forms of GroupMe GM-27 and GroupMe GM-45: a refusal is an envelope without a response, and a
    /// missing resource has an empty body.
    func fixedAnswer(to request: FetchRequest, _ spoil: Spoil?, in history: History) -> FixedAnswer? {
        func envelope(_ status: Int, _ words: String) -> FixedAnswer {
            FixedAnswer(status: status, body: #"{"meta":{"code":\#(status),"errors":["\#(words)"]}}"#)
        }
        switch spoil {
        case .unauthorized: return envelope(401, "unauthorized")
        case .forbidden: return envelope(403, "forbidden")
        case .missing: return FixedAnswer(status: 404, body: "")
        case .conflict: return envelope(409, "conflict")
        case .busy:
            return FixedAnswer(
                status: 429, body: #"{"meta":{"code":42901}}"#, retryAfter: request.id % 2 == 0 ? 3 : nil)
        case .broken: return envelope(500, "Something went wrong")
        case .missingPage, .gatewayPage, .welcomePage: return spoil?.page
        case .truncated, .nonsense, .lostRequest, .lostAnswer, .reset, .slowRequest, .slowAnswer, nil: return nil
        }
    }

    func asksForDirects(_ request: FetchRequest) -> Bool { request.target.contains("/chats?") }

    // MARK: - What the user can want

    func operation(_ deed: Deed, _ a: Int, _ b: Int, text: String, on session: Session) -> Action.Operation? {
        switch deed {
        case .send: return place(a, on: session).map { .send(channel: $0, thread: nil, text: text) }
        case .answer:
            return message(a, own: false, on: session).map {
                .send(channel: $0.channel, thread: $0.message, text: text)
            }
        case .amend: return message(a, own: true, on: session).map { .edit($0, text: text) }
        case .retract: return message(a, own: true, on: session).map { .delete($0) }
        case .cheer:
            return message(a, own: false, on: session).map {
                .react($0, names: b % 3 == 0 ? [] : [b % 3 == 1 ? "👍" : "🎉"])
            }
        case .see: return place(a, on: session).map { .markRead(channel: $0) }
        case .invite: return group(a, on: session).map { .addMember(channel: $0, user: person(b)) }
        case .expel: return group(a, on: session).map { .removeMember(channel: $0, user: person(b)) }
        case .title:
            return group(a, on: session).map {
                .editChannel(
                    channel: $0, .init(name: b % 2 == 0 ? text : nil, description: b % 2 == 0 ? nil : text))
            }
        case .look, .pause: return nil
        }
    }

    private func person(_ number: Int) -> EntityID { people[number % people.count].entity }

    private func group(_ number: Int, on session: Session) -> EntityID? {
        Self.pick(number, of: session.model.elements(in: Item.Section("groups")).map(\.id.id))
    }

    private func items(_ session: Session) -> [Item] {
        session.model.sectionKeys.flatMap { session.model.elements(in: $0) }
    }

    private func place(_ number: Int, on session: Session) -> EntityID? {
        let ids: [EntityID] = items(session).compactMap { item in
            let isPlace = item.entity.as(GroupMe.Group.self) != nil || item.entity.as(GroupMe.Chat.self) != nil
            return isPlace && item.sectionKey.name != "former_groups" ? item.id.id : nil
        }
        return Self.pick(number, of: ids)
    }

    /// Returns one of the messages that people sent and the model shows, newest first. Includes unsent ones.
    private func message(_ number: Int, own: Bool, on session: Session) -> Action.MessageReference? {
        let found: [Action.MessageReference] = items(session).compactMap { item in
            guard let message = item.entity.as(GroupMe.Message.self), !message.isSystem, !message.isDeleted,
                !own || message.sender == me
            else { return nil }
            return Action.MessageReference(channel: message.conversation.entity, message: item.id.id)
        }
        return Self.pick(number, of: found.reversed())
    }

    // MARK: - What must be true

    func differences(from simulation: Simulation) -> [String] {
        let history = simulation.history
        let model = Picture(groupMe: simulation.session.model, isLookedAtAgain: history.resyncInterval != nil)
        let truth = Picture(groupMe: self.truth, seenBy: self, of: history, known: model, showsAll: simulation.showsAll)
        return Picture.differences(model, truth)
    }

    func said(in simulation: Simulation) -> [(place: EntityID, message: EntityID, at: Timestamp)] {
        let truth = truth
        let places = truth.groups.map { GroupMe.ConversationID.group($0.group.id) } + truth.chats.map(\.conversation)
        return places.flatMap { truth.messages[$0] ?? [] }.filter { $0.deletion == nil }.map {
            ($0.conversation.entity, $0.id.entity, $0.createdAt ?? Timestamp(milliseconds: 0))
        }
    }

    /// A joined room requests its messages and members, with as many pages as the user wants or catching up needs. A
    /// connection requests the user and three lists with their empty last pages. An event causes at most three
    /// requests, of which the one for messages may need another page. A full look requests the lists and the contents
    /// of each room.
    func mostRequests(of simulation: Simulation) -> Int {
        let (figures, history, looks) = (simulation.figures, simulation.history, simulation.resyncs)
        let rooms = simulation.session.subscriptions.entries.count
        let all = truth.messages.values.reduce(0) { $0 + $1.count / 100 }
        return 4 * figures.events + (4 + history.depth / 100) * figures.joins + 10 * (figures.connections + 1)
            + looks * (6 + (3 + history.depth / 100) * rooms) + 4 * figures.deeds + figures.spoiled
            + (figures.connections + looks + 1) * all
    }
}

import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirWire

extension DeclaredSimulatedServer: Side {
    func configuration(of history: History) -> Configuration {
        Configuration(backend: .declared(profile), maximumAttempts: .max, resyncInterval: history.resyncInterval)
    }

    /// Publications about channels are held with number 0, those inside a channel with number 0 to 2.
    func holdNumber(of publication: SimulatedPublication) -> Int {
        Int(publication.path).map { $0 % 3 } ?? 0
    }

    mutating func stray(_ number: Int, to client: Int, into outputs: inout [SimulatedOutput]) {
        emit(Stray.ofDeclared[number % Stray.ofDeclared.count], to: client, into: &outputs)
    }

    /// A server that already has a message with this nonce answers 409 truthfully, so that answer is not faked.
    func isSpared(_ request: FetchRequest, from spoil: Spoil, isFresh: Bool) -> Bool {
        spoil == .conflict && request.method == "POST"
    }

    func fixedAnswer(to request: FetchRequest, _ spoil: Spoil?, in history: History) -> FixedAnswer? {
        func refusal(_ status: Int, retryAfter: Int? = nil) -> FixedAnswer {
            FixedAnswer(status: status, body: #"{"message":"status \#(status)"}"#, retryAfter: retryAfter)
        }
        switch spoil {
        case .unauthorized: return refusal(401)
        case .forbidden: return refusal(403)
        case .missing: return refusal(404)
        case .conflict: return refusal(409)
        case .busy: return refusal(429, retryAfter: request.id % 2 == 0 ? 3 : nil)
        case .broken: return refusal(500)
        case .missingPage, .gatewayPage, .welcomePage: return spoil?.page
        case .truncated, .nonsense, .lostRequest, .lostAnswer, .reset, .slowRequest, .slowAnswer, nil: return nil
        }
    }

    /// A client of this backend has no directs, so the list of channels serves instead.
    func asksForDirects(_ request: FetchRequest) -> Bool { request.target.hasSuffix("/channels") }

    // MARK: - What the user can want

    func operation(_ deed: Deed, _ a: Int, _ b: Int, text: String, on session: Session) -> Action.Operation? {
        switch deed {
        case .send:
            let channels = session.model.elements(in: Item.Section("channel")).map(\.id.id)
            return Self.pick(a, of: channels).map { .send(channel: $0, thread: nil, text: text) }
        case .amend: return ownMessage(a, on: session).map { .edit($0, text: text) }
        case .retract: return ownMessage(a, on: session).map { .delete($0) }
        case .answer, .cheer, .see, .look, .pause, .invite, .expel, .title: return nil
        }
    }

    /// Returns one of the watcher's own messages in the model, newest first.
    private func ownMessage(_ number: Int, on session: Session) -> Action.MessageReference? {
        let sections = session.model.sectionKeys.filter { $0.name == "message" }
        let found: [Action.MessageReference] = sections.flatMap { session.model.elements(in: $0) }.compactMap { item in
            guard let channel = item.sectionKey.parent, Picture.fields(item)?["user"] == .string("ana") else {
                return nil
            }
            return Action.MessageReference(channel: channel, message: item.id.id)
        }
        return Self.pick(number, of: found.reversed())
    }

    // MARK: - What must be true

    func differences(from simulation: Simulation) -> [String] {
        let model = Picture(
            declared: simulation.session.model, since: simulation.history.losesSilently ? firstTimes : [:])
        let truth = Picture(declared: self, known: model)
        return Picture.differences(model, truth)
    }

    /// The start of the newest page of each channel, in milliseconds since 1970. No read covers older messages that the
    /// model holds: if their edit or deletion was lost silently, they stay unchanged until the next gap.
    private var firstTimes: [String: Int64] {
        Dictionary(grouping: messages) { $0["channel_id"]?.stringValue ?? "" }.compactMapValues { messages in
            let first = messages[max(0, messages.count - page)]
            return first["timestamp"]?.stringValue.flatMap { Timestamp(iso8601: $0) }?.milliseconds
        }
    }

    func said(in simulation: Simulation) -> [(place: EntityID, message: EntityID, at: Timestamp)] {
        // The service's clock starts at a different time.
        let shift = Simulation.epoch - DeclaredService.epoch
        let there = Set(messages.map { EntityID(Self.id($0)) })
        return sayings.filter { there.contains($0.id) }.map {
            ($0.conversation, $0.id, Timestamp(milliseconds: $0.createdAt.milliseconds + shift))
        }
    }

    /// A connection requests the token's user and the channels, once when it is ready and once more when its session is
    /// resumed. A joined room requests its messages, and a full look all of these. Outdated and failed requests are
    /// repeated.
    func mostRequests(of simulation: Simulation) -> Int {
        let (figures, looks) = (simulation.figures, simulation.resyncs)
        let rooms = simulation.session.subscriptions.entries.count
        return 2 * (figures.connections + 1) + figures.joins + looks * (2 + rooms) + figures.outdated + figures.deeds
            + figures.spoiled
    }
}

// The model's contents and the truth.
extension Picture {
    /// Returns the fields of a declared row.
    static func fields(_ item: Item) -> JSONValue? {
        item.entity.as(DeclaredRow.self).flatMap { try? JSONValue(parsing: $0.json.bytes) }
    }

    /// Creates a picture of the model. Omits messages older than these times of their channels.
    init(declared model: SectionedCollection<Item>, since first: [String: Int64]) {
        self.init()
        for section in model.sectionKeys {
            for item in model.elements(in: section) {
                let row = Self.fields(item) ?? .null
                if let first = first[section.parent?.description ?? "-"], item.sortKey < first { continue }
                let values = Self.names(section.name).map { ($0, row[$0]) }
                add("\(section.name) \(item.id.id)", Self.text(section.parent?.description, values))
            }
        }
    }

    /// Creates a picture of the truth. The newest page of a channel must be present, except for as many messages as
    /// were deleted since it was read. After the oldest message that the model holds, none may be missing, unless an
    /// edit can show a message of any age.
    init(declared truth: DeclaredSimulatedServer, known model: Picture) {
        self.init()
        func time(_ value: JSONValue?) -> JSONValue? {
            value?.stringValue.flatMap { Timestamp(iso8601: $0) }.map { .integer($0.milliseconds) }
        }
        func show(_ entity: String, _ row: JSONValue, in parent: String?, isOptional: Bool, _ values: [JSONValue?]) {
            add(
                "\(entity) \(DeclaredSimulatedServer.id(row))",
                Self.text(parent, zip(Self.names(entity), values).map { $0 }),
                isOptional: isOptional)
        }
        for row in truth.rows("account").prefix(1) {
            show("account", row, in: nil, isOptional: false, [row["username"]])
        }
        for row in truth.rows("channel") {
            show("channel", row, in: nil, isOptional: false, [row["name"], row["topic"], row["position"]])
            let channel = DeclaredSimulatedServer.id(row)
            let messages = truth.messages.filter { $0["channel_id"]?.stringValue == channel }
            let held = messages.firstIndex { model.rows["message \(DeclaredSimulatedServer.id($0))"] != nil }
            let page = truth.page - truth.deletions(in: channel)
            let first = min(truth.showsEdited ? messages.count : held ?? messages.count, messages.count - page)
            for (index, row) in messages.enumerated() {
                show(
                    "message", row, in: channel, isOptional: index < first,
                    [
                        row["content"], row["author"]?["username"], time(row["timestamp"]),
                        time(row["edited_timestamp"]), row["nonce"],
                    ])
            }
        }
    }

    private static func names(_ entity: String) -> [String] {
        switch entity {
        case "message": ["text", "user", "at", "edited", "nonce"]
        case "channel": ["name", "topic", "position"]
        default: ["name"]
        }
    }

    private static func text(_ parent: String?, _ values: [(String, JSONValue?)]) -> String {
        "in \(parent ?? "-"): " + values.map { "\($0) \($1.map { "\($0.raw)" } ?? "-")" }.joined(separator: ", ")
    }
}

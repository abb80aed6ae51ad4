package import WeirEvents
import WeirJSON
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirStore
import WeirTerminal
import WeirWire

// The model, over the control socket.
extension TailEngine {
    /// The maximum size of a page of rows, in bytes. The client requests the rest with another call.
    private static let mostBytes = 1 << 20

    /// The result of the method `model.sections`.
    var sections: ControlResult {
        ControlResult { writer in
            writer.beginArray()
            for (index, key) in session.model.sectionKeys.enumerated() {
                writer.beginObject()
                writer.member("section", key.name)
                writer.member("parent", key.parent?.description)
                writer.member("rows", session.model.elementCount(at: index))
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// Returns the result of `model.get`.
    func rows(_ arguments: ControlArguments) throws(ControlError) -> ControlResult {
        let index = arguments.integer("section") ?? 0
        guard let key = session.model.sectionKey(at: index) else {
            throw ControlError(
                .nothing, "section \(index) does not exist; the model has \(session.model.sectionKeys.count)")
        }
        let offset = arguments.integer("offset") ?? 0
        let count = session.model.elementCount(at: index)
        let end = min(offset + (arguments.integer("limit") ?? 50), count)
        return ControlResult { writer in
            writer.beginObject()
            writer.member("section", key.name)
            writer.member("parent", key.parent?.description)
            writer.member("count", count)
            writer.key("rows")
            writer.beginArray()
            var place = offset
            while place < end, writer.count < Self.mostBytes {
                session.model.element(at: SectionPath(section: index, item: place))?.encode(into: &writer)
                place += 1
            }
            writer.endArray()
            writer.key("next")
            if place < count, place > offset { writer.integer(place) } else { writer.null() }
            writer.endObject()
        }
    }

    /// Returns the result of `model.item`: the row with an id, a name, or a prefix of an id.
    func row(_ id: String) throws(ControlError) -> ControlResult {
        guard let found = try item(named: id) else {
            throw ControlError(.nothing, "no row is named '\(TerminalText.truncated(id, to: 60))'")
        }
        return ControlResult { found.encode(into: &$0) }
    }

    /// Returns the row that a word names: by its id, its name (`#General`, `@Ana Lima`, `General`), or a unique prefix
    /// of its id of at least four characters. Returns `nil` for no match; throws an error that lists several matches.
    func item(named word: String, of kinds: [Item.Kind]? = nil) throws(ControlError) -> Item? {
        let wanted = word.lowercased()
        let title = wanted.hasPrefix("#") || wanted.hasPrefix("@") ? String(wanted.dropFirst()) : wanted
        var (exact, named, begun): (Item?, [Item], [Item]) = (nil, [], [])
        session.model.forEachElement { _, item in
            guard exact == nil, kinds?.contains(item.id.kind) ?? true else { return }
            let id = item.id.id.description
            if id == word {
                exact = item
            } else if let label = item.title?.lowercased(), label == title {
                named.append(item)
            } else if word.utf8.count >= Self.shortestBeginning, id.hasPrefix(wanted) {
                begun.append(item)
            }
        }
        if let exact { return exact }
        let found = named.isEmpty ? begun : named
        guard found.count > 1 else { return found.first }
        let candidates = found.prefix(5).map { item in
            let name = ItemFacts(item).label.map { " “\(TerminalText.truncated($0, to: 30))”" } ?? ""
            return "\(item.id.kind.rawValue) \(item.id.id)\(name)"
        }
        throw ControlError(
            .nothing,
            "'\(TerminalText.truncated(word, to: 60))' names \(found.count): " + candidates.joined(separator: ", ")
                + (found.count > candidates.count ? ", …" : ""))
    }

    private static let shortestBeginning = 4
}

extension Item {
    /// The name shown for a channel, a place or a person; `nil` for a message, whose text is not a name.
    fileprivate var title: String? {
        switch id.kind {
        case .channel: channelName
        case .account, .company, .workspace: ItemFacts(self).label
        default: nil
        }
    }
}

// Actions and drafts over the control socket.
extension TailEngine {
    /// Performs an action for a client. The client gets the answer once the action is done or refused, or must wait for
    /// the server.
    func act(_ call: ControlCall) throws(ControlError) {
        let place = Action.Place(
            company: call.arguments.text("company").map { EntityID($0) },
            workspace: call.arguments.text("workspace").map { EntityID($0) })
        let action = act(try operation(call.arguments), in: place) { followers.calls[$0.id] = call }
        if !session.isOnline { answerCall(of: action, .waiting(why: "the tail has no connection")) }
    }

    /// Feeds a new action with the current time. `note` is called before the session handles it.
    @discardableResult
    func act(
        _ operation: Action.Operation, in place: Action.Place? = nil, noting note: (Action) -> Void = { _ in }
    ) -> Action {
        let action = action(operation, in: place)
        note(action)
        feed(.act(action))
        return action
    }

    /// Returns a new action with an id and the current time.
    func action(_ operation: Action.Operation, in place: Action.Place?) -> Action {
        var random = SystemRandomNumberGenerator()
        let asked = Timestamp(milliseconds: milliseconds(at: loop.now))
        var action = Action(id: .random(using: &random), operation, asked: asked)
        action.place = place
        return action
    }

    // MARK: - Drafts

    /// Finds the draft for a channel or thread; `nil` for none or without a store. Calls `completion` on the loop.
    func findDraft(for place: WritingPlace, _ completion: @escaping @Sendable (String?) -> Void) {
        withDrafts { book in
            book.draft(for: place.channel, thread: place.thread)?.text
        } completion: {
            completion((try? $0?.get()) ?? nil)
        }
    }

    /// Stores the draft for a channel or thread; `nil` removes it. Calls `completion` on the loop, with a problem if
    /// any.
    func keepDraft(
        _ text: String?, for place: WritingPlace, _ completion: @escaping @Sendable (String?) -> Void
    ) {
        let now = milliseconds(at: loop.now)
        withDrafts { book throws(StoreError) in
            try book.keep(text, for: place.channel, thread: place.thread, at: now)
        } completion: { result in
            switch result {
            case nil: completion(text == nil ? nil : "no store: the draft is kept until the view ends")
            case .failure(let error)?: completion("the draft is not stored: \(error)")
            case .success?: completion(nil)
            }
        }
    }

    /// Runs `body` with the drafts on a thread that may wait for the disk. Without a store the result is `nil`.
    private func withDrafts<Value: Sendable>(
        _ body: @escaping @Sendable (DraftBook) throws(StoreError) -> Value,
        completion: @escaping @Sendable (Result<Value, StoreError>?) -> Void
    ) {
        guard let store = persistence?.store, let account = persistence?.scope?.account else { return completion(nil) }
        let backend = configuration.session.backend
        loop.offload(named: "weir-draft") {
            Result { () throws(StoreError) in try body(try DraftBook(store, of: account, backend)) }
        } completion: {
            completion($0)
        }
    }

    func performDraft(_ call: ControlCall) throws(ControlError) {
        guard persistence?.scope != nil else { throw ControlError(.nothing, "drafts require a store") }
        guard let word = call.arguments.text("channel") else { return }
        let channel = try item(named: word, of: [.channel])?.id.id ?? EntityID(word)
        let place = WritingPlace(channel: channel, thread: call.arguments.text("thread").map { EntityID($0) })
        guard call.method == .draftSet else {
            return findDraft(for: place) { text in
                call.answer(
                    .success(
                        ControlResult { writer in
                            writer.beginObject()
                            writer.member("text", orNull: text)
                            writer.endObject()
                        }))
            }
        }
        keepDraft(call.arguments.text("text"), for: place) { problem in
            call.answer(problem.map { .failure(ControlError(.failed, $0)) } ?? .success(.done))
        }
    }

    /// Feeds a notification from a push service.
    func push(_ arguments: ControlArguments) throws(ControlError) -> ControlResult {
        guard case .object? = arguments.json("payload"), let payload = arguments.json("payload")?.raw else {
            throw ControlError(.parameters, "params.payload must be a JSON object")
        }
        feed(.pushed(payload))
        return .done
    }

    /// Answers the client that waits for an action, if the report ends the wait.
    func answerCall(of report: ActionReport) {
        guard !followers.calls.isEmpty else { return }
        switch report.change {
        case .queued, .sending: break
        case .done(let subject): answerCall(of: report.action, .done(subject: subject))
        case .refused(let why, let status): answerCall(of: report.action, .refused(why: why, status: status))
        case .delayed(let why, _): answerCall(of: report.action, .waiting(why: why))
        case .dropped: answerCall(of: report.action, .refused(why: "it was withdrawn", status: nil))
        }
    }

    private func answerCall(of action: Action, _ outcome: ActionRunnerResult.Outcome) {
        let result = ActionRunnerResult(action: action, outcome: outcome)
        followers.calls.removeValue(forKey: action.id)?.answer(.success(ControlResult { $0.value(result.json) }))
    }

    /// Returns the operation with names and prefixes of ids replaced by ids.
    private func named(_ operation: Action.Operation) throws(ControlError) -> Action.Operation {
        var problem: ControlError?
        let named = operation.replacing { word in
            do throws(ControlError) {
                if let channel = try item(named: word.description, of: [.channel]) { return channel.id.id }
                return try item(named: word.description, of: [.message])?.id.id ?? word
            } catch {
                problem = error
                return word
            }
        }
        if let problem { throw problem }
        return named
    }

    private func operation(_ arguments: ControlArguments) throws(ControlError) -> Action.Operation {
        let name = arguments.text("do") ?? ""
        if let members = Action.Operation.members.first(where: { $0.key == name })?.value {
            let isEmpty = ["send", "edit"].contains(name) && arguments.text("text")?.isEmpty != false
            if !isEmpty, let operation = Action.Operation(arguments.object) { return try named(operation) }
            throw ControlError(.parameters, "\(name) takes " + members.joined(separator: ", "))
        }
        let profile = configuration.session.backend.module.profile
        guard let procedure = profile?.procedures.first(where: { $0.name == name }) else {
            let known = Action.Operation.members.map(\.key) + (profile?.procedures.map(\.name) ?? [])
            let word = "'" + TerminalText.truncated(name, to: 80) + "'"
            throw ControlError(.parameters, "unknown action \(word)" + Suggestion.phrase(for: name, among: known))
        }
        // No method may read a file of the caller's choice.
        guard procedure.files.isEmpty else {
            throw ControlError(.forbidden, "\(name) sends a file: use 'weir do' without --on")
        }
        var run = Action.Run(name)
        if case .object(let members)? = arguments.json("run") {
            for member in members { if case .string(let text) = member.value { run.values[member.key] = text } }
        }
        if let problem = procedure.problem(with: run.values) { throw ControlError(.parameters, problem) }
        return .run(run)
    }
}

extension EntityID {
    /// Returns a random UUID (version 4).
    package static func random(using random: inout some RandomNumberGenerator) -> EntityID {
        let (high, low) = (random.next() as UInt64, random.next() as UInt64)
        return .uuid((high & ~0xF000) | 0x4000, (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000)
    }
}

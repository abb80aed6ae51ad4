import WeirEvents
import WeirJSON
import WeirModel

// Performs the user's actions with the writes of the profile.
extension DeclaredBackend {
    /// Returns the write for an action, with a function that returns the values of its places.
    private func write(for action: Action, in model: SectionedCollection<Item>) -> (Profile.Write, (String) -> String?)?
    {
        guard let write = profile.writes.first(where: { $0.name == action.operation.name }),
            let channel = action.operation.channel
        else { return nil }
        let id = self.id(ofChannel: channel, in: model)
        let (room, user) = (profile.room(of: id), user)
        let reference = action.operation.reference
        return (
            write,
            { place in
                switch place {
                case "room": room
                case "id": id
                case "user": user
                case "action": action.id.description
                case "text": action.operation.text
                case "thread": action.operation.thread?.description
                case "message": reference?.message.description
                default: nil
                }
            }
        )
    }

    /// Returns the id of a channel that is named by `#` and its title, compared without regard to case. Any other name
    /// is the id itself.
    private func id(ofChannel name: EntityID, in model: SectionedCollection<Item>) -> String {
        let text = name.description
        guard text.hasPrefix("#") else { return text }
        let wanted = text.dropFirst().lowercased()
        let section = entities[roomEntity]?.section(of: nil) ?? Item.Section(roomEntity)
        let row = model.rows(in: section).first { $0.channelName?.lowercased() == wanted }
        return row?.id.id.description ?? listedNames[wanted] ?? String(text.dropFirst())
    }

    func step(for action: Action, fetched: [ResourceKey], in model: SectionedCollection<Item>) -> ActionStep {
        if case .run(let run) = action.operation { return step(for: run, of: action, fetched: fetched, in: model) }
        guard let (write, values) = write(for: action, in: model) else {
            let known = profile.writes.map(\.name).joined(separator: ", ")
            return .impossible(
                "the profile '\(profile.name)' has no write '\(action.operation.name)'"
                    + (known.isEmpty ? "" : "; it has " + known))
        }
        if let name = action.operation.channel, name.description.hasPrefix("#"), let list = profile.rooms?.list,
            let read = reads[list], id(ofChannel: name, in: model) == String(name.description.dropFirst())
        {
            let key = ResourceKey(DeclaredResource(read, of: nil))
            guard fetched.contains(key) else { return .fetch([key]) }
            guard model[roomID(id(ofChannel: name, in: model))] != nil else {
                return .impossible("no room \(name)")
            }
        }
        if let step = asking(for: write.places, fetched) { return step }
        guard let call = call(of: write, values) else {
            let part = write.path.filled(values) == nil ? write.path.text : "its body"
            return .impossible("'\(write.name)' lacks a value for \(part)")
        }
        return .request(action.operation, call)
    }

    /// Returns the request of a write, or `nil` when a place has no value.
    func call(
        of write: Profile.Write, _ values: (String) -> String?,
        as filling: (String) -> JSONTemplate.Filling? = { _ in nil }
    ) -> RESTCall? {
        guard let path = write.path.filled(values, encoded: Self.encoded) else { return nil }
        var contents: [RESTCall.File] = []
        let body = write.body?.filled(values, as: filling, &contents)
        if write.body != nil, body == nil { return nil }
        var call = call(write.method.rest, path, body: body, of: write.service)
        call.files = contents
        return call
    }

    /// Returns the fetch of the user's account when a place names the user and the id is still unknown.
    func asking(for places: [String], _ fetched: [ResourceKey]) -> ActionStep? {
        guard let account = profile.account.flatMap({ reads[$0] }), user == nil, places.contains("user") else {
            return nil
        }
        let key = ResourceKey(DeclaredResource(account, of: nil))
        return fetched.contains(key) ? .impossible("the server does not identify you") : .fetch([key])
    }

    func judge(_ answer: Answer, of action: Action, attempt: Int) -> ActionVerdict {
        switch answer {
        case .failure("file", let message): return .refused(why: message, status: nil)
        case .failure(let kind, let message):
            return .later(after: nil, why: message, mayBeDone: !Answer.neverLeft(kind))
        case .response(200..<300, let body, _) where body.isPage:
            return .later(after: nil, why: "something before the service answers with a page", mayBeDone: true)
        case .response(200..<300, _, _): return .done
        case .response(let status, let body, let retryAfter):
            let step = if case .run(let run) = action.operation { self.step(of: run) } else { Profile.Step?.none }
            let write = step == nil ? profile.writes.first { $0.name == action.operation.name } : self.write(of: step)
            let read = step?.read.flatMap { reads[$0] }
            let place = step == nil || isWriting(action) ? write?.why : read?.why
            let why = String((place?.words(in: body) ?? "HTTP status \(status)").prefix(300))
            let wait = retryAfter.map { Duration.seconds($0) }
            switch status {
            case 401: return .tokenRefused(why: why)
            // After a 409, the step's read finds the existing row. After a 404 of the read, the row does not exist.
            case 409 where step?.read != nil, 404 where step?.read != nil && !isWriting(action): return .done
            // The server already has what this action creates.
            case 409 where write?.echo != nil: return .done
            case 404 where action.operation.name == "delete" && attempt > 1: return .done
            case 429: return .later(after: wait, why: why, mayBeDone: false)
            case 408, 500...: return .later(after: wait, why: why, mayBeDone: true)
            default: return .refused(why: why, status: status)
            }
        }
    }

    mutating func settle(_ action: Action, body: ArraySlice<UInt8>, into context: inout HandlerContext) -> EntityID? {
        guard let (write, values) = write(for: action, in: context.model), let room = values("room") else {
            return nil
        }
        for name in write.reads { fetch(name, of: room, into: &context) }
        let parent = EntityID(profile.id(ofRoom: room))
        let message = action.operation.reference?.message
        guard let entity = write.entity.flatMap({ entities[$0] }) else { return message }
        if action.operation.name == "delete", let message {
            overtake(entity, parent, in: &context)
            context.model.remove(entity.itemID(message))
            return message
        }
        guard let answer = try? RawJSON(checking: body), let row = (write.at ?? .whole).inValue.value(in: answer),
            let reading = try? entity.reading(row)
        else { return message }
        overtake(entity, parent, in: &context)
        let known = context.model[entity.itemID(reading.id)]
        // With equal times, an event came after the state in the answer. A row that is not held may be older than the
        // window, and would stand alone.
        let isNews =
            known.map { entity.freshness(reading, $0, isWhole: message == nil) == .newer }
            ?? (message == nil ? !removedMeanwhile.contains(entity.itemID(reading.id)) : !isOfWindow(entity))
        if !abandoned.contains(room), isNews {
            let row = entity.row(reading, over: known, parent: parent)
            context.take(row)
            watch(row, isNew: known == nil, into: &context)
        }
        return reading.id
    }

    /// Whether a read lists only the newest rows of the entity.
    private func isOfWindow(_ entity: Profile.Entity) -> Bool {
        profile.reads.contains { $0.replaces == .window && $0.entity == entity.name }
    }

    // MARK: The own echo

    func baseline(of action: Action, in model: SectionedCollection<Item>) -> Timestamp? { action.asked }

    func isEcho(_ message: Item, of action: Action, since baseline: Timestamp?) -> Bool {
        guard action.operation.isSending,
            let write = profile.writes.first(where: { $0.name == action.operation.name }), let echo = write.echo,
            message.id.kind.rawValue == write.entity
        else { return false }
        return message.entity.as(DeclaredRow.self)?.value(of: echo)?.plainText == action.id.description
    }

    func echo(of action: Action, after baseline: Timestamp?, in model: SectionedCollection<Item>) -> EntityID? {
        guard let (write, values) = write(for: action, in: model), let entity = write.entity.flatMap({ entities[$0] }),
            write.echo != nil, let room = values("room")
        else { return nil }
        return model.rows(in: section(of: entity, room)).last { isEcho($0, of: action, since: baseline) }?.id.id
    }

    // MARK: While it waits

    /// The base of the sort keys of pending rows. They follow all other rows in the order of the actions.
    private static let afterAllOthers = Int64(1) << 62

    func lay(_ view: ActionView, on overlay: inout Overlay, in model: inout SectionedCollection<Item>) {
        let action = view.action
        guard let (write, values) = write(for: action, in: model), let entity = write.entity.flatMap({ entities[$0] })
        else { return }
        if let message = action.operation.reference?.message {
            let id = entity.itemID(message)
            guard action.operation.name != "delete" else { return overlay.leave(id, in: &model) }
            return overlay.change(id, view, in: &model) { row in
                entity.row(shown(write, entity, row.id.id, values), over: row, parent: nil).entity
            }
        }
        let parent = values("id").map { EntityID($0) }
        let row = entity.row(shown(write, entity, action.id, values), over: nil, parent: parent)
        overlay.put(
            Item(
                id: row.id, section: row.sectionKey, sortKey: Self.afterAllOthers + Int64(view.order),
                entity: row.entity, delivery: view.delivery), in: &model)
    }

    /// Returns the fields that a write shows before the server answers.
    private func shown(
        _ write: Profile.Write, _ entity: Profile.Entity, _ id: EntityID, _ values: (String) -> String?
    ) -> Profile.Entity.Reading {
        let fields = entity.fields.map { field -> RawJSON? in
            guard let text = write.shows.first(where: { $0.name == field.name })?.value.filled(values) else {
                return nil
            }
            var writer = JSONWriter()
            writer.string(text)
            return RawJSON(unchecked: writer.bytes[...])
        }
        return Profile.Entity.Reading(id: id, parent: nil, values: fields)
    }
}

extension Action.Operation {
    /// The text to send, the new text of a message, or the name of a reaction.
    fileprivate var text: String? {
        switch self {
        case .send(_, _, let text), .edit(_, let text): text
        case .react(_, let names): names.first
        case .delete, .markRead, .createChannel, .editChannel, .deleteChannel, .rejoinChannel, .addMember,
            .removeMember, .createWorkspace, .changeWorkspace, .changeAccount, .run:
            nil
        }
    }

    fileprivate var thread: EntityID? { if case .send(_, let thread, _) = self { thread } else { nil } }

    /// The message that the action changes; `nil` for other actions.
    fileprivate var reference: Action.MessageReference? {
        switch self {
        case .edit(let reference, _), .react(let reference, _), .delete(let reference): reference
        case .send, .markRead, .createChannel, .editChannel, .deleteChannel, .rejoinChannel, .addMember,
            .removeMember, .createWorkspace, .changeWorkspace, .changeAccount, .run:
            nil
        }
    }
}

extension Profile.Write {
    /// The names of the places in all templates of the write.
    var places: [String] {
        path.places + (body?.places ?? []) + shows.flatMap(\.value.places)
    }
}

extension Profile.Write.Method {
    var rest: RESTCall.Method {
        switch self {
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }
}

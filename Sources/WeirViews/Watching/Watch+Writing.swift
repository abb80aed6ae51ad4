package import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirTerminal
import WeirWire

/// The destination of a message: a channel, or a thread in a channel.
package struct WritingPlace: Hashable, Sendable {
    /// The channel that contains the message.
    package var channel: EntityID
    /// The id of the thread's first message; `nil` outside a thread.
    package var thread: EntityID?

    package init(channel: EntityID, thread: EntityID? = nil) { (self.channel, self.thread) = (channel, thread) }
}

/// A text that the user types for the backend, with its purpose and destination.
struct Writing: Hashable {
    enum Purpose: Hashable {
        case send, reply, edit, react, delete
    }

    var purpose: Purpose
    var place: WritingPlace
    /// The target message; `nil` for a new message.
    var message: EntityID?
    /// The name of the destination, or an excerpt of the target message. Untrusted text.
    var title: String

    /// The text before the cursor.
    var prompt: String {
        switch purpose {
        case .send: "to \(title): "
        case .reply: "reply to \(title): "
        case .edit: "edit: "
        case .react: "react to \(title), empty to remove yours: "
        case .delete: "delete \(title)? type yes: "
        }
    }

    /// Whether the text is saved as a draft until it is sent.
    var isDraft: Bool { purpose == .send || purpose == .reply }

    /// Returns the operation that sends the text; `nil` when there is nothing to do.
    func operation(_ text: String) -> Action.Operation? {
        let reference = message.map { Action.MessageReference(channel: place.channel, message: $0) }
        switch purpose {
        case .send, .reply: return text.isEmpty ? nil : .send(channel: place.channel, thread: place.thread, text: text)
        case .edit: return text.isEmpty ? nil : reference.map { .edit($0, text: text) }
        case .react: return reference.map { .react($0, names: text.split(separator: " ").map(String.init)) }
        case .delete: return text == "yes" ? reference.map { .delete($0) } : nil
        }
    }
}

// Writing to the backend: messages, replies, edits, reactions and deletions.
extension Watch {
    /// The delay between the first unsaved change and saving the draft.
    private static let draftPause: Duration = .seconds(1)
    private static let mostDrafts = 100

    /// Opens the input line for a message, a reply, an edit, a reaction or a deletion.
    mutating func askToWrite(_ purpose: Writing.Purpose, into effects: inout [Effect]) {
        guard canSpeak() else { return }
        let message = messageInView
        guard let channel = purpose == .send ? channelInView : message?.channel else {
            return say(purpose == .send ? "select a line of a channel, or a channel's room" : "select a message")
        }
        var writing = Writing(purpose: purpose, place: WritingPlace(channel: channel), title: label(ofChannel: channel))
        if purpose != .send, let message {
            writing.message = message.id.id
            writing.title = "“\(TerminalText.truncated(ItemFacts(message).label ?? "", to: 20))”"
            if purpose == .reply { writing.place.thread = message.thread }
        }
        let text = purpose == .edit ? message.flatMap { ItemFacts($0).text("text") } : drafting.texts[writing.place]
        ask(.write(writing), writing.isDraft || purpose == .edit ? text ?? "" : "")
        if writing.isDraft, text == nil { effects.append(.findDraft(writing.place)) }
    }

    /// Fills in the saved draft, unless the user has typed something in the meantime.
    mutating func take(draft text: String, for place: WritingPlace) {
        guard case .asking(.write(let writing), let editor) = mode, writing.isDraft, writing.place == place,
            editor.text.isEmpty
        else { return }
        mode = .asking(.write(writing), TerminalEditor(text))
        drafting.texts[place] = text
    }

    mutating func noteTyped(_ text: String, for writing: Writing) {
        guard writing.isDraft else { return }
        guard drafting.texts.count < Self.mostDrafts || drafting.texts[writing.place] != nil else { return }
        drafting.texts[writing.place] = text
        drafting.due = drafting.due ?? now + Self.draftPause
    }

    /// Saves the draft when it is due.
    mutating func keepDraft(ifDueAt now: Moment, into effects: inout [Effect]) {
        guard let due = drafting.due, due <= now else { return }
        drafting.due = nil
        guard case .asking(.write(let writing), let editor) = mode else { return }
        keep(editor.text, for: writing, into: &effects)
    }

    mutating func keep(_ text: String, for writing: Writing, into effects: inout [Effect]) {
        guard writing.isDraft, drafting.texts[writing.place] != nil else { return }
        drafting.due = nil
        drafting.texts[writing.place] = text.isEmpty ? nil : text
        effects.append(.keepDraft(writing.place, text.isEmpty ? nil : text))
    }

    mutating func write(_ text: String, _ writing: Writing, into effects: inout [Effect]) {
        guard let operation = writing.operation(text) else {
            if writing.purpose == .delete { say("nothing was deleted") }
            return
        }
        effects.append(.act(operation))
        guard writing.isDraft else { return }
        keep("", for: writing, into: &effects)
    }

    // MARK: - What it is about

    /// The message of the current entry; `nil` when the entry did not change a message.
    private var messageInView: Item? {
        guard let serial = current, let entry = log[serial] else { return nil }
        let rows = diffs(of: entry).flatMap { DiffRow.rows(of: $0.batch) }
        guard let row = rows.first(where: { $0.item.id.kind == .message && $0.operation != .delete }) else {
            return nil
        }
        return modelPane.model?.base.committed(row.item.id) ?? row.item
    }

    /// The channel of the focused room, section or log line; otherwise the selected channel.
    private var channelInView: EntityID? {
        if cursor.focus == .rooms, rooms.list.indices.contains(cursor.room) {
            return printer.names.look(at: rooms.list[cursor.room].name).channel?.id
        }
        if cursor.focus == .sections || cursor.focus == .detail, let group = modelPane.model?.group(at: cursor.section),
            case .section(let section) = group, section.name == "messages"
        {
            return section.parent
        }
        if let channel = messageInView?.channel { return channel }
        // For a line without a channel, the nearest line above it decides, within 50 lines.
        if let serial = current {
            for line in stride(from: serial, to: max(serial - 50, log.serials.lowerBound - 1), by: -1) {
                guard let entry = log[line], entry.isShown, let room = entry.room else { continue }
                if let channel = printer.names.look(at: room).channel { return channel.id }
            }
        }
        guard case .string(let id)? = selected?["channel"] else { return nil }
        return EntityID(id)
    }

    private func label(ofChannel id: EntityID) -> String {
        modelPane.model?.base.committed(Item.ID(.channel, id)).flatMap { printer.names.label(of: $0, ItemFacts($0)) }
            ?? ShortName.id(id)
    }

    /// The user's current selection as a path of names, for the title row; `nil` without one.
    var selectedPlace: String? {
        guard let selected else { return nil }
        let names: [String] = [("company", Item.Kind.company), ("workspace", .workspace), ("channel", .channel)]
            .compactMap { key, kind in
                guard case .string(let id)? = selected[key] else { return nil }
                if let row = modelPane.model?.base.committed(Item.ID(kind, EntityID(id))) {
                    return printer.names.label(of: row, ItemFacts(row))
                }
                if case .string(let name)? = selected[key + "_name"] { return kind == .channel ? "#" + name : name }
                return ShortName.shorteningIDs(id)
            }
        return names.isEmpty ? nil : names.joined(separator: " / ")
    }
}

extension Item {
    /// The channel of the message.
    fileprivate var channel: EntityID? {
        entity.value.saidIn ?? (sectionKey.name == "messages" ? sectionKey.parent : nil)
    }

    /// The id of the first message of the thread; for a message outside a thread, its own id.
    fileprivate var thread: EntityID? { sectionKey.name == "thread" ? sectionKey.parent : id.id }
}

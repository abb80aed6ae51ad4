package import Events
import JSONText
import Pipeline
import SectionedModel
import Terminal
import Wire

/// Where a text is written: a channel, or a thread of it.
package struct WritingPlace: Hashable, Sendable {
    /// The channel.
    package var channel: EntityID
    /// The head of the thread.
    package var thread: EntityID?
}

/// What is typed for the backend: what becomes of it, and where.
struct Writing: Hashable {
    enum Purpose: Hashable {
        case send, reply, edit, react, delete
    }

    var purpose: Purpose
    var place: WritingPlace
    /// The message that it is about; none for a new one.
    var message: EntityID?
    /// What its place is called. Untrusted text.
    var title: String

    /// What stands before what is typed.
    var prompt: String {
        switch purpose {
        case .send: "to \(title): "
        case .reply: "reply to \(title): "
        case .edit: "edit: "
        case .react: "react to \(title), with nothing to take yours back: "
        case .delete: "delete \(title)? type yes: "
        }
    }

    /// Whether what is typed is kept until it is sent.
    var isDraft: Bool { purpose == .send || purpose == .reply }

    /// What is done with the text; nil when nothing is.
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

// Writing to the backend: messages, replies, edits, reactions, deletions.
extension Watch {
    /// A text that is typed is kept so long after it changed.
    private static let draftPause: Duration = .seconds(1)
    private static let mostDrafts = 100

    /// Asks what is to be written.
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
        let text = purpose == .edit ? message.flatMap { ItemFacts($0).text("text") } : drafts[writing.place]
        ask(.write(writing), writing.isDraft || purpose == .edit ? text ?? "" : "")
        if writing.isDraft, text == nil { effects.append(.findDraft(writing.place)) }
    }

    /// The text that waited comes, where nothing was typed meanwhile.
    mutating func take(draft text: String, for place: WritingPlace) {
        guard case .asking(.write(let writing), let editor) = mode, writing.isDraft, writing.place == place,
            editor.text.isEmpty
        else { return }
        mode = .asking(.write(writing), TerminalEditor(text))
        drafts[place] = text
    }

    mutating func noteTyped(_ text: String, for writing: Writing) {
        guard writing.isDraft else { return }
        guard drafts.count < Self.mostDrafts || drafts[writing.place] != nil else { return }
        drafts[writing.place] = text
        draftDue = draftDue ?? now + Self.draftPause
    }

    /// Keeps what is being typed, when it is time.
    mutating func keepDraft(ifDueAt now: Moment, into effects: inout [Effect]) {
        guard let due = draftDue, due <= now else { return }
        draftDue = nil
        guard case .asking(.write(let writing), let editor) = mode else { return }
        keep(editor.text, for: writing, into: &effects)
    }

    mutating func keep(_ text: String, for writing: Writing, into effects: inout [Effect]) {
        guard writing.isDraft, drafts[writing.place] != nil else { return }
        draftDue = nil
        drafts[writing.place] = text.isEmpty ? nil : text
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

    /// The message of the entry that keys act on.
    private var messageInView: Item? {
        guard let serial = current, let entry = log[serial] else { return nil }
        let rows = diffs(of: entry).flatMap { DiffRow.rows(of: $0.batch) }
        guard let row = rows.first(where: { $0.item.id.kind == .message && $0.operation != .delete }) else {
            return nil
        }
        return model?.base.committed(row.item.id) ?? row.item
    }

    /// The channel of what is looked at: a room, the rows of a channel, a line; else the one that is selected.
    private var channelInView: EntityID? {
        if focus == .rooms, rooms.list.indices.contains(roomIndex) {
            return printer.names.look(at: rooms.list[roomIndex].name).channel?.id
        }
        if focus == .sections || focus == .detail, let group = model?.group(at: sectionIndex),
            case .section(let section) = group, section.name == "messages"
        {
            return section.parent
        }
        if let channel = messageInView?.channel { return channel }
        // Of a line of no channel the one above it counts, not far.
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
        model?.base.committed(Item.ID(.channel, id)).flatMap { printer.names.label(of: $0, ItemFacts($0)) }
            ?? ShortName.id(id)
    }

    /// What the user looks at, for the title row; nil for nothing.
    var selectedPlace: String? {
        guard let selected else { return nil }
        let names: [String] = [("company", Item.Kind.company), ("workspace", .workspace), ("channel", .channel)]
            .compactMap { key, kind in
                guard case .string(let id)? = selected[key] else { return nil }
                if let row = model?.base.committed(Item.ID(kind, EntityID(id))) {
                    return printer.names.label(of: row, ItemFacts(row))
                }
                if case .string(let name)? = selected[key + "_name"] { return kind == .channel ? "#" + name : name }
                return ShortName.shorteningIDs(id)
            }
        return names.isEmpty ? nil : names.joined(separator: " / ")
    }
}

extension Item {
    /// The channel of a message.
    fileprivate var channel: EntityID? {
        entity.value.saidIn ?? (sectionKey.name == "messages" ? sectionKey.parent : nil)
    }

    /// The head of the thread that a message is in, or heads.
    fileprivate var thread: EntityID? { sectionKey.name == "thread" ? sectionKey.parent : id.id }
}

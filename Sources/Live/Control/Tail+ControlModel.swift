import Events
import JSONText
import Pipeline
import SectionedModel
import Terminal

// The model, as clients of the control socket ask for it.
extension Tail {
    /// A part of the model is no longer than that: what it is asked for beyond is asked for again.
    private static let mostBytes = 1 << 20

    /// What `model.sections` gives.
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

    /// What `model.get` gives.
    func rows(_ arguments: ControlArguments) throws(ControlError) -> ControlResult {
        let index = arguments.integer("section") ?? 0
        guard let key = session.model.sectionKey(at: index) else {
            throw ControlError(.nothing, "there is no section \(index); there are \(session.model.sectionKeys.count)")
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

    /// What `model.item` gives: the row of an id, of a name, or of the beginning of an id.
    func row(_ id: String) throws(ControlError) -> ControlResult {
        guard let found = try item(named: id) else {
            throw ControlError(.nothing, "there is no row '\(TerminalText.truncated(id, to: 60))'")
        }
        return ControlResult { found.encode(into: &$0) }
    }

    /// The row that a word names: its id, what people call it (`#General`, `@Ana Lima`, `General`), or the beginning of its id, of four
    /// characters at least, where that is of one row alone. Nil for none; the error names several.
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
    /// What people call a channel, a place or a person; nil for a message, whose text is no name.
    fileprivate var title: String? {
        switch id.kind {
        case .channel: channelName
        case .account, .company, .workspace: ItemFacts(self).label
        default: nil
        }
    }
}

import Events
import JSONText
import Pipeline
import SectionedModel
import Terminal

// The model, over the control socket.
extension Tail {
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

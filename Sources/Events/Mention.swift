import JSONText

/// What a message addresses: a user, or a group such as `all`.
public struct Mention: Hashable, Sendable {
    /// The name as the message has it, without `@`; nil where it has an id alone. Untrusted text.
    public var name: String?
    /// The user's id; nil for a group, and where the message has a name alone. Untrusted text.
    public var id: String?

    /// A mention.
    public init(name: String?, id: String?) {
        self.name = name
        self.id = id
    }

    /// The mention for people: the name, else the id.
    public var title: String { name ?? id ?? "" }
}

extension GroupMe.Message {
    /// What the message addresses, in the order of its attachments; the names are those of the text.
    public var mentions: [Mention] {
        attachments.flatMap { attachment -> [Mention] in
            guard case .mentions(let mentions) = attachment.content else { return [] }
            return mentions.map { mention in
                let name = mention.user == .everybody ? "everyone" : mention.place.flatMap { self.name(at: $0) }
                return Mention(name: name, id: mention.user.description)
            }
        }
    }

    /// The name at a place of the text; nil where the text ends before it, as after an edit.
    private func name(at place: Range<Int>) -> String? {
        guard let units = text?.utf16, place.upperBound <= units.count else { return nil }
        let start = units.index(units.startIndex, offsetBy: place.lowerBound)
        guard let name = String(units[start..<units.index(start, offsetBy: place.count)]) else { return nil }
        return (name.hasPrefix("@") ? String(name.dropFirst()) : name).unlessEmpty
    }
}

extension Twake.Message {
    /// What the message addresses, in the order of its contents, each once.
    ///
    /// Where the contents say no more than the text, nothing took the text apart: `@name:id` and `@name` are looked for in it.
    public var mentions: [Mention] {
        let at = UInt8(ascii: "@")
        guard let blocks = self.blocks else {
            let text = self.text
            return text.utf8.contains(at) ? Mention.all(in: Twake.Twacode.pieces(ofText: text)) : []
        }
        return blocks.bytes.contains(at) ? Mention.all(in: content) : []
    }
}

extension Mention {
    fileprivate static func all(in pieces: [Twake.Twacode]) -> [Mention] {
        var found: [Mention] = []
        func look(at pieces: [Twake.Twacode]) {
            for piece in pieces {
                switch piece {
                case .mention(let name, let user):
                    let mention = Mention(name: name.unlessEmpty, id: user?.description)
                    if !found.contains(mention) { found.append(mention) }
                case .group(_, _, let inner): look(at: inner)
                case .text, .lineBreak, .file, .other: break
                }
            }
        }
        look(at: pieces)
        return found
    }
}

import WeirJSON

/// A mention in a message: a user, or a group such as `all`.
public struct Mention: Hashable, Sendable {
    /// The name as written in the message, without `@`; `nil` if the message contains only an id. Untrusted text.
    public var name: String?
    /// The user's id; `nil` for a group, and if the message contains only a name. Untrusted text.
    public var id: String?

    /// Creates a mention by name, by id, or by both.
    public init(name: String?, id: String?) {
        self.name = name
        self.id = id
    }

    /// The mention in readable form: the name, else the id.
    public var title: String { name ?? id ?? "" }
}

extension GroupMe.Message {
    /// The mentions, in the order of the attachments. The names are taken from the text.
    public var mentions: [Mention] {
        attachments.flatMap { attachment -> [Mention] in
            guard case .mentions(let mentions) = attachment.content else { return [] }
            return mentions.map { mention in
                let name = mention.user == .everybody ? "everyone" : mention.place.flatMap { self.name(at: $0) }
                return Mention(name: name, id: mention.user.description)
            }
        }
    }

    /// Returns the name at a range of the text, in UTF-16 units; `nil` if the text is shorter, as
    /// it can be after an edit.
    private func name(at place: Range<Int>) -> String? {
        guard let units = text?.utf16, place.upperBound <= units.count else { return nil }
        let start = units.index(units.startIndex, offsetBy: place.lowerBound)
        guard let name = String(units[start..<units.index(start, offsetBy: place.count)]) else { return nil }
        return (name.hasPrefix("@") ? String(name.dropFirst()) : name).unlessEmpty
    }
}

extension Twake.Message {
    /// The mentions, in the order of the contents, without duplicates.
    ///
    /// If `blocks` is `nil`, the contents add nothing to the text and nothing parsed it. The text is then searched
    /// for `@name:id` and `@name`.
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

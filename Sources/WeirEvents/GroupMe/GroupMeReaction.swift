public import WeirJSON

extension GroupMe {
    /// The users who reacted to a message with one symbol (GroupMe GM-12). The wire always sends the whole set of
    /// reactions.
    public struct Reaction: Hashable, Sendable {
        /// The symbol of the reaction.
        public var symbol: ReactionSymbol
        /// The users who reacted with the symbol.
        public var users: [UserID]

        /// Creates the reactions with one symbol.
        public init(_ symbol: ReactionSymbol, users: [UserID]) {
            self.symbol = symbol
            self.users = users
        }
    }

    /// The symbol of a reaction; also the symbol that a group uses in place of the heart.
    public enum ReactionSymbol: Hashable, Sendable, CustomStringConvertible {
        /// A Unicode emoji, written `{"type":"unicode","code":"👍"}`.
        case unicode(String)
        /// One of GroupMe's own pictures, written `{"type":"emoji","pack_id":1,"pack_index":12}`.
        case powerUp(pack: Int, index: Int)
        /// Any other symbol, as written.
        case unknown(RawJSON)

        /// The symbol in readable form.
        public var description: String {
            switch self {
            case .unicode(let code): code
            case .powerUp(let pack, let index): ":\(pack)/\(index):"
            case .unknown(let text): text.excerpt
            }
        }
    }
}

extension GroupMe.Reaction {
    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        switch symbol {
        case .unicode, .powerUp: symbol.encodeMembers(into: &writer)
        case .unknown(let text): writer.member("symbol", text)
        }
        writer.member("user_ids", users)
        writer.endObject()
    }

    /// Reads a list of reactions; null counts as an empty list.
    static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        var reactions: [Self] = []
        guard try reader.openListIfAny() else { return reactions }
        while try reader.another() { reactions.append(try Self(reading: &reader)) }
        return reactions
    }

    init(reading reader: inout JSONReader) throws(Mismatch) {
        var fields = ReactionFields()
        let symbol = try fields.take(from: &reader)
        self.init(symbol, users: fields.users)
    }
}

/// The fields of a reaction, or of its symbol alone, while it is being read.
private struct ReactionFields {
    var type: String?
    var code: String?
    var pack: Int?
    var index: Int?
    var users: [GroupMe.UserID] = []
    /// A symbol of unknown form, from Weir's own files.
    var kept: RawJSON?

    /// Reads an object and returns its symbol.
    mutating func take(from reader: inout JSONReader) throws(Mismatch) -> GroupMe.ReactionSymbol {
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if try !take(key, from: &reader) { try reader.pass() }
        }
        if let kept { return .unknown(kept) }
        if let code, type == nil || type == "unicode" { return .unicode(code) }
        if let pack, let index { return .powerUp(pack: pack, index: index) }
        return .unknown(reader.compactText(at: start..<reader.offset))
    }

    private mutating func take(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) -> Bool {
        if reader.isNamed(key, "type") {
            type = try reader.text()
        } else if reader.isNamed(key, "code") {
            code = try reader.text()
        } else if reader.isNamed(key, "pack_id") {
            pack = try reader.looseIntegerIfAny()
        } else if reader.isNamed(key, "pack_index") {
            index = try reader.looseIntegerIfAny()
        } else if reader.isNamed(key, "user_ids") {
            users = try reader.groupMeIDs()
        } else if reader.isNamed(key, "symbol") {
            kept = try reader.keptText()
        } else {
            return false
        }
        return true
    }
}

extension GroupMe.ReactionSymbol {
    /// Writes the symbol in the form of the wire.
    public func encode(into writer: inout JSONWriter) {
        if case .unknown(let text) = self { return writer.inertRaw(text) }
        writer.beginObject()
        encodeMembers(into: &writer)
        writer.endObject()
    }

    fileprivate func encodeMembers(into writer: inout JSONWriter) {
        switch self {
        case .unicode(let code):
            writer.member("type", "unicode")
            writer.member("code", code)
        case .powerUp(let pack, let index):
            writer.member("type", "emoji")
            writer.member("pack_id", pack)
            writer.member("pack_index", index)
        case .unknown: break
        }
    }

    /// Reads a symbol; returns `nil` for null and for a value that is not an object.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard try reader.kind() == .object else {
            try reader.pass()
            return nil
        }
        var fields = ReactionFields()
        return try fields.take(from: &reader)
    }
}

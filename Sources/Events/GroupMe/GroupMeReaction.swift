public import JSONText

extension GroupMe {
    /// What users made of a message with one symbol (1.9). The wire always sends the whole set.
    public struct Reaction: Hashable, Sendable {
        /// With what.
        public var symbol: ReactionSymbol
        /// Who.
        public var users: [UserID]

        /// A reaction.
        public init(_ symbol: ReactionSymbol, users: [UserID]) {
            self.symbol = symbol
            self.users = users
        }
    }

    /// A reaction's picture; also what a group has instead of the heart.
    public enum ReactionSymbol: Hashable, Sendable, CustomStringConvertible {
        /// `{"type":"unicode","code":"👍"}`.
        case unicode(String)
        /// `{"type":"emoji","pack_id":1,"pack_index":12}`: one of GroupMe's own.
        case powerUp(pack: Int, index: Int)
        /// Anything else, as written.
        case unknown(RawJSON)

        /// For people.
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

    /// A list of reactions.
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

/// A reaction, or its picture alone, while it is read.
private struct ReactionFields {
    var type: String?
    var code: String?
    var pack: Int?
    var index: Int?
    var users: [GroupMe.UserID] = []
    /// What was of no known form, in Weir's own files.
    var kept: RawJSON?

    /// Reads an object.
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
    /// Writes the symbol as the wire has it.
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

    /// Nil for null and for what is no object.
    static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        guard try reader.kind() == .object else {
            try reader.pass()
            return nil
        }
        var fields = ReactionFields()
        return try fields.take(from: &reader)
    }
}

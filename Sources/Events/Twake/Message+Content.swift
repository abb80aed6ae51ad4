public import JSONText

extension Twake {
    /// A piece of a message's formatted contents, *twacode*. Eras B and C write it in blocks,
    /// era A as a list (Twake TW-41, TW-75).
    public indirect enum Twacode: Hashable, Sendable {
        /// Plain text without a format.
        case text(String)
        /// The end of a line, `{"start":"\n"}` on the wire.
        case lineBreak
        /// A mention. The wire writes `name:id`; the id is `nil` if only a name is written, as in `@all`.
        case mention(name: String, user: EntityID?)
        /// A file, with its metadata as far as the message contains it.
        case file(File, mode: String?)
        /// Pieces in a format, which is named by its type or by the mark that starts it: `*` is bold.
        case group(type: String?, start: String?, [Twacode])
        /// A piece of unknown form, as JSON text.
        case other(RawJSON)
    }
}

extension Twake.Message {
    /// The formatted contents, parsed on each access. If the contents add nothing to the text, this is the
    /// text, or nothing if that is empty.
    public var content: [Twake.Twacode] {
        if let blocks = self.blocks {
            var reader = JSONReader(blocks.bytes.span)
            if let pieces = try? Twake.Twacode.list(reading: &reader) { return pieces }
            return [.other(blocks)]
        }
        return self.text.isEmpty ? [] : [.text(self.text)]
    }
}

extension Twake.Twacode {
    /// Returns the files among the pieces, including those in groups.
    static func files(in contents: RawJSON) -> [Twake.File] {
        var reader = JSONReader(contents.bytes.span)
        return ((try? list(reading: &reader)) ?? []).flatMap(\.files)
    }

    private var files: [Twake.File] {
        switch self {
        case .file(let file, _): [file]
        case .group(_, _, let pieces): pieces.flatMap(\.files)
        case .text, .lineBreak, .mention, .other: []
        }
    }

    /// Splits a text that the server did not parse. `@name:id` and `@name` are mentions, unless the character before
    /// the `@` can belong to a name, as in an e-mail address.
    package static func pieces(ofText text: String) -> [Self] {
        let bytes = text.utf8
        var pieces: [Self] = []
        var start = bytes.startIndex
        var rest = bytes[...]
        while let at = rest.firstIndex(of: UInt8(ascii: "@")) {
            let behind = bytes.index(after: at)
            rest = bytes[behind...]
            if at > bytes.startIndex, isOfName(bytes[bytes.index(before: at)]) { continue }
            var word = rest.prefix { isOfName($0) }
            while let last = word.last, ".:-".utf8.contains(last) { word.removeLast() }
            guard !word.isEmpty else { continue }
            if start < at { pieces.append(.text(String(text[start..<at]))) }
            pieces.append(Node.mention(String(Substring(word))))
            start = word.endIndex
            rest = bytes[start...]
        }
        if start < bytes.endIndex { pieces.append(.text(String(text[start...]))) }
        return pieces
    }

    /// Returns whether a byte can belong to a name, to an id, or to the colon between them. All bytes beyond ASCII can.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    /// Reads pieces, including those in the `elements` of a block. A single value counts as a list of one.
    fileprivate static func list(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        switch try reader.kind() {
        case .null:
            try reader.pass()
            return []
        case .array:
            var pieces: [Self] = []
            guard try reader.openListIfAny() else { return pieces }
            while try reader.another() { pieces += try piecesOfOne(reading: &reader) }
            return pieces
        case .object, .string, .number, .bool: return try piecesOfOne(reading: &reader)
        }
    }

    /// Reads one value of a list: a piece, a block of pieces, or a nested list.
    private static func piecesOfOne(reading reader: inout JSONReader) throws(Mismatch) -> [Self] {
        switch try reader.kind() {
        case .string: return [.text(try reader.text())]
        case .array: return try list(reading: &reader)
        case .null:
            try reader.pass()
            return []
        case .number, .bool: return [.other(reader.raw(at: try reader.pass()))]
        case .object:
            let node = try Node(reading: &reader)
            return node.pieces ?? [.other(reader.raw(at: node.range))]
        }
    }
}

/// A JSON object in the formatted contents.
private struct Node {
    var type: String?
    var start: String?
    var mode: String?
    /// The value of `content` if it is a string.
    var word: String?
    var content: [Twake.Twacode] = []
    var elements: [Twake.Twacode]?
    var file: Twake.File?
    let range: Range<Int>

    init(reading reader: inout JSONReader) throws(Mismatch) {
        let begin = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "type") {
                type = try reader.textIfAny()
            } else if reader.isNamed(key, "start") {
                start = try reader.textIfAny()
            } else if reader.isNamed(key, "mode") {
                mode = try reader.textIfAny()
            } else if reader.isNamed(key, "elements") {
                elements = try Twake.Twacode.list(reading: &reader)
            } else if reader.isNamed(key, "content") {
                if try reader.kind() == .string {
                    word = try reader.text()
                } else {
                    content = try Twake.Twacode.list(reading: &reader)
                }
            } else if reader.isNamed(key, "metadata") {
                file = try Self.file(reading: &reader)
            } else {
                try reader.pass()
            }
        }
        range = begin..<reader.offset
    }

    /// Reads the metadata of a file; returns `nil` for any other value.
    private static func file(reading reader: inout JSONReader) throws(Mismatch) -> Twake.File? {
        let kind = try reader.kind()
        let start = reader.offset
        if kind == .object {
            do { return try Twake.File(reading: &reader) } catch { reader.seek(to: start) }
        }
        try reader.pass()
        return nil
    }

    /// The pieces that the object represents; `nil` if its form is unknown.
    var pieces: [Twake.Twacode]? {
        if type == "file" {
            return (file ?? word.map { Twake.File(id: EntityID($0)) }).map { [.file($0, mode: mode)] }
        }
        if let elements { return elements }
        if start == "\n" { return [.lineBreak] }
        if start == "@" { return word.map { [Self.mention($0)] } }
        guard type != nil || start != nil else { return nil }
        return [.group(type: type, start: start, word.map { [.text($0)] } ?? content)]
    }

    /// Returns a mention. The text after the last colon is the id, because a name may contain a colon too.
    static func mention(_ word: String) -> Twake.Twacode {
        guard let colon = word.lastIndex(of: ":") else { return .mention(name: word, user: nil) }
        return .mention(
            name: String(word[..<colon]), user: EntityID(String(word[word.index(after: colon)...])).ifAny)
    }
}

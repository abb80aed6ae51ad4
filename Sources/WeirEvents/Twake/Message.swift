public import WeirJSON

extension Twake {
    /// A message of any era (Twake TW-37, TW-72, TW-80). Its `fields` can be read and set as properties of the message.
    /// They are stored in one shared object, because a message is passed on and stored many times.
    @dynamicMemberLookup
    public struct Message: Hashable, Sendable {
        @usableFromInline private(set) var shared: Shared<Fields>

        /// The contents of a message. Era B's events do not contain the channel; it is taken from the room.
        public struct Fields: Hashable, Sendable {
            /// The message's id, which stays the same when the message moves to another thread.
            public var id: EntityID
            /// The thread's id; equal to `id` for a head message. An empty or null thread of era A becomes `id`.
            public var thread: EntityID
            /// The channel, if the payload contains it.
            public var channel: EntityID?
            /// The sender: a user, or the application if no user sent the message.
            public var user: EntityID?
            /// The sender's display name, if the payload contains one (era A; era B with `include_users`).
            public var senderName: String?
            /// The text: `text` (B), `content.original_str` (A); empty if there is none.
            public var text = ""
            /// The subtype; `nil` for an ordinary message of a user. A deleted message has the subtype `deleted`
            /// (Twake TW-39).
            public var subtype: MessageSubtype?
            /// The time the message was sent.
            public var createdAt: Timestamp?
            /// The time of the last change. On era A, edits and reactions do not set it (Twake TW-77).
            public var updatedAt: Timestamp?
            /// The time the text was last edited (B).
            public var editedAt: Timestamp?
            /// The reactions to the message, in wire order.
            public var reactions: [Reaction] = []
            /// The number of replies without the head message; `nil` when not sent (B:
            /// `stats.replies` − 1; A: `responses_count`).
            public var replies: Int?
            /// The time of the last message in the thread. Only head messages from the REST service contain
            /// it (B: `stats.last_activity`).
            public var threadActivity: Timestamp?
            /// The fields that few messages have; `nil` if this message has none of them, so that they cost nothing.
            var details: Shared<Details>?
        }

        init(_ fields: Fields) { shared = Shared(fields) }

        /// The fields of the message as one value.
        @inlinable
        public var fields: Fields { shared.value }

        /// One field of the message, by key path. Each assignment copies all fields; `update(_:)` sets
        /// several at the cost of one copy.
        @inlinable
        public subscript<Value>(dynamicMember field: WritableKeyPath<Fields, Value>) -> Value {
            get { shared.value[keyPath: field] }
            set { update { $0[keyPath: field] = newValue } }
        }

        /// Changes several fields at the cost of one copy.
        public mutating func update(_ change: (inout Fields) -> Void) {
            var fields = shared.value
            change(&fields)
            shared = Shared(fields)
        }

        /// Whether the message is the head of a thread.
        public var isHead: Bool { self.thread == self.id }

        /// Whether the message is deleted. Its position and ids remain, and its text states the deletion (Twake TW-39).
        public var isDeleted: Bool { self.subtype == .deleted }

        /// The sender in readable form: the display name if it is known, else the id; `nil` if
        /// the message names no sender.
        public var sender: String? { self.senderName ?? self.user?.description }

        /// Returns whether `user` has read the message. `lastAccess` is the time the user last read its channel. A
        /// message that the user sent is read, and so is a message without a time.
        public func isRead(by user: EntityID?, lastAccess: Timestamp?) -> Bool {
            if let user, self.user == user { return true }
            guard let createdAt = self.createdAt else { return true }
            return lastAccess.map { createdAt <= $0 } ?? false
        }

        /// Creates a message from its common fields.
        public init(
            id: EntityID, thread: EntityID, channel: EntityID? = nil, user: EntityID? = nil, senderName: String? = nil,
            text: String, subtype: MessageSubtype? = nil, createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil,
            editedAt: Timestamp? = nil, isPinned: Bool = false, reactions: [Reaction] = [], replies: Int? = nil
        ) {
            var fields = Fields(
                id: id, thread: thread, channel: channel, user: user, senderName: senderName, text: text,
                subtype: subtype, createdAt: createdAt, updatedAt: updatedAt, editedAt: editedAt, reactions: reactions,
                replies: replies)
            if isPinned { fields.isPinned = true }
            self.init(fields)
        }
    }

    /// The reactions to a message with one emoji.
    public struct Reaction: Hashable, Sendable {
        /// The emoji, as a character or as `:shortname:`.
        public var name: String
        /// The number of users who reacted with the emoji, as the server counts.
        public var count: Int
        /// The users who reacted with the emoji.
        public var users: [EntityID]

        /// Creates the reactions with one emoji.
        public init(name: String, count: Int, users: [EntityID]) {
            self.name = name
            self.count = count
            self.users = users
        }
    }
}

extension Twake.Message.Fields {
    /// The fields that few messages have. They are stored in an object of their own, so that a message without them is
    /// small and costs no more to read.
    struct Details: Hashable, Sendable {
        var type = Twake.MessageType.message
        var application: EntityID?
        var senderPicture: String?
        var blocks: RawJSON?
        var files: [Twake.File] = []
        var pin: Twake.Pin?
        var override: Twake.Override?
        var ephemeral: Twake.Ephemeral?
        var status: Twake.DeliveryStatus?
        var quoted: Twake.Message?
        var links: RawJSON?
        var context: RawJSON?
        var bookmarks: RawJSON?

        /// The details of a message that has none.
        static let absent = Details()
    }

    /// Whether any of the optional or list fields below has a value. If not, none of them needs to be inspected.
    public var hasDetails: Bool { details != nil }

    @inline(__always)
    private func detail<Value>(_ detail: KeyPath<Details, Value>) -> Value {
        guard let details else { return Details.absent[keyPath: detail] }
        return details.value[keyPath: detail]
    }

    /// Sets one detail. If no detail is left, the reference is removed, so that this state has only one representation.
    private mutating func set<Value>(_ detail: WritableKeyPath<Details, Value>, _ value: Value) {
        var all = details?.value ?? .absent
        all[keyPath: detail] = value
        details = all == .absent ? nil : Shared(all)
    }

    /// The type of the message; `message` when not sent.
    public var type: Twake.MessageType {
        get { detail(\.type) }
        set { set(\.type, newValue) }
    }

    /// The application that sent the message (B). On era A it is the `user`.
    public var application: EntityID? {
        get { detail(\.application) }
        set { set(\.application, newValue) }
    }

    /// The address of the sender's picture, if the payload contains one (era A; era B with `include_users`).
    public var senderPicture: String? {
        get { detail(\.senderPicture) }
        set { set(\.senderPicture, newValue) }
    }

    /// The formatted contents, `blocks` (B) or `content.prepared` (A), without white space; `nil` if they add nothing
    /// to `text`. `content` parses them.
    public var blocks: RawJSON? {
        get { detail(\.blocks) }
        set { set(\.blocks, newValue) }
    }

    /// The files sent with the message. Era A's are also in its `content`.
    public var files: [Twake.File] {
        get { detail(\.files) }
        set { set(\.files, newValue) }
    }

    /// The time and author of the pin; `nil` if the message is not pinned.
    public var pin: Twake.Pin? {
        get { detail(\.pin) }
        set { set(\.pin, newValue) }
    }

    /// Whether the message is pinned; false when not sent.
    public var isPinned: Bool {
        get { pin != nil }
        set { pin = newValue ? pin ?? Twake.Pin() : nil }
    }

    /// The name and the picture that an application gives itself.
    public var override: Twake.Override? {
        get { detail(\.override) }
        set { set(\.override, newValue) }
    }

    /// The recipient of a message that only one user sees, for a while. Ephemeral messages without an id are
    /// not decoded as messages (Twake TW-40).
    public var ephemeral: Twake.Ephemeral? {
        get { detail(\.ephemeral) }
        set { set(\.ephemeral, newValue) }
    }

    /// The delivery status of the message (2022).
    public var status: Twake.DeliveryStatus? {
        get { detail(\.status) }
        set { set(\.status, newValue) }
    }

    /// The message that this one quotes, as far as it was sent (2022).
    public var quoted: Twake.Message? {
        get { detail(\.quoted) }
        set { set(\.quoted, newValue) }
    }

    /// The previews of the links in the message (2022), a JSON array without white space; `nil` if there are none.
    public var links: RawJSON? {
        get { detail(\.links) }
        set { set(\.links, newValue) }
    }

    /// Data that an application stores with its message, any JSON without white space; `nil` if it is empty.
    public var context: RawJSON? {
        get { detail(\.context) }
        set { set(\.context, newValue) }
    }

    /// The bookmarks of the message by its users, a JSON array without white space; `nil` if there are none.
    public var bookmarks: RawJSON? {
        get { detail(\.bookmarks) }
        set { set(\.bookmarks, newValue) }
    }
}

extension Twake {
    /// The time and author of a message's pin (Twake TW-37).
    public struct Pin: Hashable, Sendable {
        /// The time the message was pinned, if sent.
        public var at: Timestamp?
        /// The user who pinned the message, if sent.
        public var by: EntityID?
    }

    /// The appearance that an application chooses for itself (Twake TW-37).
    public struct Override: Hashable, Sendable {
        /// The name shown for the application.
        public var title: String?
        /// The address of the picture shown for the application.
        public var picture: String?
    }

    /// The recipient of a message that is shown to one user and not stored (Twake TW-40).
    public struct Ephemeral: Hashable, Sendable {
        /// The id that the application gives the message.
        public var id: EntityID?
        /// The version of the message, as sent by the application.
        public var version: String?
        /// The user who sees the message.
        public var recipient: EntityID?
        /// The window of the user that shows the message.
        public var context: EntityID?
    }
}

/// An immutable value on the heap. Passing it on costs one reference count, whatever the value contains.
@usableFromInline
final class Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline let value: Value

    @usableFromInline
    init(_ value: Value) { self.value = value }

    @usableFromInline
    static func == (a: Shared, b: Shared) -> Bool { a === b || a.value == b.value }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

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

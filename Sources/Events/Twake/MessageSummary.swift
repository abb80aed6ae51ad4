import JSONText
import Synchronization

extension Twake {
    /// The last message of a channel, in short (3.3). Each of its fields is nil when not sent.
    ///
    /// One reference to one piece of memory: it comes with every other event, goes with its channel through all that
    /// changes of that, and is mostly compared and written, which needs no strings.
    public struct MessageSummary: Hashable, @unchecked Sendable {
        // Unchecked: it is not changed once it is made, but for what is made of it once.
        private let storage: MessageSummaryStorage

        /// A summary of these fields, each nil when not sent.
        public init(date: Timestamp?, sender: EntityID?, senderName: String?, title: String?, text: String?) {
            let texts = [senderName, title, text]
            let room = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            storage = MessageSummaryStorage.make(date: date, sender: sender, room: room) { text, room in
                texts[text.rawValue].map { room.update(fromContentsOf: $0.utf8) }
            }
        }

        /// A summary whose texts stand where `reader` read them.
        init(date: Timestamp?, sender: EntityID?, texts: ReadTexts, in reader: borrowing JSONReader) {
            storage = MessageSummaryStorage.make(date: date, sender: sender, room: texts.room) { text, room in
                texts[text].map { reader.copyString(at: $0, to: room) }
            }
        }

        /// When it was sent.
        public var date: Timestamp? { storage.date }
        /// The user who sent it; nil for bots.
        public var sender: EntityID? { storage.sender }
        /// That user's display name.
        public var senderName: String? { string(.senderName) }
        /// Where it was sent, for people: `{channel} in {company} • {workspace}`.
        public var title: String? { string(.title) }
        /// Its text, cut by the server on era A.
        public var text: String? { string(.text) }

        private func string(_ text: Text) -> String? {
            withUTF8(of: text) { $0.map { String(decoding: $0, as: UTF8.self) } }
        }

        /// Calls `body` with the UTF-8 of a text, or nil when it was not sent. No string is made of it.
        @inline(__always)
        package func withUTF8<Result>(of text: Text, _ body: (UnsafeBufferPointer<UInt8>?) -> Result) -> Result {
            storage.withBytes(of: text, body)
        }

        /// Whether all fields are the same, the texts byte by byte.
        public static func == (a: Self, b: Self) -> Bool {
            a.storage === b.storage || a.date == b.date && a.sender == b.sender && a.hasTexts(of: b)
        }

        /// The digest of the summary, which `make` makes unless somebody did before.
        package func digest(_ make: (MessageSummary) -> UInt64) -> UInt64 { storage.digest { make(self) } }

        /// Has `write` write ahead what a diff log has of it, the member of its channel.
        func prepare(_ write: (inout JSONWriter) -> Void) { storage.prepareMember(write) }

        /// Writes what was written ahead; false when nothing was.
        func writePrepared(into writer: inout JSONWriter) -> Bool { storage.writeMember(into: &writer) }

        private func hasTexts(of other: Self) -> Bool {
            Text.allCases.allSatisfy { text in
                withUTF8(of: text) { bytes in
                    other.withUTF8(of: text) { others in
                        guard let bytes, let others else { return bytes == nil && others == nil }
                        return bytes.elementsEqual(others)
                    }
                }
            }
        }

        /// Feeds all fields.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(date)
            hasher.combine(sender)
            for text in Text.allCases {
                withUTF8(of: text) { bytes in
                    hasher.combine(bytes?.count)
                    if let bytes { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
                }
            }
        }
    }
}

extension Twake.MessageSummary {
    /// What of a summary is text, in the order in which it lies there.
    package enum Text: Int, CaseIterable {
        case senderName, title, text
    }

    /// Where the texts of a summary stand in what is read; nil where none was sent.
    struct ReadTexts {
        private var places = InlineArray<3, JSONStringRange?>(repeating: nil)

        subscript(text: Text) -> JSONStringRange? {
            get { places[text.rawValue] }
            set { places[text.rawValue] = newValue }
        }

        /// Bytes they have at most: what an escape stands for is shorter.
        var room: Int { Text.allCases.reduce(0) { $0 + (self[$1]?.range.count ?? 0) } }
    }
}

/// A summary in one piece: its fields, what is made of them once, its texts one behind the other, and room for what a diff log has of it. One
/// thread makes it and another frees it, and each piece of memory that goes such a way costs as much again as its allocation.
private final class MessageSummaryStorage: ManagedBuffer<MessageSummaryStorage.Fields, MessageSummaryStorage.Memos> {
    typealias Text = Twake.MessageSummary.Text

    struct Fields {
        let date: Timestamp?
        let sender: EntityID?
        /// Bytes of each text; negative where none was sent.
        var lengths = InlineArray<3, Int>(repeating: -1)
        /// Bytes that the texts may take.
        let room: Int
    }

    /// Stands first behind the fields; the texts come behind it.
    struct Memos: ~Copyable {
        let digest = DigestMemo()
        /// Bytes of the summary as a diff log has it, the member of its channel; 0 until somebody begins to write it, and negative until it
        /// stands there.
        let memberLength = Atomic<Int>(0)
    }

    /// Bytes of the member besides its texts: names, signs, a time and the id of a user.
    private static let frame = 140

    /// Has `write` put each text at the front of what room is left, and say how many bytes it has; nil where there is none.
    @inline(__always)
    static func make(
        date: Timestamp?, sender: EntityID?, room: Int,
        _ write: (Text, UnsafeMutableBufferPointer<UInt8>) -> Int?
    ) -> MessageSummaryStorage {
        // The texts as they are, and again as they stand in the member.
        let places = (2 * room + frame) / MemoryLayout<Memos>.stride + 1
        let made = create(minimumCapacity: 1 + places) { _ in Fields(date: date, sender: sender, room: room) }
        let storage = unsafeDowncast(made, to: MessageSummaryStorage.self)
        storage.withUnsafeMutablePointers { fields, memos in
            memos.initialize(to: Memos())
            let texts = bytes(behind: memos)
            var end = 0
            for text in Text.allCases {
                let rest = UnsafeMutableBufferPointer(start: texts + end, count: room - end)
                guard let length = write(text, rest) else { continue }
                fields.pointee.lengths[text.rawValue] = length
                end += length
            }
        }
        return storage
    }

    private static func bytes(behind memos: UnsafeMutablePointer<Memos>) -> UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(memos + 1).assumingMemoryBound(to: UInt8.self)
    }

    var date: Timestamp? { withUnsafeMutablePointerToHeader { $0.pointee.date } }
    var sender: EntityID? { withUnsafeMutablePointerToHeader { $0.pointee.sender } }

    func digest(_ make: () -> UInt64) -> UInt64 {
        withUnsafeMutablePointerToElements { $0.pointee.digest.value(make) }
    }

    @inline(__always)
    func withBytes<Result>(of text: Text, _ body: (UnsafeBufferPointer<UInt8>?) -> Result) -> Result {
        withUnsafeMutablePointers { fields, memos in
            let length = fields.pointee.lengths[text.rawValue]
            guard length >= 0 else { return body(nil) }
            var start = 0
            for place in 0..<text.rawValue { start += max(0, fields.pointee.lengths[place]) }
            return body(UnsafeBufferPointer(start: Self.bytes(behind: memos) + start, count: length))
        }
    }

    /// Has `write` write the member, unless somebody began to before or it is longer than there is room, as where its texts have many
    /// characters that JSON escapes.
    func prepareMember(_ write: (inout JSONWriter) -> Void) {
        withUnsafeMutablePointers { fields, memos in
            guard memos.pointee.memberLength.compareExchange(expected: 0, desired: -1, ordering: .relaxed).exchanged
            else { return }
            var writer = JSONWriter()
            write(&writer)
            let room = fields.pointee.room
            writer.withUnsafeBytes { member in
                guard member.count <= room + Self.frame else { return }
                let target = UnsafeMutableRawBufferPointer(start: Self.bytes(behind: memos) + room, count: member.count)
                target.copyMemory(from: member)
                memos.pointee.memberLength.store(member.count, ordering: .releasing)
            }
        }
    }

    /// Writes the member as it was prepared; false, and nothing is written, where it was not.
    func writeMember(into writer: inout JSONWriter) -> Bool {
        withUnsafeMutablePointers { fields, memos in
            let length = memos.pointee.memberLength.load(ordering: .acquiring)
            guard length > 0 else { return false }
            let member = Self.bytes(behind: memos) + fields.pointee.room
            writer.members(written: UnsafeBufferPointer(start: member, count: length))
            return true
        }
    }
}

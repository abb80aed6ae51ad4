import JSONText

extension Twake {
    /// The last message of a channel, in short (3.3). Each of its fields is nil when not sent.
    ///
    /// One reference, and its texts lie behind it in one piece: it comes with every other event, goes with its channel through all that
    /// changes of that, and is mostly compared and written, which needs no strings.
    public struct MessageSummary: Hashable, Sendable {
        private let storage: MessageSummaryStorage

        /// A summary of these fields, each nil when not sent.
        public init(date: Timestamp?, sender: EntityID?, senderName: String?, title: String?, text: String?) {
            let texts = [senderName, title, text]
            let room = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            storage = MessageSummaryStorage(date: date, sender: sender, room: room) { text, room in
                texts[text.rawValue].map { room.update(fromContentsOf: $0.utf8) }
            }
        }

        /// A summary whose texts stand where `reader` read them.
        init(date: Timestamp?, sender: EntityID?, texts: ReadTexts, in reader: borrowing JSONReader) {
            storage = MessageSummaryStorage(date: date, sender: sender, room: texts.room) { text, room in
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
        package func digest(_ make: (MessageSummary) -> UInt64) -> UInt64 { storage.digest.value { make(self) } }

        /// Has `write` write ahead what a diff log has of it, the member of its channel.
        func prepare(_ write: (inout JSONWriter) -> Void) { storage.member.prepare(write) }

        /// Writes what was written ahead; false when nothing was.
        func writePrepared(into writer: inout JSONWriter) -> Bool { writer.members(storage.member) }

        /// Has the processor fetch it, or what was written of it ahead.
        func prefetch(behind references: Int) {
            if references == 0 { storage.prefetch() } else { storage.member.prefetch() }
        }

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

private final class MessageSummaryStorage: @unchecked Sendable {
    // Unchecked: the texts are not changed once they are here.
    typealias Text = Twake.MessageSummary.Text

    let date: Timestamp?
    let sender: EntityID?
    /// The texts, one behind the other.
    private let texts: UnsafeMutablePointer<UInt8>
    /// Bytes of each text; negative where none was sent.
    private var lengths = InlineArray<3, Int>(repeating: -1)
    /// The summary as a diff log has it, the member of its channel.
    let member = JSONMembers()
    let digest = DigestMemo()

    /// Has `write` put each text at the front of what room is left, and say how many bytes it has; nil where there is none.
    @inline(__always)
    init(
        date: Timestamp?, sender: EntityID?, room: Int,
        _ write: (Text, UnsafeMutableBufferPointer<UInt8>) -> Int?
    ) {
        self.date = date
        self.sender = sender
        texts = .allocate(capacity: room)
        var end = 0
        for text in Text.allCases {
            let rest = UnsafeMutableBufferPointer(start: texts + end, count: room - end)
            guard let length = write(text, rest) else { continue }
            lengths[text.rawValue] = length
            end += length
        }
    }

    deinit { texts.deallocate() }

    func prefetch() {
        let texts = MemoryLayout<UnsafeMutablePointer<UInt8>>.size + MemoryLayout<InlineArray<3, Int>>.size
        let memos = MemoryLayout<JSONMembers>.size + MemoryLayout<DigestMemo>.size
        Events.prefetch(self, holding: MemoryLayout<Timestamp?>.stride + MemoryLayout<EntityID?>.stride + texts + memos)
    }

    @inline(__always)
    func withBytes<Result>(of text: Text, _ body: (UnsafeBufferPointer<UInt8>?) -> Result) -> Result {
        let length = lengths[text.rawValue]
        guard length >= 0 else { return body(nil) }
        var start = 0
        for place in 0..<text.rawValue { start += max(0, lengths[place]) }
        return body(UnsafeBufferPointer(start: texts + start, count: length))
    }
}

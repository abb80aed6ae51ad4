import JSONText

extension Twake {
    /// A short form of a channel's last message (Twake TW-33). It is stored in one shared object: every other event
    /// contains one, and each change of a channel copies it along.
    @dynamicMemberLookup
    public struct MessageSummary: Hashable, Sendable {
        @usableFromInline let shared: Shared<Fields>

        /// The contents of a summary; each field is `nil` when not sent.
        public struct Fields: Hashable, Sendable {
            /// The time the message was sent.
            public var date: Timestamp?
            /// The user who sent the message; `nil` for bots.
            public var sender: EntityID?
            /// The display name of the sender.
            public var senderName: String?
            /// The place of the message in readable form: `{channel} in {company} • {workspace}`.
            public var title: String?
            /// The text of the message, truncated by the server on era A.
            public var text: String?

            init() {}

            /// Compares the texts byte by byte: equal strings can still write a letter and its accent in two ways.
            public static func == (a: Self, b: Self) -> Bool {
                a.date == b.date && a.sender == b.sender && isSame(a.senderName, b.senderName)
                    && isSame(a.title, b.title) && isSame(a.text, b.text)
            }

            private static func isSame(_ a: String?, _ b: String?) -> Bool {
                guard let a, let b else { return a == nil && b == nil }
                return a.utf8.elementsEqual(b.utf8)
            }
        }

        init(_ fields: Fields) { shared = Shared(fields) }

        init(date: Timestamp?, sender: EntityID?, senderName: String?, title: String?, text: String?) {
            var fields = Fields()
            (fields.date, fields.sender) = (date, sender)
            (fields.senderName, fields.title, fields.text) = (senderName, title, text)
            self.init(fields)
        }

        /// One field of the summary, by key path.
        @inlinable
        public subscript<Value>(dynamicMember field: KeyPath<Fields, Value>) -> Value { shared.value[keyPath: field] }
    }
}

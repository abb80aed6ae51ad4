import JSONText

extension Twake {
    /// The last message of a channel, in short (3.3). One reference: it comes with every other event, and goes with its channel through all that
    /// changes of that.
    @dynamicMemberLookup
    public struct MessageSummary: Hashable, Sendable {
        @usableFromInline let shared: Shared<Fields>

        /// Each is nil when not sent.
        public struct Fields: Hashable, Sendable {
            /// When it was sent.
            public var date: Timestamp?
            /// The user who sent it; nil for bots.
            public var sender: EntityID?
            /// That user's display name.
            public var senderName: String?
            /// Where it was sent, for people: `{channel} in {company} • {workspace}`.
            public var title: String?
            /// Its text, cut by the server on era A.
            public var text: String?

            init() {}

            /// The texts are compared byte by byte: strings are equal, too, where a letter and its accent are written in two ways.
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

        /// A summary of these fields, each nil when not sent.
        init(date: Timestamp?, sender: EntityID?, senderName: String?, title: String?, text: String?) {
            var fields = Fields()
            (fields.date, fields.sender) = (date, sender)
            (fields.senderName, fields.title, fields.text) = (senderName, title, text)
            self.init(fields)
        }

        /// One of its fields.
        @inlinable
        public subscript<Value>(dynamicMember field: KeyPath<Fields, Value>) -> Value { shared.value[keyPath: field] }
    }
}

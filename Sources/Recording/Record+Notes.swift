extension Record {
    /// `mark`: somebody marked this place, while it was recorded or later.
    public struct MarkRecord: Hashable, Sendable {
        /// What it is called; marks need not differ.
        public var label: String
        /// Who set it: `key`, `ctl`, `match`, `file`.
        public var author: String?
        /// Name of a colour to show it in.
        public var colour: String?
        /// A mark.
        public init(label: String, author: String? = nil, colour: String? = nil) {
            self.label = label
            self.author = author
            self.colour = colour
        }
    }

    /// `st`: what the model was like, a small golden value that a replay compares itself with.
    public struct StateRecord: Hashable, Sendable {
        /// Number of the record after whose input the model was so.
        public var after: Int
        /// The model's checksum (`SectionedSnapshot.checksum`).
        public var checksum: UInt64
        /// Of what the checksum is made, 1 to 9: one of another version cannot be compared with it (`Item.checksumVersion`).
        public var checksumVersion: Int
        /// How many sections the model had.
        public var sections: Int
        /// How many rows.
        public var items: Int
        /// A state.
        public init(after: Int, checksum: UInt64, checksumVersion: Int, sections: Int, items: Int) {
            self.after = after
            self.checksum = checksum
            self.checksumVersion = checksumVersion
            self.sections = sections
            self.items = items
        }
    }

    /// `clock`: how the wall clock, or the server's, stands to the session's, which never steps.
    public struct ClockRecord: Hashable, Sendable {
        /// By how much the wall clock has moved against the session's since the recording began; microseconds.
        public var step: Int64?
        /// Estimate of the server's clock minus ours; microseconds.
        public var serverOffset: Int64?
        /// A comparison.
        public init(step: Int64? = nil, serverOffset: Int64? = nil) {
            self.step = step
            self.serverOffset = serverOffset
        }
    }

    /// `note`: a message of the tool that is worth keeping.
    public struct NoteRecord: Hashable, Sendable {
        /// How grave it is: `info`, `warning`, `error`.
        public var level: String
        /// The message; may quote untrusted text.
        public var message: String
        /// A note.
        public init(level: String, message: String) {
            self.level = level
            self.message = message
        }
    }
}

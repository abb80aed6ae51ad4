extension Record {
    /// `mark`: somebody marked this place, while it was recorded or later.
    package struct MarkRecord: Hashable, Sendable {
        /// What it is called; marks need not differ.
        package var label: String
        /// Who set it: `key`, `ctl`, `match`, `file`.
        package var author: String?
        /// Name of a colour to show it in.
        package var colour: String?
        /// A mark.
        package init(label: String, author: String? = nil, colour: String? = nil) {
            self.label = label
            self.author = author
            self.colour = colour
        }
    }

    /// `st`: what the model was like, a small golden value that a replay compares itself with.
    package struct StateRecord: Hashable, Sendable {
        /// Number of the record after whose input the model was so.
        package var after: Int
        /// The model's checksum (`SectionedSnapshot.checksum`).
        package var checksum: UInt64
        /// Of what the checksum is made, 1 to 9: one of another version cannot be compared with it (`Item.checksumVersion`).
        package var checksumVersion: Int
        /// How many sections the model had.
        package var sections: Int
        /// How many rows.
        package var items: Int
        /// A state.
        package init(after: Int, checksum: UInt64, checksumVersion: Int, sections: Int, items: Int) {
            self.after = after
            self.checksum = checksum
            self.checksumVersion = checksumVersion
            self.sections = sections
            self.items = items
        }
    }

    /// `clock`: how the wall clock, or the server's, stands to the session's, which never steps.
    package struct ClockRecord: Hashable, Sendable {
        /// By how much the wall clock has moved against the session's since the recording began; microseconds.
        package var step: Int64?
        /// Estimate of the server's clock minus ours; microseconds.
        package var serverOffset: Int64?
        /// A comparison.
        package init(step: Int64? = nil, serverOffset: Int64? = nil) {
            self.step = step
            self.serverOffset = serverOffset
        }
    }

    /// `note`: a message of the tool that is worth keeping.
    package struct NoteRecord: Hashable, Sendable {
        /// How grave it is: `info`, `warning`, `error`.
        package var level: String
        /// The message; may quote untrusted text.
        package var message: String
        /// A note.
        package init(level: String, message: String) {
            self.level = level
            self.message = message
        }
    }
}

extension Record {
    /// `mark`: a labelled place, set during the recording or later.
    package struct MarkRecord: Hashable, Sendable {
        /// The mark's label. Labels need not be unique.
        package var label: String
        /// The origin of the mark: `key`, `ctl`, `match` or `file`.
        package var author: String?
        /// The name of the colour to show the mark in.
        package var colour: String?
        package init(label: String, author: String? = nil, colour: String? = nil) {
            self.label = label
            self.author = author
            self.colour = colour
        }
    }

    /// `st`: a small checksum of the model that a replay compares with its own.
    package struct StateRecord: Hashable, Sendable {
        /// The number of the record whose input produced this state.
        package var after: Int
        /// The 64-bit checksum of the model (`SectionedSnapshot.checksum`).
        package var checksum: UInt64
        /// The version of the checksum's definition, 1 to 9. Checksums of different versions cannot be compared
        /// (`Item.checksumVersion`).
        package var checksumVersion: Int
        /// The number of sections in the model.
        package var sections: Int
        /// The number of rows in the model.
        package var items: Int
        package init(after: Int, checksum: UInt64, checksumVersion: Int, sections: Int, items: Int) {
            self.after = after
            self.checksum = checksum
            self.checksumVersion = checksumVersion
            self.sections = sections
            self.items = items
        }
    }

    /// `clock`: how far the wall clock and the server's clock differ from the session's clock, which never steps.
    package struct ClockRecord: Hashable, Sendable {
        /// How far the wall clock has moved against the session's clock since the recording began, in microseconds.
        package var step: Int64?
        /// The estimated difference of the server's clock minus the local clock, in microseconds.
        package var serverOffset: Int64?
        package init(step: Int64? = nil, serverOffset: Int64? = nil) {
            self.step = step
            self.serverOffset = serverOffset
        }
    }

    /// `note`: a diagnostic message of the tool that is worth keeping.
    package struct NoteRecord: Hashable, Sendable {
        /// The severity: `info`, `warning` or `error`.
        package var level: String
        /// The message; it may quote untrusted text.
        package var message: String
        package init(level: String, message: String) {
            self.level = level
            self.message = message
        }
    }
}

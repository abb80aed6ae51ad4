package import JSONText
package import Wire

extension Record {
    /// The first record of a file: its format, and the configuration from which a replay creates the same session.
    package struct Head: Hashable, Sendable {
        /// Major format version. A file with another major version cannot be read.
        package var major: Int
        /// Minor format version. A newer one only adds kinds, members and values.
        package var minor: Int
        /// Random id of the recording: 32 hexadecimal digits, the same in all its segments.
        package var recording: String
        /// The file's segment number in the recording, from 1.
        package var segment: Int
        /// SHA-256 of the previous segment: 64 hexadecimal digits. `nil` in the first segment, and when it is unknown.
        package var previous: String?
        /// The wall clock at time 0, in microseconds since 1970 UTC. The same in all segments.
        package var wallStart: Int64
        /// The name of the clock that the times come from.
        package var clock: String
        /// A salted hash that identifies one boot of one machine. Segments with different values have no common clock.
        /// The salt belongs to this recording.
        package var boot: String?
        /// The name and version of the tool that wrote the file.
        package var tool: String
        /// The name of the operating system.
        package var system: String?
        /// The name of the context in use.
        package var context: String?
        /// The user's title for the recording.
        package var title: String?
        /// Search terms set by the user.
        package var tags: [String]
        /// The longest pause that a player needs to keep, in microseconds.
        package var idleLimit: Int64?
        /// The ids of the redaction rules that were applied.
        package var redactions: [String]
        /// The filter that decided which events are recorded whole, as text; `nil` when all are. Other events keep
        /// their record without its text, marked as dropped.
        package var filter: String?
        /// The seed of the session's jitter.
        package var seed: UInt64
        /// The session's configuration as a JSON object, without secrets. This module does not interpret it.
        package var session: RawJSON
        package init(
            major: Int = 1, minor: Int = 0, recording: String, segment: Int = 1, previous: String? = nil,
            wallStart: Int64,
            clock: String = "CLOCK_BOOTTIME", boot: String? = nil, tool: String, system: String? = nil,
            context: String? = nil,
            title: String? = nil, tags: [String] = [], idleLimit: Int64? = nil, redactions: [String] = ["secrets"],
            filter: String? = nil, seed: UInt64, session: RawJSON
        ) {
            self.major = major
            self.minor = minor
            self.recording = recording
            self.segment = segment
            self.previous = previous
            self.wallStart = wallStart
            self.clock = clock
            self.boot = boot
            self.tool = tool
            self.system = system
            self.context = context
            self.title = title
            self.tags = tags
            self.idleLimit = idleLimit
            self.redactions = redactions
            self.filter = filter
            self.seed = seed
            self.session = session
        }
    }

    /// A name and how often it occurs.
    package struct Count: Hashable, Sendable {
        /// What is counted: a kind of record, or a room.
        package var name: String
        /// The number of its occurrences.
        package var count: Int
    }

    /// `sync`: a summary of the lines between the previous `sync` and this one.
    package struct SyncRecord: Hashable, Sendable {
        /// Byte offset of the chunk's first line in the file. In a compressed file it is an offset in the text.
        package var offset: Int
        /// The length of the chunk in bytes: all lines between two `sync` records, excluding both.
        package var bytes: Int
        /// The number of lines in the chunk.
        package var records: Int
        /// The time of the chunk's first record.
        package var firstTime: Moment
        /// The time of the chunk's last record.
        package var lastTime: Moment
        /// CRC-32C of the chunk's bytes.
        package var crc: UInt32
        /// The connections that are open at the end of the chunk.
        package var connections: [Int] = []
        /// The chunk's records by kind, ordered by first occurrence.
        package var kinds: [Count] = []

        /// Returns how many bytes the record has moved: its line was written at one offset and now begins at `offset`.
        /// Negative when it moved towards the start.
        func displacement(at offset: Int) -> Int { offset - (self.offset + bytes) }
    }

    /// `idx`: the offsets of all chunks of the file. It only speeds up seeking: a file can be read without it. Compare
    /// it with the `sync` records it describes before trusting it.
    package struct IndexRecord: Hashable, Sendable {
        /// The position and extent of one chunk.
        package struct Chunk: Hashable, Sendable {
            /// Byte offset of the chunk's first line.
            package var offset: Int
            /// The time of its first record.
            package var firstTime: Moment
            /// The time of its last record.
            package var lastTime: Moment
            /// The number of its first numbered record.
            package var firstNumber: Int
            /// The number of its lines.
            package var records: Int
        }
        /// The chunks, in file order.
        package var chunks: [Chunk]
        /// The file's records by kind.
        package var kinds: [Count]
        /// Received messages by room, where the room is known. Busiest first, at most 1,000.
        package var rooms: [Count] = []
    }

    /// `end`: the last record of a file that was closed in order.
    package struct EndRecord: Hashable, Sendable {
        /// Why the file ends. The raw value is the record's `why` member.
        package enum Why: String, Hashable, Sendable, CaseIterable {
            case closed, signal
            /// The recording continues in the next segment; the session has not ended.
            case rotated
            case diskFull = "disk-full"
        }
        /// Why the file ends, as decided by its writer.
        package var why: Why
        /// Byte offset of the `idx` line; `nil` when the file has none.
        package var index: Int?
        package init(why: Why, index: Int? = nil) {
            self.why = why
            self.index = index
        }
    }
}

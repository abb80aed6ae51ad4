public import JSONText
public import Wire

extension Record {
    /// The first record of a file: what it is, and what a replay needs to know to make the same session again.
    public struct Head: Hashable, Sendable {
        /// Format version; another major version cannot be read.
        public var major: Int
        /// Format version; a newer minor version only adds.
        public var minor: Int
        /// Random id of the recording, 32 hex digits; the same in all its segments.
        public var recording: String
        /// Which segment of the recording the file is, from 1.
        public var segment: Int
        /// SHA-256 of the segment before, 64 hex digits; nil for the first, and where it is not known.
        public var previous: String?
        /// Wall clock at time 0, microseconds since 1970 UTC; the same in all segments.
        public var wallStart: Int64
        /// Name of the clock that the times were taken from.
        public var clock: String
        /// Which boot of which machine, hashed with a salt of this recording: two segments with another one have no common clock.
        public var boot: String?
        /// The tool and its version.
        public var tool: String
        /// Name of the operating system.
        public var system: String?
        /// Name of the context that was used.
        public var context: String?
        /// What the user calls the recording.
        public var title: String?
        /// Words to find it by.
        public var tags: [String]
        /// Advice to players: no pause need be longer; microseconds.
        public var idleLimit: Int64?
        /// Ids of the rules by which secrets were taken out.
        public var redactions: [String]
        /// What an event had to be to be recorded whole, as text; nil when everything is. Of other events there is the record without its
        /// text, marked as one to pass over.
        public var filter: String?
        /// Seed of the session's jitter.
        public var seed: UInt64
        /// The session's configuration as a JSON object, without secrets; opaque to this room.
        public var session: RawJSON
        /// A head.
        public init(
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

    /// How many of something there are.
    public struct Count: Hashable, Sendable {
        /// What is counted: a record's kind, a room.
        public var name: String
        /// How many.
        public var count: Int
    }

    /// `sync`: what stands between the last one and this.
    public struct SyncRecord: Hashable, Sendable {
        /// Byte offset of the chunk's first line in the file (of its text, where the file is compressed).
        public var offset: Int
        /// Length of the chunk: all lines between two `sync` records, neither included.
        public var bytes: Int
        /// How many lines those are.
        public var records: Int
        /// Time of the chunk's first record.
        public var firstTime: Moment
        /// Time of the chunk's last record.
        public var lastTime: Moment
        /// CRC-32C of the chunk's bytes.
        public var crc: UInt32
        /// Connections that are open where the chunk ends.
        public var connections: [Int] = []
        /// The chunk's records by kind, in the order in which the kinds first came.
        public var kinds: [Count] = []

        /// How many bytes behind the place it was written at its line stands, which begins at byte `offset`; negative before it.
        func displacement(at offset: Int) -> Int { offset - (self.offset + bytes) }
    }

    /// `idx`: where every chunk of the file is. An accelerator: never needed to read the file, and not to be trusted before
    /// it was compared with the `sync` records it speaks of.
    public struct IndexRecord: Hashable, Sendable {
        /// A chunk.
        public struct Chunk: Hashable, Sendable {
            /// Byte offset of its first line.
            public var offset: Int
            /// Time of its first record.
            public var firstTime: Moment
            /// Time of its last record.
            public var lastTime: Moment
            /// Number of its first numbered record.
            public var firstNumber: Int
            /// How many lines it has.
            public var records: Int
        }
        /// The chunks, in order.
        public var chunks: [Chunk]
        /// All records of the file by kind.
        public var kinds: [Count]
        /// Messages received by room, where a room is known; the busiest first, a thousand at most.
        public var rooms: [Count] = []
    }

    /// `end`: the file was closed in order.
    public struct EndRecord: Hashable, Sendable {
        /// Why a file ends.
        public enum Why: String, Hashable, Sendable, CaseIterable {
            case closed, signal
            /// The recording goes on in the next segment: this is not the session's end.
            case rotated
            case diskFull = "disk-full"
        }
        /// Why the file ends.
        public var why: Why
        /// Byte offset of the `idx` line; nil when there is none.
        public var index: Int?
        /// An end.
        public init(why: Why, index: Int? = nil) {
            self.why = why
            self.index = index
        }
    }
}

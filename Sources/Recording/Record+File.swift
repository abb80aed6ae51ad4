package import JSONText
package import Wire

extension Record {
    /// The first record of a file: what it is, and what a replay needs to know to make the same session again.
    package struct Head: Hashable, Sendable {
        /// Format version; another major version cannot be read.
        package var major: Int
        /// Format version; a newer minor version only adds.
        package var minor: Int
        /// Random id of the recording, 32 hex digits; the same in all its segments.
        package var recording: String
        /// Which segment of the recording the file is, from 1.
        package var segment: Int
        /// SHA-256 of the segment before, 64 hex digits; nil for the first, and where it is not known.
        package var previous: String?
        /// Wall clock at time 0, microseconds since 1970 UTC; the same in all segments.
        package var wallStart: Int64
        /// Name of the clock that the times were taken from.
        package var clock: String
        /// Which boot of which machine, hashed with a salt of this recording: two segments with another one have no common clock.
        package var boot: String?
        /// The tool and its version.
        package var tool: String
        /// Name of the operating system.
        package var system: String?
        /// Name of the context that was used.
        package var context: String?
        /// What the user calls the recording.
        package var title: String?
        /// Words to find it by.
        package var tags: [String]
        /// Advice to players: no pause need be longer; microseconds.
        package var idleLimit: Int64?
        /// Ids of the rules by which secrets were taken out.
        package var redactions: [String]
        /// What an event had to be to be recorded whole, as text; nil when everything is. Of other events there is the record without its
        /// text, marked as one to pass over.
        package var filter: String?
        /// Seed of the session's jitter.
        package var seed: UInt64
        /// The session's configuration as a JSON object, without secrets; opaque to this room.
        package var session: RawJSON
        /// A head.
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

    /// How many of something there are.
    package struct Count: Hashable, Sendable {
        /// What is counted: a record's kind, a room.
        package var name: String
        /// How many.
        package var count: Int
    }

    /// `sync`: what stands between the last one and this.
    package struct SyncRecord: Hashable, Sendable {
        /// Byte offset of the chunk's first line in the file (of its text, where the file is compressed).
        package var offset: Int
        /// Length of the chunk: all lines between two `sync` records, neither included.
        package var bytes: Int
        /// How many lines those are.
        package var records: Int
        /// Time of the chunk's first record.
        package var firstTime: Moment
        /// Time of the chunk's last record.
        package var lastTime: Moment
        /// CRC-32C of the chunk's bytes.
        package var crc: UInt32
        /// Connections that are open where the chunk ends.
        package var connections: [Int] = []
        /// The chunk's records by kind, in the order in which the kinds first came.
        package var kinds: [Count] = []

        /// How many bytes behind the place it was written at its line stands, which begins at byte `offset`; negative before it.
        func displacement(at offset: Int) -> Int { offset - (self.offset + bytes) }
    }

    /// `idx`: where every chunk of the file is. An accelerator: never needed to read the file, and not to be trusted before
    /// it was compared with the `sync` records it speaks of.
    package struct IndexRecord: Hashable, Sendable {
        /// A chunk.
        package struct Chunk: Hashable, Sendable {
            /// Byte offset of its first line.
            package var offset: Int
            /// Time of its first record.
            package var firstTime: Moment
            /// Time of its last record.
            package var lastTime: Moment
            /// Number of its first numbered record.
            package var firstNumber: Int
            /// How many lines it has.
            package var records: Int
        }
        /// The chunks, in order.
        package var chunks: [Chunk]
        /// All records of the file by kind.
        package var kinds: [Count]
        /// Messages received by room, where a room is known; the busiest first, a thousand at most.
        package var rooms: [Count] = []
    }

    /// `end`: the file was closed in order.
    package struct EndRecord: Hashable, Sendable {
        /// Why a file ends.
        package enum Why: String, Hashable, Sendable, CaseIterable {
            case closed, signal
            /// The recording goes on in the next segment: this is not the session's end.
            case rotated
            case diskFull = "disk-full"
        }
        /// Why the file ends.
        package var why: Why
        /// Byte offset of the `idx` line; nil when there is none.
        package var index: Int?
        /// An end.
        package init(why: Why, index: Int? = nil) {
            self.why = why
            self.index = index
        }
    }
}

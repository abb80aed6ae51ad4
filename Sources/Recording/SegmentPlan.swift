/// How a recording is split into files, and which of them are kept.
public struct SegmentPlan: Hashable, Sendable {
    /// The conditions that end a segment.
    public struct Rotation: Hashable, Sendable {
        /// The size in bytes at which a segment ends, not counting the state it begins with. Doubled when that state is
        /// larger.
        public var size: Int?
        /// The age at which a segment ends.
        public var age: Duration?
        /// Creates a rotation by size, age or both. With neither, a segment ends only on request.
        public init(size: Int? = nil, age: Duration? = nil) {
            self.size = size
            self.age = age
        }
    }

    /// How much of a recording is kept. Beyond the limit the oldest segments are removed. The segment being written
    /// always stays.
    public enum Keep: Hashable, Sendable {
        /// At most this many segments, including the one being written.
        case segments(Int)
        /// At most this many bytes of closed segments.
        case bytes(Int)
        /// Segments no older than this.
        case age(Duration)
    }

    /// The recording's path, from which segments take their names: `mon.weir.jsonl` becomes `mon.0001.weir.jsonl`,
    /// `mon.0002.weir.jsonl`…
    package var path: String
    /// When a segment ends; `nil` for a single file at `path`.
    package var rotation: Rotation?
    /// The limit on what is kept; `nil` keeps everything.
    package var keep: Keep?
    /// The options of each file. A path that ends in `.zst` turns on compression.
    package var options: RecordingWriter.Options
    /// Whether segments are compressed once closed, unless they are already. `.zst` is appended to their names.
    package var compressesClosed: Bool

    package init(
        path: String, rotation: Rotation? = nil, keep: Keep? = nil,
        options: RecordingWriter.Options = RecordingWriter.Options(), compressesClosed: Bool = false
    ) {
        self.path = path
        self.rotation = rotation
        self.keep = keep
        self.options = options
        if path.hasSuffix(RecordFormat.compressedEnding) { self.options.isCompressed = true }
        self.compressesClosed = compressesClosed
    }

    /// Doubles a size that is smaller than the state at the start of a segment, until at least half of each segment is
    /// new data. Returns the new size with a warning that names the option, or `nil` when the size is large enough.
    static func enlarged(_ asked: Int, beside state: Int, _ option: String) -> (size: Int, warning: String)? {
        guard asked < state else { return nil }
        var size = max(asked, 1)
        while size < state { size *= 2 }
        let warning =
            "\(option) requests segments of \(asked) bytes, but each begins with \(state) bytes of state: segments get \(size) bytes "
            + "in addition to their state, and more if the state grows"
        return (size, warning)
    }

    /// Returns the path of the segment after `path`; `nil` if the path has no segment number.
    package static func successor(of path: String) -> String? {
        if var address = try? StreamAddress(parsing: path) {
            guard let segment = address.segment else { return nil }
            address.segment = segment + 1
            return address.description
        }
        let ending = endings.first { path.hasSuffix($0) } ?? ""
        let name = path.dropLast(ending.count)
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        guard digits >= 4, let number = Int(name.suffix(digits)), name.dropLast(digits).hasSuffix(".") else {
            return nil
        }
        let plan = SegmentPlan(path: name.dropLast(digits + 1) + ending, rotation: Rotation())
        return plan.path(ofSegment: number + 1)
    }

    private static let endings = [".weir.jsonl.zst", ".weir.jsonl", ".jsonl.zst", ".jsonl"]

    /// Returns the path of a segment, counted from 1.
    package func path(ofSegment number: Int) -> String {
        guard rotation != nil else { return path }
        if var address = try? StreamAddress(parsing: path) {
            address.segment = number
            return address.description
        }
        let folder = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let ending = Self.endings.first { path[folder...].hasSuffix($0) } ?? ""
        let digits = String(number)
        let padding = String(repeating: "0", count: max(0, 4 - digits.count))
        return "\(path.dropLast(ending.count)).\(padding)\(digits)\(ending)"
    }
}

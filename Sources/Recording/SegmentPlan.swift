/// How a recording is cut into files, and which of them stay.
public struct SegmentPlan: Hashable, Sendable {
    /// What ends a segment.
    public struct Rotation: Hashable, Sendable {
        /// As soon as its text has this many bytes beside the state that it begins with. Doubled when the state is larger.
        public var size: Int?
        /// As soon as it is so old.
        public var age: Duration?
        /// A rotation; with neither, somebody has to ask for it.
        public init(size: Int? = nil, age: Duration? = nil) {
            self.size = size
            self.age = age
        }
    }

    /// How much of a recording is kept: the oldest segments are removed when there is more. The one being written always stays.
    public enum Keep: Hashable, Sendable {
        /// So many segments.
        case segments(Int)
        /// So many bytes.
        case bytes(Int)
        /// What is not older.
        case age(Duration)
    }

    /// The recording's name. Segments are called after it: `mon.weir.jsonl` is `mon.0001.weir.jsonl`, `mon.0002.weir.jsonl`…
    package var path: String
    /// When a segment ends; nil for one file, called `path`.
    package var rotation: Rotation?
    /// What is kept; nil for everything.
    package var keep: Keep?
    /// How the files are written. What is called `.zst` is compressed while it is written.
    package var options: RecordingWriter.Options
    /// Whether segments are compressed when they are closed, and are not already; `.zst` is added to their names.
    package var compressesClosed: Bool

    /// A plan.
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

    /// A size that is smaller than the state that a segment begins with is doubled, so that at least half of what the segments hold is new,
    /// however the state grows. Gives it with a warning that names the option that asked; nil where the size is large enough.
    static func enlarged(_ asked: Int, beside state: Int, _ option: String) -> (size: Int, warning: String)? {
        guard asked < state else { return nil }
        var size = max(asked, 1)
        while size < state { size *= 2 }
        let warning =
            "\(option) asks for segments of \(asked) bytes, and each begins with \(state) bytes of state: segments have \(size) bytes "
            + "beside their state, and more when the state grows"
        return (size, warning)
    }

    /// The path that the segment after `path` has; nil when the path has no segment number.
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

    /// The path of a segment, counted from 1.
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

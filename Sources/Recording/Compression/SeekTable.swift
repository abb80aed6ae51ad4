/// Where the frames of a compressed file are: the table of zstd's seekable format, which stands in a skippable frame at the end of
/// the file (facebook/zstd, contrib/seekable_format/zstd_seekable_compression_format.md).
struct SeekTable: Hashable {
    /// One frame: how long it is, and how long its text.
    struct Frame: Hashable {
        var compressed: Int
        var text: Int
    }

    /// The frames, in the file's order.
    var frames: [Frame] = []

    /// The footer's last four bytes.
    private static let magic: UInt32 = 0x8F92_EAB1
    /// A skippable frame of the kind that the format takes.
    private static let skippableMagic: UInt32 = 0x184D_2A5E
    /// Bytes after the entries: their number, a byte of flags, the magic.
    static let footer = 9
    /// Bytes of a skippable frame before its content.
    static let header = 8
    private static let entry = 8
    /// The format's own limit.
    private static let maximumFrames = 0x800_0000

    /// Appends a frame.
    mutating func append(compressed: Int, text: Int) { frames.append(Frame(compressed: compressed, text: text)) }

    /// The skippable frame; nil when there are more frames, or larger ones, than it can tell.
    var encoded: [UInt8]? {
        guard frames.count <= Self.maximumFrames else { return nil }
        var bytes: [UInt8] = []
        Self.append(Self.skippableMagic, to: &bytes)
        Self.append(UInt32(frames.count * Self.entry + Self.footer), to: &bytes)
        for frame in frames {
            guard let compressed = UInt32(exactly: frame.compressed), let text = UInt32(exactly: frame.text) else {
                return nil
            }
            Self.append(compressed, to: &bytes)
            Self.append(text, to: &bytes)
        }
        Self.append(UInt32(frames.count), to: &bytes)
        // No checksums: each frame has its own.
        bytes.append(0)
        Self.append(Self.magic, to: &bytes)
        return bytes
    }

    /// How many bytes at the end of a file the table takes, by the file's last `footer` bytes; nil when there is none.
    static func length(footer: Span<UInt8>) -> Int? {
        guard footer.count == Self.footer, value(footer, 5) == magic else { return nil }
        let count = Int(value(footer, 0))
        guard count <= maximumFrames else { return nil }
        return header + count * (footer[4] & 0x80 == 0 ? entry : entry + 4) + Self.footer
    }

    /// Reads the whole skippable frame; nil when it is none, or when the frames are not all of `fileSize`, which it is then no table of.
    init?(decoding bytes: Span<UInt8>, fileSize: Int) {
        guard bytes.count >= Self.header + Self.footer,
            let length = Self.length(footer: bytes.extracting(bytes.count - Self.footer..<bytes.count)),
            length == bytes.count, Self.value(bytes, 0) == Self.skippableMagic,
            Int(Self.value(bytes, 4)) == length - Self.header
        else { return nil }
        let hasChecksums = bytes[bytes.count - 5] & 0x80 != 0
        let step = hasChecksums ? Self.entry + 4 : Self.entry
        var total = length
        for place in stride(from: Self.header, to: bytes.count - Self.footer, by: step) {
            let compressed = Int(Self.value(bytes, place))
            append(compressed: compressed, text: Int(Self.value(bytes, place + 4)))
            total += compressed
        }
        guard total == fileSize else { return nil }
    }

    /// An empty table.
    init() {}

    private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    private static func value(_ bytes: Span<UInt8>, _ place: Int) -> UInt32 {
        UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
            | UInt32(bytes[place + 3]) << 24
    }
}

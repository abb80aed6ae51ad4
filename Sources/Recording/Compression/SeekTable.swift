/// The positions of the frames in a compressed file. The format is the table of zstd's seekable format, stored in a
/// skippable frame at the end of the file (facebook/zstd, contrib/seekable_format/zstd_seekable_compression_format.md).
struct SeekTable: Hashable {
    /// The compressed length of a frame and the length of its text, in bytes.
    struct Frame: Hashable {
        var compressed: Int
        var text: Int
    }

    /// The frames, in file order.
    var frames: [Frame] = []

    /// The magic number in the footer's last four bytes.
    private static let magic: UInt32 = 0x8F92_EAB1
    /// The magic number of the skippable frame that the format uses.
    private static let skippableMagic: UInt32 = 0x184D_2A5E
    /// The length of the footer in bytes: the number of entries, a byte of flags and the magic number.
    static let footer = 9
    /// The length of a skippable frame's header in bytes.
    static let header = 8
    private static let entry = 8
    /// The most frames that the format allows.
    private static let maximumFrames = 0x800_0000

    /// Appends the next frame of the file.
    mutating func append(compressed: Int, text: Int) { frames.append(Frame(compressed: compressed, text: text)) }

    /// The table as a skippable frame; `nil` when there are too many frames, or frames too large for the format.
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
        // No checksums, since each frame has its own.
        bytes.append(0)
        Self.append(Self.magic, to: &bytes)
        return bytes
    }

    /// Returns the length of the table in bytes, given the last `footer` bytes of a file. Returns `nil` when the file
    /// has no table.
    static func length(footer: Span<UInt8>) -> Int? {
        guard footer.count == Self.footer, value(footer, 5) == magic else { return nil }
        let count = Int(value(footer, 0))
        guard count <= maximumFrames else { return nil }
        return header + count * (footer[4] & 0x80 == 0 ? entry : entry + 4) + Self.footer
    }

    /// Parses the whole skippable frame. Fails when it is malformed, or when its frames do not add up to `fileSize`,
    /// which means that it does not describe this file.
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

    /// Creates a table without frames.
    init() {}

    private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    private static func value(_ bytes: Span<UInt8>, _ place: Int) -> UInt32 {
        UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
            | UInt32(bytes[place + 3]) << 24
    }
}

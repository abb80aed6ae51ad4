import CWeirCrypto
import CWeirZstd
import Glibc

/// Zstandard frames (RFC 8878). Each frame holds one chunk of a recording, so that damage to a frame loses only that
/// chunk. Plain `zstd -dc` reads them all.
enum Zstd {
    /// The first bytes of every frame.
    static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// The possible first bytes of a skippable frame; `2A 4D 18` follow.
    static let skippable: ClosedRange<UInt8> = 0x50...0x5F
    /// The largest window accepted: 2^27 bytes, the default limit of the `zstd` tool. It keeps a hostile file from
    /// deciding how much memory is used.
    static let maximumWindowLog: Int32 = 27
    /// zstd's own default level: smaller output than gzip's best level, and faster than gzip's fastest.
    static let defaultLevel: Int32 = 3

    /// Appends `text` to `output` as one frame with its length and checksum.
    static func appendFrame(of text: ArraySlice<UInt8>, level: Int32 = defaultLevel, to output: inout [UInt8])
        throws(RecordingError)
    {
        guard let context = ZSTD_createCCtx() else { throw noMemory("compress") }
        defer { ZSTD_freeCCtx(context) }
        _ = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
        _ = ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        let room = ZSTD_compressBound(text.count)
        let frame = text.withUnsafeBytes { source in
            [UInt8](unsafeUninitializedCapacity: room) { target, count in
                let made = ZSTD_compress2(context, target.baseAddress, room, source.baseAddress, source.count)
                count = ZSTD_isError(made) == 0 ? made : 0
            }
        }
        // The output never exceeds the bound, so the only possible error is a lack of memory.
        guard !frame.isEmpty else { throw noMemory("compress") }
        output += frame
    }

    /// Returns the text of one frame that states its length. Returns `nil` when the bytes are not an intact frame, or
    /// when its text exceeds `limit` bytes.
    static func text(ofFrame frame: Span<UInt8>, limit: Int) -> [UInt8]? {
        frame.withUnsafeBytes { source in
            // The two largest values mean that the length is unknown, or that this is not a frame.
            let length = ZSTD_getFrameContentSize(source.baseAddress, source.count)
            guard let length = Int(exactly: length), length <= limit else { return nil }
            var isWhole = false
            let text = [UInt8](unsafeUninitializedCapacity: length) { target, count in
                let made = ZSTD_decompress(target.baseAddress, length, source.baseAddress, source.count)
                isWhole = ZSTD_isError(made) == 0
                count = isWhole ? made : 0
            }
            return isWhole ? text : nil
        }
    }

    private static func noMemory(_ operation: String) -> RecordingError {
        .system(operation: operation, path: "memory", code: ENOMEM)
    }
}

/// Decodes consecutive zstd frames, piece by piece. It owns a zstd context.
final class ZstdDecoder {
    /// The decoder's position after a call.
    enum Progress {
        /// Inside a frame, which needs more input or more space.
        case inside
        /// After a whole frame; another one may follow.
        case between
        /// The bytes are not a frame, are damaged, or need too much memory. The decoder has been reset.
        case damaged(String)
    }

    private let context: OpaquePointer

    /// Creates a decoder; `nil` when there is not enough memory.
    init?() {
        guard let context = ZSTD_createDCtx() else { return nil }
        self.context = context
        _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Zstd.maximumWindowLog)
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Decodes from the start of `input` until one of the buffers is exhausted. Returns the number of bytes taken and
    /// produced.
    func read(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (taken: Int, made: Int, Progress) {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(context, &target, &source)
        if ZSTD_isError(result) != 0 {
            _ = ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
            return (0, target.pos, .damaged(String(cString: ZSTD_getErrorName(result))))
        }
        return (source.pos, target.pos, result == 0 ? .between : .inside)
    }
}

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

/// The C libraries of this room with their versions.
package enum RecordingLibraries {
    /// The libraries with the versions that run, in the order of `weir --version`.
    package static var versions: [(name: String, version: String)] {
        // `OpenSSL 3.0.15 3 Sep 2024`
        let words = String(cString: OpenSSL_version(OPENSSL_VERSION)).split(separator: " ")
        return [
            ("openssl", words.count > 1 ? String(words[1]) : "unknown"),
            ("zstd", String(cString: ZSTD_versionString())),
        ]
    }
}

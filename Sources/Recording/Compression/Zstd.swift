import CZstd
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

import CZstd

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

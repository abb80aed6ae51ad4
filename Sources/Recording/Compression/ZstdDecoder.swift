import CZstd

/// Decodes zstd frames one after the other, piece by piece. Owns zstd's context.
final class ZstdDecoder {
    /// How far a call came.
    enum Progress {
        /// Inside a frame.
        case inside
        /// Behind a whole frame; another one may follow.
        case between
        /// What stands here is no frame, or a damaged one, or one that needs too much memory. The decoder is as new.
        case damaged(String)
    }

    private let context: OpaquePointer

    /// Nil when there is no memory for it.
    init?() {
        guard let context = ZSTD_createDCtx() else { return nil }
        self.context = context
        _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Zstd.maximumWindowLog)
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Decodes from the start of `input` as far as either buffer reaches; tells how many bytes were taken and made.
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

import CZlib

/// Decompresses gzip files (RFC 1952), with one member or several, piece by piece. It owns zlib's stream, which must
/// not move.
package final class GzipReader {
    /// The state after a call to `read(_:into:)`.
    package enum Progress: Hashable, Sendable {
        /// The position is inside a member.
        case inside
        /// The position is after a complete member. Another one may follow.
        case between
        /// The data is not gzip or is damaged. Reading cannot continue.
        case damaged
    }

    private let stream: UnsafeMutablePointer<z_stream>

    /// Creates a reader. Returns `nil` if zlib has no memory.
    package init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let gzip: Int32 = 16
        let result = inflateInit2_(stream, MAX_WBITS + gzip, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses from the start of `input` until either buffer is exhausted. Returns the numbers of bytes consumed
    /// and produced.
    package func read(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (taken: Int, made: Int, Progress) {
        // zlib does not write to its input.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(clamping: output.count)
        let before = (input: stream.pointee.avail_in, output: stream.pointee.avail_out)
        let result = inflate(stream, Z_NO_FLUSH)
        let taken = Int(before.input - stream.pointee.avail_in)
        let made = Int(before.output - stream.pointee.avail_out)
        switch result {
        case Z_OK, Z_BUF_ERROR: return (taken, made, .inside)
        case Z_STREAM_END:
            inflateReset(stream)
            return (taken, made, .between)
        default: return (taken, made, .damaged)
        }
    }
}

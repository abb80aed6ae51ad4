import CWeirZlib

/// Creates gzip data (RFC 1952), the HTTP content coding `gzip`.
package enum Gzip {
    /// Returns `bytes` as gzip data, compressed for speed rather than size. Returns `nil` if zlib has no memory, or for
    /// more bytes than 32 bits can count.
    package static func compress(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard let count = UInt32(exactly: bytes.count) else { return nil }
        // zlib keeps a pointer to the stream, so the stream must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let gzip: Int32 = 16
        let result = deflateInit2_(
            stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + gzip, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else { return nil }
        defer { deflateEnd(stream) }
        let room = Int(deflateBound(stream, UInt(count)))
        return bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: room) { output, written in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = count
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(clamping: room)
                // The output never exceeds this bound, so a single call is enough.
                _ = deflate(stream, Z_FINISH)
                written = room - Int(stream.pointee.avail_out)
            }
        }
    }
}

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

/// Decompresses HTTP bodies with the content codings `gzip` and `deflate` (RFC 9110, 8.4.1).
package enum CompressedBody {
    /// The result of decompressing a body.
    package enum Inflated: Hashable, Sendable {
        case whole([UInt8])
        /// The body exceeds the size limit.
        case tooLarge
        /// The body is invalid or truncated.
        case broken
    }

    private static let pieceBytes = 1 << 16
    /// Window bits for zlib: with either zlib's or gzip's header, detected automatically; and for data without a
    /// header, as some servers implement `deflate`.
    private static let (anyHeader, noHeader): (Int32, Int32) = (47, -15)

    /// Decompresses a whole body to at most `most` bytes.
    package static func inflated(_ body: [UInt8], most: Int) -> Inflated {
        guard let first = body.first else { return .whole([]) }
        let hasHeader = first == 0x1F || first & 0x0F == 8 && first >> 4 <= 7
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, hasHeader ? anyHeader : noHeader, ZLIB_VERSION, size) == Z_OK else {
            return .broken
        }
        defer { inflateEnd(&stream) }
        var result: [UInt8] = []
        let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceBytes)
        defer { piece.deallocate() }
        return body.withUnsafeBufferPointer { body in
            // zlib does not write to its input.
            stream.next_in = UnsafeMutablePointer(mutating: body.baseAddress)
            stream.avail_in = UInt32(body.count)
            while true {
                stream.next_out = piece.baseAddress
                stream.avail_out = UInt32(pieceBytes)
                let code = inflate(&stream, Z_NO_FLUSH)
                let made = pieceBytes - Int(stream.avail_out)
                guard made <= most - result.count else { return .tooLarge }
                result.reserve(made, upTo: most)
                result.append(contentsOf: piece[..<made])
                switch code {
                case Z_OK where made > 0 || stream.avail_in > 0: continue
                case Z_STREAM_END:
                    // A gzip body may have several members. Any other data after the end is ignored.
                    guard stream.avail_in > 0, stream.next_in[0] == 0x1F, inflateReset(&stream) == Z_OK else {
                        return .whole(result)
                    }
                default: return .broken
                }
            }
        }
    }
}

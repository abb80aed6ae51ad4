import CZlib

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

import CZlib

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

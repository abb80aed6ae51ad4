import CZlib

/// Compresses the messages of one direction of a WebSocket (RFC 7692, 7.2.1). It owns zlib's stream, which must not
/// move.
struct Deflater: ~Copyable {
    private static let chunk = 1 << 14

    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer
    private let resetsAfterMessage: Bool

    /// Creates a compressor. Returns `nil` if zlib cannot write for this window (8 bits) or has no memory; messages are
    /// then sent uncompressed, which the RFC allows.
    init?(windowBits: Int, resetsAfterMessage: Bool) {
        guard (9...15).contains(windowBits) else { return nil }
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let result = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -Int32(windowBits), 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
        self.resetsAfterMessage = resetsAfterMessage
        output = .allocate(byteCount: Self.chunk, alignment: 16)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Returns a whole message, compressed, without the four bytes with which every compressed message ends.
    mutating func deflate(_ message: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        message.withUnsafeBufferPointer { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            var isFull = true
            while isFull {
                stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(Self.chunk)
                _ = CZlib.deflate(stream, Z_SYNC_FLUSH)
                result.append(contentsOf: output[..<(Self.chunk - Int(stream.pointee.avail_out))])
                isFull = stream.pointee.avail_out == 0
            }
            stream.pointee.next_in = nil
        }
        if result.suffix(4) == [0, 0, 0xff, 0xff] { result.removeLast(4) }
        if resetsAfterMessage { deflateReset(stream) }
        return result
    }
}

import CZlib

/// Decompresses the messages of one direction of a WebSocket (RFC 7692, 7.2.2). It owns zlib's stream, which must not
/// move.
struct Inflater: ~Copyable {
    private static let chunk = 1 << 14

    /// The zlib stream; `nil` if zlib had no memory, and then nothing can be decompressed.
    private let stream: UnsafeMutablePointer<z_stream>?
    private let output: UnsafeMutableRawBufferPointer
    private let resetsAfterMessage: Bool

    init(resetsAfterMessage: Bool) {
        self.resetsAfterMessage = resetsAfterMessage
        output = .allocate(byteCount: Self.chunk, alignment: 16)
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // A negative value means no zlib header. The largest window can read data written for any window.
        let result = inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        if result == Z_OK {
            self.stream = stream
        } else {
            stream.deallocate()
            self.stream = nil
        }
    }

    deinit {
        output.deallocate()
        guard let stream else { return }
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses the next bytes. The output is passed to `emit`, at most 16 KiB per call, and is valid only during
    /// that call.
    mutating func inflate(
        _ input: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(WebSocketViolation) -> Void
    ) throws(WebSocketViolation) {
        guard let stream else { throw WebSocketViolation(code: 1011, reason: "no memory to decompress") }
        // zlib does not write to its input.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        defer { stream.pointee.next_in = nil }
        while true {
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(Self.chunk)
            let before = stream.pointee.avail_in
            let result = CZlib.inflate(stream, Z_SYNC_FLUSH)
            let made = Self.chunk - Int(stream.pointee.avail_out)
            // Output before an error is also emitted, so that the result does not depend on how the bytes were split.
            if made > 0 { try emit(UnsafeRawBufferPointer(rebasing: output[..<made])) }
            switch result {
            case Z_OK, Z_BUF_ERROR: break
            // A final block may end the data of a message. The following data still refers to the window (7.2.3.4).
            case Z_STREAM_END: inflateResetKeep(stream)
            default: throw WebSocketViolation(code: 1007, reason: "bad compressed data")
            }
            let isFull = made == Self.chunk
            guard stream.pointee.avail_in > 0 || isFull, made > 0 || stream.pointee.avail_in < before else { return }
        }
    }

    /// Ends the current message, and resets the window if that was negotiated.
    mutating func endMessage() {
        if resetsAfterMessage, let stream { inflateReset(stream) }
    }
}

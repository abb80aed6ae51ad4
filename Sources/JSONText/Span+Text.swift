public import CJSONScan

extension Span<UInt8> {
    /// Returns whether the bytes from `place` on begin with `text`. `place` may be the end of the span.
    @inlinable
    @inline(__always)
    package func starts(with text: StaticString, at place: Int = 0) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count - place >= length else { return false }
        return withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return length == 0 }
            return json_same_bytes(base + place, text.utf8Start, length)
        }
    }
}

public import CJSONScan

extension Span<UInt8> {
    /// Whether the bytes from `place` on, which may be their end, begin with those of `text`.
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

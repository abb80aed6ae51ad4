import Synchronization

/// Members of an object as text, for what is written often and never changes: written once, by whichever thread comes first, they cost a copy
/// of their text from then on.
public struct JSONMembers: ~Copyable, @unchecked Sendable {
    // Unchecked: a text is not changed once it is here.
    private final class Text: ManagedBuffer<Int, UInt8> {}

    /// Nil until they are written; owned.
    private let text = Atomic<Unmanaged<Text>?>(nil)

    /// Members that are still to be written.
    public init() {}

    deinit { text.load(ordering: .acquiring)?.release() }

    /// Has `write` write them into an object, unless that was done before.
    public func prepare(_ write: (inout JSONWriter) -> Void) {
        guard text.load(ordering: .relaxed) == nil else { return }
        let written = Unmanaged.passRetained(Self.text(write))
        if !text.compareExchange(expected: nil, desired: written, ordering: .releasing).exchanged { written.release() }
    }

    private static func text(_ write: (inout JSONWriter) -> Void) -> Text {
        var writer = JSONWriter()
        write(&writer)
        return writer.withUnsafeBytes { bytes in
            let text = Text.create(minimumCapacity: bytes.count) { _ in bytes.count }
            text.withUnsafeMutablePointerToElements { target in
                UnsafeMutableRawBufferPointer(start: target, count: bytes.count).copyMemory(from: bytes)
            }
            return unsafeDowncast(text, to: Text.self)
        }
    }

    /// Calls `body` with their text; nil when they were not prepared.
    @inline(__always)
    fileprivate func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        text.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { text in
            text.withUnsafeMutablePointers { body(UnsafeBufferPointer(start: $1, count: $0.pointee)) }
        }
    }
}

extension JSONWriter {
    /// Writes members into an open object; false when they were not prepared, and nothing was written.
    @discardableResult
    public mutating func members(_ members: borrowing JSONMembers) -> Bool {
        let isWritten: Void? = members.withText { self.members(written: $0) }
        return isWritten != nil
    }

    /// Writes members into an open object, of which `text` is what another writer has of them.
    public mutating func members(written text: UnsafeBufferPointer<UInt8>) {
        if text.isEmpty { return }
        if asciiOnly { appendInert(text) } else { append(text) }
        put(UInt8(ascii: ","))
    }
}

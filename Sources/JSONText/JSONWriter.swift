import CJSONScan

/// Writes JSON text into a byte buffer that can be reused; commas and colons are put in by the writer.
///
/// Strings come out inert on a terminal: see `string(_:)`. Well-formedness is the caller's: what is begun must be ended, a key must stand
/// before each member's value.
public struct JSONWriter: Sendable {
    /// What has been written.
    public internal(set) var bytes: [UInt8]
    let asciiOnly: Bool
    /// Whether the next value or key has one before it in the same array or object.
    private var followsValue = false

    /// An empty writer. With `asciiOnly`, characters outside ASCII are written as `\uXXXX` (Engine.IO 3 polling needs it).
    public init(asciiOnly: Bool = false) {
        bytes = []
        self.asciiOnly = asciiOnly
    }

    /// Forgets what was written and keeps the capacity.
    public mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        followsValue = false
    }
    /// Opens an object as the next value.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Closes the object.
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Opens an array as the next value.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Closes the array.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a key that needs no escapes.
    public mutating func key(_ name: StaticString) {
        put(behind: name, atMost: 0, followedByValue: false) { _ in 0 }
    }
    /// Writes any key. A literal takes the other overload, which need not look for escapes.
    @_disfavoredOverload
    public mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        followsValue = false
    }

    /// Writes a string. Control, bidirectional and zero-width characters and U+2028/9 are escaped, so that the text is inert on a terminal.
    public mutating func string(_ value: String) {
        value.utf8.span.withUnsafeBufferPointer { putQuoted($0) }
    }
    /// Writes a key that needs no escapes and a string behind it.
    public mutating func member(_ name: StaticString, string value: String) {
        value.utf8.span.withUnsafeBufferPointer { putQuoted($0, behind: name) }
    }
    /// Writes a string of so many bytes that need no escapes, which `fill` writes.
    @inline(__always)
    public mutating func string(plain count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        put(atMost: count + 2) { Self.quote(count, fill, at: $0) }
    }
    /// Writes a key that needs no escapes and such a string behind it.
    @inline(__always)
    public mutating func member(
        _ name: StaticString, plain count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        put(behind: name, atMost: count + 2) { Self.quote(count, fill, at: $0) }
    }
    /// Writes bytes as a string: UTF-8 as it is, what is not UTF-8 as U+FFFD.
    public mutating func string(utf8 value: ArraySlice<UInt8>) {
        value.withUnsafeBufferPointer { putQuoted($0) }
    }
    /// Writes a key that needs no escapes and bytes as a string behind it.
    public mutating func member(_ name: StaticString, utf8 value: UnsafeBufferPointer<UInt8>) {
        putQuoted(value, behind: name)
    }

    /// Writes an integer.
    public mutating func integer(_ value: Int64) {
        put(atMost: Self.mostInteger) { Self.spell(value, at: $0) }
    }
    /// Writes a key that needs no escapes and an integer behind it.
    public mutating func member(_ name: StaticString, integer value: Int64) {
        put(behind: name, atMost: Self.mostInteger) { Self.spell(value, at: $0) }
    }
    /// Writes an integer.
    public mutating func integer(_ value: Int) { integer(Int64(value)) }
    /// Writes an integer of any other type; slower.
    @_disfavoredOverload
    public mutating func integer(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) { return integer(value) }
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }
    /// Writes a finite number in its shortest form that reads back as the same number.
    public mutating func number(_ value: Double) {
        precondition(value.isFinite, "JSON has no way to write a number that is not finite")
        separate()
        bytes.append(contentsOf: value.description.utf8)
    }
    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }
    /// Writes `null`.
    public mutating func null() { word("null") }

    /// Writes a value that is JSON text already, as it is (with `asciiOnly`: as `inertRaw(_:)` does).
    public mutating func raw(_ value: RawJSON) {
        if asciiOnly { return inertRaw(value) }
        separate()
        bytes.append(contentsOf: value.bytes)
    }
    /// Writes a value that is JSON text already so that it is inert on a terminal and stays on one line: characters that `string(_:)` would
    /// escape are escaped, white space between the tokens is left out, and the value is the same.
    public mutating func inertRaw(_ value: RawJSON) {
        separate()
        value.bytes.withUnsafeBufferPointer { appendInert($0) }
    }
    /// Writes a tree.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }
    /// Writes a line feed between two texts (JSON Lines).
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        followsValue = false
    }

    /// Appends what separates this value or key from the one before, a key if there is one, and what `write` puts at the place it is given, at
    /// most so many bytes: it says how many. All at once: the parts are short, and each look at the buffer costs as much as one.
    @inline(__always)
    mutating func put(
        behind key: StaticString? = nil, atMost most: Int, followedByValue: Bool = true,
        _ write: (UnsafeMutablePointer<UInt8>) -> Int
    ) {
        assert(key.map(Self.isInert) ?? true, "\(key, default: "") is to be written as a String")
        let separator = followsValue ? 1 : 0
        append(atMost: 1 + (key.map { $0.utf8CodeUnitCount + 3 } ?? 0) + most) { target in
            target[0] = UInt8(ascii: ",")
            let start = separator + (key.map { Self.spell(key: $0, at: target + separator) } ?? 0)
            return start + write(target + start)
        }
        followsValue = followedByValue
    }

    /// Appends what `write` puts at the place it is given, at most so many bytes: it says how many.
    @inline(__always)
    mutating func append(atMost most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        bytes.append(addingCapacity: most) { room in
            room.withUnsafeMutableBufferPointer { room, count in
                if let target = room.baseAddress { count = write(target) }
            }
        }
    }

    private mutating func word(_ word: StaticString) {
        separate()
        append(word)
    }
    private mutating func separate() {
        if followsValue { bytes.append(UInt8(ascii: ",")) }
        followsValue = true
    }
    private mutating func open(_ bracket: UInt8) {
        put(atMost: 1, followedByValue: false) { target in
            target[0] = bracket
            return 1
        }
    }
    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        followsValue = true
    }
}

/// Writes JSON text into a byte buffer that can be reused; commas and colons are put in by the writer.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8]

    /// An empty writer. With `asciiOnly`, characters outside ASCII are written as `\uXXXX` (Engine.IO 3 polling needs it).
    public init(asciiOnly: Bool = false) { bytes = [] }

    /// Forgets what was written and keeps the capacity.
    public mutating func reset() { fatalError("stub") }
    /// Opens an object as the next value.
    public mutating func beginObject() { fatalError("stub") }
    /// Closes the object.
    public mutating func endObject() { fatalError("stub") }
    /// Opens an array as the next value.
    public mutating func beginArray() { fatalError("stub") }
    /// Closes the array.
    public mutating func endArray() { fatalError("stub") }
    /// Writes a key that needs no escapes.
    public mutating func key(_ name: StaticString) { fatalError("stub") }
    /// Writes any key.
    public mutating func key(_ name: String) { fatalError("stub") }
    /// Writes a string. Control, bidirectional and zero-width characters and U+2028/9 are escaped, so that the text is inert on a terminal.
    public mutating func string(_ value: String) { fatalError("stub") }
    /// Writes bytes as a string: UTF-8 as it is, what is not UTF-8 as U+FFFD.
    public mutating func string(utf8 value: ArraySlice<UInt8>) { fatalError("stub") }
    /// Writes an integer.
    public mutating func integer(_ value: some BinaryInteger) { fatalError("stub") }
    /// Writes a finite number in its shortest form.
    public mutating func number(_ value: Double) { fatalError("stub") }
    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) { fatalError("stub") }
    /// Writes `null`.
    public mutating func null() { fatalError("stub") }
    /// Writes a value that is JSON text already, as it is.
    public mutating func raw(_ value: RawJSON) { fatalError("stub") }
    /// Writes a tree.
    public mutating func value(_ value: JSONValue) { fatalError("stub") }
    /// Writes a line feed between two texts (JSON Lines).
    public mutating func endLine() { fatalError("stub") }
}

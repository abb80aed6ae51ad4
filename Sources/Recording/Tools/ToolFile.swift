/// A file that a tool outside this room writes, in the same way as those of this room.
package enum ToolFile {
    /// Opens the destination, lets `body` write to it, and puts the file in its place.
    package static func write(_ destination: ToolDestination, _ body: (([UInt8]) throws -> Void) throws -> Void) throws
    {
        var output = try OutputFile(destination)
        try body { bytes in try output.write(bytes) }
        try output.close()
    }
}

/// Output files for tools in other modules, with the same guarantees as in this module.
package enum ToolFile {
    /// Opens the destination, lets `body` write to it, and moves the finished file into place.
    package static func write(_ destination: ToolDestination, _ body: (([UInt8]) throws -> Void) throws -> Void) throws
    {
        var output = try OutputFile(destination)
        try body { bytes in try output.write(bytes) }
        try output.close()
    }
}

package import JSONText
package import Wire

extension SocketIO.Event {
    /// The arguments as they were sent, a comma-separated list of JSON values; `nil` when there are none.
    package var argumentList: RawJSON? {
        let arguments = arguments
        guard let first = arguments.first, let last = arguments.last else { return nil }
        return RawJSON(unchecked: array.bytes[first.bytes.startIndex..<last.bytes.endIndex])
    }
}

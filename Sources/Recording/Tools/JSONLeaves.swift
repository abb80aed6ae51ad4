import JSONText
import Wire

/// The strings and numbers of a JSON text, with the keys they stand under.
struct JSONLeaf {
    /// The keys of the objects around it, the outermost first. Elements of an array stand under the array's keys.
    var keys: [String]
    /// What it says; a number as it is written.
    var value: String
    /// Where it stands in the text, a string with its quotes.
    var range: Range<Int>

    /// The innermost key.
    var key: String { keys.last ?? "" }
}

extension JSONLeaf {
    /// Visits every leaf of `text`, in order; false when it is no JSON: then nothing was visited.
    static func visit(_ text: ArraySlice<UInt8>, under keys: [String] = [], _ body: (JSONLeaf) -> Void) -> Bool {
        var leaves: [JSONLeaf] = []
        do throws(JSONError) {
            var reader = JSONReader(text.span)
            var keys = keys
            try walk(&reader, &keys, text.startIndex, &leaves)
            try reader.end()
        } catch {
            return false
        }
        for leaf in leaves { body(leaf) }
        return true
    }

    private static func walk(
        _ reader: inout JSONReader, _ keys: inout [String], _ base: Int, _ leaves: inout [JSONLeaf]
    ) throws(JSONError) {
        switch try reader.peek() {
        case .object:
            try reader.beginObject()
            while let key = try reader.nextKey() {
                keys.append(reader.string(key))
                try walk(&reader, &keys, base, &leaves)
                keys.removeLast()
            }
        case .array:
            try reader.beginArray()
            while try reader.nextElement() { try walk(&reader, &keys, base, &leaves) }
        case .string:
            let contents = try reader.stringRange()
            let range = contents.range.lowerBound - 1 + base..<contents.range.upperBound + 1 + base
            leaves.append(JSONLeaf(keys: keys, value: reader.string(at: contents), range: range))
        case .number:
            let range = try reader.skip()
            let value = reader.span(at: range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            leaves.append(
                JSONLeaf(keys: keys, value: value, range: range.lowerBound + base..<range.upperBound + base))
        case .bool, .null: try reader.skip()
        }
    }

    /// Where the JSON text of a payload begins: behind the header of a Socket.IO packet; nil when it holds none.
    static func jsonStart(in payload: ArraySlice<UInt8>) -> Int? {
        guard let first = payload.first else { return nil }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return payload.startIndex }
        guard first == UInt8(ascii: "4") || first == UInt8(ascii: "0") else { return nil }
        let packet = first == UInt8(ascii: "4") ? payload.dropFirst() : payload
        guard !packet.isEmpty, let start = FrameContents.jsonStart(in: packet) else { return nil }
        return payload[start] == UInt8(ascii: "{") || payload[start] == UInt8(ascii: "[") ? start : nil
    }
}

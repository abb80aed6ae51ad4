import JSONText

extension SocketIO.Refusal {
    /// Reads the payload of a CONNECT_ERROR: an object with `message` and perhaps `data`, a string (python servers and
    /// Engine.IO 3), or anything else, whose text is then the message.
    init(payload: RawJSON?) {
        guard let payload else {
            self.init(message: "")
            return
        }
        self.init(message: payload.description)
        // The payload was checked when its packet was parsed, so reading it cannot fail but where the kind differs.
        do throws(JSONError) {
            var reader = JSONReader(payload.bytes.span)
            switch try reader.peek() {
            case .string: message = try reader.string()
            case .object: try readObject(from: &reader, of: payload.bytes)
            case .array, .number, .bool, .null: break
            }
        } catch {
            message = payload.description
        }
    }

    /// One line for people: the server's words, and its data where it sent some.
    public var words: String {
        guard let data, data.description != "null" else { return message }
        let text = data.description
        return message + " " + (text.count > Self.mostData ? text.prefix(Self.mostData) + "…" : text)
    }

    /// Characters of the data that are shown.
    private static var mostData: Int { 200 }

    private mutating func readObject(
        from reader: inout JSONReader, of bytes: ArraySlice<UInt8>
    ) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, "message"), try reader.peek() == .string {
                message = try reader.string()
            } else if reader.matches(key, "data") {
                let range = try reader.skip()
                data = RawJSON(
                    unchecked: bytes[range.lowerBound + bytes.startIndex..<range.upperBound + bytes.startIndex])
            } else {
                try reader.skip()
            }
        }
    }
}

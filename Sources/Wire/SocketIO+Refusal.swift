import JSONText

extension SocketIO.Refusal {
    /// Creates a refusal from the payload of a CONNECT_ERROR: an object with `message` and perhaps `data`, a string
    /// (Python servers and Engine.IO 3), or any other value, whose text becomes the message.
    init(payload: RawJSON?) {
        guard let payload else {
            self.init(message: "")
            return
        }
        self.init(message: payload.description)
        // The payload was checked when its packet was parsed, so reading fails only if the type differs.
        do throws(JSONError) {
            var reader = JSONReader(payload.bytes.span)
            switch try reader.peek() {
            case .string: message = try reader.string()
            case .object: try readObject(from: &reader, of: payload)
            case .array, .number, .bool, .null: break
            }
        } catch {
            message = payload.description
        }
    }

    /// One line for people: the server's message, and its data if it sent any.
    public var words: String {
        guard let data, data.description != "null" else { return message }
        let text = data.description
        return message + " " + (text.count > Self.mostData ? text.prefix(Self.mostData) + "…" : text)
    }

    /// The maximum number of characters of the data to show.
    private static var mostData: Int { 200 }

    private mutating func readObject(from reader: inout JSONReader, of payload: RawJSON) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if reader.matches(key, "message"), try reader.peek() == .string {
                message = try reader.string()
            } else if reader.matches(key, "data") {
                data = payload.slice(try reader.skip())
            } else {
                try reader.skip()
            }
        }
    }
}

import JSONText

extension Bayeux {
    /// Writes frames. A frame is always an array, which every peer accepts (Bayeux BX-2).
    struct FrameWriter: ~Copyable {
        private var writer = JSONWriter()
        private(set) var isEmpty = true

        init() { writer.beginArray() }

        /// Adds a message. `members` writes the members other than the channel and the id.
        mutating func add(_ channel: String, id: String?, _ members: (inout JSONWriter) -> Void = { _ in }) {
            isEmpty = false
            writer.beginObject()
            writer.member("channel", channel)
            writer.member("id", id)
            members(&writer)
            writer.endObject()
        }

        /// Ends the array and returns the frame.
        consuming func finish() -> [UInt8] {
            writer.endArray()
            return writer.bytes
        }
    }

    /// Returns a frame that contains one message.
    static func frame(
        _ channel: Channel, id: String?, _ members: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var frame = FrameWriter()
        frame.add(channel.name, id: id, members)
        return frame.finish()
    }
}

extension JSONWriter {
    mutating func advice(_ advice: Bayeux.Advice) {
        key("advice")
        beginObject()
        if let reconnect = advice.reconnect { member("reconnect", reconnect.rawValue) }
        for (name, span) in [("interval", advice.interval), ("timeout", advice.timeout)] {
            guard let span else { continue }
            key(name)
            integer(span.microseconds / 1000)
        }
        endObject()
    }
}

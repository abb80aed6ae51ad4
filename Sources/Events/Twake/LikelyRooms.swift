import JSONText

extension Twake {
    /// Rooms that are likely to be that of the next event: that of the last one, and the one before it that was another. Where messages and
    /// the list that shows their channel take turns, nearly every event is of one of them.
    public struct LikelyRooms: Sendable {
        /// The room of the last event; empty before the first.
        public private(set) var last: String
        /// The one before it that was another; empty where there was none.
        public private(set) var other: String

        /// Rooms that were met already.
        public init(last: String = "", other: String = "") {
            self.last = last
            self.other = other
        }

        /// Reads the room of an event, which is the last one from then on; nil for null. One that was likely costs no new string.
        mutating func read(from reader: inout JSONReader) throws(Mismatch) -> String? {
            guard let contents = try reader.textRangeIfAny() else { return nil }
            if !reader.matches(contents, text: last) {
                // Where the two take turns, nothing is counted for it.
                swap(&last, &other)
                if !reader.matches(contents, text: last) { last = reader.string(at: contents) }
            }
            return last
        }
    }
}

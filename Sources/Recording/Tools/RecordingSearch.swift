import JSONText
import Wire

/// Finds records by their text.
///
/// What is searched is what people mean by it: of a message and of an answer the payload, of a request its method and URL and body,
/// of other records their line; as it reads, not as JSON spells it, unless the bytes are asked for.
package struct RecordingSearch {
    /// A record that matches, or stands near one that does.
    package struct Hit {
        /// The record.
        package let record: Record
        /// Its stamp.
        package let stamp: Stamp
        /// Its line in the file, without its line feed.
        package let text: [UInt8]
        /// What was searched, as it reads.
        package let shown: [UInt8]
        /// Where the matches stand in that.
        package let matches: [Range<Int>]
        /// Whether it matches; else it is context.
        package let isMatch: Bool
        /// Whether records that were left out stand before it.
        package let followsHole: Bool
    }

    /// Records of context that are kept at most, whatever time is asked for.
    private static let mostContext = 10_000
    private let pattern: TextPattern
    private let isInverted: Bool
    private let isRaw: Bool
    private let before: Int
    private let after: Int
    private let around: Int64?

    /// A search with so many records of context before and after each match, or all that are at most `around` away from one;
    /// `isInverted` looks for records that do not match, `isRaw` at the bytes.
    package init(
        _ pattern: TextPattern, isInverted: Bool = false, isRaw: Bool = false, before: Int = 0, after: Int = 0,
        around: Duration? = nil
    ) {
        self.pattern = pattern
        self.isInverted = isInverted
        self.isRaw = isRaw
        self.before = min(max(0, before), Self.mostContext)
        self.after = max(0, after)
        self.around = around?.microseconds
    }

    /// Calls `body` with each hit in order, and gives the number of matches.
    package func search(
        _ path: String, hearing hear: ProblemListener = { _, _ in }, _ body: (Hit) throws -> Void
    ) throws -> Int {
        var reader = try LineReader(opening: path)
        var waiting: [RecordLine] = []
        var left = 0
        var until: Int64?
        var dropped = false
        var hasTold = false
        var matches = 0
        func tell(_ line: RecordLine, isMatch: Bool) throws {
            let shown = shown(of: line)
            try body(
                Hit(
                    record: line.record, stamp: line.stamp, text: line.text, shown: shown,
                    matches: isMatch && !isInverted ? pattern.matches(in: shown) : [], isMatch: isMatch,
                    followsHole: dropped && hasTold))
            dropped = false
            hasTold = true
        }
        while let line = try reader.next(hearing: hear) {
            if line.record.isWritersOwn { continue }
            let time = line.stamp.time.microseconds
            if isMatch(line) {
                matches += 1
                for near in waiting {
                    if let around, time - near.stamp.time.microseconds > around {
                        dropped = true
                    } else {
                        try tell(near, isMatch: false)
                    }
                }
                waiting.removeAll()
                try tell(line, isMatch: true)
                left = after
                until = around.map { time.addingReportingOverflow($0).partialValue }
            } else if left > 0 || until.map({ time <= $0 }) ?? false {
                left = max(0, left - 1)
                try tell(line, isMatch: false)
            } else {
                waiting.append(line)
                let excess = around == nil ? waiting.count - before : expired(waiting, time)
                if excess > 0 {
                    waiting.removeFirst(excess)
                    dropped = true
                }
            }
        }
        return matches
    }

    /// How many of the waiting records are too old to be context.
    private func expired(_ waiting: [RecordLine], _ time: Int64) -> Int {
        let limit = time - (around ?? 0)
        let old = waiting.prefix { $0.stamp.time.microseconds < limit }.count
        return max(old, waiting.count - Self.mostContext)
    }

    private func isMatch(_ line: RecordLine) -> Bool { (pattern.match(in: shown(of: line)) != nil) != isInverted }

    /// The text in which the pattern is found, if it is.
    private func shown(of line: RecordLine) -> [UInt8] {
        let text = Self.text(of: line)
        if isRaw { return text }
        let readable = Array(RawJSON.readable(text[...]))
        guard text.contains(UInt8(ascii: "\\")), pattern.match(in: readable) == nil else { return readable }
        // What is spelled with a backslash even so is looked at as it reads, too.
        let wholly = Array(RawJSON.readable(text[...], wholly: true))
        return pattern.match(in: wholly) == nil ? readable : wholly
    }

    private static func text(of line: RecordLine) -> [UInt8] {
        switch line.record {
        case .frame(let frame): return Array(frame.message.bytes)
        case .http(let exchange):
            switch exchange.phase {
            case .request(let method, let url, let body): return Array("\(method) \(url) ".utf8) + body
            case .response(_, let body, _): return body
            case .failure(let kind, let message): return Array("\(kind) \(message)".utf8)
            }
        case .head, .connection, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync,
            .index, .end, .unknown:
            return line.text
        }
    }
}

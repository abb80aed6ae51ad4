import WeirJSON
import WeirRegex
package import WeirWire

/// A pattern to search for in bytes: a regular expression in RE2 syntax, or plain text.
package final class TextPattern {
    /// An error for an invalid pattern.
    package struct Malformed: Error {
        /// The error message of the library.
        package var message: String
    }

    private enum Form {
        case fixed([UInt8])
        case expression(RegularExpression)
    }

    private let form: Form
    private let ignoresCase: Bool

    /// Creates a pattern. With `isFixed` it is plain text instead of a regular expression.
    package init(_ pattern: String, isFixed: Bool = false, ignoresCase: Bool = false) throws(Malformed) {
        self.ignoresCase = ignoresCase
        if isFixed {
            form = .fixed(Array(pattern.utf8).map { ignoresCase ? Self.lowered($0) : $0 })
            return
        }
        do throws(RegularExpression.Malformed) {
            form = .expression(try RegularExpression(pattern, ignoresCase: ignoresCase))
        } catch {
            throw Malformed(message: error.message)
        }
    }

    /// Returns the first match in `text` that begins at or after `start`.
    func match(in text: [UInt8], from start: Int = 0) -> Range<Int>? {
        guard start <= text.count else { return nil }
        switch form {
        case .fixed(let needle): return fixedMatch(needle, in: text, from: start)
        case .expression(let expression): return expression.match(in: text, from: start)
        }
    }

    /// Returns all matches that are not empty.
    func matches(in text: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = 0
        while let match = match(in: text, from: place) {
            if !match.isEmpty { found.append(match) }
            place = max(match.upperBound, match.lowerBound + 1)
        }
        return found
    }

    private func fixedMatch(_ needle: [UInt8], in text: [UInt8], from start: Int) -> Range<Int>? {
        guard let first = needle.first else { return start..<start }
        guard text.count - start >= needle.count else { return nil }
        for place in start...(text.count - needle.count) {
            let byte = ignoresCase ? Self.lowered(text[place]) : text[place]
            guard byte == first else { continue }
            let isMatch = needle.indices.allSatisfy {
                (ignoresCase ? Self.lowered(text[place + $0]) : text[place + $0]) == needle[$0]
            }
            if isMatch { return place..<place + needle.count }
        }
        return nil
    }

    /// Lowers only ASCII letters, since case outside ASCII cannot be decided by single bytes.
    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

/// Searches records by their text.
///
/// The searched text is what a user would expect: the payload of a message or an answer; the method, URL and body of a
/// request; the line of any other record. JSON escapes are resolved unless the raw bytes are requested.
package struct RecordingSearch {
    /// A record that matches, or that is context of a match.
    package struct Hit {
        /// The record as it was decoded.
        package let record: Record
        /// The record's number and times.
        package let stamp: Stamp
        /// The record's line in the file, without its line feed.
        package let text: [UInt8]
        /// The text that was searched, in readable form.
        package let shown: [UInt8]
        /// The ranges of the matches in `shown`.
        package let matches: [Range<Int>]
        /// Whether the record matches; otherwise it is context.
        package let isMatch: Bool
        /// Whether records were left out between the previous hit and this one.
        package let followsHole: Bool
    }

    /// The most records kept as context, whatever the time span.
    private static let mostContext = 10_000
    private let pattern: TextPattern
    private let isInverted: Bool
    private let isRaw: Bool
    private let before: Int
    private let after: Int
    private let around: Int64?

    /// Creates a search with a number of context records before and after each match, or with all records at most
    /// `around` away from one. `isInverted` searches for records that do not match; `isRaw` searches the raw bytes.
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

    /// Calls `body` with each hit in order, and returns the number of matches.
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

    /// Returns how many of the waiting records are too old to be context.
    private func expired(_ waiting: [RecordLine], _ time: Int64) -> Int {
        let limit = time - (around ?? 0)
        let old = waiting.prefix { $0.stamp.time.microseconds < limit }.count
        return max(old, waiting.count - Self.mostContext)
    }

    private func isMatch(_ line: RecordLine) -> Bool { (pattern.match(in: shown(of: line)) != nil) != isInverted }

    /// Returns the text in which the pattern is found, or else the readable text.
    private func shown(of line: RecordLine) -> [UInt8] {
        let text = Self.text(of: line)
        if isRaw { return text }
        let readable = Array(RawJSON.readable(text[...]))
        guard text.contains(UInt8(ascii: "\\")), pattern.match(in: readable) == nil else { return readable }
        // Some escapes are kept in the readable text, so the fully resolved text is searched as well.
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

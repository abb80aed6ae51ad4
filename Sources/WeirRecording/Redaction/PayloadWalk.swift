import WeirJSON
import WeirWire

/// Visits and changes the values of a payload. Shared by capture, `file doctor --secrets` and `file redact`.
///
/// The payload is JSON, possibly after the header of a Socket.IO packet, or JSON Lines. Any other text is treated as
/// one value. A string that holds an object or array is parsed as JSON too, to a limited depth. Everything unchanged is
/// kept byte for byte.
struct PayloadWalk {
    /// A value of the payload, with the names that lead to it.
    struct Value {
        /// The value's text with its escapes resolved. Numbers, true and false are as written.
        var text: [UInt8]
        /// The keys of the enclosing objects, outermost first. Elements of an array have the keys of the array.
        var keys: [String]
        /// The kind of secret that the names above the value suggest; `nil` if they suggest none.
        var name: SecretName?

        /// The secrets found in the value; they may overlap.
        var secrets: [FoundSecret] { SecretFinder.secrets(in: text, name, under: keys.last ?? "") }

        /// Returns the text with the ranges replaced, or `nil` when there are none. Overlapping ranges are merged, so
        /// that no part of one remains because another rule covers only a part of it.
        func replacing(_ ranges: [Range<Int>], _ replacement: (ArraySlice<UInt8>) -> [UInt8]) -> [UInt8]? {
            if ranges.isEmpty { return nil }
            var result: [UInt8] = []
            var place = 0
            var joined: [Range<Int>] = []
            for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                if let last = joined.last, range.lowerBound < last.upperBound {
                    joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
                } else {
                    joined.append(range)
                }
            }
            for range in joined {
                result += text[place..<range.lowerBound]
                result += replacement(text[range])
                place = range.upperBound
            }
            return result + text[place...]
        }
    }

    /// Returns the new text of a value, or `nil` to keep it.
    typealias Change = (Value) -> [UInt8]?

    private typealias Edit = (range: Range<Int>, text: [UInt8])

    /// Strings nested in strings deeper than this are treated as plain text.
    private static let mostLevels = 12
    /// The most members `value` of one object that wait for its `name` member. Further ones are visited without it.
    private static let mostValues = 64
    /// The deepest nesting of objects and arrays inside a JSON string.
    private static let depthInStrings = 64

    /// Whether to skip values that cannot hold a secret.
    private let seeksSecrets: Bool
    private let level: Int
    private let prefix: [String]
    private let payload: ArraySlice<UInt8>
    private var keys: [JSONStringRange] = []
    /// The edited payload up to `place`; `nil` before the first change.
    private var result: [UInt8]?
    private var place: Int
    /// The edits after `place`, in any order.
    private var edits: [Edit] = []
    /// The number of edits at which those in final order are applied, since there may be a million.
    private var mostEdits = 4096
    /// The positions of values that are visited only at the end of their object.
    private var undecided: [Int] = []

    private init(_ payload: ArraySlice<UInt8>, seeksSecrets: Bool, level: Int, under prefix: [String]) {
        (self.payload, self.seeksSecrets, self.level, self.prefix) = (payload, seeksSecrets, level, prefix)
        place = payload.startIndex
    }

    /// Returns the payload with its values changed, or `nil` if none changed. With `seeksSecrets` it visits only values
    /// that may hold a secret.
    static func changed(
        _ payload: ArraySlice<UInt8>, under prefix: [String] = [], seeksSecrets: Bool, _ change: Change
    ) -> [UInt8]? {
        changed(payload, under: prefix, seeksSecrets: seeksSecrets, level: 0, name: nil, change)
    }

    private static func changed(
        _ payload: ArraySlice<UInt8>, under prefix: [String], seeksSecrets: Bool, level: Int, name: SecretName?,
        _ change: Change
    ) -> [UInt8]? {
        if let start = FrameContents.jsonStart(inPayload: payload), level <= mostLevels {
            var walk = PayloadWalk(payload, seeksSecrets: seeksSecrets, level: level, under: prefix)
            if walk.walk(from: start, name, change) { return walk.finish() }
            if payload[start] == UInt8(ascii: "{"), payload.contains(UInt8(ascii: "\n")) {
                return changedLines(
                    of: payload, under: prefix, seeksSecrets: seeksSecrets, level: level, name: name, change)
            }
        }
        return change(Value(text: Array(payload), keys: prefix, name: name))
    }

    /// Changes JSON Lines: each line is visited as a text of its own.
    private static func changedLines(
        of payload: ArraySlice<UInt8>, under prefix: [String], seeksSecrets: Bool, level: Int, name: SecretName?,
        _ change: Change
    ) -> [UInt8]? {
        var result: [UInt8]?
        var place = payload.startIndex
        var start = payload.startIndex
        while start < payload.endIndex {
            let end = payload[start...].firstIndex(of: UInt8(ascii: "\n")) ?? payload.endIndex
            let line = payload[start..<end]
            start = end + 1
            if seeksSecrets, !line.withUnsafeBufferPointer({ SecretFinder.mayHoldSecret($0) }) { continue }
            if let text = changed(line, under: prefix, seeksSecrets: seeksSecrets, level: level + 1, name: name, change)
            {
                var clean = exchange(&result, with: nil) ?? []
                clean += payload[place..<line.startIndex]
                clean += text
                result = clean
                place = line.endIndex
            }
        }
        return result.map { $0 + payload[place...] }
    }

    /// Visits a JSON text. Returns false when it is not JSON.
    private mutating func walk(from start: Int, _ name: SecretName?, _ change: Change) -> Bool {
        let json = payload[start...]
        let depth = level == 0 ? 256 : Self.depthInStrings
        do throws(JSONError) {
            // Validates the whole text first: no value may be visited if the text turns out not to be JSON.
            var check = JSONReader(json.span, maximumDepth: depth)
            try check.skip()
            try check.end()
            var reader = JSONReader(json.span, maximumDepth: depth)
            let covering = name.flatMap { $0.coversWhatIsInside ? $0 : nil }
            try walk(&reader, start, own: name, covering: covering, change)
            try reader.end()
            return true
        } catch {
            return false
        }
    }

    private mutating func walk(
        _ reader: inout JSONReader, _ base: Int, own: SecretName?, covering: SecretName?, _ change: Change
    ) throws(JSONError) {
        switch try reader.peek() {
        case .object: try object(&reader, base, covering, change)
        case .array:
            try reader.beginArray()
            while try reader.nextElement() { try walk(&reader, base, own: own, covering: covering, change) }
        case .string:
            visit(try reader.stringRange(), in: reader, base, own ?? covering, change)
        case .number:
            let range = try reader.skip()
            let name = own == .password || own == .code ? own : nil
            guard !seeksSecrets || name != nil else { return }
            let text = reader.span(at: range).withUnsafeBufferPointer { Array($0) }
            // A `0` is the replacement for a secret number that cannot hold a mark.
            if seeksSecrets, text == Self.zero { return }
            edit(range, base, Value(text: text, keys: path(reader), name: name), change, short: Self.zero)
        case .bool:
            let range = try reader.skip()
            guard !seeksSecrets else { return }
            let text = reader.span(at: range).withUnsafeBufferPointer { Array($0) }
            edit(range, base, Value(text: text, keys: path(reader), name: nil), change)
        case .null: try reader.skip()
        }
    }

    private mutating func object(
        _ reader: inout JSONReader, _ base: Int, _ covering: SecretName?, _ change: Change
    ) throws(JSONError) {
        // Handles `{"name":"password","value":…}`, with the members in either order.
        var label: SecretName?
        var values: [(key: JSONStringRange, text: JSONStringRange)] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let own = name(of: key, reader)
            if !isPassedOver(key.range, reader) { visitKey(key.range, in: reader, base, change) }
            let kind = try reader.peek()
            if kind == .string, own == nil, covering == nil, values.count < Self.mostValues,
                reader.matches(key, "value")
            {
                values.append((key.range, try reader.stringRange()))
                undecided.append(key.range.range.lowerBound + base)
                continue
            }
            keys.append(key.range)
            if kind == .string, reader.matches(key, "name") || reader.matches(key, "key") {
                let start = reader.offset
                let text = try reader.stringRange()
                reader.seek(to: start)
                label = label ?? name(of: text, reader)
            }
            let inside = own.flatMap { $0.coversWhatIsInside ? $0 : nil } ?? covering
            try walk(&reader, base, own: own, covering: inside, change)
            keys.removeLast()
        }
        for value in values {
            keys.append(value.key)
            visit(value.text, in: reader, base, label, change)
            keys.removeLast()
        }
        undecided.removeLast(values.count)
    }

    private func name(of key: JSONKey, _ reader: borrowing JSONReader) -> SecretName? { name(of: key.range, reader) }

    private func name(of text: JSONStringRange, _ reader: borrowing JSONReader) -> SecretName? {
        if text.hasEscapes { return SecretName(reader.string(at: text)) }
        return reader.span(at: text).withUnsafeBufferPointer { SecretName($0) }
    }

    private func isPassedOver(_ text: JSONStringRange, _ reader: borrowing JSONReader) -> Bool {
        // No secret is this short, and nearly every key is.
        text.range.count < 12 || !reader.span(at: text).withUnsafeBufferPointer { SecretFinder.mayHoldSecret($0) }
    }

    /// Visits a key. A key may look like a secret itself, as in a list of tokens.
    private mutating func visitKey(
        _ key: JSONStringRange, in reader: borrowing JSONReader, _ base: Int, _ change: Change
    ) {
        let value = Value(text: Array(reader.string(at: key).utf8), keys: path(reader), name: nil)
        edit(key.range.lowerBound - 1..<key.range.upperBound + 1, base, value, change)
    }

    private mutating func visit(
        _ text: JSONStringRange, in reader: borrowing JSONReader, _ base: Int, _ name: SecretName?, _ change: Change
    ) {
        let isPassedOver = reader.span(at: text).withUnsafeBufferPointer { spelled in
            seeksSecrets && name == nil && !SecretFinder.mayHoldSecret(spelled)
        }
        if isPassedOver { return }
        let value = Value(text: Array(reader.string(at: text).utf8), keys: path(reader), name: name)
        let range = text.range.lowerBound - 1..<text.range.upperBound + 1
        let isInside = FrameContents.jsonStart(inPayload: value.text[...]) != nil
        guard isInside, !(name?.coversWhatIsInside ?? false) else { return edit(range, base, value, change) }
        let inside = Self.changed(
            value.text[...], under: value.keys, seeksSecrets: seeksSecrets, level: level + 1, name: name, change)
        if let inside { add((range.lowerBound + base..<range.upperBound + base, Self.quoted(inside))) }
    }

    private mutating func edit(
        _ range: Range<Int>, _ base: Int, _ value: Value, _ change: Change, short: [UInt8] = Self.quotedShort
    ) {
        guard let text = change(value) else { return }
        // The short replacements share their bytes, since there may be a million of them.
        let written = text == SecretMark.short ? short : Self.quoted(text)
        add((range.lowerBound + base..<range.upperBound + base, written))
    }

    private mutating func add(_ edit: Edit) {
        edits.append(edit)
        guard edits.count >= mostEdits else { return }
        apply(before: undecided.first ?? .max)
        mostEdits = max(4096, edits.count * 2)
    }

    /// Applies the edits before a position.
    private mutating func apply(before end: Int) {
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        var text = exchange(&result, with: nil) ?? []
        text.reserveCapacity(payload.count)
        let count = edits.prefix { $0.range.upperBound <= end }.count
        for edit in edits[..<count] {
            text += payload[place..<edit.range.lowerBound]
            text += edit.text
            place = edit.range.upperBound
        }
        edits.removeFirst(count)
        result = text
    }

    /// Returns the payload with all changes, or `nil` if there were none.
    private mutating func finish() -> [UInt8]? {
        if !edits.isEmpty { apply(before: .max) }
        return result.map { $0 + payload[place...] }
    }

    private func path(_ reader: borrowing JSONReader) -> [String] { prefix + keys.map { reader.string(at: $0) } }

    private static let quotedShort = Array("\"*\"".utf8)
    private static let zero = Array("0".utf8)

    static func quoted(_ text: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.string(utf8: text[...])
        return json.bytes
    }
}

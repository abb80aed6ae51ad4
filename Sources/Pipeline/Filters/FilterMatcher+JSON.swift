package import JSONText
import RegularExpressions

extension FilterValue {
    /// A constant, decoded for comparison with a payload value.
    package enum Decoded: Sendable {
        case text(String)
        /// A number and its spelling. The spelling also matches a string, because a peer may send numbers as strings.
        case number(FilterNumber, String)
        case truth(Bool)
        case null

        init(_ value: FilterValue) {
            switch value {
            case .string(let text), .pattern(let text), .instant(_, let text): self = .text(text)
            case .number(let text): self = FilterNumber(text).map { .number($0, text) } ?? .text(text)
            case .truth(let truth): self = .truth(truth)
            case .null: self = .null
            case .size(let amount), .span(let amount):
                let text = "\(amount)"
                self = FilterNumber(text).map { .number($0, text) } ?? .text(text)
            }
        }
    }
}

extension FilterMatcher {
    /// Whether the value at the field's path satisfies the test. A payload that is not valid JSON has no values.
    package func matches(_ payload: RawJSON) -> Bool {
        guard case .payload(let steps) = field else { return false }
        do throws(JSONError) {
            var reader = JSONReader(payload.bytes.span)
            guard try Self.go(steps, &reader) else { return false }
            return try matchesValue(&reader)
        } catch {
            return false
        }
    }

    /// Whether the payload contains a value at a path.
    package static func isThere(_ steps: [FilterField.Step], in payload: RawJSON) -> Bool {
        var reader = JSONReader(payload.bytes.span)
        return (try? go(steps, &reader)) ?? false
    }

    /// Moves the reader to the value at the end of the path.
    ///
    /// - Returns: `false` when the payload contains no such value.
    private static func go(_ steps: [FilterField.Step], _ reader: inout JSONReader) throws(JSONError) -> Bool {
        // The event's name is element 0 and its first argument is element 1. Data published on a channel has no name.
        if case .key? = steps.first, try reader.peek() == .array, try !enter(.element(1), &reader) { return false }
        for step in steps where try !enter(step, &reader) { return false }
        return true
    }

    private static func enter(_ step: FilterField.Step, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch (step, try reader.peek()) {
        case (.element(var index), .array):
            try reader.beginArray()
            while try reader.nextElement() {
                if index == 0 { return true }
                try reader.skip()
                index -= 1
            }
        case (.key(let name), .object):
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.matches(key.range, text: name) { return true }
                if key.range.hasEscapes, reader.string(key) == name { return true }
                try reader.skip()
            }
        // `list.0` means `list[0]`.
        case (.key(let name), .array):
            if let index = Int(name), index >= 0 { return try enter(.element(index), &reader) }
        case (.element, _), (.key, _): break
        }
        return false
    }

    private func matchesValue(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch wanted {
        case .anything: return true
        case .values(let values):
            let place = reader.offset
            for value in values {
                reader.seek(to: place)
                if try Self.isSame(value, &reader) { return true }
            }
            return false
        case .valueOrder(let order, let value): return try Self.holds(order, value, &reader)
        case .glob(let glob): return glob.matches(try Self.text(&reader))
        case .pattern(let pattern): return pattern?.matches(try Self.text(&reader)) ?? false
        case .words, .truth, .amounts, .order: return false
        }
    }

    /// Reads the value: the contents of a string, or the JSON text of any other value.
    private static func text(_ reader: inout JSONReader) throws(JSONError) -> String {
        try reader.peek() == .string
            ? try reader.string() : String(decoding: RawJSON.readable(try reader.raw().bytes), as: UTF8.self)
    }

    private static func isSame(_ value: FilterValue.Decoded, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch (value, try reader.peek()) {
        case (.text(let text), .string), (.number(_, let text), .string):
            let contents = try reader.stringRange()
            return reader.matches(contents, text: text) || contents.hasEscapes && reader.string(at: contents) == text
        case (.number(let number, _), .number):
            return try Self.number(&reader) == number
        case (.truth(let truth), .bool): return try reader.bool() == truth
        case (.null, .null): return true
        case (.text, _), (.number, _), (.truth, _), (.null, _): return false
        }
    }

    private static func holds(
        _ order: FilterOrder, _ value: FilterValue.Decoded, _ reader: inout JSONReader
    ) throws(JSONError) -> Bool {
        switch (value, try reader.peek()) {
        case (.number(let number, _), .number):
            return try Self.number(&reader).map { order.holds($0, number) } ?? false
        case (.text(let text), .string): return order.holds(try reader.string(), text)
        case (.text, _), (.number, _), (.truth, _), (.null, _): return false
        }
    }

    /// Reads a number, or returns `nil` for one with an exponent beyond the range of `Double`.
    private static func number(_ reader: inout JSONReader) throws(JSONError) -> FilterNumber? {
        let place = reader.offset
        if let whole = try? reader.int64() { return FilterNumber(whole) }
        reader.seek(to: place)
        return FilterNumber(try reader.raw().description)
    }
}

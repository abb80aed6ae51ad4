import WeirEvents
package import WeirJSON
package import WeirRegex

/// A clause compiled for evaluation: a list of tests, each with the step to take after success and after failure.
package struct FilterCode {
    /// The destination after a test.
    package enum Next: Hashable {
        case test(Int)
        case accept
        case refuse
    }

    package struct Step {
        package var test: FilterMatcher
        package var onTrue: Next
        package var onFalse: Next
    }

    package private(set) var steps: [Step] = []
    /// Whether the clause tests fields of rows, so that a change must be evaluated row by row.
    package let isOfRows: Bool
    /// Whether the clause tests `kind` or `mentions`. A change without an event takes these fields from its rows.
    package let asksForRowFacts: Bool
    /// Whether the result may depend on the name of a user, a room or another entity.
    package let asksForNames: Bool

    package init(_ expression: FilterExpression) {
        let tests = expression.tests
        isOfRows = tests.contains { $0.field.isOfRows }
        asksForRowFacts = tests.contains { $0.field == .kind || $0.field == .mentions }
        asksForNames = tests.contains {
            [.actor, .actorName, .isRead, .room, .title, .mentions, .text].contains($0.field)
        }
        _ = emit(expression, onTrue: .accept, onFalse: .refuse)
        steps.reverse()
        // The steps were emitted last to first. Now that they are reversed, the indices must be mirrored.
        let last = steps.count - 1
        for index in steps.indices {
            steps[index].onTrue = steps[index].onTrue.mirrored(last)
            steps[index].onFalse = steps[index].onFalse.mirrored(last)
        }
    }

    /// Emits the steps last to first, so that the destinations of a test are known when it is emitted.
    ///
    /// - Returns: The entry point of `expression`.
    private mutating func emit(_ expression: FilterExpression, onTrue: Next, onFalse: Next) -> Next {
        switch expression {
        case .test(let test):
            let negative = test.operation.isNegative
            steps.append(
                Step(
                    test: FilterMatcher(test), onTrue: negative ? onFalse : onTrue, onFalse: negative ? onTrue : onFalse
                ))
            return .test(steps.count - 1)
        case .not(let inner): return emit(inner, onTrue: onFalse, onFalse: onTrue)
        case .all(let parts):
            var next = onTrue
            for part in parts.reversed() { next = emit(part, onTrue: next, onFalse: onFalse) }
            return next
        case .any(let parts):
            var next = onFalse
            for part in parts.reversed() { next = emit(part, onTrue: onTrue, onFalse: next) }
            return next
        }
    }
}

extension FilterCode.Next {
    fileprivate func mirrored(_ last: Int) -> FilterCode.Next {
        switch self {
        case .test(let index): .test(last - index)
        case .accept, .refuse: self
        }
    }
}

/// A single test, prepared for evaluation: its field and the wanted value. `FilterCode` handles negative operators.
///
/// A class, because evaluating a step must not copy its word lists.
package final class FilterMatcher: Sendable {
    package enum Wanted: Sendable {
        case anything
        case words([String])
        case glob(Glob)
        case pattern(RegularExpression?)
        case truth(Bool)
        case amounts([Int64])
        case order(FilterOrder, Int64)
        case values([FilterValue.Decoded])
        case valueOrder(FilterOrder, FilterValue.Decoded)
    }

    package let field: FilterField
    package let wanted: Wanted

    package init(_ test: FilterTest) {
        field = test.field
        wanted = Self.wanted(test)
    }

    private static func wanted(_ test: FilterTest) -> Wanted {
        switch test.operation {
        case .exists: .anything
        case .like, .unlike: .glob(Glob(test.values.first?.string ?? ""))
        case .matches, .matchesNot: .pattern(test.values.first.flatMap { try? RegularExpression($0.string ?? "") })
        case .equal, .notEqual, .oneOf, .noneOf: equal(test)
        case .less: order(.less, test)
        case .atMost: order(.atMost, test)
        case .greater: order(.greater, test)
        case .atLeast: order(.atLeast, test)
        }
    }

    /// Whether the word `me`, which means the user, is among the wanted values.
    package var asksForUser: Bool { if case .words(let words) = wanted { words.contains("me") } else { false } }

    private static func equal(_ test: FilterTest) -> Wanted {
        switch test.field.domain {
        case .words, .text: .words(test.values.compactMap(\.string))
        case .size, .span, .instant: .amounts(test.values.compactMap(\.amount))
        case .truth: .truth(test.values.first == .truth(true))
        case .json: .values(test.values.map(FilterValue.Decoded.init))
        }
    }

    private static func order(_ order: FilterOrder, _ test: FilterTest) -> Wanted {
        guard let value = test.values.first else { return .words([]) }
        if case .json = test.field.domain { return .valueOrder(order, FilterValue.Decoded(value)) }
        return .order(order, value.amount ?? 0)
    }

    /// Whether a text satisfies the test.
    package func matches(_ text: String) -> Bool {
        switch wanted {
        case .anything: true
        case .words(let words): words.contains(text)
        case .glob(let glob): glob.matches(text)
        case .pattern(let pattern): pattern?.matches(text) ?? false
        case .truth, .amounts, .order, .values, .valueOrder: false
        }
    }

    /// Whether an amount satisfies the test: bytes of a size, microseconds of a span, or milliseconds since 1970 of a
    /// time.
    package func matches(_ amount: Int64) -> Bool {
        switch wanted {
        case .anything: true
        case .amounts(let amounts): amounts.contains(amount)
        case .order(let order, let other): order.holds(amount, other)
        case .words, .glob, .pattern, .truth, .values, .valueOrder: false
        }
    }

    /// Whether a Boolean satisfies the test.
    package func matches(_ truth: Bool) -> Bool {
        switch wanted {
        case .anything: true
        case .truth(let wanted): wanted == truth
        case .words, .glob, .pattern, .amounts, .order, .values, .valueOrder: false
        }
    }
}

package enum FilterOrder {
    case less, atMost, greater, atLeast

    package func holds<Value: Comparable>(_ a: Value, _ b: Value) -> Bool {
        switch self {
        case .less: a < b
        case .atMost: a <= b
        case .greater: a > b
        case .atLeast: a >= b
        }
    }
}

extension FilterValue {
    package var string: String? {
        switch self {
        case .string(let text), .pattern(let text): text
        case .truth, .null, .size, .span, .instant, .number: nil
        }
    }

    package var amount: Int64? {
        switch self {
        case .size(let amount), .span(let amount): amount
        case .instant(let time, _): time.milliseconds
        case .string, .pattern, .truth, .null, .number: nil
        }
    }
}

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

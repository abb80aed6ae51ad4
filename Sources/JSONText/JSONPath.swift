/// A way to a value in a JSON text: `.resource.text`, `[1].list[0]`, nothing for all of it.
package struct JSONPath: Hashable, Sendable {
    private enum Step: Hashable {
        case key(String)
        case element(Int)
    }

    private let steps: [Step]
    /// Whether an array is an event with its name, whose first argument is meant.
    private let beginsInArguments: Bool

    /// The way to a member.
    package init(key: String) { (steps, beginsInArguments) = ([.key(key)], false) }

    /// The way that a text names; nil when it names none. Into an event's payload, a way that begins with a key begins in the event's
    /// first argument; `[0]` is its name. What was published on a channel has neither, and is the value itself. `.0` at the beginning
    /// names neither: it could be taken for the name, and for the first argument.
    package init?(_ text: some StringProtocol, beginsInArguments: Bool) {
        var rest = Substring(text)
        var steps: [Step] = []
        while let first = rest.first {
            rest.removeFirst()
            if first == "." {
                let key = rest.prefix { $0 != "." && $0 != "[" }
                if key.isEmpty { return nil }
                steps.append(.key(String(key)))
                rest = rest.dropFirst(key.count)
            } else if first == "[", let close = rest.firstIndex(of: "]"), let index = Int(rest[..<close]), index >= 0 {
                steps.append(.element(index))
                rest = rest[rest.index(after: close)...]
            } else {
                return nil
            }
        }
        if case .key(let name)? = steps.first {
            if beginsInArguments, Int(name) != nil { return nil }
            self.beginsInArguments = beginsInArguments
        } else {
            self.beginsInArguments = false
        }
        self.steps = steps
    }

    /// What an error about a way adds.
    package static let hint = "payload[0] is the event's name, payload[1] its first argument"

    /// The text of the value; nil where there is none.
    package func value(in payload: RawJSON) -> RawJSON? {
        var reader = JSONReader(payload.bytes.span)
        do throws(JSONError) {
            if beginsInArguments, try reader.peek() == .array, try !Self.descend(.element(1), &reader) { return nil }
            for step in steps {
                guard try Self.descend(step, &reader) else { return nil }
            }
            return try reader.raw()
        } catch {
            return nil
        }
    }

    /// Goes to the value that the step leads to; false where there is none.
    private static func descend(_ step: Step, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch (step, try reader.peek()) {
        case (.key(let name), .object):
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.string(key) == name { return true }
                _ = try reader.skip()
            }
            return false
        case (.element(let index), .array):
            try reader.beginArray()
            for _ in 0..<index {
                guard try reader.nextElement() else { return false }
                _ = try reader.skip()
            }
            return try reader.nextElement()
        // `list.0` is `list[0]`.
        case (.key(let name), .array):
            guard let index = Int(name), index >= 0 else { return false }
            return try descend(.element(index), &reader)
        case (.key, _), (.element, _): return false
        }
    }
}

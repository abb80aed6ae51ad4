import JSONText

/// A way to a value in a JSON text: `.resource.text`, `[1].list[0]`, nothing for all of it.
struct JSONPath: Hashable, Sendable {
    private enum Step: Hashable {
        case key(String)
        case element(Int)
    }

    private let steps: [Step]
    /// Whether an array is an event with its name, whose first argument is meant.
    private let beginsInArguments: Bool

    /// The way to a member.
    init(key: String) { (steps, beginsInArguments) = ([.key(key)], false) }

    /// The way that a text names; nil when it names none. Into an event's payload, a way that begins with a key begins in the event's
    /// first argument; `[0]` is its name. What was published on a channel has neither, and is the value itself.
    init?(_ text: some StringProtocol, beginsInArguments: Bool) {
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
        if case .key? = steps.first {
            self.beginsInArguments = beginsInArguments
        } else {
            self.beginsInArguments = false
        }
        self.steps = steps
    }

    /// The text of the value; nil where there is none.
    func value(in payload: RawJSON) -> RawJSON? {
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
        case (.key, _), (.element, _): return false
        }
    }
}

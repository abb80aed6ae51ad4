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
    package init(key: String) { self.init(steps: [.key(key)], beginsInArguments: false) }

    /// All of an event's first argument, or all of what is no event.
    package static let firstArgument = JSONPath(steps: [], beginsInArguments: true)

    private init(steps: [Step], beginsInArguments: Bool) {
        (self.steps, self.beginsInArguments) = (steps, beginsInArguments)
    }

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

    /// The text of the value, a slice of the payload's; nil where there is none.
    package func value(in payload: RawJSON) -> RawJSON? {
        start(in: payload).flatMap { Self.value(at: steps[...], in: $0) }
    }

    /// The values at several paths, in their order; nil where there is no path or no value. An object that paths begin in is read once for
    /// all of them.
    package static func values(at paths: [JSONPath?], in payload: RawJSON) -> [RawJSON?] {
        var reader = JSONReader(payload.bytes.span)
        let isEvent = payload.bytes.first == UInt8(ascii: "[")
        do throws(JSONError) {
            if isEvent, try !descend(.element(1), &reader) { return paths.map { $0?.value(in: payload) } }
            guard try reader.peek() == .object else { return paths.map { $0?.value(in: payload) } }
            var values = paths.map { path in
                path?.steps.isEmpty == true || isEvent && path?.beginsInArguments == false
                    ? path?.value(in: payload) : nil
            }
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let member = try reader.skip()
                for (index, path) in paths.enumerated() where values[index] == nil {
                    guard let path, case .key(let name)? = path.steps.first, !isEvent || path.beginsInArguments,
                        reader.matches(key, text: name)
                    else { continue }
                    values[index] = value(at: path.steps.dropFirst(), in: payload.slice(member))
                }
            }
            return values
        } catch {
            return paths.map { $0?.value(in: payload) }
        }
    }

    private static let argument = [Step.element(1)]

    private static func argument(of event: RawJSON) -> RawJSON? { value(at: argument[...], in: event) }

    private func start(in payload: RawJSON) -> RawJSON? {
        beginsInArguments && payload.bytes.first == UInt8(ascii: "[") ? Self.argument(of: payload) : payload
    }

    private static func value(at steps: ArraySlice<Step>, in payload: RawJSON) -> RawJSON? {
        if steps.isEmpty { return payload }
        var reader = JSONReader(payload.bytes.span)
        do throws(JSONError) {
            for step in steps {
                guard try descend(step, &reader) else { return nil }
            }
            return payload.slice(try reader.skip())
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
                if reader.matches(key, text: name) { return true }
                try reader.skip()
            }
            return false
        case (.element(let index), .array):
            try reader.beginArray()
            for _ in 0..<index {
                guard try reader.nextElement() else { return false }
                try reader.skip()
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

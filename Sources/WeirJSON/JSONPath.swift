/// A path to a value in JSON text, such as `.resource.text` or `[1].list[0]`. The empty path selects the whole value.
package struct JSONPath: Hashable, Sendable {
    private enum Step: Hashable {
        case key(String)
        case element(Int)
    }

    private let steps: [Step]
    /// Whether the path starts in the event's first argument when the payload is an array (`[name, argument, …]`).
    private let beginsInArguments: Bool

    /// Creates a path to one member of an object.
    package init(key: String) { self.init(steps: [.key(key)], beginsInArguments: false) }

    /// The path to the whole first argument of an event, or to the whole payload if it is not an event.
    package static let firstArgument = JSONPath(steps: [], beginsInArguments: true)

    private init(steps: [Step], beginsInArguments: Bool) {
        (self.steps, self.beginsInArguments) = (steps, beginsInArguments)
    }

    /// Parses a path; returns `nil` if the text is not one.
    ///
    /// If `beginsInArguments` is true, a path that starts with a key starts in the first argument of an event's
    /// payload, and `[0]` is the event's name. A message published on a channel has neither name nor arguments, so the
    /// path applies to the value itself. A leading `.0` is rejected, because it could mean the name or the first
    /// argument.
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

    /// A hint to append to an error about a path.
    package static let hint = "payload[0] is the event's name, payload[1] its first argument"

    /// Returns the text of the value as a slice of the payload, or `nil` if the payload has no such value.
    package func value(in payload: RawJSON) -> RawJSON? {
        start(in: payload).flatMap { Self.value(at: steps[...], in: $0) }
    }

    /// Returns the values at several paths, in the order of the paths, with `nil` for a `nil` path or a missing value.
    ///
    /// An object in which several paths start is read only once.
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

    /// Moves the reader to the value that the step selects. Returns false if it does not exist.
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
        // `list.0` means the same as `list[0]`.
        case (.key(let name), .array):
            guard let index = Int(name), index >= 0 else { return false }
            return try descend(.element(index), &reader)
        case (.key, _), (.element, _): return false
        }
    }
}

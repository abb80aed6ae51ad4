import JSONText
import Pipeline
import Terminal

/// Checks whether any event has the payload values that a filter refers to by path, and collects the paths that events
/// have instead. Bounded: it collects paths from the first events only.
struct FieldWatch: Hashable, Sendable {
    private static let mostEvents = 200
    private static let mostPaths = 500
    private static let deepest = 8

    /// The filter's paths that no event has had, in filter order.
    private var missing: [[FilterField.Step]] = []
    /// The paths that events had, as text, in the order of their first occurrence.
    private var paths: [String] = []
    private var events = 0

    init(_ setting: ViewFilter.Setting) {
        for clause in setting.filter.clauses + setting.highlights.flatMap(\.clauses) {
            for case .payload(let steps) in clause.expression.tests.map(\.field) where !missing.contains(steps) {
                missing.append(steps)
            }
        }
    }

    mutating func see(_ report: Report) {
        guard !missing.isEmpty, case .event(let event) = report else { return }
        let payload = event.payload
        missing.removeAll { FilterMatcher.isThere($0, in: payload) }
        events += 1
        if !missing.isEmpty, events <= Self.mostEvents { learn(from: payload) }
    }

    /// One line for each path that no event had; empty without any event.
    var lines: [String] {
        guard events > 0 else { return [] }
        return missing.map { steps in
            let name = FilterField.payload(steps).description
            return "  no event had \(name)" + (closest(to: steps, name).map { "; closest: \($0)" } ?? "")
        }
    }

    /// Returns the path of a value with the same name; otherwise the path with the most similar text.
    private func closest(to steps: [FilterField.Step], _ name: String) -> String? {
        if let last = steps.last, case .key = last {
            let ending = FilterField.payload([last]).description.dropFirst("payload".count)
            if let same = paths.filter({ $0.hasSuffix(ending) }).min(by: { $0.utf8.count < $1.utf8.count }) {
                return same
            }
        }
        return Suggestion.nearest(to: name, among: paths)
    }

    private mutating func learn(from payload: RawJSON) {
        do throws(JSONError) {
            var reader = JSONReader(payload.bytes.span)
            if try reader.peek() == .array {
                try reader.beginArray()
                // An array starts with the event's name. Its first argument follows.
                guard try reader.nextElement() else { return }
                try reader.skip()
                guard try reader.nextElement() else { return }
            }
            try walk(&reader, [])
        } catch {
            return
        }
    }

    private mutating func walk(_ reader: inout JSONReader, _ steps: [FilterField.Step]) throws(JSONError) {
        let kind = try reader.peek()
        guard kind == .object || kind == .array, steps.count < Self.deepest, paths.count < Self.mostPaths else {
            try reader.skip()
            return
        }
        if kind == .object {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let way = steps + [.key(reader.string(key))]
                let name = FilterField.payload(way).description
                if paths.count < Self.mostPaths, !paths.contains(name) { paths.append(name) }
                try walk(&reader, way)
            }
        } else {
            try reader.beginArray()
            var index = 0
            // The elements of a list are alike, so the first one is enough.
            while try reader.nextElement() {
                if index == 0 { try walk(&reader, steps + [.element(0)]) } else { try reader.skip() }
                index += 1
            }
        }
    }
}

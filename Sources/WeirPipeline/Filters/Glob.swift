/// A shell pattern: `*` matches any text, `?` any character, and `[…]` one character of a set (`[a-z]`, `[!…]`).
package struct Glob: Hashable, Sendable {
    private enum Element: Hashable, Sendable {
        case scalar(Unicode.Scalar)
        case any
        case run
        case set([ClosedRange<UInt32>], isNegative: Bool)
    }

    private var elements: [Element] = []

    /// Creates a pattern from any text. An unclosed bracket matches itself.
    package init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        var position = 0
        while position < scalars.count {
            switch scalars[position] {
            case "*":
                if elements.last != .run { elements.append(.run) }
            case "?": elements.append(.any)
            case "[":
                if let (set, end) = Self.set(in: scalars, at: position) {
                    elements.append(set)
                    position = end
                } else {
                    elements.append(.scalar("["))
                }
            case let scalar: elements.append(.scalar(scalar))
            }
            position += 1
        }
    }

    /// Whether the text contains a character that is special in a pattern.
    package static func isPattern(_ text: String) -> Bool {
        text.utf8.contains { [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "[")].contains($0) }
    }

    private static func set(in scalars: [Unicode.Scalar], at start: Int) -> (Element, end: Int)? {
        var position = start + 1
        guard position < scalars.count else { return nil }
        let isNegative = scalars[position] == "!" || scalars[position] == "^"
        if isNegative { position += 1 }
        let first = position
        var ranges: [ClosedRange<UInt32>] = []
        while position < scalars.count {
            let scalar = scalars[position]
            if scalar == "]", position > first { return (.set(ranges, isNegative: isNegative), position) }
            if position + 2 < scalars.count, scalars[position + 1] == "-", scalars[position + 2] != "]" {
                let (low, high) = (scalar.value, scalars[position + 2].value)
                if low <= high { ranges.append(low...high) }
                position += 3
            } else {
                ranges.append(scalar.value...scalar.value)
                position += 1
            }
        }
        return nil
    }

    /// Whether the pattern matches the whole text. Allocates nothing.
    package func matches(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        var (place, element) = (scalars.startIndex, 0)
        // The position to resume from when the text after the last `*` does not match: the `*` then takes one more
        // character.
        var retry: (place: String.Index, element: Int)?
        while true {
            if element < elements.count, case .run = elements[element] {
                element += 1
                retry = (place, element)
                continue
            }
            if place == scalars.endIndex, element == elements.count { return true }
            if place < scalars.endIndex, element < elements.count, fits(scalars[place], elements[element]) {
                place = scalars.index(after: place)
                element += 1
                continue
            }
            guard let last = retry, last.place < scalars.endIndex else { return false }
            place = scalars.index(after: last.place)
            element = last.element
            retry = (place, element)
        }
    }

    private func fits(_ scalar: Unicode.Scalar, _ element: Element) -> Bool {
        switch element {
        case .scalar(let wanted): scalar == wanted
        case .any, .run: true
        case .set(let ranges, let isNegative): ranges.contains { $0.contains(scalar.value) } != isNegative
        }
    }
}

/// A wildcard pattern. `*` matches any characters except a slash, and `**` matches any characters. All other characters
/// match themselves, including `?`, which is common in the names of rooms.
struct RoomGlob: Hashable, Sendable {
    let text: String
    private let parts: [Part]

    private enum Part: Hashable, Sendable {
        case byte(UInt8)
        /// A wildcard. `**` crosses slashes.
        case star(crossesSlashes: Bool)
    }

    init(_ text: String) {
        self.text = text
        var parts: [Part] = []
        for byte in text.utf8 {
            guard byte == UInt8(ascii: "*") else {
                parts.append(.byte(byte))
                continue
            }
            if case .star = parts.last {
                parts[parts.count - 1] = .star(crossesSlashes: true)
            } else {
                parts.append(.star(crossesSlashes: false))
            }
        }
        self.parts = parts
    }

    /// Returns whether text contains a wildcard.
    static func hasWildcard(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "*")) }

    /// Returns whether the pattern matches all of `subject`. The time is at most the product of both lengths.
    func matches(_ subject: String) -> Bool {
        // The positions in the pattern that the text read so far can reach.
        var places = [Bool](repeating: false, count: parts.count + 1)
        places[0] = true
        passStars(&places)
        for byte in subject.utf8 {
            var next = [Bool](repeating: false, count: parts.count + 1)
            for (index, part) in parts.enumerated() where places[index] {
                switch part {
                case .byte(byte): next[index + 1] = true
                case .byte: break
                case .star(let crossesSlashes):
                    if crossesSlashes || byte != UInt8(ascii: "/") { next[index] = true }
                }
            }
            passStars(&next)
            places = next
        }
        return places[parts.count]
    }

    /// Advances past wildcards, because a wildcard may match nothing.
    private func passStars(_ places: inout [Bool]) {
        for (index, part) in parts.enumerated() where places[index] {
            if case .star = part { places[index + 1] = true }
        }
    }
}
